"""blender -b --python check_asset_in_blender.py -- folder game-assets.md

Imports body.glb of example_asset into Blender, lets the snippet of the docs play motion and breath
together, and checks that armature, actions and shape keys have their names and every vertex is where
Pneuma's own evaluation puts it.
"""

import json
import re
import sys

import bpy
import numpy

# Debian 12 pairs Blender 3.4 with NumPy 1.24; the importer still uses names that NumPy dropped.
for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

folder, page = sys.argv[sys.argv.index("--") + 1 :]
with open(folder + "/asset.json") as stream:
    facts = json.load(stream)
with open(page) as stream:
    snippet = re.search(r"```python\n(.*?)```", stream.read(), re.S).group(1)


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


bpy.ops.wm.read_factory_settings(use_empty=True)
space = {}
exec(snippet.replace("body.glb", folder + "/body.glb"), space)

armatures = [o for o in bpy.data.objects if o.type == "ARMATURE"]
check(len(armatures) == 1, f"armatures {armatures}")
armature = armatures[0]
bones = {b.name for b in armature.data.bones}
check({j["name"] for j in facts["joints"]} <= bones, f"bones {bones}")
for joint in facts["joints"]:
    x, y, z = joint["pivot"]  # Blender's import turns +Y up into +Z up
    head = armature.matrix_world @ armature.data.bones[joint["name"]].head_local
    check((head - type(head)((x, -z, y))).length < 1e-5, f"pivot of {joint['name']}")
tracks = {t.name for t in armature.animation_data.nla_tracks}
check(tracks == {"motion", "breath"}, f"tracks {tracks}")

meshes = {o.data.name: o for o in bpy.data.objects if o.type == "MESH"}
skin = meshes["skin"]
keys = [k.name for k in skin.data.shape_keys.key_blocks if k.name != "Basis"]
check(keys == facts["targets"], f"shape keys {keys}")
check({t.name for t in skin.data.shape_keys.animation_data.nla_tracks} == {"breath"}, "tracks of the shape keys")
check(skin.data.uv_layers, "no UVs")
check(skin.active_material.blend_method == "OPAQUE", "the skin is not opaque")
shown = [n for n, o in meshes.items() if not o.hide_render]
check(sorted(shown) == ["bones", "cartilage", "skin"], f"shown: {shown}")


def points(mesh):
    """World positions with everything applied, in glTF's axes."""
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = mesh.evaluated_get(graph)
    world = evaluated.matrix_world
    at = numpy.array([world @ v.co for v in evaluated.data.vertices])
    return numpy.stack((at[:, 0], at[:, 2], -at[:, 1]), axis=1)


frame = facts["time"] * bpy.context.scene.render.fps
check(frame == round(frame), "the moment lies between frames")
for moment in facts["moments"]:
    if moment["depth"] > 1:
        continue  # influence ends at 1; deeper breath is a driver's work
    space["breath"](depth=moment["depth"])
    bpy.context.scene.frame_set(int(frame))
    off = {}
    for name in ("skin", "bones"):
        expected = numpy.array(moment[name])
        found = points(meshes[name])
        check(found.shape == expected.shape, f"{name}: {found.shape} instead of {expected.shape}")
        off[name] = numpy.linalg.norm(found - expected, axis=1).max()
    check(max(off.values()) < 1e-4, f"depth {moment['depth']}: {off} m off")
    print(f"Blender {bpy.app.version_string}: depth {moment['depth']}: "
          + ", ".join(f"{n} {d * 1e3:.4f} mm off" for n, d in off.items()))
