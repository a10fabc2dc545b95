"""Images in rows and columns, with titles and captions that can be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.data.factor_table import value_rows
from causal_disent.files import new_file
from causal_disent.metrics.draw import factor_names, fix_factor
from causal_disent.protocols import FloatArray, is_finite

if TYPE_CHECKING:
    from PIL.Image import Image


#: Pixels between images, and between lines of text.
GAP = 6
BETWEEN_GROUPS = 4 * GAP
FONT_SIZE = 13
LINE = FONT_SIZE + 5
#: Grey; red, green and blue; these with an opacity, which is shown on white.
CHANNELS = (1, 3, 4)
#: Images smaller than this are enlarged by a whole number.
READABLE = 96


def enlargement(images: Any, wanted: int = READABLE) -> int:
    """Pixels per pixel that make images (..., h, w, c) at least `wanted` wide or high."""
    return max(1, -(-wanted // max(np.shape(images)[-3:-1])))


def check_drawable(shape: Sequence[int]) -> None:
    """Raise if observations of that shape are no images in grey or in color."""
    if len(shape) != 3 or shape[2] not in CHANNELS:
        raise errors.InvalidInput(
            "Only images (height, width, channels) of 1 channel (grey), 3 (red, green, blue) or 4 (with opacity) "
            f"can be shown; the shape given is {tuple(shape)}."
        )


def draw_grid(
    rows: Sequence[Sequence[FloatArray | None]],
    *,
    captions: Sequence[Sequence[str]] | None = None,
    row_titles: Sequence[str] | None = None,
    column_titles: Sequence[str] | None = None,
    group: int | None = None,
    scale: int = 1,
) -> Image:
    """One picture of many.

    Args:
        rows: images (h, w, c) in [0, 1], of `CHANNELS`, all of one size; None leaves a place empty.
        captions: a text below each image.
        row_titles: a text to the left of each row.
        column_titles: a text above each column; any text may have several lines.
        group: how many rows belong together; there is more space after each group.
        scale: pixels per pixel.
    """
    from PIL import Image, ImageDraw

    height, width = (scale * size for size in _common_size(rows))
    above, below = _num_lines(column_titles) * LINE, max(map(_num_lines, captions or [()])) * LINE
    left = _text_width(row_titles) + GAP if row_titles else 0
    texts = [*(column_titles or ()), *(caption for row in captions or () for caption in row)]
    # Two texts side by side need more than the gap between images, or they read as one.
    step_x = max(width, _text_width(texts) + 2 * GAP) + GAP
    step_y = max(height + below, _num_lines(row_titles) * LINE) + GAP
    tops = [GAP + above + i * step_y + (i // group * BETWEEN_GROUPS if group else 0) for i in range(len(rows))]
    canvas = Image.new("RGB", (GAP + left + step_x * max(map(len, rows)), tops[-1] + step_y), "white")
    draw = ImageDraw.Draw(canvas)
    for j, title in enumerate(column_titles or ()):
        _write(draw, title, GAP + left + j * step_x, GAP)
    for i, row in enumerate(rows):
        top = tops[i]
        if row_titles:
            _write(draw, row_titles[i], GAP, top)
        for j, image in enumerate(row):
            if image is None:
                continue
            corner = (GAP + left + j * step_x, top)
            canvas.paste(_picture(image).resize((width, height), Image.Resampling.NEAREST), corner)
            if captions:
                _write(draw, captions[i][j], corner[0], top + height + 1)
    return canvas


def _common_size(rows: Sequence[Sequence[FloatArray | None]]) -> tuple[int, int]:
    """Height and width of all images."""
    sizes = set()
    for image in (image for row in rows for image in row if image is not None):
        check_drawable(image.shape)
        sizes.add((image.shape[0], image.shape[1]))
    if len(sizes) > 1:
        raise errors.InvalidInput(
            f"The images of one picture must have one size; given: {errors.listing(sorted(sizes))}."
        )
    return sizes.pop()


def _picture(image: FloatArray) -> Image:
    from PIL import Image

    image = np.asarray(image)
    if image.shape[2] == 4:
        image = 1 - (1 - image[..., :3]) * image[..., 3:]
    pixels = np.clip(np.rint(image * 255), 0, 255).astype(np.uint8)
    return Image.fromarray(np.ascontiguousarray(np.broadcast_to(pixels, (*pixels.shape[:2], 3))))


def _font() -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(FONT_SIZE)


def _write(draw: Any, text: str, x: int, y: int) -> None:
    for number, line in enumerate(text.split("\n")):
        draw.text((x, y + number * LINE), line, fill="black", font=_font())


def _num_lines(texts: Sequence[str] | None) -> int:
    return max((text.count("\n") + 1 for text in texts or () if text), default=0)


def _text_width(texts: Sequence[str] | None) -> int:
    font = _font()
    return max((int(font.getlength(line)) + 1 for text in texts or () for line in text.split("\n")), default=0)


#: Columns at the most; longer factors are sampled evenly.
MOST = 8


def contact_sheet(data: Any, *, scale: int = 2) -> np.ndarray:
    """The images of finite data in which one factor at a time runs through its values, with captions.

    Args:
        data: finite ground-truth data.
        scale: pixels per pixel.

    Returns:
        (height, width, 3) uint8.
    """
    check_drawable(data.observation_shape)
    table = data.factor_table
    rows = value_rows(table)
    middle = rows[len(rows) // 2]
    sheet, captions = [], []
    for factor, name in enumerate(table.columns):
        values = np.unique(rows[:, factor])
        chosen = values[np.unique(np.linspace(0, len(values) - 1, MOST).round().astype(int))]
        # Confounding may leave no image that differs in this factor alone: the most similar one stands in.
        agreement = (rows == middle).sum(axis=1)
        places = [int((agreement * (rows[:, factor] == value)).argmax()) for value in chosen]
        captions.append([f"{name} {table[name].cat.categories[value]}" for value in chosen])
        sheet.append(list(data.observations(table.index.to_numpy()[places])))
    return np.asarray(draw_grid(sheet, captions=captions, scale=scale))


def dataset_sheet(data: Any, random_state: np.random.RandomState) -> np.ndarray:
    """The same of any data set, enlarged: images are looked up where there is a table of them, otherwise drawn.

    Args:
        data: ground-truth data of images.
        random_state: for what the factors leave open.
    """
    check_drawable(data.observation_shape)
    if is_finite(data) and hasattr(data, "factor_table"):
        return contact_sheet(data, scale=enlargement(np.empty((*data.observation_shape[:2], 0))))
    start = data.sample_factors(1, random_state)
    rows, captions = [], []
    for column, (name, size) in enumerate(zip(factor_names(data), data.factors_num_values, strict=True)):
        values = np.unique(np.linspace(0, size - 1, min(size, MOST)).round().astype(int))
        factors = fix_factor(data, np.repeat(start, len(values), axis=0), column, values, random_state)
        rows.append(list(data.sample_observations_from_factors(factors, random_state)))
        names = getattr(data, "value_names", None)
        captions.append([f"{name} {value if names is None else names[column][value]}" for value in values])
    return np.asarray(draw_grid(rows, captions=captions, scale=enlargement(rows[0][0])))


def save_picture(pixels: np.ndarray, path: Path, *, colors: int | None = None) -> None:
    """Write a PNG, whole or not at all; one of few `colors` (256 at the most) is much smaller."""
    from PIL import Image

    picture = Image.fromarray(pixels)
    if colors is not None:
        # The usual method gives no color to what is small, such as the only purple object of a sheet.
        method = Image.Quantize.MAXCOVERAGE
        picture = picture.quantize(colors, method=method, kmeans=3, dither=Image.Dither.NONE)
    with new_file(path) as temporary:
        picture.save(temporary, format="PNG", optimize=True)
