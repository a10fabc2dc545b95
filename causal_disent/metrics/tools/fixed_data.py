"""Points given as observations and labels, for disentanglement_lib's ``*_validation`` metrics."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Pairs, check_at_least
from causal_disent.protocols import FloatArray, IntArray, Representation
from causal_disent.representation.code_table import checked_codes
from causal_disent.text import shown_value

#: What the caller of a ``*_validation`` metric gives; configs bind the rest.
VALIDATION_ARGUMENTS = ("observations", "labels", "representation_function")


def encode_fixed(
    observations: FloatArray, labels: IntArray, representation: Representation, batch_size: int
) -> Pairs:
    """Codes and factors of given observations.

    Args:
        observations: (points, ...), images as a rule.
        labels: (factors, points): disentanglement_lib has the points in the second axis here.
        representation: the encoder.
        batch_size: observations to encode at a time.

    Returns:
        codes (points, codes) and factors (points, factors).
    """
    check_at_least(1, batch_size=batch_size)
    observations, labels = np.asarray(observations), np.asarray(labels)
    if labels.ndim != 2 or labels.shape[1] != len(observations):
        raise errors.InvalidInput(
            f"`labels` must have shape (factors, {len(observations)}), a column for each of the "
            f"{len(observations)} observations; given: {labels.shape}."
        )
    if not len(observations):
        raise errors.InvalidInput("`observations` must hold at least one; given: none.")
    starts = range(0, len(observations), batch_size)
    codes = [checked_codes(representation, observations[start : start + batch_size]) for start in starts]
    return np.concatenate(codes), labels.T


def split(codes: FloatArray, factors: IntArray, train_percentage: Any) -> tuple[Pairs, Pairs]:
    """The first points for training, the rest for testing.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        train_percentage: despite its name in disentanglement_lib, the part for training, between 0 and 1.
    """
    num_train = ceil(len(codes) * train_percentage) if 0 < train_percentage < 1 else 0
    if not 0 < num_train < len(codes):
        raise errors.InvalidInput(
            "`train_percentage` is a number between 0 and 1 that leaves points for training and for testing; "
            f"given: {shown_value(train_percentage)} of {len(codes)} points."
        )
    return (codes[:num_train], factors[:num_train]), (codes[num_train:], factors[num_train:])
