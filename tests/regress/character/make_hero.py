"""blender -b --python make_hero.py -- hero.glb [hero.fbx]

A character as Blender writes it: a textured body with a shape key on an armature, a shirt, eyes on the head's bone,
hair, and two actions that move the armature, one of them the shape key too.
"""

import math
import sys

import bpy
import numpy

for name, kind in (("bool", bool), ("int", int), ("float", float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

files = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24


def textured(name):
    image = bpy.data.images.new(name, 8, 8)
    image.pixels = [0.9, 0.6, 0.5, 1.0] * 64
    image.pack()
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    material.node_tree.links.new(node.outputs["Color"], material.node_tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


def ball(name, scale, place, material=None, segments=32, rings=48):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=segments, ring_count=rings, radius=1)
    thing = bpy.context.object
    thing.name = thing.data.name = name
    for v in thing.data.vertices:
        v.co = [v.co[i] * scale[i] + place[i] for i in range(3)]
    if material:
        thing.data.materials.append(material)
    return thing


# The body stands on the floor, 1.8 m tall; Z is up in Blender.
body = ball("Body", (0.28, 0.18, 0.9), (0, 0, 0.9), textured("Skin"))
body.shape_key_add(name="Basis")
smile = body.shape_key_add(name="smile")
for i, v in enumerate(body.data.vertices):
    if v.co.z > 1.6:
        smile.data[i].co = v.co * 1.02

# A shirt: the middle of a wider body, open above and below.
shirt = ball("Shirt", (0.29, 0.19, 0.9), (0, 0, 0.9), bpy.data.materials.new("Cloth"))
keep = [v.index for v in shirt.data.vertices if 0.8 < v.co.z < 1.5]
number = {old: new for new, old in enumerate(keep)}
faces = [[number[v] for v in p.vertices] for p in shirt.data.polygons if all(v in number for v in p.vertices)]
points = [tuple(shirt.data.vertices[v].co) for v in keep]
cut = bpy.data.meshes.new("Shirt")
cut.from_pydata(points, [], faces)
cut.materials.append(shirt.data.materials[0])
shirt.data = cut

eyes = ball("Eyes", (0.015, 0.015, 0.015), (0.05, -0.13, 1.6), None, 12, 8)
hair = ball("Hair", (0.2, 0.15, 0.05), (0, 0.02, 1.78), None, 16, 8)

rig = bpy.data.armatures.new("Rig")
armature = bpy.data.objects.new("Rig", rig)
scene.collection.objects.link(armature)
bpy.context.view_layer.objects.active = armature
bpy.ops.object.mode_set(mode="EDIT")
previous = None
for name, low, high in (("hips", 0.8, 1.1), ("chest", 1.1, 1.5), ("head", 1.5, 1.8)):
    bone = rig.edit_bones.new(name)
    bone.head, bone.tail = (0, 0, low), (0, 0, high)
    bone.parent = previous
    previous = bone
bpy.ops.object.mode_set(mode="OBJECT")


def blend(z):
    """Weights of hips, chest and head at a height."""
    up = min(max((z - 1.0) / 0.2, 0), 1)
    top = min(max((z - 1.4) / 0.2, 0), 1)
    return {"hips": 1 - up, "chest": up * (1 - top), "head": up * top}


for thing in (body, shirt, hair):
    groups = {name: thing.vertex_groups.new(name=name) for name in ("hips", "chest", "head")}
    for v in thing.data.vertices:
        for name, weight in blend(v.co.z).items():
            if weight > 0:
                groups[name].add([v.index], weight, "REPLACE")
    thing.parent = armature
    thing.modifiers.new("rig", "ARMATURE").object = armature
eyes.parent = armature
eyes.parent_type = "BONE"
eyes.parent_bone = "head"
eyes.location = (0, -1.8, 0)  # a child of a bone counts from its tail


def action(name, bone, axis, degrees, frames):
    """An action of the armature, as a track of its own."""
    made = bpy.data.actions.new(name)
    armature.animation_data_create()
    armature.animation_data.action = made
    pose = armature.pose.bones[bone]
    pose.rotation_mode = "XYZ"
    for share, angle in ((0, 0), (0.5, degrees), (1, 0)):
        pose.rotation_euler[axis] = math.radians(angle)
        pose.keyframe_insert("rotation_euler", frame=round(share * frames))
    armature.animation_data.action = None
    track = armature.animation_data.nla_tracks.new()
    track.name = name
    track.strips.new(name, 0, made)
    pose.rotation_euler[axis] = 0


action("bow", "chest", 0, 30, 48)
action("nod", "head", 0, 20, 24)
keys = body.data.shape_keys
keys.animation_data_create()
made = bpy.data.actions.new("bow_face")
keys.animation_data.action = made
for frame, value in ((0, 0), (24, 1), (48, 0)):
    smile.value = value
    smile.keyframe_insert("value", frame=frame)
keys.animation_data.action = None
track = keys.animation_data.nla_tracks.new()
track.name = "bow"
track.strips.new("bow", 0, made)
smile.value = 0

bpy.ops.export_scene.gltf(filepath=files[0], export_format="GLB", export_apply=False, export_animations=True)
if len(files) > 1:
    bpy.ops.export_scene.fbx(filepath=files[1], use_selection=False, bake_anim=False, add_leaf_bones=False)
print("made", files)
