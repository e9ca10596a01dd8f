"""blender -b --python check_in_blender.py -- hero.glb facts.json

The character that came back: everything it had, and the breath beside its own actions.
"""

import json
import sys

import bpy
import numpy

for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

glb, facts_file = sys.argv[sys.argv.index("--") + 1 :]
with open(facts_file) as stream:
    facts = json.load(stream)
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=glb)
scene = bpy.context.scene


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


def mesh_of(name):
    """Blender's importer puts an animated mesh under an empty of its name."""
    return next(o for o in bpy.data.objects if o.type == "MESH" and o.name.split(".")[0] == name)


body, armature = mesh_of("Body"), bpy.data.objects["Rig"]
keys = body.data.shape_keys
names = [k.name for k in keys.key_blocks[1:]]
check(names == ["smile", "breath_chest", "breath_belly"], f"shape keys {names}")
shirt_keys = mesh_of("Shirt").data.shape_keys
check(shirt_keys and len(shirt_keys.key_blocks) == 3, "the shirt does not breathe")
for still in ("Eyes", "Hair"):
    check(mesh_of(still).data.shape_keys is None, f"{still} breathes")
check(any(n.type == "TEX_IMAGE" and n.image for n in body.active_material.node_tree.nodes), "texture is lost")
check({g.name for g in body.vertex_groups} == {"hips", "chest", "head"}, "vertex groups")
check(set(armature.pose.bones.keys()) == {"hips", "chest", "head"}, "bones")


def strips_of(owner):
    """Actions by the name of the animation they came from."""
    return {t.name.split(".")[0]: t.strips[0].action for t in owner.animation_data.nla_tracks}


moves, faces = strips_of(armature), strips_of(keys)
check({"bow", "nod"} <= set(moves), f"actions {sorted(moves)}")
check({"breath", "bow", "bow+breath"} <= set(faces), f"shape key actions {sorted(faces)}")
for owner in (armature, keys, shirt_keys):
    for track in owner.animation_data.nla_tracks:
        track.mute = True
breath_action = {id(keys): faces["breath"], id(shirt_keys): strips_of(shirt_keys)["breath"]}


def play(move, breathing, frame):
    """World positions of the body with these two played together."""
    armature.animation_data.action = moves.get(move)
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (1, 0, 0, 0)
    for owner in (keys, shirt_keys):
        owner.animation_data.action = breath_action[id(owner)] if breathing else None
        for block in owner.key_blocks[1:]:
            block.value = 0
    scene.frame_set(frame)
    bpy.context.view_layer.update()
    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [shown.matrix_world @ v.co for v in shown.data.vertices]


def furthest(a, b):
    return 1e3 * max((p - q).length for p, q in zip(a, b))


fps = scene.render.fps
middle, end = round(facts["period"] / 2 * fps), round(facts["period"] * fps)
still = play(None, False, 0)
breath = furthest(still, play(None, True, middle))
seam = furthest(play(None, True, 0), play(None, True, end))
bow_frame = round(fps)  # one second: the lowest of the bow
bow = furthest(still, play("bow", False, bow_frame))
both = furthest(play("bow", False, bow_frame), play("bow", True, bow_frame))
check(abs(breath - facts["largest_mm"]) < 0.05, f"breath moves {breath:.3f} mm, not {facts['largest_mm']:.3f}")
check(seam < 0.1, f"seam {seam:.4f} mm")
check(bow > 100, f"the bow moves {bow:.1f} mm")
check(3 < both < 30, f"breath within the bow moves {both:.2f} mm")
print(f"Blender {bpy.app.version_string}: breath {breath:.2f} mm, seam {seam:.5f} mm, bow {bow:.0f} mm, both {both:.2f} mm")
