"""One image of a Shadow data set, from an empty scene. Blender runs this, which knows nothing of the package.

``work`` holds, beside what all pictures need (`in_blender.main` of the renderer): ``light`` {``name``, ``energy``,
``albedo`` of the floor}, ``world``, ``camera`` {``place``, ``turn`` in degrees, ``extent``} and ``values``
{factor: {label: value}}: of a shape its vertices and triangles, of colors linear light, of a position where the
light is.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bpy
from in_blender import kit, output
from mathutils import Vector

#: Half the side of the floor.
REACH = 53.75


def make_picture(work: dict[str, Any], job: dict[str, Any]) -> None:
    """Render one job."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    _set_renderer(work, job["index"])
    _add_camera(work["camera"])
    light = work["light"]
    value = {factor: work["values"][factor][label] for factor, label in job["labels"].items()}
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*[work["world"]] * 3, 1.0)
    bpy.context.scene.world = world
    kit.board((-REACH, -REACH), (REACH, REACH), _shader("ShaderNodeBsdfDiffuse", [light["albedo"]] * 3))
    body = kit.paint("#ffffff", roughness=0.5)
    body.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*value["color"], 1.0)
    corners, faces = value["shape"]
    kit.mesh([[value["scale"] * part for part in corner] for corner in corners], faces, body)
    _add_light(light, value["light_position"], value["light_color"])
    output.render_to(Path(work["output"]) / job["files"][0])


def _set_renderer(work: dict[str, Any], index: int) -> None:
    output.set_output(work, index)
    scene = bpy.context.scene
    scene.cycles.use_adaptive_sampling, scene.cycles.adaptive_threshold = True, 0.01
    scene.cycles.max_bounces = 0
    scene.view_settings.view_transform, scene.view_settings.look = "Filmic", "None"


def _add_camera(described: dict[str, Any]) -> None:
    """Add the camera."""
    lens = bpy.data.cameras.new("camera")
    lens.type, lens.ortho_scale = "ORTHO", described["extent"]
    camera = bpy.data.objects.new("camera", lens)
    camera.location = described["place"]
    camera.rotation_euler = [math.radians(angle) for angle in described["turn"]]
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def _add_light(light: dict[str, Any], place: list[float], color: list[float]) -> None:
    """The light, and the ball that shows where it is."""
    is_sun = light["name"] == "sun"
    lamp = bpy.data.lights.new("light", "SUN" if is_sun else "POINT")
    lamp.energy, lamp.color = light["energy"], color
    if is_sun:
        lamp.angle = 0.0
    else:
        lamp.shadow_soft_size = 0.1
    made = bpy.data.objects.new("light", lamp)
    made.location = place
    made.rotation_euler = Vector(place).to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(made)
    ball = kit.ball(place, 1.0, _shader("ShaderNodeBsdfTransparent" if is_sun else "ShaderNodeEmission", color))
    ball.visible_shadow = False


def _shader(kind: str, color: list[float]) -> Any:
    """Return a material that is one shader of one color."""
    material = bpy.data.materials.new("material")
    material.use_nodes = True
    tree = material.node_tree
    shader = tree.nodes.new(kind)
    shader.inputs["Color"].default_value = (*color, 1.0)
    tree.links.new(shader.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return material
