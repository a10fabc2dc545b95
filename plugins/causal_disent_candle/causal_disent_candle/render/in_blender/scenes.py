"""The shipped scenes: what stands around an object, as Blender builds it with `kit`.

A scene is a function of `kit` whose name is the label; `ROOM` says where a scene leaves less room along y.
Blender's interpreter runs this file; nothing of the package is imported.
"""

from __future__ import annotations

import math
from typing import Any


def indoor(kit: Any) -> None:
    """A living room: wooden floor, light walls, a window, a shelf and a sofa at the far wall."""
    kit.sky("#f4efe6", "#e8e6e2", strength=0.7)
    kit.board(
        (-7.0, -21.0), (7.0, 20.0), kit.bricks("#8a5a34", "#a06c40", "#5c3a20", width=2.4, height=0.3, gap=0.03)
    )
    wall = kit.paint("#e6dcc4")
    kit.box((-7.2, -21.3, 0.0), (7.2, -21.0, 9.0), wall)
    kit.box((7.0, -21.0, 0.0), (7.2, 20.0, 9.0), wall)
    kit.box((-7.2, -21.0, 0.0), (-7.0, 20.0, 9.0), wall)
    kit.box((-7.0, -21.0, 0.0), (7.0, -20.92, 0.35), kit.paint("#ffffff"))
    _window(kit, 3.0)
    _shelf(kit, -4.6)
    cushion = kit.paint("#4d6b66", roughness=0.95)
    kit.box((-1.7, -20.8, 0.2), (1.5, -19.6, 0.9), cushion, bevel=0.12)
    kit.box((-1.7, -20.9, 0.2), (1.5, -20.5, 1.8), cushion, bevel=0.12)
    kit.box((-1.2, -20.98, 3.1), (0.9, -20.9, 4.7), kit.noise("#2f4a73", "#c9a45c", scale=1.4))


def _window(kit: Any, left: float) -> None:
    frame, pane = kit.paint("#fafafa"), kit.glow("#dcefff", 1.6)
    kit.box((left - 0.15, -20.98, 1.75), (left + 3.15, -20.85, 5.35), frame)
    for x in (left + 0.05, left + 1.6):
        for z in (1.95, 3.65):
            kit.box((x, -20.9, z), (x + 1.35, -20.8, z + 1.5), pane)


def _shelf(kit: Any, left: float) -> None:
    """Build a shelf with books."""
    wood = kit.paint("#5a3820")
    kit.box((left - 1.4, -20.95, 0.0), (left + 1.4, -20.85, 5.0), wood)
    for z in (0.0, 1.2, 2.4, 3.6, 4.9):
        kit.box((left - 1.4, -20.9, z), (left + 1.4, -20.2, z + 0.12), wood)
    books = ("#8c2f2f", "#2f5d8c", "#3f7d4a", "#c7a23c", "#6b4a86")
    for row in range(4):
        for place in range(9):
            x = left - 1.25 + 0.28 * place
            top = 0.95 + 1.2 * row + 0.08 * ((place * 5 + row * 3) % 4 - 1.5)
            kit.box((x, -20.8, 0.12 + 1.2 * row), (x + 0.22, -20.3, top), kit.paint(books[(place + 2 * row) % 5]))


def outdoor(kit: Any) -> None:
    """A gravel clearing before a wood, under a clear sky."""
    kit.sky("#c8dcf0", "#5b93d6", strength=0.8, ground="#6f7a55")
    kit.sun((0.5, 0.5, 0.7), 1.6)
    kit.board((-90.0, -160.0), (90.0, 30.0), kit.noise("#8d8a80", "#6e6a60", scale=3.0, contrast=3.0))
    kit.board((-90.0, -160.0), (90.0, -23.0), kit.noise("#5d7a37", "#476128", scale=1.0), height=0.01)
    trunk = kit.paint("#4a3424")
    leaves = [
        kit.noise(light, dark, scale=3.0) for light, dark in (("#3f6d2c", "#254719"), ("#527f35", "#2f5520"))
    ]
    for number in range(26):
        x = -21.0 + 1.75 * number
        y = -32.0 - 9.0 * ((number * 7) % 5) / 4
        height = 5.0 + 3.0 * ((number * 3) % 7) / 6
        kit.cylinder((x, y, 0.0), 0.25, 2.0, trunk)
        kit.cone((x, y, 1.0), 1.9, height, leaves[number % 2])


