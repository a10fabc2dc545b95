"""The scenes of ``candle_mini`` in the open country and in gardens."""

import numpy as np

from causal_disent.data.candle_mini.open_air import grass, over, ridge, sky
from causal_disent.data.candle_mini.textures import between, bricks, cloud, lines, mix, noise, ramp, speckle, wave
from causal_disent.data.candle_mini.view import View


def outdoor(view: View) -> np.ndarray:
    """A mountain valley: snowy peaks, firs, a gravel clearing in the meadow."""
    image = sky(view, (0.88, 0.92, 0.94), (0.57, 0.73, 0.87), 71, clear=0.6)
    side, height = view.side, view.height
    peaks = 0.16 - 0.55 * np.abs(side + 0.16) + 0.05 * cloud(side * 14.0, side * 0, 72)
    peaks = np.maximum(peaks, 0.12 - 0.4 * np.abs(side - 0.27) + 0.05 * cloud(side * 14.0, side * 0, 73))
    rock = mix((0.50, 0.55, 0.62), (0.62, 0.66, 0.71), cloud(side * 25.0, height * 40.0, 74) * 1.6 - 0.3)
    snow = ramp(height - peaks + 0.05 + 0.04 * noise(side * 60.0, height * 20.0, 75), 0.0, 0.01)
    image = over(image, mix(rock, (0.93, 0.95, 0.97), snow), height < peaks)
    image = over(
        image,
        mix((0.40, 0.50, 0.44), (0.48, 0.58, 0.48), noise(side * 30, height * 60, 76)),
        ridge(view, 0.0, 0.035, 5.0, 77),
    )
    for firs, size, seed in ((34.0, 0.05, 78), (18.0, 0.08, 79)):
        place = np.floor(side * firs)
        tall = size * (0.4 + 0.6 * speckle(place, place * 0, seed)) * (np.abs(side) > 0.12)
        from_trunk = np.abs(side * firs - place - 0.5)
        needles = mix((0.20, 0.32, 0.27), (0.30, 0.42, 0.34), noise(side * 90.0, height * 90.0, seed))
        image = over(image, needles, (height < tall * (1.0 - 2.2 * from_trunk)) & ~view.is_ground)
    meadow = grass(view, (0.43, 0.52, 0.34), (0.58, 0.65, 0.44), 80)
    x, y = view.ground_x, view.ground_y
    bend = 2.2 + 26.0 / y + 1.3 * (cloud(x * 0.7, y * 0.7, 81) - 0.5)
    pebbles = speckle(x * 7.0, y * 5.0, 82) * 0.4 + cloud(x * 2.0, y * 2.0, 83) * 0.6
    gravel = mix((0.60, 0.57, 0.51), (0.76, 0.73, 0.67), 0.5 + (pebbles - 0.5) * 2.0 * view.detail)
    ground = mix(meadow, gravel, ramp(bend - np.abs(x + 0.02 * (y - 7.0) ** 2), 0.0, 0.5))
    return over(image, ground, view.is_ground)


def grassland(view: View) -> np.ndarray:
    """Rolling grass under towering clouds."""
    image = sky(view, (0.86, 0.92, 0.95), (0.48, 0.69, 0.87), 111, clear=0.45)
    far = mix((0.56, 0.67, 0.52), (0.64, 0.73, 0.56), noise(view.side * 20.0, view.height * 80.0, 112))
    image = over(image, far, ridge(view, 0.0, 0.05, 3.0, 113))
    near = mix((0.44, 0.58, 0.36), (0.53, 0.66, 0.42), noise(view.side * 30.0, view.height * 80.0, 114))
    image = over(image, near, ridge(view, -0.02, 0.05, 2.2, 115))
    lawn = grass(view, (0.34, 0.50, 0.26), (0.55, 0.69, 0.38), 116)
    swaths = wave(
        view.ground_x * 0.12 + view.ground_y * 0.09 + noise(view.ground_x * 0.3, view.ground_y * 0.3, 117)
    )
    lawn = mix(lawn, (0.64, 0.74, 0.46), ramp(swaths, 0.1, 1.0) * 0.45)
    return over(image, lawn, view.is_ground)


