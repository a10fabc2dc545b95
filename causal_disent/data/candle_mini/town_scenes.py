"""The scenes of ``candle_mini`` in town under the open sky."""

import numpy as np

from causal_disent.data.candle_mini.open_air import grass, over, ridge, sky, skyline
from causal_disent.data.candle_mini.textures import (
    between,
    bricks,
    cloud,
    joints,
    lines,
    mix,
    noise,
    ramp,
    speckle,
)
from causal_disent.data.candle_mini.view import View


def playground(view: View) -> np.ndarray:
    """A playground: speckled rubber ground with a painted ring, a swing and a slide before trees."""
    image = sky(view, (0.86, 0.91, 0.93), (0.62, 0.78, 0.89), 61)
    leaves = cloud(view.side * 40.0, view.height * 40.0, 63)
    trees = mix((0.36, 0.47, 0.36), (0.54, 0.63, 0.48), leaves * 1.8 - 0.4)
    image = over(image, trees, ridge(view, 0.01, 0.13, 9.0, 62))
    x, y = view.ground_x, view.ground_y
    grains = speckle(x * 9.0, y * 5.0, 64)
    rubber = mix((0.43, 0.58, 0.55), (0.53, 0.67, 0.63), 0.5 + (grains - 0.5) * view.detail * 1.2)
    around = np.sqrt(x * x + (y - 7.0) ** 2)
    rubber = mix(rubber, (0.78, 0.80, 0.73), between(around, 3.6, 4.0) * 0.75)
    rubber = mix(rubber, (0.52, 0.64, 0.66), (around < 3.6) * 0.6)
    lawn = grass(view, (0.42, 0.54, 0.35), (0.55, 0.65, 0.43), 65)
    rubber = over(rubber, lawn, y > 14.5 + noise(x * 0.3, y * 0, 66))
    image = over(image, rubber, view.is_ground)
    return _slide(view, _swing(view, image))


def _swing(view: View, image: np.ndarray) -> np.ndarray:
    x, z = view.wall(15.5)
    x = x + 4.3
    beam = between(x, -2.4, 2.4) & between(z, 4.6, 4.85)
    legs = lines(np.abs(np.abs(x) - 2.3) - (4.7 - z) * 0.17, 100.0, 0.22) & between(z, 0.0, 4.7)
    ropes = lines(np.abs(np.abs(x) - 1.0) - 0.35, 100.0, 0.1) & between(z, 1.3, 4.7)
    seats = lines(np.abs(x) - 1.0, 100.0, 0.95) & between(z, 1.1, 1.35)
    image = mix(image, (0.75, 0.76, 0.74), ropes * 0.9)
    image = mix(image, (0.35, 0.44, 0.50), (beam | legs))
    return mix(image, (0.28, 0.30, 0.32), seats)


def _slide(view: View, image: np.ndarray) -> np.ndarray:
    x, z = view.wall(15.0)
    x = x - 4.4
    chute = lines(z - (0.4 + (2.3 - x) * 0.95), 100.0, 0.5) & between(x, -0.7, 2.4)
    ladder = (lines(np.abs(x + 1.4) - 0.5, 100.0, 0.16) & between(z, 0.0, 4.6)) | (
        between(x, -1.9, -0.9) & lines(z, 0.6, 0.16) & between(z, 0.0, 3.5)
    )
    roof = (z < 5.9 - np.abs(x + 1.2) * 0.9) & (z > 4.6)
    image = mix(image, (0.44, 0.47, 0.50), ladder)
    image = mix(image, (0.72, 0.77, 0.78), chute)
    return mix(image, (0.50, 0.60, 0.62), roof)


