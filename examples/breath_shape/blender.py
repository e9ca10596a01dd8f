"""A person of `pneuma perform` breathes in Blender: shape keys with drivers.

    blender --enable-autoexec --python blender.py -- perform.glb person.breathshape

The skin gets properties that may be changed or keyframed: breath_depth, breath_rate [1/min], breath_tidal [L],
breath_type (0 belly .. 1 chest), breath_hold (0 breathes .. 1 holds the breath in) and breath_off. Weights are those of
breath_shape.h. Drivers call a function, so Blender must be allowed to run scripts.
"""

import math
import struct
import sys

import bpy
import numpy

# Debian 12 pairs Blender 3.4 with NumPy 1.24; the importer still uses names that NumPy dropped.
for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

MAGIC, VERSION = 0x48535242, 1
LITRE, CENTIMETRE, LARGEST_SHORT = 1e-3, 0.01, 32767
KEY_DEVIATIONS = 3  # of a component at 1 of its shape key, whose slider Blender ends at 10


class BreathShape:
    """The bytes of a baked person."""

    def __init__(self, data):
        magic, version, self.vertices, self.moving, self.components, self.features = struct.unpack_from("<6I", data)
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError("not a baked person of this version")
        self.area, self.belly_lead = struct.unpack_from("<2f", data, 24)
        at, k = 32, self.components

        def take(kind, *shape):
            nonlocal at
            array = numpy.frombuffer(data, kind, math.prod(shape), at).reshape(shape)
            at += array.nbytes
            return array

        self.function = take("<f4", self.features, k).astype("f8")
        self.deviations, self.slope = take("<f4", k).astype("f8"), take("<f4", k).astype("f8")
        self.bend, self.scale = take("<f4", k, k).astype("f8"), take("<f4", k)
        self.rest = take("<f4", self.vertices, 3)
        self.index = take("<u4", self.moving)
        self.delta = take("<i2", k, self.moving, 3)

    def weights(self, volume, flow, kind, depth):
        """Weights at litres above rest, litres a second, type."""
        wanted = volume * depth * LITRE
        v, q = wanted / self.area / CENTIMETRE, flow * depth * LITRE / self.area / CENTIMETRE
        c, b = kind * v - self.belly_lead * q, (1 - kind) * v + self.belly_lead * q
        if self.features == 5:
            f = [c, b, c * c, c * b, b * b]
        elif self.features == 8:
            f = [c, b, q, c * c, c * b, b * b, c * q, min(c, 0)]
        else:
            f = [kind**p * x for p in range(4) for x in (v, v * v, q)]
        w = numpy.array(f) @ self.function
        for _ in range(2):  # the skin gains what the lungs do
            gradient = self.slope + 2 * self.bend @ w
            way = self.deviations**2 * gradient
            if gradient @ way > 0:
                w = w + (wanted - self.slope @ w - w @ self.bend @ w) / (gradient @ way) * way
        return w

    def displacement(self, component):
        field = numpy.zeros((self.vertices, 3))
        field[self.index] = self.delta[component] * (self.scale[component] / LARGEST_SHORT)
        return field


def breath_weight(component, frame, fps, depth, rate, tidal, kind, hold, off):
    """Value of a shape key: what every driver calls."""
    turns, angular = rate / 60 * frame / fps, 2 * math.pi * rate / 60
    half = 0.5 * tidal
    volume = half * (1 - math.cos(2 * math.pi * turns))
    flow = half * angular * math.sin(2 * math.pi * turns)
    state = (hold * tidal + (1 - hold) * volume, (1 - hold) * flow, kind, 0 if off else depth)
    person = bpy.app.driver_namespace["breath_person"]
    return person.weights(*state)[component] / unit_of(person, component)


def unit_of(person, component):
    return KEY_DEVIATIONS * max(person.deviations[component], 1e-9)


def add_driver(skin, key, component):
    curve = key.driver_add("value")
    names = ("depth", "rate", "tidal", "type", "hold", "off")
    for name in names:
        variable = curve.driver.variables.new()
        variable.name = name
        variable.targets[0].id = skin
        variable.targets[0].data_path = f'["breath_{name}"]'
    fps = bpy.context.scene.render.fps
    curve.driver.expression = f"breath_weight({component}, frame, {fps}, {', '.join(names)})"


def breathe(skin, person):
    """Shape keys, properties and drivers on a skin of the person's vertices."""
    if len(skin.data.vertices) != person.vertices:
        raise ValueError("another skin than the person's")
    bpy.app.driver_namespace["breath_person"] = person
    bpy.app.driver_namespace["breath_weight"] = breath_weight
    for name, value in (("depth", 1.0), ("rate", 14.0), ("tidal", 0.5), ("type", 0.5), ("hold", 0.0), ("off", False)):
        skin[f"breath_{name}"] = value
    skin.animation_data_clear()
    if skin.data.shape_keys:
        skin.shape_key_clear()
    skin.shape_key_add(name="Basis")
    basis = numpy.array([v.co for v in skin.data.vertices])
    for k in range(person.components):
        field = person.displacement(k) * unit_of(person, k)
        key = skin.shape_key_add(name=f"breath_{k + 1}")
        key.slider_min, key.slider_max = -10, 10
        # glTF has y up, Blender z.
        moved = basis + numpy.stack([field[:, 0], -field[:, 2], field[:, 1]], axis=1)
        key.data.foreach_set("co", moved.ravel())
        add_driver(skin, key, k)


def main(glb, baked):
    bpy.ops.import_scene.gltf(filepath=glb)
    skin = next(o for o in bpy.data.objects if o.type == "MESH" and o.data.name == "skin")
    with open(baked, "rb") as stream:
        breathe(skin, BreathShape(stream.read()))
    return skin


if __name__ == "__main__":
    main(*sys.argv[sys.argv.index("--") + 1 :])
