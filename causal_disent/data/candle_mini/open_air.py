"""What the outdoor scenes of ``candle_mini`` have in common: sky, hills, houses far away, grass."""

import numpy as np

from causal_disent.data.candle_mini.textures import Color, cloud, mix, noise, ramp, speckle
from causal_disent.data.candle_mini.view import View


def sky(view: View, low: Color, high: Color, seed: int, clear: float = 0.55) -> np.ndarray:
    """A sky from the colour at the horizon to the one above, with clouds where noise exceeds clear."""
    image = mix(low, high, view.height / 0.2)
    puffs = cloud(view.side * 7.0, view.height * 20.0, seed)
    return mix(image, (0.96, 0.96, 0.95), ramp(puffs, clear, clear + 0.25) * 0.85)


def skyline(view: View, width: float, low: float, high: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Where houses of random height stand against the sky, and the number of the house."""
    house = np.floor(view.side / width)
    top = low + (high - low) * speckle(house, house * 0, seed)
    return (view.height < top) & (view.height >= 0.0), house


def ridge(view: View, base: float, relief: float, scale: float, seed: int) -> np.ndarray:
    """Where a range of hills or a line of trees stands against the sky."""
    return view.height < base + relief * cloud(view.side * scale, np.zeros_like(view.side), seed)


def grass(view: View, dark: Color, light: Color, seed: int) -> np.ndarray:
    """Ground with tufts and blades between two greens."""
    tufts = cloud(view.ground_x * 1.1, view.ground_y * 0.9, seed)
    blades = noise(view.ground_x * 7.0, view.ground_y * 2.5, seed + 7)
    return mix(dark, light, 0.5 + ((tufts - 0.5) * 1.3 + (blades - 0.5) * 0.7) * view.detail)


def over(image: np.ndarray, paint: np.ndarray, where: np.ndarray) -> np.ndarray:
    """The image with paint over a part of it."""
    return np.where(where[..., None], paint, image)