def beach(view: View) -> np.ndarray:
    """Pale sand with ripples, foam where the sea begins, a sail on the horizon."""
    image = sky(view, (0.93, 0.94, 0.91), (0.60, 0.79, 0.89), 131, clear=0.62)
    sail_x, sail_z = (view.side - 0.24) / 0.03, view.height / 0.055
    sail = between(sail_x, 0.0, 1.0) & between(sail_z, 0.05, 1.0) & (sail_z < 1.0 - sail_x)
    image = mix(image, (0.97, 0.97, 0.96), sail)
    x, y = view.ground_x, view.ground_y
    shore = 12.2 + 1.6 * noise(x * 0.28, x * 0, 132)
    swell = noise(x * 0.25, y * 1.1, 133)
    sea = mix((0.50, 0.70, 0.72), (0.33, 0.55, 0.63), ramp(y, 12.0, 45.0))
    sea = mix(sea, (0.78, 0.87, 0.87), ramp(swell, 0.6, 0.85) * 0.6)
    ripples = wave(y * 1.6 + 1.3 * noise(x * 0.5, y * 0.5, 134)) * 0.25
    grains = speckle(x * 10.0, y * 6.0, 135) - 0.5
    sand = mix((0.76, 0.70, 0.59), (0.90, 0.86, 0.76), 0.6 + (ripples + grains * 0.5) * view.detail)
    sand = mix(sand, (0.62, 0.57, 0.49), ramp(y - shore, -2.2, -0.6) * 0.7)
    sand = over(sand, sea, y > shore)
    sand = mix(sand, (0.96, 0.97, 0.96), (np.abs(y - shore) < 0.35))
    return over(image, sand, view.is_ground)


def moonlit_grass(view: View) -> np.ndarray:
    """A meadow at night: moon and stars over a dark wood."""
    side, height = view.side, view.height
    image = mix((0.22, 0.29, 0.38), (0.07, 0.10, 0.19), height / 0.2)
    stars = speckle(side * 110.0, height * 110.0, 141) > 0.985
    image = mix(image, (0.85, 0.88, 0.93), stars * 0.9)
    from_moon = np.sqrt((side - 0.22) ** 2 + (height - 0.135) ** 2)
    image = mix(image, (0.60, 0.66, 0.72), ramp(0.16 - from_moon, 0.0, 0.16) * 0.45)
    craters = noise(side * 50.0, height * 50.0, 142)
    moon = mix((0.80, 0.82, 0.80), (0.97, 0.96, 0.90), craters * 1.6 - 0.2)
    image = over(image, moon, from_moon < 0.038)
    wood = mix((0.07, 0.11, 0.13), (0.11, 0.16, 0.17), noise(side * 60.0, height * 60.0, 143))
    image = over(image, wood, ridge(view, -0.01, 0.10, 12.0, 144))
    lawn = grass(view, (0.11, 0.20, 0.20), (0.25, 0.35, 0.32), 145)
    gleam = ramp(4.5 - np.abs(view.ground_x - 0.22 * view.ground_y), 0.0, 4.5)
    lawn = mix(lawn, (0.42, 0.52, 0.52), gleam * 0.35)
    return over(image, lawn, view.is_ground)


def garden(view: View) -> np.ndarray:
    """A garden: clipped hedge with blossoms, white fence, stepping stones in the lawn."""
    image = sky(view, (0.88, 0.92, 0.92), (0.66, 0.80, 0.88), 161)
    crowns = mix(
        (0.42, 0.54, 0.40), (0.55, 0.66, 0.48), cloud(view.side * 30.0, view.height * 30.0, 162) * 1.6 - 0.3
    )
    image = over(image, crowns, ridge(view, 0.02, 0.13, 6.0, 163))
    x, z = view.wall(16.0)
    leaves = cloud(x * 2.6, z * 2.6, 164)
    hedge = mix((0.25, 0.38, 0.27), (0.44, 0.57, 0.38), leaves * 1.8 - 0.4)
    blossoms = speckle(x * 2.4, z * 2.4, 165) > 0.87
    hedge = mix(hedge, (0.90, 0.80, 0.84), blossoms * 0.8)
    image = over(image, hedge, between(z, 0.0, 3.9 + 0.4 * noise(x * 2.0, x * 0, 166)))
    x, y = view.ground_x, view.ground_y
    lawn = grass(view, (0.38, 0.52, 0.32), (0.54, 0.67, 0.42), 167)
    column, row = bricks(x, y, 2.3, 1.7)
    off_x = (x / 2.3 + 0.5 * (row % 2) - column - 0.5) * 2.3
    off_y = y - (row + 0.5) * 1.7
    wobble = 0.25 * noise(x * 1.6, y * 1.6, 168)
    stone = (off_x / 1.0) ** 2 + (off_y / 0.72) ** 2 < 1.0 - wobble
    slate = mix(
        (0.62, 0.62, 0.59), (0.76, 0.75, 0.71), speckle(column, row, 169) * 0.6 + cloud(x * 2, y * 2, 170) * 0.4
    )
    lawn = over(lawn, slate, stone & (y < 13.0))
    image = over(image, lawn, view.is_ground & (y < 16.0))
    x, z = view.wall(14.0)
    pickets = lines(x, 0.8, 0.42) & between(z, 0.0, 1.75 - np.abs(x - 0.8 * np.round(x / 0.8)))
    rails = between(z, 0.45, 0.7) | between(z, 1.1, 1.35)
    return mix(image, (0.92, 0.92, 0.89), (pickets | rails) * 0.95)
