"""Disentanglement, completeness, informativeness (DCI), and the explicitness and size of DCI-ES."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import (
    Pairs,
    check_at_least,
    check_columns,
    check_not_negative,
    check_random_state,
    varying_factors,
)
from causal_disent.metrics.arrays import (
    TEST_SHARE,
    CodeGroups,
    all_groups,
    find_varying_in_both,
    place_values,
    predict_linear,
    random_features,
    split_points,
    standardise,
    sum_groups,
)
from causal_disent.metrics.contract import COLUMNS, IN_GROUPS, Result, metric
from causal_disent.metrics.draw import train_test
from causal_disent.metrics.fitting import (
    Estimator,
    check_labelled,
    estimator_named,
    fit_each,
    make_problems,
    measure_fit,
    name_of,
)
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- DCI (Eastwood and Williams 2018, openreview By-7dz-AZ)

#: Added to every importance, so that a code or factor without any is spread evenly: entropy 1, score 0.
SMALLEST_IMPORTANCE = 1e-11


@dataclass(frozen=True)
class DciResult(Result, score="disentanglement"):
    """What `dci` returns.

    Attributes:
        disentanglement: in [0, 1]; 1 if each code counts for one factor only.
        completeness: in [0, 1]; 1 if each factor is predicted from one code only.
        informativeness_train: mean accuracy of the predictions on the training points.
        informativeness_test: the same on the test points.
        importance: (codes, factors) how much each code counts in predicting each factor; a column sums to 1,
            or to 0 for a factor that never varies.
        disentanglement_per_code: (codes,).
        completeness_per_factor: (factors,); NaN for a factor that never varies.
        estimator: the name of what predicted.
    """

    disentanglement: float
    completeness: float
    informativeness_train: float
    informativeness_test: float
    importance: FloatArray
    disentanglement_per_code: FloatArray
    completeness_per_factor: FloatArray
    estimator: str


@metric(
    "dci",
    needs=train_test(),
    reports={
        name: name
        for name in (
            "disentanglement",
            "completeness",
            "informativeness_train",
            "informativeness_test",
            "estimator",
        )
    },
    range=(0, 1),
    by_chance="near 0",
    compared="disentanglement_lib 1.5, 3 stored cases: as near as its own runs are to each other",
    summary="does each code matter to one factor, and each factor need one code?",
    assumes="independent factors; any number of codes",
    resampling={"points": 1000, "options": {"estimator": "histogram_boosting"}, "words": "by histogram boosting"},
    takes={"discrete": {}, "continuous": {"continuous": COLUMNS}, **IN_GROUPS},
    also=("completeness", "informativeness_test"),
    invariances=("rescaling",),
    renamed={"estimator": "estimator_fn"},
    fast={"estimator": "histogram_boosting"},
    validation="dci_validation",
)
def dci(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    estimator: str | Estimator = "gradient_boosting",
    continuous: Sequence[int] = (),
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> DciResult:
    r"""Does each code count for one factor, does each factor need one code, and is it predicted at all?

    .. math::
        D = \sum_j w_j \left(1 - H_n\left(\frac{R_{j\cdot}}{\sum_i R_{ji}}\right)\right), \qquad
        C = \sum_i v_i \left(1 - H_m\left(\frac{R_{\cdot i}}{\sum_j R_{ji}}\right)\right)

    where :math:`R_{ji}` is the importance of code j in a classifier that predicts factor i, :math:`H_n` the
    entropy to the base n, the number of factors (m: of codes), and the weights are the shares of R in the row
    of a code, :math:`w_j`, or in the column of a factor, :math:`v_i`. Informativeness is the accuracy.

    Assumes: factors that are discrete or named in `continuous`. Independent factors: where they are correlated, a
    perfect code of one helps to
    predict the other too, and counts for both.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Factors that never vary are left out, with a warning.
        test: codes and factors of other points, or the share of the points to hold out, for the informativeness.
        estimator: ``"gradient_boosting"`` (disentanglement_lib's), ``"histogram_boosting"`` (the same trees on
            binned codes, twenty to forty times as fast), ``"random_forest"``, ``"l1_logistic"``, or a function
            that makes a classifier with ``feature_importances_`` or ``coef_``, or a regressor, which takes every
            factor as a number, its informativeness R². Compare scores of one estimator.
        continuous: indices of factors that are numbers on a scale. Regressors predict them (boosted trees, or a
            forest for ``"random_forest"``), and their informativeness is R², not below 0.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code:
            its importance is the sum of theirs; codes in no block stay alone.
        random_state: seed or generator, of the points held out and the estimators.
        num_jobs: factors to fit at a time; by default as many as there are cores.

    Returns:
        `DciResult`. All scores are in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> result = dci(v, v, test=(v, v), estimator="histogram_boosting")
        >>> round(result.disentanglement, 6), round(result.completeness, 6), result.informativeness_test
        (1.0, 1.0, 1.0)
    """
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator, continuous)
    make = estimator_named(estimator)
    varying = varying_factors(train[1], "dci")
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    groups = all_groups(code_groups, num_codes)
    for count, thing, score in (
        (len(varying), "factor", "disentanglement"),
        (len(groups), "code", "completeness"),
    ):
        if count == 1:
            warnings.warn(f"dci: with one {thing}, {score} is 1 whatever the codes tell.", stacklevel=3)

    problems = make_problems(train, held_out, varying, continuous)
    fits = fit_each(make, problems, measure_fit, generator, num_jobs)
    matrix = sum_groups(np.stack([column for column, _ in fits], axis=1), groups)
    train_accuracy, test_accuracy = np.mean([accuracy for _, accuracy in fits], axis=0)
    everywhere, per_factor = np.zeros((len(groups), num_factors)), np.full(num_factors, np.nan)
    everywhere[:, varying], per_factor[varying] = matrix, completeness_per_factor(matrix)
    return DciResult(
        disentanglement(matrix),
        completeness(matrix),
        float(train_accuracy),
        float(test_accuracy),
        everywhere,
        disentanglement_per_code(matrix),
        per_factor,
        name_of(make),
    )


def disentanglement_per_code(importance: FloatArray) -> FloatArray:
    """1 less the entropy of each row of (codes, factors), to the base of the number of factors.

    Example:
        >>> disentanglement_per_code(np.array([[1.0, 0.0], [0.5, 0.5]])).round(6)
        array([1., 0.])
    """
    return _one_less_entropy(importance)


def completeness_per_factor(importance: FloatArray) -> FloatArray:
    """1 less the entropy of each column of (codes, factors), to the base of the number of codes."""
    return _one_less_entropy(importance.T)


def disentanglement(importance: FloatArray) -> float:
    """The mean over codes, weighted with the share of the importance that each has."""
    return _weighted(disentanglement_per_code(importance), importance.sum(axis=1))


def completeness(importance: FloatArray) -> float:
    """The mean over factors, weighted with the share of the importance that each has."""
    return _weighted(completeness_per_factor(importance), importance.sum(axis=0))


def _one_less_entropy(rows: FloatArray) -> FloatArray:
    if rows.shape[1] == 1:
        return np.ones(len(rows))  # nothing to be spread over
    from scipy.stats import entropy

    return 1.0 - entropy(rows + SMALLEST_IMPORTANCE, base=rows.shape[1], axis=1)


def _weighted(scores: FloatArray, weights: FloatArray) -> float:
    return float(np.average(scores, weights=weights if weights.sum() > 0 else None))


# --- DCI-ES (Eastwood et al. 2023, arXiv:2210.00364)

WIDTHS = (0, 8, 16, 32, 64, 128, 256, 512)

#: A probe that takes away less than this part of the baseline loss has not learnt anything.
SMALLEST_GAIN = 0.01


@dataclass(frozen=True)
class DciEsResult(Result, score="explicitness"):
    """What `dci_es` returns.

    Attributes:
        explicitness: mean of `per_factor`; in [-1, 1], higher is better.
        per_factor: (factors,) E of each factor; NaN if it never varies.
        size: factors over codes; higher is better, 1 for as many codes as factors.
        informativeness: 1 - lowest loss, averaged over the factors; in [0, 1], higher is better.
        capacities: (probes,) capacity of each probe.
        losses: (probes, factors) lowest loss of the probes up to each capacity, 1 for the baseline; NaN if
            the factor never varies.
    """

    explicitness: float
    per_factor: FloatArray
    size: float
    informativeness: float
    capacities: FloatArray
    losses: FloatArray


@metric(
    "dci_es",
    needs=train_test(test_at_least=2),
    reports={
        "DCI_ES_explicitness": "explicitness",
        "DCI_ES_size": "size",
        "DCI_ES_informativeness": "informativeness",
        "DCI_ES_explicitness_factor_{factor}": "per_factor",
    },
    range=(-1, 1),
    by_chance="1, as published, at an informativeness of 0: read them together",
    compared=(
        "the authors' released program on the loss-capacity curves of 36 data sets: the same to rounding; the "
        "probes are this library's own"
    ),
    summary="how small a probe reads the factors off, and how few codes?",
    assumes="ordered factors unless named categorical; any number of codes",
    takes=("discrete", "continuous"),
    also=("DCI_ES_size", "DCI_ES_informativeness"),
    ranges={"DCI_ES_size": (0, inf), "DCI_ES_informativeness": (0, 1)},
    invariances=("rescaling",),
    known_failures={"perfect_beats_noise": "as published, E of codes that no probe reads is 1: read it with I"},
    resampling={"points": 500},
)
def dci_es(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    categorical: Sequence[int] = (),
    widths: Sequence[int] = WIDTHS,
    ridge: float = 1e-4,
    lowest_loss: float | None = 0.0,
    random_state: np.random.RandomState | int = 0,
) -> DciEsResult:
    r"""How little capacity a probe needs to predict the factors from the codes, and how few codes there are.

    .. math::
        E_i = 1 - \frac{\sum_{t \ge 2} \left(\frac12(\ell_{t-1} + \ell_t) - \ell_T\right)
        (\kappa_t - \kappa_{t-1})}{\frac12 (\kappa_T - \kappa_1)(\ell_b - \ell_*)}, \qquad S = \frac nm

    where :math:`\ell_t` is the lowest held-out loss of probes of capacity :math:`\kappa_t` or less,
    :math:`\ell_*` is `lowest_loss`, :math:`\ell_b` the loss of predicting the mean, n the number of factors and m
    the number of codes. The area under the loss-capacity curve is compared with that of a straight fall from
    the baseline: E is 1 if the smallest probe is the best, 0 for the straight fall, and towards -1 the larger
    the probe that first learns anything. Choices that the definition leaves open:

    - Probes: ridge regressions on the codes and `widths` random Fourier features of them, one draw shared by
      all widths. The smallest probe, of width 0, is linear. The features have frequencies at scales from a
      quarter of the typical distance between points to all of it.
    - Capacity: the logarithm of the number of weights per output, 1 + m + width.
    - Loss: squared error over variance (1 - R²), so the baseline is 1; for categorical factors that of
      their one-hot classes together. A loss above the baseline counts as the baseline.
    - With the last loss as the lowest, a factor of which no probe takes away 1 % of the baseline loss has E = -1:
      there the formula is 0 / 0.

    With :math:`\ell_* = 0`, as the conference version and the authors' program have it, E must be read together
    with the informativeness I: a curve that stays high is as flat as one that is low from the start, and codes of
    noise raise E while I falls. With :math:`\ell_* = \ell_T`, as in the workshop version, E is of what the probes
    can learn at all. For each factor :math:`1 - E_0 = (1 - E_T)(1 - \ell_T)`.

    Assumes: factors whose numbers are ordered, discrete or continuous, unless named in `categorical`; they
    need not be independent, and there may be any number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows.
        test: codes and factors of other points, or the share of the points to hold out.
        categorical: indices of factors whose numbers are names without an order.
        widths: increasing numbers of random features, at least two; compare scores only at equal widths.
        ridge: penalty on the squared weights, per point.
        lowest_loss: what a perfect probe would lose: 0, as published; or None for the loss of the largest probe.
        random_state: seed or generator, of the points held out and the random features.

    Returns:
        `DciEsResult`. E is in [-1, 1], S above 0 (and 1 at most, if there are as many codes as factors);
        higher is better. Factors that do not vary in both sets are left out, with a warning.

    Example:
        >>> v = np.random.RandomState(0).normal(size=(200, 2))
        >>> result = dci_es(2 * v, v, widths=(0, 8, 16))
        >>> round(result.explicitness, 2), result.size
        (1.0, 1.0)
    """
    generator = check_random_state(random_state)
    train, held_out = split_points(codes, factors, test, generator)
    _check_widths(widths)
    check_not_negative(ridge=ridge)
    if lowest_loss is not None and not 0 <= lowest_loss < 1:
        raise errors.InvalidInput(
            "`lowest_loss` is a part of the baseline loss, from 0 to below 1, or None; given: "
            f"{shown_value(lowest_loss)}."
        )
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    check_columns("categorical", categorical, num_factors)
    columns = find_varying_in_both(train[1], held_out[1], "dci_es")
    inputs = random_features(*standardise(train[0], held_out[0]), max(widths), generator)
    targets = [_targets(train[1][:, i], held_out[1][:, i], i in categorical) for i in columns]
    found = np.array([_losses(*inputs, targets, num_codes + width, ridge) for width in widths])
    found = np.minimum.accumulate(np.minimum(found, 1.0), axis=0)
    capacities = np.log(1.0 + num_codes + np.asarray(widths, dtype=np.float64))
    scores = np.array([measure_explicitness(capacities, curve, lowest=lowest_loss) for curve in found.T])
    losses = np.full((len(widths), num_factors), np.nan)
    losses[:, columns] = found
    return DciEsResult(
        float(scores.mean()),
        place_values(scores, columns, num_factors),
        len(columns) / num_codes,
        float(1.0 - found[-1].mean()),
        capacities,
        losses,
    )


def measure_explicitness(
    capacities: FloatArray, losses: FloatArray, baseline: float = 1.0, lowest: float | None = None
) -> float:
    """The last step: E of losses that do not rise with capacity; the lowest is the last unless given.

    Example:
        >>> measure_explicitness(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.0]))
        0.0
        >>> measure_explicitness(np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.5, 0.5]), lowest=0.0)
        1.0
    """
    gain = baseline - losses[-1]
    if lowest is None and gain < SMALLEST_GAIN * baseline:
        return -1.0
    area = np.trapezoid(losses - losses[-1], capacities)
    fall = gain if lowest is None else baseline - lowest
    return float(1.0 - area / (0.5 * (capacities[-1] - capacities[0]) * fall))


def _targets(train: IntArray, test: IntArray, is_categorical: bool) -> tuple[FloatArray, FloatArray]:
    """What a probe predicts: the values, or a column for each class."""
    if is_categorical:
        classes = np.unique(np.concatenate([train, test]))
        return (train[:, None] == classes).astype(np.float64), (test[:, None] == classes).astype(np.float64)
    return standardise(train[:, None], test[:, None])


def _losses(
    train_inputs: FloatArray,
    test_inputs: FloatArray,
    targets: Sequence[tuple[FloatArray, FloatArray]],
    num_inputs: int,
    ridge: float,
) -> list[float]:
    """Held-out squared error over variance of each target, from the first `num_inputs` inputs."""
    train_targets = np.hstack([train for train, _ in targets])
    predicted = predict_linear(train_inputs[:, :num_inputs], train_targets, test_inputs[:, :num_inputs], ridge)
    ends = np.cumsum([train.shape[1] for train, _ in targets])[:-1]
    parts = np.split(predicted, ends, axis=1)
    return [
        float(((test - part) ** 2).sum() / ((test - test.mean(axis=0)) ** 2).sum())
        for (_, test), part in zip(targets, parts, strict=True)
    ]


def _check_widths(widths: Any) -> None:
    for width in widths:
        check_at_least(0, widths=width)
    if len(widths) < 2 or (np.diff(widths) <= 0).any():
        raise errors.InvalidInput(
            f"`widths` are at least two increasing numbers; given: {shown_value(tuple(widths))}."
        )
