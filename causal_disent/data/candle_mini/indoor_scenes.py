"""The scenes of ``candle_mini`` that have a roof."""

import numpy as np

from causal_disent.data.candle_mini.camera import CAMERA_HEIGHT
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


def indoor(view: View) -> np.ndarray:
    """A living room: oak planks, a papered wall with a window and a picture."""
    room = view.inside(half_width=7.5, ceiling=9.0, depth=13.0)
    across, along = room.x / 0.85, room.y / 4.0 + 0.37 * np.floor(room.x / 0.85)
    grain = noise(room.x * 9.0, room.y * 0.7, 1)
    planks = mix((0.60, 0.50, 0.39), (0.76, 0.66, 0.53), speckle(across, along, 2) * 0.7 + grain * 0.3)
    gaps = lines(room.x, 0.85, 0.06) | lines(along, 1.0, 0.015)
    planks = mix(planks, (0.43, 0.35, 0.27), gaps * 0.75)

    lateral = np.where(room.is_side, room.y, room.x)
    paper = mix((0.80, 0.79, 0.72), (0.74, 0.75, 0.69), lines(lateral, 0.9, 0.4))
    paper = mix(paper, (0.60, 0.60, 0.56), room.is_side * 0.45)
    image = mix(paper, (0.93, 0.92, 0.88), (room.z < 0.55))
    image = mix(image, (0.62, 0.60, 0.55), between(room.z, 0.55, 0.68))

    back, x, z = room.is_back, room.x, room.z
    window = back & between(x, -5.3, -1.5) & between(z, 2.2, 6.6)
    glass = mix((0.80, 0.89, 0.93), (0.62, 0.77, 0.88), (z - 2.0) / 4.0)
    glass = mix(glass, (0.62, 0.72, 0.60), ramp(3.2 + noise(x * 1.7, z * 0.0, 3) - z, 0.0, 0.2))
    image = np.where(window[..., None], glass, image)
    bars = window & (lines(x + 3.4, 10.0, 0.22) | lines(z - 4.3, 10.0, 0.22))
    rim = back & between(x, -5.55, -1.25) & between(z, 1.95, 6.85) & ~window
    image = mix(image, (0.96, 0.95, 0.92), (bars | rim))

    frame = back & between(x, 2.0, 4.6) & between(z, 2.6, 4.9)
    canvas = back & between(x, 2.2, 4.4) & between(z, 2.8, 4.7)
    image = mix(image, (0.40, 0.33, 0.27), frame)
    hills = 3.5 + 0.7 * noise(x * 1.4, z * 0.0, 5)
    painting = mix((0.83, 0.80, 0.71), (0.47, 0.57, 0.55), ramp(hills - z, 0.0, 0.15))
    image = np.where(canvas[..., None], painting, image)
    return np.where(room.is_floor[..., None], planks, image)


def hall(view: View) -> np.ndarray:
    """A long hall: marble chequers, columns along the walls and a bright far end."""
    room = view.inside(half_width=6.0, ceiling=7.5, depth=34.0)
    chequer = (np.floor(room.x / 1.5) + np.floor(room.y / 1.5)) % 2
    veins = cloud(room.x * 1.3, room.y * 1.3, 11)
    marble = mix((0.66, 0.66, 0.65), (0.84, 0.83, 0.80), chequer * 0.8 + (veins - 0.5) * 0.6)
    columns = lines(room.y, 5.0, 1.7)
    rounded = 1.0 - np.abs(room.y - 5.0 * np.round(room.y / 5.0)) / 0.85
    sides = mix((0.60, 0.56, 0.50), mix((0.66, 0.63, 0.58), (0.90, 0.88, 0.82), rounded), columns)
    sides = mix(sides, (0.80, 0.77, 0.70), ((room.z > 6.6) | (room.z < 0.5)))
    coffers = lines(room.x, 2.4, 0.5) | lines(room.y, 2.5, 0.6)
    ceiling = mix((0.70, 0.66, 0.58), (0.86, 0.83, 0.75), coffers)
    door = between(room.x, -2.2, 2.2) & (room.z < 5.5)
    back = mix((0.74, 0.72, 0.66), (0.95, 0.95, 0.92), door)
    image = np.where(room.is_floor[..., None], marble, sides)
    image = np.where(room.is_ceiling[..., None], ceiling, image)
    image = np.where(room.is_back[..., None], back, image)
    return mix(image, (0.90, 0.89, 0.85), ramp(room.y, 10.0, 45.0))


