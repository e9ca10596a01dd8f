"""What drives a breath: custom properties on one object of the character, and drivers that read them.

  phase   = hold ? held : fract(time rate / 60 + offset)     one breath is one turn
  curve_k = weight of target k at that phase                  the driver's own F-curve, from the file's animation
  key_k   = on depth gain_k(type) curve_k

Type runs from -1 (belly alone) over 0 (as fitted) to 1 (chest alone). Rate and hold change the offset so that the phase
goes on where it is: no jump when a slider moves.
"""

import math

import bpy

PREFIX = "breath_"  # of shape keys
ON, DEPTH, RATE, TYPE, HOLD, HELD, OFFSET, PHASE = (
    "pneuma_on",
    "pneuma_depth",
    "pneuma_rate",
    "pneuma_type",
    "pneuma_hold",
    "pneuma_held",
    "pneuma_offset",
    "pneuma_phase",
)
CURVE = "pneuma_curve_"  # and the name of the target
MARKS = (ON, DEPTH, RATE, TYPE, HOLD, HELD, OFFSET, PHASE)
QUIET_RATE = 15.0  # [1/min] of an adult at rest, where a file has no animation
GREATEST_DEPTH = 2.0
# Gain of the region that type leans to; the other goes to zero.
LEAN = 0.5


def breathing_meshes(thing):
    """Meshes with breath keys of the character that an object belongs to: all under its topmost parent."""
    top = thing
    while top.parent:
        top = top.parent
    family = [top] + list(top.children_recursive)
    return [o for o in family if o.type == "MESH" and breath_keys(o)]


def breath_keys(mesh):
    keys = mesh.data.shape_keys
    return [k for k in keys.key_blocks if k.name.startswith(PREFIX)] if keys else []


def controller_of(thing):
    """The object that holds the sliders of a character, or None."""
    top = thing
    while top.parent:
        top = top.parent
    for candidate in [top] + list(top.children_recursive):
        if PHASE in candidate:
            return candidate
    return None


def file_curves(meshes, fps):
    """Weights of each target over a breath as [(phase, weight)], and the breath's length [s], from the animation."""
    for mesh in meshes:
        data = mesh.data.shape_keys.animation_data
        if not data:
            continue
        actions = [s.action for t in data.nla_tracks for s in t.strips if s.action]
        if data.action:
            actions.insert(0, data.action)
        # The loop alone comes before clips that are merged with it.
        actions.sort(key=lambda a: ("+" in a.name, not a.name.startswith("breath")))
        for action in actions:
            curves = {}
            for curve in action.fcurves:
                for key in breath_keys(mesh):
                    if curve.data_path == f'key_blocks["{key.name}"].value':
                        curves[key.name] = [tuple(p.co) for p in curve.keyframe_points]
            if curves and any(len(c) > 1 for c in curves.values()):
                first = min(c[0][0] for c in curves.values())
                last = max(c[-1][0] for c in curves.values())
                length = max(last - first, 1.0)
                return {n: [((f - first) / length, w) for f, w in c] for n, c in curves.items()}, length / fps
    return {}, 60.0 / QUIET_RATE


def plain_curve():
    """A breath where the file has none: in for 0.4 of it, out for the rest."""
    points = []
    for i in range(21):
        phase = i / 20
        turn = phase / 0.4 if phase < 0.4 else 1 + (phase - 0.4) / 0.6
        points.append((phase, 0.5 * (1 - math.cos(math.pi * turn))))
    return points


def add_variable(driver, name, owner, path):
    variable = driver.variables.new()
    variable.name = name
    variable.type = "SINGLE_PROP"
    target = variable.targets[0]
    target.id_type = "SCENE" if isinstance(owner, bpy.types.Scene) else "OBJECT"
    target.id = owner
    target.data_path = path


def own(name):
    return f'["{name}"]'


def new_driver(owner, path, expression, variables):
    """A driver with a plain expression; returns its F-curve, empty."""
    curve = owner.driver_add(path)
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    while curve.keyframe_points:
        curve.keyframe_points.remove(curve.keyframe_points[0])
    curve.driver.type = "SCRIPTED"
    for name, source, source_path in variables:
        add_variable(curve.driver, name, source, source_path)
    curve.driver.expression = expression
    return curve


