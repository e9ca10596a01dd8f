"""Breath of a character that Pneuma gave back: depth, rate, type, hold and off, as sliders in Blender's sidebar.

The sliders drive the shape keys `breath_*` of all meshes of a character. Their curve over one breath is that of the
file's own animation `breath`. What drives is stored in the file (custom properties and drivers with plain expressions),
so a file plays and renders where this add-on is not installed.
"""

bl_info = {
    "name": "Pneuma Breath",
    "author": "Pneuma",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Pneuma",
    "description": "Depth, rate, type, hold and off for characters that Pneuma taught to breathe",
    "category": "Animation",
}

import bpy

from . import rig


def _controller(context):
    """The controller of the active object's character, or None."""
    return rig.controller_of(context.object) if context.object else None


class PNEUMA_OT_breath_setup(bpy.types.Operator):
    """Drive the shape keys breath_* of this character by sliders"""

    bl_idname = "pneuma.breath_setup"
    bl_label = "Set up breath"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and bool(rig.breathing_meshes(context.object))

    def execute(self, context):
        count = rig.set_up(context.object, context.scene)
        self.report({"INFO"}, f"{count} shape keys follow the sliders")
        return {"FINISHED"}


class PNEUMA_OT_breath_remove(bpy.types.Operator):
    """Take the sliders and their drivers away; the shape keys stay"""

    bl_idname = "pneuma.breath_remove"
    bl_label = "Remove sliders"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _controller(context) is not None

    def execute(self, context):
        rig.remove(_controller(context))
        return {"FINISHED"}


class PNEUMA_PT_breath(bpy.types.Panel):
    bl_idname = "PNEUMA_PT_breath"
    bl_label = "Breath"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Pneuma"

    def draw(self, context):
        layout = self.layout
        controller = _controller(context)
        if controller is None:
            layout.label(text="Select a character with shape keys breath_*")
            layout.operator(PNEUMA_OT_breath_setup.bl_idname)
            return
        layout.use_property_split = True
        layout.prop(controller, "pneuma_breath_on")
        column = layout.column()
        column.enabled = controller.pneuma_breath_on
        column.prop(controller, "pneuma_breath_depth")
        column.prop(controller, "pneuma_breath_rate")
        column.prop(controller, "pneuma_breath_type")
        column.prop(controller, "pneuma_breath_hold")
        layout.operator(PNEUMA_OT_breath_remove.bl_idname)


CLASSES = (PNEUMA_OT_breath_setup, PNEUMA_OT_breath_remove, PNEUMA_PT_breath)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    rig.register_sliders()


def unregister():
    rig.unregister_sliders()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