def garage(view: View) -> np.ndarray:
    """A parking garage: stained concrete, bay lines, pillars with a hazard band and strip lamps."""
    room = view.inside(half_width=8.5, ceiling=5.6, depth=19.0)
    stains = cloud(room.x * 0.7, room.y * 0.7, 21)
    concrete = mix((0.47, 0.48, 0.49), (0.62, 0.63, 0.63), stains * 1.6 - 0.3)
    concrete = mix(concrete, (0.34, 0.34, 0.35), ramp(cloud(room.x * 0.5 + 9, room.y * 0.5, 22), 0.62, 0.75) * 0.6)
    bays = (lines(room.x, 5.2, 0.22) & (room.y > 9.5)) | between(room.y, 9.3, 9.5)
    concrete = mix(concrete, (0.87, 0.87, 0.84), bays * 0.85)
    lateral = np.where(room.is_side, room.y, room.x)
    blocks = speckle(*bricks(lateral, room.z, 1.6, 0.8), 23)
    wall = mix((0.60, 0.62, 0.61), (0.68, 0.70, 0.69), blocks)
    wall = mix(wall, (0.52, 0.54, 0.54), joints(lateral, room.z, 1.6, 0.8, 0.1))
    wall = mix(wall, (0.35, 0.47, 0.46), between(room.z, 0.0, 1.5) * 0.8)
    pillars = lines(lateral - 2.6, 5.2, 0.9)
    wall = mix(wall, (0.72, 0.73, 0.72), pillars)
    hazard = pillars & between(room.z, 0.3, 1.7)
    wall = mix(wall, mix((0.20, 0.20, 0.20), (0.85, 0.82, 0.70), lines(lateral + room.z, 0.9, 0.45)), hazard)
    wall = mix(wall, (0.50, 0.51, 0.52), room.is_side * 0.45)
    lamps = lines(room.x, 4.2, 0.7) & lines(room.y, 4.0, 2.4)
    ceiling = mix((0.42, 0.43, 0.44), (0.96, 0.97, 0.95), lamps)
    image = np.where(room.is_floor[..., None], concrete, wall)
    return np.where(room.is_ceiling[..., None], ceiling, image)


def station(view: View) -> np.ndarray:
    """An underground platform: a tiled wall with a sign behind the track, a ribbed warning strip."""
    room = view.inside(half_width=40.0, ceiling=6.6, depth=15.0)
    tiles = speckle(room.x / 1.1, room.y / 1.1, 31)
    platform = mix((0.60, 0.58, 0.57), (0.70, 0.68, 0.66), tiles)
    seams = lines(room.x, 1.1, 0.06) | lines(room.y, 1.1, 0.08)
    platform = mix(platform, (0.50, 0.48, 0.48), seams * 0.8)
    strip = between(room.y, 9.6, 10.6)
    studs = (_inner_halves(room.x, 0.45) & _inner_halves(room.y, 0.45)) * 0.6
    platform = mix(platform, mix((0.84, 0.82, 0.70), (0.68, 0.66, 0.55), studs), strip)
    pit = room.y > 10.9
    sleepers = lines(room.x, 1.2, 0.45)
    bed = mix((0.20, 0.20, 0.22), (0.31, 0.29, 0.28), sleepers)
    rails = between(room.y, 11.8, 12.1) | between(room.y, 13.3, 13.6)
    platform = np.where(pit[..., None], mix(bed, (0.66, 0.68, 0.70), rails), platform)
    glaze = speckle(*bricks(room.x, room.z, 0.9, 0.45), 32)
    wall = mix((0.78, 0.81, 0.79), (0.88, 0.90, 0.88), glaze)
    wall = mix(wall, (0.69, 0.72, 0.71), joints(room.x, room.z, 0.9, 0.45, 0.07) * 0.8)
    wall = mix(wall, (0.22, 0.42, 0.41), between(room.z, 4.6, 5.3))
    sign = between(room.x, -2.4, 2.4) & between(room.z, 3.0, 4.2)
    letters = between(room.z, 3.35, 3.85) & lines(room.x, 0.55, 0.3) & between(room.x, -1.95, 1.95)
    wall = mix(wall, mix((0.17, 0.24, 0.32), (0.93, 0.93, 0.90), letters), sign)
    poster = lines(room.x - 5.0, 10.0, 2.2) & between(room.z, 1.4, 4.0)
    wall = mix(wall, mix((0.62, 0.66, 0.60), (0.43, 0.50, 0.52), ramp(room.z, 2.0, 3.2)), poster)
    wall = mix(wall, (0.30, 0.31, 0.33), ramp(0.9 - room.z, 0.0, 0.9))
    lamps = lines(room.y, 4.0, 1.1) & lines(room.x, 3.6, 2.8)
    ceiling = mix((0.46, 0.47, 0.49), (0.97, 0.97, 0.93), lamps)
    image = np.where(room.is_floor[..., None], platform, wall)
    return np.where(room.is_ceiling[..., None], ceiling, image)