def playground(kit: Any) -> None:
    """A playground: sand, a red and yellow slide, a swing, a fence."""
    kit.sky("#dfe8ee", "#8db8e2", strength=0.8, clouds="#ffffff", cover=0.5)
    kit.sun((-0.4, 0.6, 0.8), 1.4)
    kit.board((-90.0, -160.0), (90.0, 30.0), kit.noise("#c49a62", "#a87c48", scale=1.2))
    _fence(kit)
    _slide(kit)
    _swing(kit)


def _fence(kit: Any) -> None:
    wood = kit.paint("#7a4b2a")
    for number in range(33):
        kit.box((-16.0 + number, -34.1, 0.0), (-15.7 + number, -34.0, 1.5), wood)
    for z in (0.5, 1.1):
        kit.box((-16.0, -34.05, z), (17.0, -33.95, z + 0.14), wood)


def _slide(kit: Any) -> None:
    """Build a slide."""
    post, chute = kit.paint("#d9422b", roughness=0.4), kit.paint("#f0b81e", roughness=0.3)
    for x in (4.6, 6.0):
        for y in (-25.0, -26.4):
            kit.cylinder((x, y, 0.0), 0.12, 4.6, post)
    kit.box((4.5, -26.5, 2.7), (6.1, -24.9, 2.9), chute)
    kit.cone((5.3, -25.7, 4.5), 1.5, 1.2, post)
    kit.mesh([(4.5, -24.9, 2.8), (4.5, -26.3, 2.8), (0.6, -26.3, 0.1), (0.6, -24.9, 0.1)], [(0, 1, 2, 3)], chute)
    for y in (-24.9, -26.3):
        kit.mesh([(4.5, y, 2.8), (4.5, y, 3.3), (0.6, y, 0.6), (0.6, y, 0.1)], [(0, 1, 2, 3)], post)


def _swing(kit: Any) -> None:
    """Build a swing."""
    frame, rope = kit.paint("#2c6fb0", roughness=0.4), kit.paint("#303030")
    for x in (-2.2, -7.4):
        for y in (-25.0, -27.0):
            kit.beam((x, y, 0.0), (x, -26.0, 4.2), 0.2, frame)
    kit.box((-7.5, -26.1, 4.1), (-1.9, -25.9, 4.35), frame)
    for x in (-4.0, -6.2):
        for side in (-0.4, 0.4):
            kit.box((x + side - 0.03, -26.03, 1.0), (x + side + 0.03, -25.97, 4.2), rope)
        kit.box((x - 0.5, -26.3, 0.9), (x + 0.5, -25.7, 1.02), kit.paint("#d9422b"))


def bridge(kit: Any) -> None:
    """A suspension bridge: planks underfoot, red steel, cables, a river and a warm sky."""
    kit.sky("#f4d9a8", "#b8c8d8", strength=0.8, ground="#5a7484")
    kit.sun((0.7, -0.5, 0.35), 1.5, "#ffd9a0")
    kit.board(
        (-200.0, -400.0), (200.0, 30.0), kit.noise("#3f6a80", "#6d97a8", scale=0.5, roughness=0.2), height=-6.0
    )
    kit.box(
        (-6.5, -70.0, -0.5),
        (6.5, 30.0, 0.0),
        kit.bricks("#8c7356", "#a3876a", "#4f3f2e", width=13.0, height=0.5, gap=0.05),
    )
    steel = kit.paint("#b0462a", roughness=0.5)
    for side in (-1, 1):
        x = 6.4 * side
        kit.box((x - 0.1, -70.0, 1.1), (x + 0.1, 30.0, 1.25), steel)
        kit.box((x - 0.1, -70.0, 0.55), (x + 0.1, 30.0, 0.63), steel)
        for number in range(35):
            y = -2.0 * number
            kit.box((x - 0.08, y, 0.0), (x + 0.08, y + 0.16, 1.2), steel)
        for number in range(17):
            y = -4.0 * number
            kit.beam((x, y, 0.0), (x, y, _cable(y)), 0.07, steel)
            kit.beam((x, y, _cable(y)), (x, y - 4.0, _cable(y - 4.0)), 0.22, steel)
        kit.box((x - 0.6, -32.8, -6.0), (x + 0.6, -31.6, 16.0), steel)
    for z in (5.2, 7.0):
        kit.box((-6.4, -32.6, z), (6.4, -31.8, z + 0.8), steel)
    hills = kit.noise("#6f7c6a", "#596655", scale=0.05)
    for x, width, height in ((-60, 50, 10), (10, 70, 8), (70, 45, 13)):
        kit.ball((x, -180.0, -6.0), width, hills, flat=height / width)


