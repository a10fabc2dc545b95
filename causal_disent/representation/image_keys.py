"""Images as keys of a dictionary."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from causal_disent.protocols import FloatArray


def image_keys(images: FloatArray) -> Iterator[bytes]:
    """A digest of each image; a dictionary of the images themselves would be as large as the data set."""
    for image in np.ascontiguousarray(images, dtype=np.float32):
        yield hashlib.blake2b(image.tobytes(), digest_size=16).digest()