def _inner_halves(x: np.ndarray, period: float) -> np.ndarray:
    """True on the inner half of every period."""
    return lines(x, period, period / 2)


def tunnel(view: View) -> np.ndarray:
    """A round tunnel: concrete rings going into the dark, lamps along both sides, a walkway."""
    radius, middle = 5.2, 2.6
    a = view.side**2 + view.height**2
    half_b = view.height * (CAMERA_HEIGHT - middle)
    c = (CAMERA_HEIGHT - middle) ** 2 - radius**2
    along = np.minimum((-half_b + np.sqrt(half_b * half_b - a * c)) / np.maximum(a, 1e-9), 200.0)
    z = CAMERA_HEIGHT + view.height * along
    ring = np.floor(along / 2.6)
    shell = mix((0.50, 0.47, 0.43), (0.63, 0.60, 0.54), speckle(ring, ring * 0, 41))
    shell = mix(shell, (0.33, 0.31, 0.29), lines(along, 2.6, 0.35))
    shell = mix(shell, (0.42, 0.40, 0.37), ramp(cloud(along * 0.6, z * 0.6, 42), 0.5, 0.8) * 0.6)
    lamps = between(z, 4.3, 4.9) & lines(along, 5.2, 1.8)
    glow = ramp(1.6 - np.abs(z - 4.6), 0.0, 1.6) * lines(along, 5.2, 4.4)
    shell = mix(shell, (0.82, 0.77, 0.64), glow * 0.5)
    image = mix(shell, (1.0, 0.97, 0.86), lamps)
    floor_y = view.ground_y
    on_floor = view.is_ground & (floor_y < along)
    wear = cloud(view.ground_x * 1.2, floor_y * 0.5, 43)
    floor = mix((0.45, 0.44, 0.43), (0.58, 0.57, 0.55), wear * 1.4 - 0.2)
    floor = mix(floor, (0.36, 0.35, 0.34), lines(floor_y, 2.6, 0.12) * 0.7)
    edge = lines(np.abs(view.ground_x) - 3.4, 100.0, 0.25)
    floor = mix(floor, (0.85, 0.84, 0.79), edge * 0.8)
    image = np.where(on_floor[..., None], floor, image)
    depth = np.where(on_floor, floor_y, along)
    return mix(image, (0.13, 0.13, 0.14), ramp(depth, 10.0, 55.0))


def skywalk(view: View) -> np.ndarray:
    """A glazed footbridge between towers: pale floor panels, steel frames, sky on both sides."""
    room = view.inside(half_width=4.6, ceiling=6.2, depth=40.0)
    puffs = cloud(view.side * 9.0, view.height * 22.0, 51)
    sky = mix((0.80, 0.88, 0.93), (0.58, 0.74, 0.86), view.height * 3.5 + 0.35)
    sky = mix(sky, (0.95, 0.96, 0.97), ramp(puffs, 0.5, 0.75) * 0.8)
    tower = np.floor(view.side * 22.0)
    top = 0.16 * speckle(tower, tower * 0, 52) - 0.07
    roofs = mix((0.62, 0.70, 0.76), (0.54, 0.62, 0.70), speckle(tower, tower * 0, 53))
    outside = mix(sky, roofs, (view.height < top))
    pane = mix(outside, (0.86, 0.92, 0.93), np.full_like(room.z, 0.25))
    frames = lines(room.y, 3.2, 0.35) | between(room.z, 0.0, 0.35) | lines(room.z - 1.6, 100.0, 0.2)
    sides = mix(pane, (0.42, 0.46, 0.50), frames)
    sheen = noise(room.x * 0.8, room.y * 0.8, 54)
    floor = mix((0.74, 0.75, 0.75), (0.82, 0.83, 0.82), sheen)
    floor = mix(floor, (0.58, 0.60, 0.61), (lines(room.x - 0.8, 1.6, 0.07) | lines(room.y, 1.6, 0.1)) * 0.9)
    floor = mix(floor, (0.50, 0.54, 0.56), (np.abs(room.x) > 3.9) * 0.8)
    ceiling = mix((0.83, 0.86, 0.88), (0.50, 0.54, 0.58), (lines(room.y, 3.2, 0.5) | lines(room.x, 2.3, 0.2)))
    image = np.where(room.is_floor[..., None], floor, sides)
    image = np.where(room.is_ceiling[..., None], ceiling, image)
    return mix(image, (0.86, 0.91, 0.94), np.maximum(ramp(room.y, 12.0, 48.0) * 0.9, room.is_back))
