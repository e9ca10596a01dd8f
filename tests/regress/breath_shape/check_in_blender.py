"""blender -b --enable-autoexec --python check_in_blender.py -- examples/breath_shape folder-of-example_person

The example breathes in Blender: shape keys and drivers put vertices where the library says, at any type and depth.
"""

import json
import os
import sys

import bpy
import numpy

examples, folder = sys.argv[sys.argv.index("--") + 1 :]
sys.path.insert(0, examples)
import blender as example  # noqa: E402


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


with open(os.path.join(folder, "facts.json")) as stream:
    facts = json.load(stream)
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 25
skin = example.main(os.path.join(folder, "perform.glb"), os.path.join(folder, "person.breathshape"))
skin["breath_rate"], skin["breath_tidal"] = facts["rate"], facts["tidal"]


def shown(share, **state):
    """Vertices in the axes of glTF with these properties, at a share of the breath."""
    for name, value in state.items():
        skin["breath_" + name] = value
    skin.update_tag()
    frame = share * facts["seconds"] * scene.render.fps
    scene.frame_set(int(frame), subframe=frame - int(frame))
    evaluated = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = numpy.array([evaluated.matrix_world @ v.co for v in evaluated.data.vertices])
    return numpy.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def furthest(a, b):
    return numpy.linalg.norm(a - b, axis=1).max()


rest = numpy.array(next(m["skin"] for m in facts["moments"] if m["depth"] == 0))
worst = travel = 0
for m in facts["moments"]:
    x = shown(m["share"], type=m["type"], depth=m["depth"])
    worst, travel = max(worst, furthest(x, numpy.array(m["skin"]))), max(travel, furthest(x, rest))
print(f"Blender {bpy.app.version_string}: {len(facts['moments'])} moments within {1e3 * worst:.5f} mm, travel {1e3 * travel:.1f} mm")
check(worst < 1e-5, f"{1e3 * worst} mm off")  # 16 bits of a component
check(travel > 2e-3, "the skin does not breathe")
full = shown(0.5, type=0.5, depth=1.0)
for share in (0.1, 0.3):
    held = furthest(shown(share, hold=1.0), full)
    check(held < 1e-5, f"a held breath moves by {1e3 * held} mm")
check(furthest(shown(0.1, hold=0.0), full) > 1e-3, "does not breathe again")
check(furthest(shown(0.3, off=True), rest) < 1e-6, "off is not rest")
