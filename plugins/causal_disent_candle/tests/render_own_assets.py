"""Runs inside Blender: saves ``.blend`` assets into the folder that is the last argument, as people make them."""

import sys
from pathlib import Path

import bpy

# isort: split
import bmesh  # known once bpy is imported

folder = Path(sys.argv[-1])


def save(name: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)


def empty() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)


def add(name: str, data: object) -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, data))


# Two blocks that together are 6 m high and hang in the air: what is rendered is brought to size.
empty()
for low in (3.0, 7.0):
    shape, data = bmesh.new(), bpy.data.meshes.new("block")
    bmesh.ops.create_cube(shape, size=2.0)
    bmesh.ops.translate(shape, verts=shape.verts, vec=(0.0, 0.0, low))
    shape.to_mesh(data)
    add("block", data)
save("objects/two_blocks.blend")

empty()
bpy.data.materials.new("green").use_fake_user = True
bpy.data.materials["green"].diffuse_color = (0.0, 1.0, 0.0, 1.0)
bpy.data.materials["green"].use_nodes = True
shader = bpy.data.materials["green"].node_tree.nodes["Principled BSDF"]
shader.inputs["Base Color"].default_value = (0.0, 0.6, 0.0, 1.0)
save("colors/green.blend")

empty()
world = bpy.data.worlds.new("blue")
world.use_fake_user, world.use_nodes = True, True
world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.0, 0.3, 1.0, 1.0)
add("camera", bpy.data.cameras.new("camera"))
save("scenes/blue_void.blend")

empty()
lamp = bpy.data.lights.new("lamp", "SUN")
lamp.energy = 3.0
add("lamp", lamp)
save("lights/noon.blend")
