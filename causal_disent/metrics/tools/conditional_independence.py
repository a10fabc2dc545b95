"""A test of conditional independence: does a prediction suffer when one factor is drawn anew, given the others?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.protocols import FloatArray, IntArray

#: Rows of factors, a column of them, a generator -> other values of that column, drawn given the rest of the row.
Redraw = Callable[[Any, int, np.random.RandomState], Any]

#: Draws to compare with; the smallest p-value is one in so many and one.
NUM_DRAWS = 199
NUM_TREES = 50
#: Values of a column up to which each is predicted once for all draws.
FEW_VALUES = 64
#: Bins of a continuous factor, where rows are compared.
NUM_BINS = 5
#: Below this share of points that can change places, the test could find nothing.
LEAST_EXCHANGED = 0.1


def randomization_test(
    target: FloatArray,
    factors: FloatArray | IntArray,
    columns: IntArray,
    redraw: Redraw,
    random_state: np.random.RandomState,
) -> FloatArray:
    r"""Does a target depend on a factor, given the other factors? The p-value for each of several factors.

    .. math::
        H_0: Y \perp G_i \mid G_{\setminus i}, \qquad
        p_i = \frac{1 + \#\{b: T(G_i^{(b)}) \ge T(G_i)\}}{1 + B}, \qquad
        T(G_i) = -\sum \bigl(Y - \hat f(G_i, G_{\setminus i})\bigr)^2

    This is the conditional randomisation test (Candes et al. 2018, arXiv:1610.02351). A random forest
    :math:`\hat f`, grown on one half of the points, predicts the target of the other half, once from their
    factors and B times with factor i drawn anew, given the others. Where the target does not depend on factor i,
    all these are alike, however good or bad the forest is: the level is exact if the draws are.

    Args:
        target: (points,) floats.
        factors: (points, factors) numbers.
        columns: which of the factors to test.
        redraw: draws a factor given the others.
        random_state: splits the points, grows the trees, draws.

    Returns:
        (columns,) in (0, 1]; small where the target depends on the factor.

    Example:
        >>> g = np.random.RandomState(0).randint(4, size=(400, 2))
        >>> both = np.array([0, 1])
        >>> randomization_test(g[:, 0], g, both, exchange_within_strata, np.random.RandomState(0)).tolist()
        [0.005, 1.0]
    """
    order = random_state.permutation(len(target))
    first, second = order[: len(target) // 2], order[len(target) // 2 :]
    forest = _forest(factors[first], target[first], random_state)
    y, rows = target[second], factors[second]
    observed = -np.mean((y - forest.predict(rows)) ** 2)
    return np.array([_p_value(observed, y, rows, column, forest, redraw, random_state) for column in columns])


def exchange_within_strata(
    rows: FloatArray | IntArray, column: int, random_state: np.random.RandomState
) -> FloatArray | IntArray:
    """Let points that agree in all other factors change places in one.

    The draws are exact for factors of at most 64 values. Others are taken to agree within a fifth of their range,
    and what varies inside a fifth is not accounted for: where they depend on each other, independence is rejected
    too often.
    """
    strata = _strata(np.delete(rows, column, axis=1))
    if np.mean(np.bincount(strata)[strata] > 1) < LEAST_EXCHANGED:
        raise errors.InvalidInput(
            "`factors`: too few points agree in all factors but one, so that dependence given the others cannot "
            "be tested. Give more points, or `redraw`, a function that draws one factor given the others."
        )
    changed = np.empty_like(rows[:, column])
    shuffled = np.lexsort((random_state.random_sample(len(rows)), strata))
    changed[np.argsort(strata, kind="stable")] = rows[shuffled, column]
    return changed


def _strata(others: FloatArray | IntArray) -> IntArray:
    """The number of the stratum of each row."""
    if others.shape[1] == 0:
        return np.zeros(len(others), dtype=np.int64)
    columns = [
        column if len(np.unique(column)) <= FEW_VALUES else histogram_discretizer(column[:, None], NUM_BINS)[:, 0]
        for column in others.T
    ]
    return np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].reshape(-1)


def _forest(factors: FloatArray | IntArray, target: FloatArray, random_state: np.random.RandomState) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(NUM_TREES, random_state=int(random_state.randint(2**31 - 1))).fit(factors, target)


def _p_value(
    observed: float,
    y: FloatArray,
    rows: FloatArray | IntArray,
    column: int,
    forest: Any,
    redraw: Redraw,
    random_state: np.random.RandomState,
) -> float:
    predict = _predictor(rows, column, forest)
    drawn = (_drawn(redraw, rows, column, random_state) for _ in range(NUM_DRAWS))
    scores = np.array([-np.mean((y - predict(values)) ** 2) for values in drawn])
    # Sums of the same numbers in another order may differ in the last digits.
    as_good = scores >= observed - 1e-12 * abs(observed)
    return float((1 + as_good.sum()) / (1 + NUM_DRAWS))


def _drawn(
    redraw: Redraw, rows: FloatArray | IntArray, column: int, random_state: np.random.RandomState
) -> FloatArray | IntArray:
    with errors.readable("What `redraw` draws"):
        values = np.asarray(redraw(rows, column, random_state))
    if values.shape != (len(rows),) or values.dtype.kind not in "biuf":
        raise errors.InvalidInput(
            f"`redraw` must return a number for each of {len(rows)} rows; it returned shape {values.shape} and "
            f"type {values.dtype}."
        )
    return values


def _predictor(rows: FloatArray | IntArray, column: int, forest: Any) -> Callable[[Any], FloatArray]:
    """The forest's prediction for these rows, as a function of one column of theirs."""
    values = np.unique(rows[:, column])

    def predict(new: Any) -> FloatArray:
        changed = rows.astype(np.float64)
        changed[:, column] = new
        return forest.predict(changed)

    if len(values) > FEW_VALUES:
        return predict
    table = np.column_stack([predict(value) for value in values])
    points = np.arange(len(rows))

    def look_up(new: Any) -> FloatArray:
        positions = np.minimum(np.searchsorted(values, new), len(values) - 1)
        known = bool(np.all(values[positions] == new))
        return table[points, positions] if known else predict(new)

    return look_up
