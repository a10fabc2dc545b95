"""What recipes build with: shapes, materials, skies and lamps. ``kit.bpy`` is Blender for all that is not here.

Lengths are metres, z is up, the floor is z = 0, and the camera looks along -y (so that +x is on the left of the
picture). Colors are written ``"#rrggbb"``, as in a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import bpy

# isort: split
import bmesh  # these two are known once bpy is imported
from mathutils import Matrix, Vector

Point = Sequence[float]

#: Vertices around round shapes: many for objects, whose outline is then within a tenth of a pixel of a circle.
FINE, COARSE = 96, 32


# Shapes


def mesh(vertices: Iterable[Point], faces: Iterable[Sequence[int]], material: Any = None) -> Any:
    """An object from its vertices and faces."""
    shape = bpy.data.meshes.new("mesh")
    shape.from_pydata([tuple(vertex) for vertex in vertices], [], [tuple(face) for face in faces])
    return _object(shape, material)


def box(low: Point, high: Point, material: Any = None, *, bevel: float = 0.0) -> Any:
    """A block between two corners."""
    return _built(
        material,
        bevel,
        lambda shape: bmesh.ops.create_cube(
            shape,
            size=1.0,
            matrix=Matrix.Translation((Vector(low) + Vector(high)) / 2)
            @ Matrix.Diagonal((*(Vector(high) - Vector(low)), 1.0)),
        ),
    )


def beam(start: Point, end: Point, side: float, material: Any = None) -> Any:
    """A square bar from one point to another."""
    along = Vector(end) - Vector(start)
    matrix = (
        Matrix.Translation((Vector(start) + Vector(end)) / 2)
        @ along.to_track_quat("Z", "Y").to_matrix().to_4x4()
        @ Matrix.Diagonal((side, side, along.length, 1.0))
    )
    return _built(material, 0.0, lambda shape: bmesh.ops.create_cube(shape, size=1.0, matrix=matrix))


def board(low: Point, high: Point, material: Any = None, *, height: float = 0.0) -> Any:
    """A level rectangle between two corners (x, y)."""
    (x0, y0), (x1, y1) = low, high
    return mesh([(x0, y0, height), (x1, y0, height), (x1, y1, height), (x0, y1, height)], [(0, 1, 2, 3)], material)


def cylinder(
    foot: Point, radius: float, height: float, material: Any = None, *, bevel: float = 0.0, segments: int = COARSE
) -> Any:
    """A cylinder that stands on `foot`."""
    return _round(foot, radius, radius, height, material, bevel, segments)


def cone(
    foot: Point, radius: float, height: float, material: Any = None, *, top: float = 0.0, segments: int = COARSE
) -> Any:
    """A cone that stands on `foot`; with a `top` radius it is cut off."""
    return _round(foot, radius, top, height, material, 0.0, segments)


def ball(middle: Point, radius: float, material: Any = None, *, flat: float = 1.0, segments: int = COARSE) -> Any:
    """A ball, its height times `flat`."""
    matrix = Matrix.Translation(middle) @ Matrix.Diagonal((1.0, 1.0, flat, 1.0))
    return _smooth(
        _built(
            material,
            0.0,
            lambda shape: bmesh.ops.create_uvsphere(
                shape, u_segments=segments, v_segments=segments // 2, radius=radius, matrix=matrix
            ),
        )
    )


def ring(middle: Point, radius: float, thickness: float, material: Any = None, *, segments: int = COARSE) -> Any:
    """A torus that lies flat: the `radius` of its middle line, half its `thickness` across."""
    around, across = segments, segments // 2
    vertices, faces = [], []
    for i in range(around):
        turn = 2 * math.pi * i / around
        for j in range(across):
            tilt = 2 * math.pi * j / across
            reach = radius + thickness * math.cos(tilt)
            place = (reach * math.cos(turn), reach * math.sin(turn), thickness * math.sin(tilt))
            vertices.append(tuple(Vector(middle) + Vector(place)))
            right, above = (i + 1) % around, (j + 1) % across
            faces.append((i * across + j, right * across + j, right * across + above, i * across + above))
    return _smooth(mesh(vertices, faces, material))


def _round(
    foot: Point, radius: float, top: float, height: float, material: Any, bevel: float, segments: int
) -> Any:
    """Make a cone or a cylinder."""
    middle = Vector(foot) + Vector((0, 0, height / 2))
    return _smooth(
        _built(
            material,
            bevel,
            lambda shape: bmesh.ops.create_cone(
                shape,
                cap_ends=True,
                segments=segments,
                radius1=radius,
                radius2=top,
                depth=height,
                matrix=Matrix.Translation(middle),
            ),
        )
    )


def _built(material: Any, bevel: float, build: Any) -> Any:
    """Make an object of a mesh that `build` fills."""
    shape = bmesh.new()
    build(shape)
    data = bpy.data.meshes.new("mesh")
    shape.to_mesh(data)
    shape.free()
    made = _object(data, material)
    if bevel:
        rounding = made.modifiers.new("bevel", "BEVEL")
        rounding.width, rounding.segments = bevel, 3
    return made


def _smooth(made: Any) -> Any:
    made.data.shade_smooth()
    made.data.set_sharp_from_angle(angle=math.radians(40))
    return made


def _object(data: Any, material: Any) -> Any:
    made = bpy.data.objects.new("shape", data)
    bpy.context.scene.collection.objects.link(made)
    if material is not None:
        data.materials.append(material)
    return made


# Materials


def linear(color: str) -> tuple[float, float, float, float]:
    """``"#rrggbb"`` as the light that Blender reckons with."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue, 1.0


