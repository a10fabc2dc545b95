"""The effect of interventions on codes, as a classifier sees it in the decoded images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.representation.image_shape import check_image_shape

#: How far a probability or a pixel may be off by rounding.
PIXEL_SLACK = 1e-5
PROBABILITY_SLACK = 1e-3


@dataclass(frozen=True)
class Changes:
    """What the interventions change in some points.

    Attributes:
        tables: for each factor (2, points, values): by how much the probability of each value changes where the
            factor's own codes are set, and where all others are; None for a factor that is left out.
        truth: (points, factors) value indices.
    """

    tables: Sequence[FloatArray | None]
    truth: IntArray

    def effects(self, truth: IntArray | None = None) -> FloatArray:
        """ICE (2, points, factors): the change of the true value's probability, or of other values' if given."""
        truth = self.truth if truth is None else truth
        rows = np.arange(len(truth))
        result = np.full((2, *truth.shape), np.nan)
        for i, table in enumerate(self.tables):
            if table is not None:
                result[:, :, i] = table[:, rows, truth[:, i]]
        return result


def joined(parts: Sequence[Changes]) -> Changes:
    """The changes of all points of `parts`."""
    tables = [
        None if of_factor[0] is None else np.concatenate(of_factor, axis=1)
        for of_factor in zip(*(part.tables for part in parts), strict=True)
    ]
    return Changes(tables, np.concatenate([part.truth for part in parts]))


def changes(
    codes: FloatArray,
    factors: IntArray,
    decode: Callable[[FloatArray], Any],
    predict_proba: Callable[[Any], Sequence[FloatArray]],
    sets: Sequence[tuple[int, ...] | None],
    baseline: Callable[[FloatArray], FloatArray],
    batch_size: int,
    image_shape: Sequence[int] | None = None,
) -> Iterator[Changes]:
    """What setting each factor's own codes changes, and what all others do, a batch of points at a time.

    Each batch is decoded once as it is and once per distinct set of codes, so 1 + 2n times for n factors at
    the most; only the images of one batch are in memory.

    Args:
        codes: (points, codes).
        factors: (points, factors) value indices.
        decode: codes -> images; they are handed on as they are, so they may stay on a device.
        predict_proba: images -> a (n, values) array per factor.
        sets: the codes of each factor; None leaves the factor out.
        baseline: points -> the values that an intervention sets.
        batch_size: points per batch.
        image_shape: what each image must have, if that is known.
    """

    def seen(points: FloatArray, truth: IntArray, wanted: Sequence[int]) -> dict[int, FloatArray]:
        images = check_images(decode(points), len(points), image_shape)
        return _probabilities(predict_proba(images), truth, wanted)

    everything = frozenset(range(codes.shape[1]))
    readers: dict[frozenset[int], list[tuple[int, int]]] = {}
    for i, own in enumerate(sets):
        if own is not None:
            readers.setdefault(frozenset(own), []).append((0, i))
            readers.setdefault(everything - set(own), []).append((1, i))
    readers.pop(frozenset(), None)  # setting no code changes nothing: the effect is 0
    wanted = [i for i, own in enumerate(sets) if own is not None]
    starts = range(0, len(codes), batch_size)
    for start in track(starts, "counterfactuals", total=len(starts), unit="batch"):
        points, truth = codes[start : start + batch_size], factors[start : start + batch_size]
        base = seen(points, truth, wanted)
        tables = [np.zeros((2, *base[i].shape)) if i in base else None for i in range(len(sets))]
        replacement = baseline(points)
        for intervened, targets in readers.items():
            changed = points.copy()
            columns = sorted(intervened)
            changed[:, columns] = replacement[:, columns]
            after = seen(changed, truth, [i for _, i in targets])
            for side, i in targets:
                tables[i][side] = np.abs(base[i] - after[i])  # type: ignore[index]
        yield Changes(tables, truth)


def _probabilities(tables: Sequence[FloatArray], truth: IntArray, wanted: Sequence[int]) -> dict[int, FloatArray]:
    """For each wanted factor, the probabilities (n, values), from what a classifier returned."""
    if len(tables) != truth.shape[1]:
        raise errors.InvalidInput(
            f"`predict_proba` must return one array per factor ({truth.shape[1]}); it returned {len(tables)}."
        )
    return {i: _check_probabilities(tables[i], i, truth[:, i]) for i in set(wanted)}


def check_images(images: Any, num: int, shape: Sequence[int] | None = None) -> Any:
    """What a decoder returned, if it is `num` images of that shape in [0, 1]; a tensor stays one."""
    images = images if hasattr(images, "shape") else np.asarray(images)
    if len(images.shape) != 4 or len(images) != num:
        raise errors.InvalidInput(
            f"`decode` must return images of shape ({num}, height, width, channels) for {num} points; "
            f"it returned shape {tuple(images.shape)}."
        )
    if shape is not None:
        check_image_shape(images, shape, "What `decode` returns")
    low, high = float(images.min()), float(images.max())
    if not (low >= -PIXEL_SLACK and high <= 1 + PIXEL_SLACK):
        raise errors.InvalidInput(
            f"`decode` must return pixels in [0, 1]; it returned values from {low:.4g} to {high:.4g}. "
            "A decoder that returns logits needs a sigmoid."
        )
    return images


def _check_probabilities(table: Any, factor: int, truth: IntArray) -> FloatArray:
    """A classifier's answer for one factor, if it is a distribution over its values."""
    table = np.asarray(table, dtype=np.float64)
    if table.ndim != 2 or len(table) != len(truth) or table.shape[1] <= truth.max():
        raise errors.InvalidInput(
            f"`predict_proba` must return shape ({len(truth)}, values) for factor {factor}, with more than "
            f"{truth.max()} values (the largest in the sample); it returned shape {table.shape}."
        )
    sums = table.sum(axis=1)
    if not (np.abs(sums - 1) <= PROBABILITY_SLACK).all() or table.min() < -PROBABILITY_SLACK:
        worst = int(np.nanargmax(np.abs(sums - 1))) if not np.isnan(sums).all() else 0
        raise errors.InvalidInput(
            f"The probabilities of factor {factor} must be at least 0 and sum to 1; those of image {worst} sum "
            f"to {sums[worst]:.4g} (smallest entry {table.min():.4g}). Apply a softmax."
        )
    return np.clip(table, 0.0, 1.0)
