"""Image files inside a folder, none of them trusted."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

import numpy as np

from causal_disent import errors
from causal_disent.files import regular, within
from causal_disent.text import shown_value

#: Those that Pillow decodes by itself: it would hand PostScript to another program.
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
#: The most that one image may have (4096 x 4096); a small file can hold very many.
MOST_PIXELS = 2**24
#: How many times too large the mean of pixels may leave an image for the filter: at 1.5 resizing 320x240 to 64x64
#: takes less than half the time, and pixels change by less than 1 of 255 in the mean (16 at sharp edges).
REDUCING_GAP = 1.5
#: How a file stores its pixels -> how they are read. An alpha channel is dropped.
READ_AS = {
    "1": "L",
    "L": "L",
    "LA": "L",
    "P": "RGB",
    "PA": "RGB",
    "RGB": "RGB",
    "RGBA": "RGB",
    "RGBX": "RGB",
    "CMYK": "RGB",
    "YCbCr": "RGB",
}


def inside(folder: Path, file: str, place: str) -> Path:
    """The path of `file`, which must lie in `folder`, links followed.

    Args:
        folder: resolved.
        file: relative to it, as a table names it.
        place: where it is named, for the error.
    """
    leads_out = (
        PurePosixPath(file).is_absolute()
        or PureWindowsPath(file).drive
        or ".." in PureWindowsPath(file).parts  # splits at both kinds of slash
        or "\0" in file
    )
    outside = f"{place} names {shown_value(file)}, which leads out of the folder {folder}."
    if leads_out:
        raise errors.InvalidInput(outside)
    try:
        path = Path(os.path.realpath(within(folder, folder / file)))
    except errors.InvalidInput as error:
        raise errors.InvalidInput(f"{outside} {error.message}") from None
    if not path.is_file():
        raise errors.InvalidInput(
            f"{place} names {shown_value(file)}, and there is no such file in the folder {folder}."
        )
    return path


def read_image(
    path: Path, shape: tuple[int, ...] | None = None, size: tuple[int, int] | None = None
) -> np.ndarray:
    """The pixels (h, w, c), uint8.

    Args:
        path: an image file of 8 bits per channel; grey ones have one channel, others three.
        shape: what the image must have. It is compared with what the file declares, before anything is decoded.
        size: height and width that it is given by Lanczos' filter; its own if not given. One that becomes
            several times smaller is first made smaller by the mean of its pixels.
    """
    from PIL import Image

    try:
        with Image.open(regular(path), formats=FORMATS) as image:
            reason = _reason_against(image.size, image.mode, shape)
            if not reason:
                mode = READ_AS[image.mode]
                picture: Image.Image = image if image.mode == mode else image.convert(mode)
                if size is not None and size != (picture.height, picture.width):
                    picture = picture.resize(size[::-1], Image.Resampling.LANCZOS, reducing_gap=REDUCING_GAP)
                pixels = np.array(picture)
                return pixels.reshape(*pixels.shape[:2], -1)
    except Image.DecompressionBombError:
        reason = f"it has more than {MOST_PIXELS:,} pixels"
    except Exception as error:  # for a broken file Pillow raises errors of many kinds
        reason = f"{error}"
    raise errors.InvalidInput(f"The image {path} cannot be used: {reason.rstrip('.')}.")


def _reason_against(size: tuple[int, int], mode: str, shape: tuple[int, ...] | None) -> str:
    """Why an image that declares this must not be decoded, or nothing."""
    width, height = size
    if width * height > MOST_PIXELS:
        return f"it has {width} x {height} pixels, and at most {MOST_PIXELS:,} are read"
    if mode not in READ_AS:
        return f"its pixels are stored as {shown_value(mode)}; images of 8 bits per channel are read"
    found = (height, width, len(READ_AS[mode]))
    if shape is not None and found != shape:
        return f"it has the shape {found}, and the first image has {shape}"
    return ""