def _cable(y: float) -> float:
    """Return the height of the cable, which hangs in a curve from the towers at y = -32."""
    return 1.8 + 13.0 * (1 - abs(y + 32.0) / 32.0) ** 2


def city_square(kit: Any) -> None:
    """A square: warm paving, old houses around it, a statue in the middle of the far side."""
    kit.sky("#e8eef4", "#8fb4dc", strength=0.8, clouds="#ffffff", cover=0.55)
    kit.sun((0.4, 0.5, 0.8), 1.5)
    kit.board(
        (-60.0, -60.0),
        (60.0, 30.0),
        kit.bricks("#c2a878", "#b0946a", "#7d6a4c", width=1.5, height=1.5, gap=0.08, shift=0.0),
    )
    walls = ("#d8b67c", "#c98f62", "#e3cf9e", "#b9785a", "#d4a66a", "#cdb88e")
    for number, wall in enumerate(walls):
        x, height = -18.0 + 6.0 * number, 9.0 + 2.0 * ((number * 5) % 3)
        windows = kit.bricks("#39434d", "#5b6b78", wall, width=1.5, height=2.2, gap=0.75, facing="y", shift=0.0)
        kit.box((x, -48.0, 0.0), (x + 6.0, -38.0, height), windows)
        roof = kit.paint("#8c4630")
        kit.mesh(
            [(x, -38, height), (x + 6, -38, height), (x + 6, -43, height + 3), (x, -43, height + 3)],
            [(0, 1, 2, 3)],
            roof,
        )
    stone = kit.paint("#9a968c")
    for number, radius in enumerate((2.0, 1.5, 1.0)):
        kit.cylinder((0.0, -27.0, 0.4 * number), radius, 0.4, stone)
    kit.box((-0.6, -27.6, 1.2), (0.6, -26.4, 3.0), stone)
    bronze = kit.paint("#3d6b58", roughness=0.4, metallic=0.6)
    kit.cone((0.0, -27.0, 3.0), 0.5, 1.6, bronze, top=0.3)
    kit.ball((0.0, -27.0, 4.9), 0.35, bronze)


def hall(kit: Any) -> None:
    """A hall: a polished floor of black and white squares, columns, red hangings between them."""
    kit.sky("#f2e6cc", "#d8ccb4", strength=0.55)
    kit.board((-9.0, -26.0), (9.0, 20.0), kit.checker("#e8e2d4", "#3a3632", side=1.5, roughness=0.15))
    kit.box((-9.0, -26.4, 0.0), (9.0, -26.0, 14.0), kit.paint("#b8a684"))
    marble = kit.noise("#efe9dc", "#cfc4ae", scale=0.8, roughness=0.3)
    gold = kit.paint("#c09a3e", roughness=0.3, metallic=0.8)
    places = [(6.8 * side, -26.0 + 5.0 * row) for side in (-1, 1) for row in range(5)]
    for x, y in [*places, (-2.3, -25.2), (2.3, -25.2)]:
        kit.box((x - 0.7, y - 0.7, 0.0), (x + 0.7, y + 0.7, 0.4), marble)
        kit.cylinder((x, y, 0.4), 0.5, 12.0, marble)
        kit.cylinder((x, y, 0.4), 0.58, 0.3, gold)
    hanging = kit.noise("#8c1d24", "#6a1218", scale=1.0, stretch=(4, 4, 0.1))
    for x in (-4.5, 0.0, 4.5):
        kit.box((x - 1.1, -25.95, 1.2), (x + 1.1, -25.9, 7.5), hanging)
        kit.box((x - 1.3, -25.95, 7.5), (x + 1.3, -25.8, 7.7), gold)


