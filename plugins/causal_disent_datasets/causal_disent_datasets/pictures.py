"""Pictures from outside, opened with Pillow: only of the kinds and sizes that are expected."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from causal_disent import errors
from causal_disent.files import regular, unusable

if TYPE_CHECKING:
    from PIL.Image import Image


def open_picture(path: Path, *, formats: Sequence[str], sizes: Sequence[tuple[int, int]] | None = None) -> Image:
    """The whole picture, decoded.

    Args:
        path: of the file.
        formats: Pillow's names of the formats it may have.
        sizes: widths and heights it may have; any that Pillow takes to be harmless if not given.
    """
    from PIL import Image

    with _clear_errors(path), Image.open(regular(path), formats=list(formats)) as picture:
        if sizes is not None and picture.size not in sizes:
            allowed = " or ".join(f"{width}x{height}" for width, height in sizes)
            raise unusable(path, f"it should be of {allowed} pixels, and is of {picture.width}x{picture.height}")
        picture.load()
        return picture.copy()


def read_rgb(path: Path, *, formats: Sequence[str], sizes: Sequence[tuple[int, int]], side: int) -> np.ndarray:
    """The picture as (side, side, 3) uint8, made smaller by the mean of its pixels if it is larger."""
    from PIL import Image

    with _clear_errors(path):
        picture = open_picture(path, formats=formats, sizes=sizes).convert("RGB")
        if picture.size != (side, side):
            picture = picture.resize((side, side), Image.Resampling.BOX)
        return np.asarray(picture)


def resized(pixels: np.ndarray, side: int) -> np.ndarray:
    """An image made `side` pixels wide and high by Lanczos' filter, as disentanglement_lib does."""
    from PIL import Image

    return np.asarray(Image.fromarray(pixels).resize((side, side), Image.Resampling.LANCZOS))


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Pillow only warns of a picture that is up to twice as large as it takes to be harmless.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except errors.CausalDisentError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise unusable(path, f"it unpacks to more pixels than is safe ({error})") from None
    except FileNotFoundError:
        raise unusable(path, "it is not there") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise unusable(path, f"it is not a whole picture of the right kind ({error})") from None
