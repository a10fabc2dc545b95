"""Grids, files and animations of images (height, width, channels) with values in [0, 1]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def save_image(image: Any, image_path: str) -> None:
    """Write one image."""
    _picture(image).save(image_path)


def grid_save_images(images: Any, image_path: str) -> None:
    """Write the largest square of images, column by column, without space between them."""
    side = math.isqrt(len(images))
    square = np.asarray(images[: side * side])
    columns = square.reshape(side, side, *square.shape[1:])
    save_image(np.concatenate([np.concatenate(list(column), axis=0) for column in columns], axis=1), image_path)


def save_animation(list_of_animated_images: Any, image_path: str, fps: int) -> None:
    """Write an animated GIF; each entry of the list is a sequence of images, and has its place in every frame."""
    together = zip(*list_of_animated_images, strict=False)
    frames = [_picture(pad_around(padded_grid(list(images)))) for images in together]
    frames[0].save(image_path, save_all=True, append_images=frames[1:], duration=round(1000 / fps), loop=0)


def padded_grid(
    images: Sequence[Any], num_rows: int | None = None, padding_px: int = 10, value: Any = None
) -> Any:
    """A grid with space between the images, missing ones white."""
    rows = best_num_rows(len(images)) if num_rows is None else num_rows
    columns = math.ceil(len(images) / rows)
    full = [*images, *[np.ones_like(images[0])] * (rows * columns - len(images))]
    lines = [
        padded_stack(full[row * columns : (row + 1) * columns], padding_px, 1, value=value) for row in range(rows)
    ]
    return padded_stack(lines, padding_px, 0, value=value)


def padded_stack(images: Sequence[Any], padding_px: int = 10, axis: int = 0, value: Any = None) -> Any:
    """Images along an axis with space between them."""
    space = padding_array(images[0], padding_px, axis, value=value)
    parts = [part for image in images for part in (space, image)]
    return np.concatenate(parts[1:], axis=axis)


def padding_array(image: Any, padding_px: int, axis: int, value: Any = None) -> Any:
    """Space along an axis of an image, white or of the colour `value`."""
    shape = list(image.shape)
    shape[axis] = padding_px
    if value is None:
        return np.ones(shape, dtype=image.dtype)
    if len(value) != shape[-1]:
        raise ValueError(f"`value` has one number for each of the {shape[-1]} channels; given: {value}.")
    return np.broadcast_to(value, shape).copy()


def best_num_rows(num_elements: int, max_ratio: int = 4) -> int:
    """The number of rows, near a square, that leaves the fewest places empty."""
    largest = math.isqrt(num_elements)
    rows = [row for row in range(largest, 0, -1) if num_elements <= max_ratio * row * row] or [largest]
    return min(rows, key=lambda row: -num_elements % row)


def pad_around(image: Any, padding_px: int = 10, axis: int | None = None, value: Any = None) -> Any:
    """An image with space around it, or before and after it along one axis."""
    for along in (0, 1) if axis is None else (axis,):
        space = padding_array(image, padding_px, along, value=value)
        image = np.concatenate([space, image, space], axis=along)
    return image


def add_below(image: Any, padding_px: int = 10, value: Any = None) -> Any:
    """The image in three channels; the original adds its logo, which is not ours to show."""
    image = np.atleast_3d(image)
    if image.shape[2] not in (1, 3):
        raise ValueError("Could not convert image to have three channels.")
    return np.repeat(image, 3, axis=2) if image.shape[2] == 1 else image


def cycle_factor(starting_index: int, num_indices: int, num_frames: int) -> Any:
    """Places of a factor's values, up, down and back to the first, in so many frames."""
    place = np.ceil(np.linspace(0, 2 * num_indices, num_frames, endpoint=False)).astype(np.int64) + starting_index
    place = np.where(place >= num_indices, 2 * num_indices - 1 - place, place)
    return np.where(place < 0, -place - 1, place)


def cycle_gaussian(starting_value: float, num_frames: int, loc: float = 0.0, scale: float = 1.0) -> Any:
    """Quantiles of a Gaussian, up, down and back to the first, in so many frames."""
    from scipy.stats import norm

    start = norm.cdf(starting_value, loc=loc, scale=scale)
    return norm.ppf(np.clip(_triangle(start, num_frames), 0.001, 0.999), loc=loc, scale=scale)


def cycle_interval(starting_value: float, num_frames: int, min_val: float, max_val: float) -> Any:
    """Values of an interval, up, down and back to the first, in so many frames."""
    extent = max_val - min_val
    return _triangle((starting_value - min_val) / extent, num_frames) * extent + min_val


def _triangle(start: float, num_frames: int) -> Any:
    """From `start` to 1, to 0, and back."""
    grid = np.linspace(start, start + 2.0, num=num_frames, endpoint=False)
    return np.abs(np.where(grid > 1, 2 - grid, grid))


def _picture(image: Any) -> Any:
    from PIL import Image

    return Image.fromarray((add_below(np.asarray(image, dtype=np.float64)) * 255).astype(np.uint8))


def make_folder(path: str) -> Path:
    """The folder, made if it is not there."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