def paint(color: str, *, roughness: float = 0.7, metallic: float = 0.0) -> Any:
    """One color."""
    return _Surface().finish(linear(color), roughness, metallic=metallic)


def glow(color: str, strength: float = 1.0) -> Any:
    """One color that shines."""
    return _Surface().finish(linear(color), 1.0, glow=strength)


def noise(
    color: str, other: str, *, scale: float = 1.0, stretch: Point = (1, 1, 1), contrast: float = 2.0,
    roughness: float = 0.9, bump: float = 0.0,
) -> Any:  # fmt: skip
    """Patches of two colors, `scale` of them to a metre."""
    surface = _Surface()
    cloud = surface.node(
        "ShaderNodeTexNoise", {"Vector": surface.place("floor", stretch), "Scale": scale, "Detail": 4.0}
    )
    return surface.finish(
        surface.mix(color, other, cloud.outputs[0], contrast), roughness, bump=bump, height=cloud.outputs[0]
    )


def checker(color: str, other: str, *, side: float = 1.0, roughness: float = 0.4) -> Any:
    """Squares, for floors."""
    surface = _Surface()
    pattern = surface.node(
        "ShaderNodeTexChecker",
        {
            "Vector": surface.place("floor"),
            "Color1": linear(color),
            "Color2": linear(other),
            "Scale": 1.0 / side,
        },
    )
    return surface.finish(pattern.outputs[0], roughness)


def bricks(
    color: str, other: str, joint: str, *, width: float, height: float, gap: float, facing: str = "floor",
    shift: float = 0.5, bias: float = 0.0, glow: float = 0.0, roughness: float = 0.8,
) -> Any:  # fmt: skip
    """Bricks, planks, tiles or windows: rectangles of two colors at random, and what is between them.

    Args:
        color, other, joint: of the rectangles and of the gap between them.
        width, height, gap: of a rectangle with its gap, and of the gap, in metres.
        facing: ``"floor"``, ``"y"`` for walls across the view, ``"x"`` for walls along it.
        shift: of every second row, as a part of the width.
        bias: above 0 more rectangles have the `other` color, below 0 fewer.
        glow: how strongly the pattern shines.
        roughness: 0 is a mirror.
    """
    surface = _Surface()
    pattern = surface.node(
        "ShaderNodeTexBrick",
        {
            "Vector": surface.place(facing), "Color1": linear(color), "Color2": linear(other),
            "Mortar": linear(joint), "Scale": 1.0, "Mortar Size": gap / 2, "Mortar Smooth": 0.0,
            "Brick Width": width, "Row Height": height, "Bias": bias,
        },
        offset=shift,
    )  # fmt: skip
    # Windows shine too little to be worth looking for when the light of a scene is reckoned.
    surface.material.cycles.emission_sampling = "NONE"
    return surface.finish(pattern.outputs[0], roughness, glow=glow)


