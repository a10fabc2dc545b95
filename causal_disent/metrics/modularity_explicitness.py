"""Modularity and explicitness (Ridgeway & Mozer 2018, arXiv:1802.05312, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causal_disent.checks import Pairs, check_at_least, check_random_state, varying_factors
from causal_disent.metrics.tools.code_groups import CodeGroups, all_groups, combined
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.information import GIN_BINS, Bins, in_bins, mutual_information_matrix
from causal_disent.metrics.tools.needs import train_test
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.softmax_regression import class_probabilities, fit_softmax_regression
from causal_disent.metrics.tools.splitting import TEST_SHARE, fit_and_test
from causal_disent.metrics.tools.takes import IN_GROUPS
from causal_disent.protocols import FloatArray, IntArray


@dataclass(frozen=True)
class ModularityExplicitnessResult(Result, score="modularity"):
    """What `modularity_explicitness` returns.

    Attributes:
        modularity: in [0, 1], higher is better.
        explicitness_train: in [0, 1], higher is better, 0.5 is chance; on the points fitted to.
        explicitness_test: the same on the other points.
        modularities: (codes,); 0 for a code without information on any factor.
        explicitnesses_train: (factors,); NaN for a factor that never varies.
        explicitnesses_test: (factors,); NaN too for one that does not vary in the test points.
        information: (codes, factors) mutual information in nats.
    """

    modularity: float
    explicitness_train: float
    explicitness_test: float
    modularities: FloatArray
    explicitnesses_train: FloatArray
    explicitnesses_test: FloatArray
    information: FloatArray


@metric(
    "modularity_explicitness",
    needs=train_test(),
    reports={
        "modularity_score": "modularity",
        "explicitness_score_train": "explicitness_train",
        "explicitness_score_test": "explicitness_test",
    },
    range=(0, 1),
    by_chance="modularity far above 0 (0.67 for noise), explicitness 0.5",
    compared="disentanglement_lib 1.5, 15 stored cases: the same to rounding",
    summary="does a code tell of one factor, and do all tell every factor plainly?",
    assumes="discrete, independent factors, two or more",
    takes={"discrete": {}, "binned": {}, **IN_GROUPS},
    also=("explicitness_score_test",),
    invariances=("permutation", "rescaling"),
    resampling={"options": {"max_iterations": 0}},
    supplies=GIN_BINS,
)
def modularity_explicitness(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    num_bins: Bins = 20,
    max_iterations: int = 100,
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
) -> ModularityExplicitnessResult:
    r"""Does each code tell of one factor alone, and do all codes together tell every factor plainly?

    .. math::
        modularity = \frac1m \sum_j
            \left(1 - \frac{\sum_{i \ne t_j} I(z_j; g_i)^2}{(n - 1) I(z_j; g_{t_j})^2}\right),
        \quad t_j = \arg\max_i I(z_j; g_i)

    Explicitness is the area under the ROC curve of a logistic regression that predicts factor i from all
    codes, averaged over the values of the factor, each against the others, then over the factors.

    Assumes: discrete factors, at least two, any number of codes. Independent factors: where they are
    correlated, a perfect code of one has information on the other, and modularity falls.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Explicitness leaves factors that
            never vary out, with a warning.
        test: codes and factors of other points, or the share of the points to hold out.
        num_bins: as for `mig`, for modularity.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            (the bins of its codes together) for modularity; codes in no block stay alone.
        max_iterations: of the logistic regression, scikit-learn's 100. At 0 explicitness is left out, and is NaN.
        random_state: seed or generator, of the points held out.

    Returns:
        `ModularityExplicitnessResult`. All scores are in [0, 1], higher is better; explicitness by chance
        is 0.5.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> result = modularity_explicitness(v, v, test=(v, v))
        >>> result.modularity, result.explicitness_test
        (1.0, 1.0)
    """
    check_at_least(0, max_iterations=max_iterations)
    train, held_out = fit_and_test(codes, factors, test, check_random_state(random_state), min_factors=2)
    varying = varying_factors(train[1], "modularity_explicitness")
    binned = combined(in_bins(train[0], num_bins), all_groups(code_groups, train[0].shape[1]))
    information = mutual_information_matrix(binned, train[1])
    modularities = code_modularities(information)
    fitted, tested = _standardised(train[0], held_out[0])
    explicit = np.full((2, train[1].shape[1]), np.nan)
    for i in varying if max_iterations else ():
        explicit[:, i] = _explicitness(fitted, train[1][:, i], tested, held_out[1][:, i], max_iterations)
    return ModularityExplicitnessResult(
        modularity=float(modularities.mean()),
        explicitness_train=_mean_of_known(explicit[0]),
        explicitness_test=_mean_of_known(explicit[1]),
        modularities=modularities,
        explicitnesses_train=explicit[0],
        explicitnesses_test=explicit[1],
        information=information,
    )


def code_modularities(information: FloatArray) -> FloatArray:
    """The modularity of each code from its information on each factor (codes, factors)."""
    squared = np.square(information)
    most = squared.max(axis=1)
    informed = most > 0
    others = squared[informed].sum(axis=1) - most[informed]
    scores = np.zeros(len(information))
    scores[informed] = 1.0 - others / (most[informed] * (information.shape[1] - 1))
    return scores


def area_under_roc(scores: FloatArray, positive: NDArray[np.bool_]) -> float:
    """The probability that a positive point scores higher than a negative one, ties counted half.

    Args:
        scores: (points,).
        positive: (points,) booleans, some of them true and some false.

    Example:
        >>> area_under_roc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
        0.875
    """
    above, below = np.sort(scores[positive]), np.sort(scores[~positive])
    beaten = np.searchsorted(below, above, "left").sum() + np.searchsorted(below, above, "right").sum()
    return float(beaten / (2 * len(above) * len(below)))


def _standardised(codes: FloatArray, test_codes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean 0 and deviation 1 in the training points; a code that never varies there is 0 everywhere."""
    active = codes.min(axis=0) != codes.max(axis=0)
    mean = codes[:, active].mean(axis=0, dtype=np.float64)
    deviation = codes[:, active].std(axis=0, dtype=np.float64)
    return (codes[:, active] - mean) / deviation, (test_codes[:, active] - mean) / deviation


def _explicitness(
    points: FloatArray, factor: IntArray, test_points: FloatArray, test_factor: IntArray, max_iterations: int
) -> tuple[float, float]:
    """Mean area over the values of a factor, on the training and on the test points."""
    values, labels = np.unique(factor, return_inverse=True)
    weights = fit_softmax_regression(points, labels, len(values), max_iterations)
    return (
        _mean_area(class_probabilities(weights, points), values, factor),
        _mean_area(class_probabilities(weights, test_points), values, test_factor),
    )


def _mean_area(probabilities: FloatArray, values: IntArray, factor: IntArray) -> float:
    """Over the values that some of the points have and others have not; NaN if there is none."""
    told = [(row, factor == value) for row, value in zip(probabilities, values, strict=True)]
    areas = [area_under_roc(row, positive) for row, positive in told if positive.any() and not positive.all()]
    return float(np.mean(areas)) if areas else float("nan")


def _mean_of_known(scores: FloatArray) -> float:
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if known.size else float("nan")
