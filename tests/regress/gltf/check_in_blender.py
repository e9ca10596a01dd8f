"""blender -b --python check_in_blender.py -- file.glb facts.json file.pc2

Imports a GLB into Blender and checks that it holds what its maker says: vertex count, one shape key
per morph target, shape keys that move the surface while the animation plays, moving rigid parts.
A point cache of the same frames must put every vertex where the shape keys put it.
"""

import json
import sys

import bpy
import numpy

# Debian 12 pairs Blender 3.4 with NumPy 1.24; the importer still uses names that NumPy dropped.
for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

glb, facts_file, cache_file = sys.argv[sys.argv.index("--") + 1 :]
with open(facts_file) as stream:
    facts = json.load(stream)

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=glb)


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


def points_at(name, frame):
    """World positions of an object's vertices with everything applied."""
    bpy.context.scene.frame_set(frame)
    shown = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [shown.matrix_world @ v.co for v in shown.data.vertices]


def largest_motion(name, first, last):
    return max((a - b).length for a, b in zip(points_at(name, first), points_at(name, last)))


torso = bpy.data.objects[facts["mesh"]]
check(len(torso.data.vertices) == facts["vertices"], f"{len(torso.data.vertices)} vertices")
keys = torso.data.shape_keys
check(keys is not None, "no shape keys")
names = [k.name for k in keys.key_blocks if k.name != "Basis"]
check(len(names) == facts["targets"], f"shape keys {names}")
check(names[0] == "mode_01", f"first shape key {names[0]}")
check(keys.animation_data is not None, "shape keys are not animated")

fps = bpy.context.scene.render.fps
half = round(fps * 1.0)  # one second: the height of the breath
breath = largest_motion(facts["mesh"], 0, half)
check(0.015 < breath < 0.06, f"torso moves {breath * 1e3:.2f} mm")
blink = largest_motion("eyelid", 0, half)
check(abs(blink - 0.01) < 1e-4, f"eyelid moves {blink * 1e3:.3f} mm")
quarter = round(fps * 0.5)
spine = largest_motion("vertebra_t10", 0, quarter)
check(spine > 0.01, f"vertebra moves {spine * 1e3:.2f} mm")
check(len(bpy.data.objects["intercostals"].data.edges) == 8, "lines are missing")
material = torso.active_material
check(material.name == "skin" and material.blend_method == "BLEND", "material")

# The cache plays one sample per frame; the shape keys play at the scene's rate. Both end together.
last = facts["frames"] - 1
morphed = points_at(facts["mesh"], round(facts["period"] * fps))
modifier = torso.modifiers.new("cache", "MESH_CACHE")
modifier.cache_format = "PC2"
modifier.filepath = cache_file
# These two undo the turn from Y up to Z up that Blender's glTF import applies.
modifier.up_axis = "NEG_Y"
modifier.forward_axis = "POS_Z"
cached = points_at(facts["mesh"], last)
check(len(cached) == facts["vertices"], "point cache has another vertex count")
apart = max((a - b).length for a, b in zip(morphed, cached))
moved = max((a - b).length for a, b in zip(cached, points_at(facts["mesh"], last // 2)))
check(moved > 0.01, f"point cache moves {moved * 1e3:.2f} mm")
check(apart < 1e-4, f"point cache and shape keys are {apart * 1e3:.3f} mm apart")

print(
    f"Blender {bpy.app.version_string}: {len(torso.data.vertices)} vertices, {len(names)} shape keys, "
    f"breath {breath * 1e3:.2f} mm, vertebra {spine * 1e3:.2f} mm, "
    f"point cache and shape keys {apart * 1e3:.4f} mm apart"
)