def bridge(view: View) -> np.ndarray:
    """The deck of a suspension bridge: towers, hanging cables, water on both sides."""
    image = sky(view, (0.90, 0.91, 0.90), (0.68, 0.78, 0.85), 91)
    image = over(image, mix((0.62, 0.68, 0.72), (0.68, 0.73, 0.76), view.side), ridge(view, 0.0, 0.04, 6.0, 92))
    x, y = view.ground_x, view.ground_y
    ripples = noise(x * 0.5, y * 2.0, 93)
    water = mix((0.45, 0.58, 0.62), (0.60, 0.70, 0.73), 0.5 + (ripples - 0.5) * (0.3 + view.detail))
    asphalt = mix(
        (0.47, 0.48, 0.49), (0.57, 0.58, 0.59), 0.5 + (speckle(x * 8.0, y * 4.0, 94) - 0.5) * view.detail
    )
    asphalt = mix(asphalt, (0.38, 0.39, 0.40), lines(y, 5.0, 0.18) * 0.6)
    asphalt = mix(asphalt, (0.90, 0.90, 0.87), (lines(x, 100.0, 0.24) & lines(y, 3.2, 1.7)) * 0.9)
    asphalt = mix(asphalt, (0.86, 0.86, 0.83), lines(np.abs(x) - 3.7, 100.0, 0.18) * 0.9)
    pavement = mix((0.66, 0.66, 0.65), (0.58, 0.58, 0.57), lines(y, 1.2, 0.12))
    deck = over(asphalt, pavement, np.abs(x) > 4.0)
    image = over(image, over(water, deck, np.abs(x) < 5.0), view.is_ground)
    steel = (0.50, 0.40, 0.38)
    # The cable planes stand along both edges of the deck, so depth follows from the slope to the side.
    depth = 5.0 / np.maximum(np.abs(view.side), 1e-6)
    z = 3.2 + view.height * depth
    from_tower = np.abs(depth - 30.0)
    cable = 1.8 + 0.011 * np.maximum(26.0 - from_tower, 0.0) ** 2
    rail = lines(z - 0.9, 100.0, 0.16) | (between(z, 0.0, 0.9) & lines(depth, 0.9, 0.12))
    hangers = lines(depth, 2.4, 0.16) & between(z, 0.9, cable)
    main = lines(z - cable, 100.0, 0.36)
    near = depth < 60.0
    image = mix(image, (0.58, 0.52, 0.50), (hangers & near) * 0.7)
    image = mix(image, steel, ((main | rail) & near))
    tower_x, tower_z = view.wall(30.0)
    legs = lines(np.abs(tower_x) - 5.0, 100.0, 0.9) & between(tower_z, 0.0, 9.3)
    beams = (np.abs(tower_x) < 5.0) & (between(tower_z, 8.2, 9.1) | between(tower_z, 5.2, 5.8))
    return mix(image, steel, (legs | beams))


def city_square(view: View) -> np.ndarray:
    """A paved square: rings of setts around the middle, house fronts with windows."""
    image = sky(view, (0.90, 0.91, 0.91), (0.70, 0.80, 0.88), 101)
    wall_x, wall_z = view.wall(19.0)
    house = np.floor(wall_x / 3.6)
    roof = 5.3 + 1.5 * speckle(house, house * 0, 102)
    front = mix((0.78, 0.71, 0.63), (0.62, 0.65, 0.67), speckle(house, house * 0, 103))
    windows = lines(wall_x - 0.6, 1.2, 0.55) & lines(wall_z - 2.9, 1.7, 0.95) & (wall_z > 2.0)
    front = mix(front, (0.40, 0.45, 0.50), windows * 0.85)
    arches = lines(wall_x - 0.9, 1.8, 1.0) & (wall_z < 1.5)
    front = mix(front, (0.38, 0.36, 0.36), arches * 0.8)
    front = mix(front, (0.52, 0.45, 0.42), (lines(wall_x, 3.6, 0.18) | (wall_z > roof - 0.45)) * 0.8)
    image = over(image, front, between(wall_z, 0.0, roof))
    x, y = view.ground_x, view.ground_y - 7.0
    around = np.sqrt(x * x + y * y)
    stones = speckle(*bricks(view.ground_x, view.ground_y, 0.8, 0.5), 104)
    paving = mix((0.62, 0.60, 0.57), (0.73, 0.71, 0.68), 0.5 + (stones - 0.5) * view.detail * 1.3)
    seams = joints(view.ground_x, view.ground_y, 0.8, 0.5, 0.07)
    paving = mix(paving, (0.50, 0.48, 0.46), seams * view.detail)
    rings = between(around, 4.2, 4.9) | between(around, 9.0, 10.0)
    paving = mix(paving, (0.47, 0.46, 0.47), rings * 0.7)
    return over(image, paving, wall_z < 0.0)