def grassland(kit: Any) -> None:
    """Open grassland: yellow-green grass to the horizon, a lone tree, large clouds."""
    kit.sky("#cfe2f0", "#4f8fdc", strength=0.9, ground="#7d8a45", clouds="#ffffff", cover=0.58)
    kit.sun((-0.5, 0.4, 0.7), 1.7)
    kit.board((-400.0, -600.0), (400.0, 30.0), kit.noise("#94a648", "#73853a", scale=1.6, stretch=(1, 0.5, 1)))
    hills = kit.noise("#8a9c46", "#6f8240", scale=0.05)
    for x, y, width, height in ((-70.0, -170.0, 80, 9), (60.0, -220.0, 120, 15)):
        kit.ball((x, y, -1.0), width, hills, flat=height / width)
    kit.cylinder((6.0, -45.0, 0.0), 0.4, 3.0, kit.paint("#4f3a28"))
    crown = kit.noise("#4d6e2a", "#35501d", scale=2.0)
    for x, z, radius in ((5.0, 4.0, 1.7), (7.1, 4.2, 1.8), (6.0, 5.2, 1.9)):
        kit.ball((x, -45.0, z), radius, crown, flat=0.8)


def garage(kit: Any) -> None:
    """A parking garage: concrete, marked bays, pillars with stripes, strip lights under a low ceiling."""
    kit.sky("#9aa0a6", "#9aa0a6", strength=0.35)
    kit.board((-14.0, -40.0), (14.0, 20.0), kit.noise("#76787a", "#626466", scale=0.6, roughness=0.5))
    concrete = kit.noise("#8c8c8a", "#7a7a78", scale=0.8)
    kit.box((-14.0, -40.4, 0.0), (14.0, -40.0, 8.0), concrete)
    line = kit.paint("#e8e8e4")
    for number in range(7):
        x = -10.5 + 3.5 * number
        kit.board((x - 0.08, -39.0), (x + 0.08, -31.0), line, height=0.01)
    for x in (-7.0, 7.0):
        for y in (-9.0, -19.0, -29.0):
            kit.box((x - 0.6, y - 0.6, 0.0), (x + 0.6, y + 0.6, 8.0), concrete)
            for stripe in range(3):
                color = kit.paint("#1c1c1c" if stripe % 2 else "#e0b818")
                kit.box((x - 0.62, y - 0.62, 0.5 * stripe), (x + 0.62, y + 0.62, 0.5 + 0.5 * stripe), color)
    kit.box((-14.0, -40.0, 5.6), (14.0, -22.0, 6.0), kit.paint("#55585a"))
    tube = kit.glow("#eaf6ff", 4.0)
    for y in (-24.0, -29.0, -34.0):
        for x in (-4.0, 0.0, 4.0):
            kit.box((x - 0.9, y - 0.1, 5.4), (x + 0.9, y + 0.1, 5.5), tube)
    _car(kit, 8.75, "#3a4a63")
    _car(kit, -8.75, "#7d2b2b")


def _car(kit: Any, x: float, color: str) -> None:
    body = kit.paint(color, roughness=0.25, metallic=0.4)
    kit.box((x - 1.1, -38.0, 0.35), (x + 1.1, -33.5, 1.15), body, bevel=0.15)
    kit.box((x - 0.95, -37.2, 1.1), (x + 0.95, -34.6, 1.8), kit.paint("#20262c", roughness=0.2), bevel=0.2)
    for side in (-0.75, 0.75):
        kit.box((x + side - 0.2, -33.52, 0.65), (x + side + 0.2, -33.45, 0.85), kit.glow("#fff2cc", 1.0))


