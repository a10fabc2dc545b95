"""Held-out R² of linear maps between codes and factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent.arguments import Pairs, check_at_least, check_not_negative, check_train_test
from causal_disent.metrics.tools.linear_probe import predict_linear, r_squared, standardise
from causal_disent.metrics.tools.per_factor import in_place, per_factor_keys, varies, varying_in_both
from causal_disent.metrics.tools.sampling import factor_names, sample_codes
from causal_disent.protocols import FloatArray, GroundTruthData, Representation

__all__ = ["R2Result", "compute_r2", "linear_r2"]


@dataclass(frozen=True)
class R2Result:
    """What `linear_r2` returns.

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


def linear_r2(train: Pairs, test: Pairs, *, ridge: float = 0.0) -> R2Result:
    r"""How well linear maps predict the factors from the codes, and the codes from the factors.

    .. math:: R^2_i = 1 - \frac{\sum_t (g_{ti} - \hat g_i(z_t))^2}{\sum_t (g_{ti} - \bar g_i)^2}

    over test points t, with :math:`\hat g_i` fitted to the training points. High R² both ways means that
    codes and factors are linear maps of each other; it says nothing of which code stands for which factor.

    Assumes: factors whose numbers are ordered, discrete or continuous; they need not be independent, and
    there may be any number of codes.

    Args:
        train: codes (points, codes) and factors (points, factors) of the same points.
        test: the same of other points.
        ridge: penalty on the squared weights of the standardised inputs, per point; 0 is least squares.

    Returns:
        `R2Result`. 1 is best, 0 no better than the mean; held out, it may fall below 0. Factors that do not
        vary in both sets are left out, with a warning.

    Example:
        >>> v = np.random.RandomState(0).normal(size=(30, 2))
        >>> z = v @ np.array([[1.0, 2.0], [0.0, 1.0]])
        >>> result = linear_r2((z[:20], v[:20]), (z[20:], v[20:]))
        >>> round(result.score, 6), round(result.reverse, 6)
        (1.0, 1.0)
    """
    train, test = check_train_test(train, test)
    check_not_negative(ridge=ridge)
    columns = varying_in_both(train[1], test[1], "linear_r2")
    active = np.flatnonzero(varies(train[0]) & varies(test[0]))
    codes, test_codes = standardise(train[0], test[0])
    factors, test_factors = standardise(train[1][:, columns], test[1][:, columns])
    forward = r_squared(test_factors, predict_linear(codes, factors, test_codes, ridge))
    backward = r_squared(test_codes[:, active], predict_linear(factors, codes[:, active], test_factors, ridge))
    return R2Result(
        float(forward.mean()),
        in_place(forward, columns, train[1].shape[1]),
        float(backward.mean()) if len(active) else 0.0,
        in_place(backward, active, train[0].shape[1]),
    )


def compute_r2(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 10_000,
    num_test: int = 5_000,
    batch_size: int = 16,
    ridge: float = 0.0,
) -> dict[str, Any]:
    """`linear_r2`, fitted to `num_train` sampled points and tested on `num_test` others.

    Returns:
        ``R2``, ``R2_reverse`` and ``R2_factor_<name>``.
    """
    check_at_least(2, num_test=num_test)
    train, test = (
        sample_codes(ground_truth_data, representation_function, num_points, random_state, batch_size)
        for num_points in (num_train, num_test)
    )
    result = linear_r2(train, test, ridge=ridge)
    names = factor_names(ground_truth_data)
    return {"R2": result.score, "R2_reverse": result.reverse, **per_factor_keys("R2", result.per_factor, names)}
