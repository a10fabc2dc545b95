"""Procedural textures from which the scenes of ``candle_mini`` are painted.

Nothing here calls a transcendental function on an array: sums, products, roots and floors are rounded
alike on every machine, so the pictures are the same everywhere.
"""

import numpy as np

Color = tuple[float, float, float]
Paint = Color | np.ndarray


def mix(first: Paint, second: Paint, amount: np.ndarray) -> np.ndarray:
    """Colours going from first (amount 0 or False) to second (amount 1 or True)."""
    start, end = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    return start + (end - start) * np.clip(amount, 0.0, 1.0)[..., None]


def ramp(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Smooth step from 0 at low to 1 at high."""
    t = np.clip((values - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def speckle(column: np.ndarray, row: np.ndarray, seed: int) -> np.ndarray:
    """A number in [0, 1) for each cell of the integer lattice, without visible order."""
    with np.errstate(over="ignore"):
        bits = np.floor(column).astype(np.int64).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits ^= np.floor(row).astype(np.int64).astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        bits += np.uint64(seed) * np.uint64(0x165667B19E3779F9)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return (bits >> np.uint64(40)).astype(float) / 2**24


def noise(x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Smooth noise in [0, 1) with one bump per unit."""
    column, row = np.floor(x), np.floor(y)
    right, up = ramp(x - column, 0.0, 1.0), ramp(y - row, 0.0, 1.0)
    near = speckle(column, row, seed) * (1 - right) + speckle(column + 1, row, seed) * right
    far = speckle(column, row + 1, seed) * (1 - right) + speckle(column + 1, row + 1, seed) * right
    return near * (1 - up) + far * up


def cloud(x: np.ndarray, y: np.ndarray, seed: int, octaves: int = 4) -> np.ndarray:
    """Noise in [0, 1) with detail at several scales."""
    total, weight, scale = np.zeros(np.broadcast(x, y).shape), 0.5, 1.0
    for octave in range(octaves):
        total += weight * noise(x * scale, y * scale, seed + octave)
        weight, scale = weight / 2, scale * 2
    return total / (1.0 - 2.0**-octaves)


def wave(x: np.ndarray) -> np.ndarray:
    """A sine-like wave in [-1, 1] of period 1."""
    phase = x - np.floor(x)
    first = phase < 0.5
    local = np.where(first, phase, phase - 0.5)
    arch = 16.0 * local * (0.5 - local)
    return np.where(first, arch, -arch)


def lines(x: np.ndarray, period: float, width: float) -> np.ndarray:
    """True on lines of the given width, one per period, centred on the multiples of the period."""
    return np.abs(x - period * np.round(x / period)) < width / 2


def between(x: np.ndarray, low: float, high: float | np.ndarray) -> np.ndarray:
    """True where low <= x < high."""
    return (x >= low) & (x < high)


def bricks(x: np.ndarray, y: np.ndarray, length: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Column and row of the brick at each point, every second row moved by half a brick."""
    row = np.floor(y / height)
    return np.floor(x / length + 0.5 * (row % 2)), row


def joints(x: np.ndarray, y: np.ndarray, length: float, height: float, width: float) -> np.ndarray:
    """True on the joints between the bricks of :func:`bricks`."""
    row = np.floor(y / height)
    return lines(y, height, width) | lines(x + 0.5 * length * (row % 2), length, width)