def street(kit: Any) -> None:
    """A street: asphalt with a dashed line, pavements, terraced houses on both sides, a grey sky."""
    kit.sky("#d4d8dc", "#aab2ba", strength=1.4)
    kit.board((-40.0, -150.0), (40.0, 30.0), kit.noise("#48494c", "#3c3d40", scale=4.0))
    white = kit.paint("#e6e6e0")
    for number in range(14):
        y = 8.0 - 5.0 * number
        kit.board((-0.12, y - 2.5), (0.12, y), white, height=0.01)
    kerb = kit.bricks("#a2a09a", "#94928c", "#6c6a66", width=1.0, height=1.0, gap=0.06)
    fronts = ("#8c4a3a", "#a9988a", "#7a5a4a", "#b8a894", "#94604a", "#6d7478")
    for side in (-1, 1):
        inner, outer = sorted((6.0 * side, 9.0 * side))
        kit.box((inner, -150.0, 0.0), (outer, 30.0, 0.18), kerb)
        for number in range(10):
            wall = fronts[(number + (side > 0) * 2) % 6]
            front = kit.bricks("#2f3840", "#9fb0bc", wall, width=1.6, height=2.6, gap=0.8, facing="x", shift=0.0)
            low, high = sorted((9.0 * side, 15.0 * side))
            y = -8.0 - 9.0 * number
            kit.box((low, y - 9.0, 0.0), (high, y, 9.0 + 1.5 * ((number * 3 + side) % 3)), front)
        for number in range(5):
            y = -14.0 - 14.0 * number
            kit.cylinder((6.6 * side, y, 0.18), 0.1, 6.0, kit.paint("#303434"))
            kit.ball((6.6 * side, y, 6.2), 0.3, kit.glow("#fff6dc", 0.8))
    kit.box(
        (-9.0, -110.0, 0.0),
        (9.0, -105.0, 12.0),
        kit.bricks("#2f3840", "#9fb0bc", "#8a8278", width=1.8, height=2.6, gap=0.9, facing="y", shift=0.0),
    )


def beach(kit: Any) -> None:
    """A beach: pale sand, the sea, a parasol and a palm."""
    kit.sky("#d6ecf6", "#4aa0e0", strength=0.9, ground="#2f86a6", clouds="#ffffff", cover=0.42)
    kit.sun((0.3, 0.4, 0.9), 1.4)
    kit.board(
        (-400.0, -900.0),
        (400.0, 30.0),
        kit.noise("#1f7f9e", "#2f9ab4", scale=0.3, stretch=(0.3, 1, 1), roughness=0.15),
    )
    kit.board((-90.0, -27.0), (90.0, 30.0), kit.noise("#d9c79c", "#c9b486", scale=2.0), height=0.02)
    kit.board((-90.0, -28.2), (90.0, -27.0), kit.paint("#f4f8f8"), height=0.03)
    kit.cylinder((-6.6, -25.0, 0.0), 0.07, 3.2, kit.paint("#f0f0f0"))
    kit.cone((-6.6, -25.0, 2.7), 1.7, 0.8, kit.paint("#d8323c"))
    kit.cone((-6.6, -25.0, 3.2), 0.7, 0.35, kit.paint("#f8f8f8"))
    _palm(kit, 6.4, -23.5)


