"""What a decoder draws, as arrays: reconstructions, samples and traversals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray


def decoder_of(representation: Any) -> Any:
    """The ``decode`` of a representation."""
    decode = getattr(representation, "decode", None)
    if decode is None:
        raise errors.MissingPart(
            "Pictures of a model are drawn by its decoder, and the representation has none. Give the folder of a "
            "model that has one, or in Python a representation with `decode(codes) -> images in [0, 1]`."
        )
    return decode


def make_reconstructions(representation: Any, images: FloatArray) -> FloatArray:
    """Images (n, h, w, c), encoded and decoded."""
    return decoder_of(representation)(representation(images))


def make_samples(representation: Any, num_codes: int, num_images: int, random_state: Any) -> FloatArray:
    """Images (n, h, w, c) of codes drawn from the standard normal distribution, the prior of a VAE."""
    codes = random_state.normal(size=(num_images, num_codes)).astype(np.float32)
    return decoder_of(representation)(codes)


def make_traversal(
    representation: Any,
    point: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    num_steps: int = 11,
    codes: Sequence[int] | None = None,
) -> FloatArray:
    r"""Images in which one code at a time runs from `low` to `high` while the others stay.

    .. math:: x_{jt} = g(z\ \text{with}\ z_j = l_j + (h_j - l_j)\, t / (T - 1))

    Args:
        representation: with a decoder g.
        point: (codes,) z, where the traversal starts from.
        low: (codes,) l.
        high: (codes,) h.
        num_steps: T, at least 2.
        codes: which of them to move; all by default.

    Returns:
        (moved codes, num_steps, h, w, c) in [0, 1].

    Example:
        >>> class Pixels:
        ...     def decode(self, codes): return codes.reshape(-1, 1, 2, 1)
        >>> make_traversal(Pixels(), np.array([0.5, 0.5]), np.zeros(2), np.ones(2), num_steps=2)[1, :, 0, :, 0]
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """
    if num_steps < 2:
        raise errors.InvalidInput(f"A traversal has at least 2 steps; given: {num_steps}.")
    moved = list(range(len(point)) if codes is None else codes)
    points = np.tile(np.asarray(point), (len(moved), num_steps, 1))
    for row, code in enumerate(moved):
        points[row, :, code] = np.linspace(low[code], high[code], num_steps)
    images = decoder_of(representation)(points.reshape(-1, len(point)))
    return images.reshape(len(moved), num_steps, *images.shape[1:])
