"""The shipped stages, lights, objects and colors, as data; `scenes` has the scenes.

Blender's interpreter runs this file, and the package reads it: it imports neither bpy nor the package.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

#: Collection -> its camera and the floor on which objects stand. Lengths are in metres. The camera looks along -y
#: and down by PITCH degrees, turned by at most JITTER degrees about its own x and y. LENS is in millimetres, for
#: a sensor of 36. X and Y are where the middle of an object may be. EXPOSURE: powers of two by which light is
#: stronger.
STAGES = {
    "candle": {
        "CAMERA": (0.0, 16.0, 3.4),
        "PITCH": 5.0,
        "LENS": 70.0,
        "JITTER": 0.5,
        "X": (-4.5, 4.5),
        "Y": (-20.0, 0.0),
        "EXPOSURE": -0.35,
    },
    "synthetic": {
        "CAMERA": (0.0, 8.0, 3.6),
        "PITCH": 21.0,
        "LENS": 50.0,
        "JITTER": 0.5,
        "X": (-1.5, 1.5),
        "Y": (-1.5, 0.5),
        "EXPOSURE": 0.0,
    },
}
#: Collection -> label -> place and power in watts of the one lamp.
LIGHTS = {
    "candle": {
        "left": ((5.0, -5.0, 7.0), 5000),
        "middle": ((0.0, 0.0, 7.0), 5000),
        "right": ((-5.0, 5.0, 7.0), 5000),
    },
    "synthetic": {
        "left": ((3.5, 1.0, 5.0), 600),
        "middle": ((0.0, 1.0, 6.0), 600),
        "right": ((-3.5, 1.0, 5.0), 600),
    },
}
#: Label -> hexadecimal color of the paint.
COLORS = {
    "red": "#d8141c",
    "green": "#12a030",
    "blue": "#1440d8",
    "yellow": "#f2d00c",
    "purple": "#7a1fb0",
    "orange": "#f27408",
}
#: Label -> function of `kit`, its arguments, and whether the mesh is fine.
OBJECTS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], bool]] = {
    "cube": ("box", ((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0)), {"bevel": 0.015}, False),
    "sphere": ("ball", ((0.0, 0.0, 0.5), 0.5), {}, True),
    "cylinder": ("cylinder", ((0.0, 0.0, 0.0), 0.5, 1.0), {"bevel": 0.01}, True),
    "cone": ("cone", ((0.0, 0.0, 0.0), 0.5, 1.0), {}, True),
    "torus": ("ring", ((0.0, 0.0, 0.15), 0.35, 0.15), {}, True),
}
#: The files that say how images look.
FILES = (Path(__file__), Path(__file__).with_name("scenes.py"))


def find_recipe(collection: str, factor: str, label: str) -> SimpleNamespace:
    """Return what a recipe of one's own defines: ``build(kit)``, or the settings of a stage."""
    if factor == "stage":
        return SimpleNamespace(**STAGES[collection])
    if factor == "scene":
        from in_blender import scenes

        room = {"Y": scenes.ROOM[label]} if label in scenes.ROOM else {}
        return SimpleNamespace(build=getattr(scenes, label.replace(" ", "_")), **room)
    if factor == "light":
        place, watts = LIGHTS[collection][label]
        return SimpleNamespace(build=lambda kit: kit.point_light(place, watts=watts))
    if factor == "color":
        return SimpleNamespace(build=lambda kit: kit.paint(COLORS[label], roughness=0.35))
    function, arguments, options, fine = OBJECTS[label]

    def build(kit: Any) -> Any:
        return getattr(kit, function)(*arguments, **options, **({"segments": kit.FINE} if fine else {}))

    return SimpleNamespace(build=build)
