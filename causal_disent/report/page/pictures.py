"""Thumbnails for a page, within a budget of bytes."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from causal_disent import errors
from causal_disent.files import read_bounded, unusable
from causal_disent.report.page.parts import Picture

#: Pixels of a thumbnail, across and down.
WIDEST, HIGHEST = 480, 720
#: Bytes of all thumbnails together: with a megabyte for the charts' program and some for tables and configs, the
#: page of a hundred runs stays below ten megabytes.
BUDGET = 5_000_000
#: Bytes of a file, and pixels of a picture, that are looked at.
MOST_BYTES, MOST_PIXELS = 32 * 2**20, 50_000_000
FORMATS = ("PNG", "JPEG", "GIF")


class Thumbnails:
    """Makes thumbnails until the budget is used up.

    Attributes:
        left: bytes that may still be used.
        left_out: how many pictures there was no room for.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self.left = budget
        self.left_out = 0

    def add(self, source: Path | bytes, caption: str) -> Picture | None:
        """The thumbnail of a PNG, JPEG or GIF (its first frame); None if there is no more room.

        Raises:
            causal_disent.errors.InvalidInput: if it is no such picture, or a far too large one.
        """
        content = source if isinstance(source, bytes) else read_bounded(source, MOST_BYTES)
        small, size = _thumbnail(content, source if isinstance(source, Path) else Path(caption))
        address = f"data:image/webp;base64,{base64.b64encode(small).decode()}"
        if len(address) > self.left:
            self.left_out += 1
            return None
        self.left -= len(address)
        return Picture(caption, address, *size)


def _thumbnail(content: bytes, path: Path) -> tuple[bytes, tuple[int, int]]:
    """A picture made small, and its size; its pixels are read after its size is known."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise unusable(path, f"it has {picture.width:,} x {picture.height:,} pixels")
            small = picture.convert("RGBA")
            small.thumbnail((WIDEST, HIGHEST))
            file = io.BytesIO()
            small.save(file, format="WEBP", quality=75, method=4)
    except errors.InvalidInput:
        raise
    except Exception as error:  # Pillow's readers raise whatever they meet in a torn file
        raise unusable(path, f"it is no picture that can be read ({errors.text_of(error)})") from None
    return file.getvalue(), small.size
