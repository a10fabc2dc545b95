"""Held-out R² of linear maps between codes and factors."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from causal_disent.checks import Pairs, check_not_negative, check_random_state
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.linear_probe import predict_linear, r_squared, standardise
from causal_disent.metrics.tools.needs import train_test
from causal_disent.metrics.tools.per_factor import in_place, varies, varying_in_both
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.splitting import TEST_SHARE, fit_and_test
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class R2Result(Result):
    """What `r2` returns.

    Attributes:
        score: mean of `per_factor`; at most 1, higher is better.
        per_factor: (factors,) R² of predicting each factor from all codes; NaN if it never varies.
        reverse: mean of `per_code`; 0 if no code varies.
        per_code: (codes,) R² of predicting each code from all factors; NaN if it never varies.
    """

    score: float
    per_factor: FloatArray
    reverse: float
    per_code: FloatArray


@metric(
    "r2",
    needs=train_test(test_at_least=2),
    reports={"R2": "score", "R2_reverse": "reverse", "R2_factor_{factor}": "per_factor"},
    range=(-inf, 1),
    by_chance="0, or a little below",
    compared="a program of its users, 36 data sets: the same to rounding",
    summary="do linear maps predict factors from codes, and codes from factors?",
    assumes="ordered factors, discrete or continuous; any number of codes",
    takes=("discrete", "continuous", "code_groups"),
    also=("R2_reverse",),
    invariances=("permutation", "rescaling"),
)
def r2(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    ridge: float = 0.0,
    random_state: np.random.RandomState | int = 0,
) -> R2Result:
    r"""How well linear maps predict the factors from the codes, and the codes from the factors.

    .. math:: R^2_i = 1 - \frac{\sum_t (g_{ti} - \hat g_i(z_t))^2}{\sum_t (g_{ti} - \bar g_i)^2}

    over test points t, with :math:`\hat g_i` fitted to the training points. High R² both ways means that
    codes and factors are linear maps of each other; it says nothing of which code stands for which factor.

    Assumes: factors whose numbers are ordered, discrete or continuous; they need not be independent, and
    there may be any number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows.
        test: codes and factors of other points, or the share of the points to hold out.
        ridge: penalty on the squared weights of the standardised inputs, per point; 0 is least squares.
        random_state: seed or generator, of the points held out.

    Returns:
        `R2Result`. 1 is best, 0 no better than the mean; held out, it may fall below 0. Factors that do not
        vary in both sets are left out, with a warning.

    Example:
        >>> v = np.random.RandomState(0).normal(size=(30, 2))
        >>> z = v @ np.array([[1.0, 2.0], [0.0, 1.0]])
        >>> result = r2(z, v)
        >>> round(result.score, 6), round(result.reverse, 6)
        (1.0, 1.0)
    """
    check_not_negative(ridge=ridge)
    train, held_out = fit_and_test(codes, factors, test, check_random_state(random_state))
    columns = varying_in_both(train[1], held_out[1], "r2")
    active = np.flatnonzero(varies(train[0]) & varies(held_out[0]))
    codes, test_codes = standardise(train[0], held_out[0])
    factors, test_factors = standardise(train[1][:, columns], held_out[1][:, columns])
    forward = r_squared(test_factors, predict_linear(codes, factors, test_codes, ridge))
    backward = r_squared(test_codes[:, active], predict_linear(factors, codes[:, active], test_factors, ridge))
    return R2Result(
        float(forward.mean()),
        in_place(forward, columns, train[1].shape[1]),
        float(backward.mean()) if len(active) else 0.0,
        in_place(backward, active, train[0].shape[1]),
    )