def _palm(kit: Any, x: float, y: float) -> None:
    """Build a palm."""
    bark, leaf = kit.paint("#7d6244"), kit.paint("#3f7d32")
    for step in range(12):
        kit.cylinder((x - 0.012 * step * step, y, 0.45 * step), 0.22 - 0.008 * step, 0.5, bark)
    top = (x - 1.7, y, 5.6)
    for number in range(9):
        # The ends of the leaves, all around and hanging down.
        across = (-1.0, -0.8, -0.4, 0.0, 0.4, 0.8, 1.0, 0.5, -0.5)[number] * 2.4
        forth = (0.0, 1.2, -1.4, 1.6, -1.4, 1.2, 0.0, -1.0, 1.0)[number]
        end = (top[0] + across, top[1] + forth, top[2] - 0.9)
        middle = (top[0] + across / 2, top[1] + forth / 2, top[2] + 0.5)
        kit.mesh(
            [top, (middle[0], middle[1], middle[2] + 0.3), end, (middle[0], middle[1], middle[2] - 0.2)],
            [(0, 1, 2, 3)],
            leaf,
        )


def station(kit: Any) -> None:
    """A railway platform: a yellow edge, a train at it, a roof on pillars with lamps."""
    kit.sky("#e8d2a8", "#b8a488", strength=0.5)
    kit.board(
        (-8.0, -90.0),
        (6.6, 30.0),
        kit.bricks("#8f8a80", "#a09a8e", "#6a665e", width=1.2, height=1.2, gap=0.06, shift=0.0),
    )
    kit.board((5.2, -90.0), (5.9, 30.0), kit.paint("#e8b41a"), height=0.01)
    kit.board((6.6, -90.0), (30.0, 30.0), kit.noise("#4a443e", "#38332e", scale=3.0), height=-1.0)
    body = kit.paint("#a83a22", roughness=0.35)
    kit.box((7.2, -80.0, -0.4), (10.5, 6.0, 4.2), body)
    glass = kit.bricks(
        "#ffe9b0", "#ffdf98", "#a83a22", width=2.4, height=4.0, gap=0.6, facing="x", shift=0.0, glow=0.6
    )
    kit.box((7.1, -80.0, 1.3), (7.2, 6.0, 2.7), glass)
    kit.box((7.15, -80.0, 3.4), (7.22, 6.0, 3.7), kit.paint("#f0e4c8"))
    iron = kit.paint("#3d4a40")
    for number in range(6):
        y = -10.0 - 8.0 * number
        kit.cylinder((-6.6, y, 0.0), 0.2, 6.0, iron)
        kit.box((-8.0, y - 0.15, 5.7), (5.5, y + 0.15, 6.1), iron)
        kit.box((-3.0, y - 0.3, 5.4), (-1.0, y + 0.3, 5.6), kit.glow("#ffd890", 5.0))
    kit.box((-9.0, -70.0, 6.1), (5.5, -16.0, 6.3), kit.paint("#6e5a44"))
    kit.box(
        (-9.0, -90.0, 0.0),
        (-8.0, 30.0, 6.0),
        kit.bricks("#9c6248", "#8a5440", "#5e4436", width=0.9, height=0.35, gap=0.04, facing="x"),
    )
    kit.cylinder((-3.8, -30.0, 0.0), 0.12, 3.6, iron)
    kit.ball((-3.8, -30.0, 4.2), 0.75, kit.glow("#fff8e8", 0.9))
    kit.box((-4.9, -62.0, 0.0), (3.9, -60.0, 6.0), kit.paint("#5c4a3c"))


