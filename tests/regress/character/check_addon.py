"""blender -b --python check_addon.py -- pneuma_breath.zip hero.glb facts.json scratch.blend

Installs the add-on as a user does, sets a character up, and moves every slider.
"""

import json
import sys

import bpy
import numpy

for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

archive, glb, facts_file, blend = sys.argv[sys.argv.index("--") + 1 :]
with open(facts_file) as stream:
    facts = json.load(stream)


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
bpy.ops.preferences.addon_enable(module="pneuma_breath")
bpy.ops.import_scene.gltf(filepath=glb)
scene = bpy.context.scene
fps = scene.render.fps
period = facts["period"]
armature = bpy.data.objects["Rig"]


def mesh_of(name):
    """Blender's importer puts an animated mesh under an empty of its name."""
    return next(o for o in bpy.data.objects if o.type == "MESH" and o.name.split(".")[0] == name)


def body():
    return mesh_of("Body")


def weights(frame):
    """Weights of chest and belly as they are drawn."""
    scene = bpy.context.scene
    scene.frame_set(int(frame // 1), subframe=frame % 1)
    shown = body().evaluated_get(bpy.context.evaluated_depsgraph_get())
    keys = shown.data.shape_keys.key_blocks
    return keys["breath_chest"].value, keys["breath_belly"].value


def greatest(over=period):
    pairs = [weights(over * fps * i / 48) for i in range(49)]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def near(a, b, tolerance=1e-4):
    return all(abs(x - y) < tolerance for x, y in zip(a, b))


# What the file's own animation does, before anything drives.
keys = body().data.shape_keys
own = {t.name.split(".")[0]: t.strips[0].action for t in keys.animation_data.nla_tracks}["breath"]
expected = {}
for curve in own.fcurves:
    for name in ("breath_chest", "breath_belly"):
        if name in curve.data_path:
            expected[name] = curve

bpy.context.view_layer.objects.active = armature
check(bpy.ops.pneuma.breath_setup() == {"FINISHED"}, "set up")
top = armature
check(abs(top.pneuma_breath_rate - 60 / period) < 1e-3, f"rate {top.pneuma_breath_rate}")
for share in (0.0, 0.2, 0.5, 0.8):
    frame = share * period * fps
    wanted = [expected[n].evaluate(frame) for n in ("breath_chest", "breath_belly")]
    check(near(weights(frame), wanted, 2e-3), f"at {share}: {weights(frame)} instead of {wanted}")
check(near(weights(0), weights(period * fps), 1e-4), "seam")
shirt = mesh_of("Shirt").data.shape_keys
check(len(shirt.animation_data.drivers) == 2, "the shirt is not driven")

whole = greatest()
top.pneuma_breath_depth = 0.5
check(near(greatest(), [0.5 * w for w in whole]), "half the depth")
top.pneuma_breath_depth = 1.5
check(near(greatest(), [1.5 * w for w in whole]), "deeper than fitted")
top.pneuma_breath_depth = 1.0

top.pneuma_breath_type = 1.0
chest, belly = greatest()
check(belly < 1e-6 and chest > whole[0], f"chest alone: {chest} {belly}")
top.pneuma_breath_type = -1.0
chest, belly = greatest()
check(chest < 1e-6 and belly > whole[1], f"belly alone: {chest} {belly}")
top.pneuma_breath_type = 0.0

# Twice the rate goes on from where it is.
here = 0.3 * period * fps
before = weights(here)
top.pneuma_breath_rate = 2 * 60 / period
check(near(weights(here), before, 2e-3), "the rate jumps")
check(near(weights(here + 0.25 * period * fps), weights(here + 0.75 * period * fps), 2e-3), "twice the rate")
top.pneuma_breath_hold = True
held = weights(here + 5)
bpy.context.scene.frame_set(round(here))
check(near(weights(here + 40), held), "a held breath goes on")
top.pneuma_breath_hold = False
after = weights(here + 40)
check(near(after, held, 2e-3), f"letting go jumps from {held} to {after}")

top.pneuma_breath_on = False
check(near(greatest(), (0, 0), 1e-9), "off still breathes")
top.pneuma_breath_on = True

# The file plays without the add-on.
bpy.ops.wm.save_as_mainfile(filepath=blend)
with_addon = [weights(f) for f in (0, 7, 19)]
bpy.ops.preferences.addon_disable(module="pneuma_breath")
bpy.ops.wm.open_mainfile(filepath=blend, use_scripts=False)
check(near([w for p in with_addon for w in p], [w for f in (0, 7, 19) for w in weights(f)]), "needs the add-on to play")

bpy.ops.preferences.addon_enable(module="pneuma_breath")
bpy.context.view_layer.objects.active = bpy.data.objects["Rig"]
check(bpy.ops.pneuma.breath_remove() == {"FINISHED"}, "remove")
check(not [k for k in bpy.data.objects["Rig"].keys() if k.startswith("pneuma_")], "properties are left")
data = body().data.shape_keys.animation_data
check(not data.drivers, "drivers are left")
print(f"Blender {bpy.app.version_string}: add-on installed, depth, rate, type, hold and off work; greatest weights {whole}")
