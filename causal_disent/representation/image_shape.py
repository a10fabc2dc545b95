"""Images: whether they are laid out as those of a data set, and as keys of a dictionary."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray


def check_image_shape(images: Any, shape: Sequence[int], source: str) -> None:
    """Raise if images have another shape than those of the data set.

    Args:
        images: (n, height, width, channels), an array or a tensor on any device.
        shape: of one image of the data set.
        source: where the images are from, for the message.
    """
    given, needed = tuple(images.shape[1:]), tuple(int(size) for size in shape)
    if given == needed:
        return
    advice = ""
    if len(needed) == 3 and given == (needed[2], *needed[:2]):
        advice = " The channels come first there: move them to the end (numpy: transpose(0, 2, 3, 1))."
    raise errors.InvalidInput(f"{source} must have the data set's image shape {needed}; given: {given}.{advice}")


def image_keys(images: FloatArray) -> Iterator[bytes]:
    """A digest of each image; a dictionary of the images themselves would be as large as the data set."""
    for image in np.ascontiguousarray(images, dtype=np.float32):
        yield hashlib.blake2b(image.tobytes(), digest_size=16).digest()