def tunnel(kit: Any) -> None:
    """A road tunnel: a dark vault with rings of lamps, daylight at its end."""
    kit.sky("#3a3f45", "#3a3f45", strength=0.12)
    kit.board((-8.0, -130.0), (8.0, 30.0), kit.noise("#3c3c3e", "#303032", scale=2.0, roughness=0.6))
    tiles = kit.bricks("#5c574e", "#524e46", "#37342f", width=1.2, height=0.6, gap=0.05, facing="x")
    steps, radius = 28, 8.0
    arch = [
        (radius * math.cos(math.pi * i / steps), 9.0 * math.sin(math.pi * i / steps)) for i in range(steps + 1)
    ]
    for (x0, z0), (x1, z1) in zip(arch[:-1], arch[1:], strict=True):
        kit.mesh([(x0, -130, z0), (x1, -130, z1), (x1, 30, z1), (x0, 30, z0)], [(0, 1, 2, 3)], tiles)
    kit.mesh(
        [(-8, -130, 0), (8, -130, 0), (8, -130, 10), (-8, -130, 10)], [(0, 1, 2, 3)], kit.glow("#f0f8ff", 4.0)
    )
    for y in (-10.0, -22.0):
        kit.point_light((0.0, y, 7.0), watts=900, color="#ffd9a8", radius=1.0)
    lamp = kit.glow("#ffb45a", 9.0)
    for number in range(12):
        y = -4.0 - 10.0 * number
        for side in (-1, 1):
            x, z = 6.9 * side, 4.2
            kit.box((x - 0.12, y - 1.2, z - 0.1), (x + 0.12, y + 1.2, z + 0.1), lamp)
    for side in (-1, 1):
        low, high = sorted((6.3 * side, 8.0 * side))
        kit.box((low, -130.0, 0.0), (high, 30.0, 0.3), kit.paint("#55534e"))
        kit.board((5.9 * side - 0.08, -130.0), (5.9 * side + 0.08, 30.0), kit.paint("#d8d4c4"), height=0.01)


def moonlit_grass(kit: Any) -> None:
    """A meadow at night: blue-green grass, a full moon, stars, the dark edge of a wood."""
    kit.sky("#1c2a4a", "#060b1e", strength=0.8, ground="#0a1014", stars=True)
    kit.sun((0.3, -0.8, 0.5), 0.5, "#9fb8ff")
    kit.board((-400.0, -600.0), (400.0, 30.0), kit.noise("#22402c", "#132a1e", scale=2.5, contrast=3.0))
    kit.ball((-13.0, -120.0, 9.2), 2.4, kit.glow("#f6f2dc", 1.6))
    dark = kit.paint("#08100c")
    for number in range(30):
        x = -30.0 + 2.1 * number
        if -16.0 < x < -11.0:
            continue
        kit.ball((x, -70.0 - 6.0 * ((number * 7) % 3), 1.0), 2.0 + 0.5 * ((number * 5) % 4), dark, flat=1.1)


def dusk_city(kit: Any) -> None:
    """A roof above a city at dusk: an orange and violet sky, towers with lit windows."""
    kit.sky("#ff9a4a", "#4a3a78", strength=0.8, ground="#2a2238")
    kit.board(
        (-60.0, -30.0),
        (60.0, 30.0),
        kit.bricks("#4a4450", "#403a46", "#2c2832", width=2.0, height=2.0, gap=0.06, shift=0.0),
    )
    rail = kit.paint("#221e28")
    kit.box((-60.0, -30.0, 1.3), (60.0, -29.85, 1.45), rail)
    for number in range(31):
        kit.box((-30.0 + 2 * number, -30.0, 0.0), (-29.88 + 2 * number, -29.88, 1.4), rail)
    for number in range(18):
        x = -34.0 + 4.0 * number
        height = 5.0 + 9.0 * ((number * 5) % 7) / 6
        y = -66.0 - 10.0 * ((number * 3) % 4)
        lit = kit.bricks(
            "#1a1622",
            "#ffc864",
            "#241c30",
            width=1.0,
            height=1.3,
            gap=0.5,
            facing="y",
            shift=0.0,
            bias=-0.25,
            glow=0.9,
        )
        kit.box((x, y - 4.0, -30.0), (x + 3.2, y, height), lit)