class _Surface:
    """A material in the making."""

    def __init__(self) -> None:
        self.material = bpy.data.materials.new("material")
        self.material.use_nodes = True
        self.tree = self.material.node_tree

    def node(self, kind: str, inputs: dict[str, Any], **settings: Any) -> Any:
        return _node(self.tree, kind, inputs, **settings)

    def place(self, facing: str, stretch: Point = (1, 1, 1)) -> Any:
        """Where a point is on the surface, in metres."""
        place = self.node("ShaderNodeTexCoord", {}).outputs["Object"]
        if facing != "floor":
            parts = self.node("ShaderNodeSeparateXYZ", {"Vector": place}).outputs
            across = parts["X" if facing == "y" else "Y"]
            place = self.node("ShaderNodeCombineXYZ", {"X": across, "Y": parts["Z"]}).outputs[0]
        # Off zero: on it, rounding would put points of the floor into either of two layers of a pattern.
        away = {"Vector": place, "Location": (0.0, 0.0, 0.013), "Scale": tuple(stretch)}
        return self.node("ShaderNodeMapping", away).outputs[0]

    def mix(self, color: str, other: str, share: Any, contrast: float) -> Any:
        """Mix two colors by a share."""
        steep = self.node(
            "ShaderNodeMapRange",
            {"Value": share, "From Min": 0.5 - 0.5 / contrast, "From Max": 0.5 + 0.5 / contrast},
        )
        mixed = self.node("ShaderNodeMix", {}, data_type="RGBA")
        self.tree.links.new(steep.outputs[0], mixed.inputs[0])
        mixed.inputs[6].default_value, mixed.inputs[7].default_value = linear(color), linear(other)
        return mixed.outputs[2]

    def finish(
        self, color: Any, roughness: float, *, metallic: float = 0.0, glow: float = 0.0, bump: float = 0.0,
        height: Any = None,
    ) -> Any:  # fmt: skip
        """Connect a color to the shader of the material."""
        shader = self.tree.nodes["Principled BSDF"]
        _set(self.tree, shader, {"Base Color": color, "Roughness": roughness, "Metallic": metallic})
        if glow:
            _set(self.tree, shader, {"Emission Color": color, "Emission Strength": glow})
        if bump:
            rough = self.node("ShaderNodeBump", {"Height": height, "Strength": 1.0, "Distance": bump})
            _set(self.tree, shader, {"Normal": rough.outputs[0]})
        return self.material


# Light


