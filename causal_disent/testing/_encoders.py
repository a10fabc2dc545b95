"""Encoders made from others, with decoders that undo what was done to the codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from causal_disent.protocols import FloatArray

Change = Callable[[FloatArray], FloatArray]


class Changed:
    """`encoder`, with `change` made to its codes.

    Args:
        encoder: a representation with a decoder.
        change: codes (n, m) to other codes.
        undo: what the decoder does to codes before it decodes; nothing, if not given.
    """

    def __init__(self, encoder: Any, change: Change, undo: Change = np.asarray) -> None:
        self._encoder, self._change, self._undo = encoder, change, undo

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self._change(self._encoder(images))

    def decode(self, codes: FloatArray) -> FloatArray:
        return self._encoder.decode(self._undo(codes))


class Sum:
    """The codes of two encoders, added; the first one decodes."""

    def __init__(self, first: Any, second: Any) -> None:
        self._first, self._second = first, second

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self._first(images) + self._second(images)

    def decode(self, codes: FloatArray) -> FloatArray:
        return self._first.decode(codes)


class Remembering(Changed):
    """`encoder`, which remembers what it returned."""

    def __init__(self, encoder: Any) -> None:
        super().__init__(encoder, self._remember)
        self.returned: list[tuple[FloatArray, FloatArray]] = []

    def _remember(self, codes: FloatArray) -> FloatArray:
        self.returned.append((codes, codes.copy()))
        return codes

    @property
    def changed(self) -> bool:
        """Whether somebody wrote to what was returned."""
        return any(not np.array_equal(codes, copy) for codes, copy in self.returned)


def permuted(encoder: Any) -> Changed:
    """The codes in another order."""
    return Changed(encoder, lambda codes: np.roll(codes, 1, axis=1), lambda codes: np.roll(codes, -1, axis=1))


def rescaled(encoder: Any) -> Changed:
    """Each code times a number of its own: a power of two, so that rounding plays no part."""
    return Changed(encoder, lambda codes: codes * _scales(codes), lambda codes: codes / _scales(codes))


def _scales(codes: FloatArray) -> FloatArray:
    return 2.0 ** np.arange(1, codes.shape[1] + 1)


#: What an entry may declare in ``invariances`` -> the change that leaves its headline score as it was.
INVARIANCES: dict[str, Callable[[Any], Changed]] = {"permutation": permuted, "rescaling": rescaled}


def first_code(encoder: Any) -> Changed:
    """The first code alone; decoding takes the others to be 0."""
    num_codes: list[int] = []

    def keep_first(codes: FloatArray) -> FloatArray:
        num_codes.append(codes.shape[1])
        return codes[:, :1]

    return Changed(encoder, keep_first, lambda codes: np.pad(codes, ((0, 0), (0, num_codes[-1] - 1))))


def without_codes(encoder: Any) -> Changed:
    """No code at all, for any image."""
    return Changed(encoder, lambda codes: codes[:, :0])


def with_nan(encoder: Any) -> Changed:
    """The largest code of each batch is not a number."""
    return Changed(encoder, lambda codes: np.where(codes == codes.max(), np.nan, codes))


def without_last_row(encoder: Any) -> Changed:
    """Codes of all images but the last of each batch."""
    return Changed(encoder, lambda codes: codes[:-1])