def skywalk(kit: Any) -> None:
    """A skywalk: a smooth white floor between walls of glass, the sky and white frames outside."""
    kit.sky("#e4f0fa", "#8cc0f0", strength=0.9, ground="#a8c0d0")
    kit.board(
        (-6.6, -70.0),
        (6.6, 30.0),
        kit.bricks("#c4ccd2", "#bcc4ca", "#98a2aa", width=2.0, height=2.0, gap=0.03, shift=0.0, roughness=0.12),
    )
    kit.board((-300.0, -500.0), (300.0, 30.0), kit.noise("#7a8c9a", "#98a6b0", scale=0.1), height=-25.0)
    frame = kit.paint("#f4f6f8", roughness=0.3)
    blue = kit.paint("#3a6ea8", roughness=0.3)
    for number in range(16):
        y = -4.0 - 4.0 * number
        for x in (-6.6, 6.6):
            kit.box((x - 0.12, y - 0.12, 0.0), (x + 0.12, y + 0.12, 6.0), frame)
        kit.box((-6.7, y - 0.12, 5.9), (6.7, y + 0.12, 6.15), frame)
    for x in (-6.6, 6.6):
        kit.box((x - 0.1, -70.0, 0.0), (x + 0.1, 30.0, 0.25), blue)
        kit.box((x - 0.06, -70.0, 1.2), (x + 0.06, 30.0, 1.3), blue)
        kit.box((x - 0.06, -70.0, 3.5), (x + 0.06, 30.0, 3.6), frame)
    kit.box((-6.7, -70.2, 0.0), (6.7, -70.0, 6.0), kit.paint("#d8dee4"))
    kit.box((-1.8, -70.0, 0.0), (1.8, -69.9, 4.0), kit.paint("#2c4a70"))
    for x, y, height in ((-30, -110, 8), (-22, -140, 14), (20, -120, 10), (32, -100, 6)):
        kit.box((x, y, -25.0), (x + 9.0, y + 8.0, height), kit.paint("#8ea4b8"))


def garden(kit: Any) -> None:
    """A garden: mown lawn, a path of stones, flower beds, a clipped hedge and a white arch."""
    kit.sky("#d8e8f4", "#7fb4e8", strength=0.85, ground="#4f6a35")
    kit.sun((-0.4, 0.5, 0.8), 1.4)
    lawn = kit.bricks("#4f8a34", "#5f9c40", "#579338", width=60.0, height=2.0, gap=0.0, shift=0.0)
    kit.board((-60.0, -60.0), (60.0, 30.0), lawn)
    stone = kit.noise("#b0aaa0", "#98928a", scale=3.0)
    for number in range(12):
        y = 5.0 - 2.6 * number
        kit.cylinder((0.3 * (-1) ** number, y, 0.0), 0.85, 0.02, stone)
    hedge = kit.noise("#2f5a24", "#1f4018", scale=6.0, bump=0.1)
    for low, high in ((-20.0, -2.2), (2.2, 20.0)):
        kit.box((low, -30.0, 0.0), (high, -28.5, 3.2), hedge)
    white = kit.paint("#f6f4ee")
    for x in (-1.9, 1.9):
        kit.box((x - 0.15, -29.4, 0.0), (x + 0.15, -29.1, 4.2), white)
    kit.box((-2.4, -29.5, 4.2), (2.4, -29.0, 4.5), white)
    petals = [kit.paint(color) for color in ("#e0568c", "#f4f0f0", "#d83a4a", "#c48ae0", "#f0c83c")]
    green = kit.paint("#3f7030")
    for side in (-1, 1):
        for number in range(24):
            x = side * (5.9 + 0.9 * (number % 6) + 0.3 * (number // 6 % 2))
            y = -27.5 + 1.2 * (number // 6)
            kit.cone((x, y, 0.0), 0.35, 0.7, green)
            kit.ball((x, y, 0.75), 0.25, petals[(number * 3 + number // 6 + side) % 5])
    tree = kit.noise("#5a8c3a", "#3d6a28", scale=2.0)
    for x, y, radius in ((-13.0, -40.0, 3.6), (-6.0, -44.0, 3.0), (7.0, -42.0, 3.4), (14.0, -40.0, 3.8)):
        kit.ball((x, y, 5.5), radius, tree)


def plain(kit: Any) -> None:
    """A plain floor under an even light."""
    kit.sky("#b8bcc4", "#b8bcc4", ground="#b8bcc4", strength=0.6)
    kit.board((-60.0, -120.0), (60.0, 20.0), kit.paint("#8c8f96"))


#: Label -> where the middle of an object may be along y, for scenes with less room than the stage.
ROOM = {"indoor": (-15.0, 0.0), "hall": (-15.0, 0.0), "grassland": (-15.0, 0.0)}