def set_up(thing, scene):
    """Sliders for the character of an object. Returns the number of shape keys they drive."""
    meshes = breathing_meshes(thing)
    old = controller_of(thing)
    if old:
        remove(old)
    top = thing
    while top.parent:
        top = top.parent
    fps = scene.render.fps / scene.render.fps_base
    curves, seconds = file_curves(meshes, fps)
    start = {ON: 1, DEPTH: 1.0, RATE: 60.0 / seconds, TYPE: 0.0, HOLD: 0, HELD: 0.0, OFFSET: 0.0, PHASE: 0.0}
    for name, value in start.items():
        top[name] = value
    new_driver(
        top,
        own(PHASE),
        "held if hold else fmod(fmod(frame / fps * base * rate / 60 + offset, 1) + 1, 1)",
        [
            ("frame", scene, "frame_float"),
            ("fps", scene, "render.fps"),
            ("base", scene, "render.fps_base"),
            ("rate", top, own(RATE)),
            ("offset", top, own(OFFSET)),
            ("hold", top, own(HOLD)),
            ("held", top, own(HELD)),
        ],
    )
    names = sorted({k.name for m in meshes for k in breath_keys(m)})
    for name in names:
        top[CURVE + name] = 0.0
        curve = new_driver(top, own(CURVE + name), "phase", [("phase", top, own(PHASE))])
        for phase, weight in curves.get(name) or plain_curve():
            curve.keyframe_points.insert(phase, weight, options={"FAST"}).interpolation = "LINEAR"
        curve.update()
    return sum(drive_keys(mesh, top) for mesh in meshes)


def gain(name):
    """Expression of how much of a target a type of breath shows."""
    if name.startswith(PREFIX + "chest"):
        return f"(1 + (type if type < 0 else {LEAN} * type))"
    if name.startswith(PREFIX + "belly"):
        return f"(1 - (type if type > 0 else {LEAN} * type))"
    return "1"


def drive_keys(mesh, controller):
    keys = mesh.data.shape_keys
    for key in breath_keys(mesh):
        key.slider_max = max(key.slider_max, GREATEST_DEPTH * (1 + LEAN))
        new_driver(
            keys,
            f'key_blocks["{key.name}"].value',
            f"on * depth * {gain(key.name)} * curve",
            [
                ("on", controller, own(ON)),
                ("depth", controller, own(DEPTH)),
                ("type", controller, own(TYPE)),
                ("curve", controller, own(CURVE + key.name)),
            ],
        )
    return len(breath_keys(mesh))


def remove(controller):
    """Takes drivers and properties away; shape keys go back to zero and to their own animation."""
    for mesh in breathing_meshes(controller):
        for key in breath_keys(mesh):
            mesh.data.shape_keys.driver_remove(f'key_blocks["{key.name}"].value')
            key.value = 0
    for name in [n for n in controller.keys() if n in MARKS or n.startswith(CURVE)]:
        controller.driver_remove(own(name))
        del controller[name]


def phase_now(controller, scene):
    """The phase by its formula, whatever has been evaluated so far."""
    if controller[HOLD]:
        return controller[HELD]
    seconds = scene.frame_float * scene.render.fps_base / scene.render.fps
    return seconds * controller[RATE] / 60 + controller[OFFSET]


def keep_phase(controller, change):
    """Changes something without a jump of the phase."""
    scene = bpy.context.scene
    phase = phase_now(controller, scene) % 1.0
    change()
    if controller[HOLD]:
        controller[HELD] = phase
    else:
        controller[OFFSET] = 0.0
        controller[OFFSET] = (phase - phase_now(controller, scene)) % 1.0
    controller.update_tag()


def slider(name, default):
    """Getter and setter of a custom property that exists on controllers only."""

    def get(self):
        return self.get(name, default)

    def set_value(self, value):
        if name not in self:
            return
        if name in (RATE, HOLD):
            keep_phase(self, lambda: self.__setitem__(name, value))
        else:
            self[name] = value
            self.update_tag()

    return {"get": get, "set": set_value}


def register_sliders():
    thing = bpy.types.Object
    thing.pneuma_breath_on = bpy.props.BoolProperty(name="Breathe", description="Off is the character at rest", **slider(ON, 1))
    thing.pneuma_breath_depth = bpy.props.FloatProperty(
        name="Depth", description="1 is the breath as fitted", min=0, max=GREATEST_DEPTH, **slider(DEPTH, 1.0)
    )
    thing.pneuma_breath_rate = bpy.props.FloatProperty(
        name="Rate", description="Breaths per minute", min=1, max=90, **slider(RATE, QUIET_RATE)
    )
    thing.pneuma_breath_type = bpy.props.FloatProperty(
        name="Belly to chest", description="-1: belly alone, 0: as fitted, 1: chest alone", min=-1, max=1, **slider(TYPE, 0.0)
    )
    thing.pneuma_breath_hold = bpy.props.BoolProperty(name="Hold", description="Hold the breath here", **slider(HOLD, 0))


def unregister_sliders():
    for name in ("on", "depth", "rate", "type", "hold"):
        delattr(bpy.types.Object, "pneuma_breath_" + name)