def sky(
    horizon: str, zenith: str, *, strength: float = 1.0, ground: str = "#808080", clouds: str | None = None,
    cover: float = 0.5, stars: bool = False,
) -> None:  # fmt: skip
    """The world: from the horizon to the zenith one color to the other, with clouds or stars."""
    tree = _world()
    direction = _node(tree, "ShaderNodeTexCoord", {}).outputs["Generated"]
    height = _node(tree, "ShaderNodeSeparateXYZ", {"Vector": direction}).outputs["Z"]
    steps = _node(tree, "ShaderNodeValToRGB", {})
    # Blender's ramp has 0 for the nadir, 0.5 for the horizon and 1 for the zenith. The camera sees little above.
    spread = _node(tree, "ShaderNodeMapRange", {"Value": height, "From Min": -1.0, "From Max": 1.0})
    tree.links.new(spread.outputs[0], steps.inputs[0])
    ramp = steps.color_ramp
    ramp.elements[0].position, ramp.elements[0].color = 0.495, linear(ground)
    ramp.elements[1].position, ramp.elements[1].color = 0.5, linear(horizon)
    ramp.elements.new(0.62).color = linear(zenith)
    color = steps.outputs[0]
    if clouds is not None:
        flat = _node(tree, "ShaderNodeMapping", {"Vector": direction, "Scale": (1.0, 1.0, 4.0)}).outputs[0]
        cloud = _node(tree, "ShaderNodeTexNoise", {"Vector": flat, "Scale": 9.0, "Detail": 5.0}).outputs[0]
        color = _over(tree, color, linear(clouds), cloud, 1 - cover, 1.25 - cover)
    if stars:
        speck = _node(tree, "ShaderNodeTexNoise", {"Vector": direction, "Scale": 260.0, "Detail": 0.0}).outputs[0]
        color = _over(tree, color, (1.0, 1.0, 1.0, 1.0), speck, 0.76, 0.8)
    _set(tree, tree.nodes["Background"], {"Color": color, "Strength": strength})
    # Smooth as it is, a sky is found by chance; looking for its bright parts would double the time.
    bpy.context.scene.world.cycles.sampling_method = "NONE"


def panorama(path: str) -> None:
    """The world: an HDR photograph all around."""
    tree = _world()
    picture = _node(tree, "ShaderNodeTexEnvironment", {}, image=bpy.data.images.load(path))
    _set(tree, tree.nodes["Background"], {"Color": picture.outputs[0]})


def shadow_floor(reach: float) -> None:
    """A floor that shows the world, and shadows."""
    board((-reach, -reach), (reach, reach), paint("#808080")).is_shadow_catcher = True


def sun(towards: Point, strength: float, color: str = "#fff4e0") -> None:
    """Parallel light; `towards` points to the sun."""
    lamp = bpy.data.lights.new("sun", "SUN")
    lamp.energy, lamp.color, lamp.angle = strength, linear(color)[:3], math.radians(3)
    made = _object(lamp, None)
    made.rotation_euler = Vector(towards).to_track_quat("Z", "Y").to_euler()


def point_light(place: Point, watts: float, color: str = "#ffffff", radius: float = 0.25) -> None:
    """A lamp that shines to all sides and is not seen itself."""
    lamp = bpy.data.lights.new("lamp", "POINT")
    lamp.energy, lamp.color, lamp.shadow_soft_size = watts, linear(color)[:3], radius
    made = _object(lamp, None)
    made.location = place
    made.visible_camera = False


def _world() -> Any:
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    bpy.context.scene.world = world
    return world.node_tree


def _over(tree: Any, color: Any, other: Any, share: Any, low: float, high: float) -> Any:
    """`other` over `color` where `share` is above `low`."""
    steep = _node(tree, "ShaderNodeMapRange", {"Value": share, "From Min": low, "From Max": high})
    mixed = _node(tree, "ShaderNodeMix", {}, data_type="RGBA")
    tree.links.new(steep.outputs[0], mixed.inputs[0])
    tree.links.new(color, mixed.inputs[6])
    mixed.inputs[7].default_value = other
    return mixed.outputs[2]


def _node(tree: Any, kind: str, inputs: dict[str, Any], **settings: Any) -> Any:
    node = tree.nodes.new(kind)
    for name, value in settings.items():
        setattr(node, name, value)
    _set(tree, node, inputs)
    return node


def _set(tree: Any, node: Any, inputs: dict[str, Any]) -> None:
    """Give a node its inputs: a value, or the output of another node."""
    for name, value in inputs.items():
        if isinstance(value, bpy.types.NodeSocket):
            tree.links.new(value, node.inputs[name])
        else:
            node.inputs[name].default_value = value