def street(view: View) -> np.ndarray:
    """A street between rows of houses: dashed line, kerbs, a sky narrowing to the far end."""
    room = view.inside(half_width=7.0, ceiling=1000.0, depth=70.0)
    image = sky(view, (0.92, 0.92, 0.90), (0.70, 0.80, 0.88), 121)
    house = np.floor(room.y / 5.0) + 50.0 * (room.x > 0)
    tall = 6.0 + 5.0 * speckle(house, house * 0, 122)
    front = mix((0.72, 0.64, 0.58), (0.62, 0.65, 0.66), speckle(house, house * 0, 123))
    front = mix(front, (0.42, 0.45, 0.49), (lines(room.y - 0.8, 1.67, 0.8) & lines(room.z - 2.6, 2.2, 1.2)) * 0.8)
    front = mix(front, (0.46, 0.43, 0.42), (lines(room.y, 5.0, 0.3) | (room.z < 0.5)) * 0.7)
    image = over(image, front, room.is_side & (room.z < tall))
    asphalt = mix((0.42, 0.43, 0.44), (0.53, 0.54, 0.55), cloud(room.x * 2.5, room.y * 1.2, 124))
    asphalt = mix(asphalt, (0.88, 0.88, 0.85), (lines(room.x, 100.0, 0.26) & lines(room.y, 3.6, 1.9)) * 0.9)
    slabs = mix((0.67, 0.66, 0.64), (0.56, 0.55, 0.54), (lines(room.y, 1.4, 0.12) | lines(room.x, 1.4, 0.07)))
    slabs = mix(slabs, (0.80, 0.79, 0.76), (np.abs(room.x) < 4.6))
    image = over(image, over(asphalt, slabs, np.abs(room.x) > 4.2), room.is_floor)
    return mix(image, (0.90, 0.91, 0.90), ramp(room.y, 15.0, 75.0) * ~(room.is_side & (room.z >= tall)))


def dusk_city(view: View) -> np.ndarray:
    """A roof terrace at dusk: lit windows in dark towers before a glowing sky."""
    image = mix((0.88, 0.70, 0.60), (0.36, 0.36, 0.50), ramp(view.height, -0.01, 0.2))
    haze = cloud(view.side * 4.0, view.height * 45.0, 151)
    image = mix(image, (0.74, 0.56, 0.56), ramp(haze, 0.5, 0.8) * 0.5)
    for width, low, high, tone, seed in ((0.09, 0.07, 0.17, 0.43, 152), (0.13, 0.0, 0.10, 0.25, 159)):
        towers, tower = skyline(view, width, low, high, seed)
        column, row = view.side / 0.0325, view.height / 0.034
        panes = lines(column - 0.5, 1.0, 0.5) & lines(row - 0.5, 1.0, 0.5)
        lit = speckle(column, row, seed + 1) > 0.55
        front = mix(
            (tone, tone, tone + 0.07), (tone + 0.07, tone + 0.05, tone + 0.1), speckle(tower, row * 0, seed)
        )
        front = mix(front, (tone - 0.07, tone - 0.06, tone), panes)
        image = over(image, mix(front, (0.95, 0.84, 0.60), (lit & panes) * 0.9), towers)
    x, y = view.ground_x, view.ground_y
    slabs = speckle(x / 1.6, y / 1.6, 155)
    terrace = mix((0.31, 0.31, 0.36), (0.40, 0.39, 0.43), slabs)
    terrace = mix(terrace, (0.23, 0.23, 0.28), (lines(x, 1.6, 0.08) | lines(y, 1.6, 0.11)))
    terrace = mix(terrace, (0.62, 0.52, 0.52), ramp(cloud(x * 0.45, y * 0.45, 156), 0.5, 0.75) * 0.5)
    image = over(image, terrace, view.is_ground)
    wall_x, wall_z = view.wall(15.0)
    parapet = between(wall_z, 0.0, 1.25)
    image = mix(image, (0.27, 0.27, 0.32), parapet)
    image = mix(image, (0.47, 0.43, 0.46), between(wall_z, 1.1, 1.35))
    return mix(image, (0.20, 0.20, 0.25), (parapet & lines(wall_x, 2.5, 0.12)))
