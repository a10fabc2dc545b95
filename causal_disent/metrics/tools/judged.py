"""Which factors a classifier can judge: a CG says nothing of a factor that its classifier does not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_numbers
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

#: An accuracy below this is pointed out.
GOOD = 0.9
#: The part of the way from chance to certainty that a classifier must be ahead, or it does not judge the factor.
HARDLY = 0.1

#: Held-out accuracy per factor, or what gives it when it is asked for, where making the classifier takes long.
Accuracy = Sequence[float] | Callable[[], Sequence[float] | None]


def not_judged(accuracy: Sequence[float] | FloatArray, factors: IntArray) -> tuple[int, ...]:
    r"""The factors judged hardly better than by always naming the value that is most frequent.

    .. math:: \frac{a_i - c_i}{1 - c_i} < 0.1, \qquad c_i = \max_v P(G_i = v)

    Args:
        accuracy: a, per factor, on images that the classifier has not seen.
        factors: (points, factors) values; those with one value only are left out.

    Example:
        >>> not_judged([0.55, 0.23], np.array([[0, 0], [0, 1], [1, 2], [1, 3]]))
        (1,)
    """
    frequent = [np.unique(column, return_counts=True)[1].max() / len(column) for column in factors.T]
    pairs = enumerate(zip(accuracy, frequent, strict=True))
    return tuple(i for i, (right, chance) in pairs if chance < 1 and right - chance < HARDLY * (1 - chance))


def check_accuracy(accuracy: Accuracy | None, num_factors: int) -> FloatArray | None:
    """One number in [0, 1] per factor, or None if nobody knows them."""
    found = accuracy() if callable(accuracy) else accuracy
    if found is None:
        return None
    numbers = as_numbers("The accuracy of a classifier", found)
    if numbers.shape != (num_factors,) or not ((numbers >= 0) & (numbers <= 1)).all():
        raise errors.InvalidInput(
            f"The accuracy of a classifier is one number from 0 to 1 per factor ({num_factors}); given: "
            f"{shown_value(found)}."
        )
    return numbers
