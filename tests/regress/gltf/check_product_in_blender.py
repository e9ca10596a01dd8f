"""blender -b --python check_product_in_blender.py -- file.glb game-assets.md

An asset of the program itself in Blender, played by the snippet of the docs: one armature, opaque skin
with UVs and named shape keys, and a breath whose seam closes.
"""

import re
import sys

import bpy
import numpy

# Debian 12 pairs Blender 3.4 with NumPy 1.24; the importer still uses names that NumPy dropped.
for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

file, page = sys.argv[sys.argv.index("--") + 1 :]
with open(page) as stream:
    snippet = re.search(r"```python\n(.*?)```", stream.read(), re.S).group(1)


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


bpy.ops.wm.read_factory_settings(use_empty=True)
space = {}
exec(snippet.replace("body.glb", file).replace("fps = 30", "fps = 20"), space)
skin = space["skin"]
check(len([o for o in bpy.data.objects if o.type == "ARMATURE"]) == 1, "not one armature")
check(skin.data.uv_layers and skin.active_material.blend_method == "OPAQUE", "no UVs, or not opaque")
keys = [k.name for k in skin.data.shape_keys.key_blocks if k.name != "Basis"]
check(keys[:2] == ["breath_chest", "breath_belly"] and len(keys) <= 5, f"shape keys {keys}")
for strip in space["strips"]["motion"]:
    strip.mute = True


def points(frame):
    bpy.context.scene.frame_set(frame)
    evaluated = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = evaluated.matrix_world
    return numpy.array([world @ v.co for v in evaluated.data.vertices])


strip = space["strips"]["breath"][0]
last = round(strip.action_frame_end)
check(abs(strip.action_frame_end - last) < 1e-2, f"the loop ends between frames, at {strip.action_frame_end}")
first = points(0)
travel = max(numpy.linalg.norm(points(f) - first, axis=1).max() for f in range(0, last, 8))
seam = numpy.linalg.norm(points(last) - first, axis=1).max()
print(f"Blender {bpy.app.version_string}: {last} frames, travel {1e3 * travel:.1f} mm, seam {1e3 * seam:.4f} mm")
check(travel > 2e-3, "the skin does not breathe")
check(seam < 1e-4, f"jumps by {1e3 * seam} mm where it loops")
space["breath"](depth=0)
still = max(numpy.linalg.norm(points(f) - points(0), axis=1).max() for f in range(0, last, 20))
check(still < 1e-6, f"off still moves by {1e3 * still} mm")
