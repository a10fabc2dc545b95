"""Explicitness and size, the E and S of DCI-ES (Eastwood et al. 2023, arXiv:2210.00364)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Pairs, check_at_least, check_columns, check_not_negative, check_random_state
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.linear_probe import predict_linear, random_features, standardise
from causal_disent.metrics.tools.needs import train_test
from causal_disent.metrics.tools.per_factor import in_place, varying_in_both
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.splitting import TEST_SHARE, fit_and_test
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

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
    train, held_out = fit_and_test(codes, factors, test, generator)
    _check_widths(widths)
    check_not_negative(ridge=ridge)
    if lowest_loss is not None and not 0 <= lowest_loss < 1:
        raise errors.InvalidInput(
            "`lowest_loss` is a part of the baseline loss, from 0 to below 1, or None; given: "
            f"{shown_value(lowest_loss)}."
        )
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    check_columns("categorical", categorical, num_factors)
    columns = varying_in_both(train[1], held_out[1], "dci_es")
    inputs = random_features(*standardise(train[0], held_out[0]), max(widths), generator)
    targets = [_targets(train[1][:, i], held_out[1][:, i], i in categorical) for i in columns]
    found = np.array([_losses(*inputs, targets, num_codes + width, ridge) for width in widths])
    found = np.minimum.accumulate(np.minimum(found, 1.0), axis=0)
    capacities = np.log(1.0 + num_codes + np.asarray(widths, dtype=np.float64))
    scores = np.array([explicitness_of_curve(capacities, curve, lowest=lowest_loss) for curve in found.T])
    losses = np.full((len(widths), num_factors), np.nan)
    losses[:, columns] = found
    return DciEsResult(
        float(scores.mean()),
        in_place(scores, columns, num_factors),
        len(columns) / num_codes,
        float(1.0 - found[-1].mean()),
        capacities,
        losses,
    )


def explicitness_of_curve(
    capacities: FloatArray, losses: FloatArray, baseline: float = 1.0, lowest: float | None = None
) -> float:
    """The last step: E of losses that do not rise with capacity; the lowest is the last unless given.

    Example:
        >>> explicitness_of_curve(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.0]))
        0.0
        >>> explicitness_of_curve(np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.5, 0.5]), lowest=0.0)
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
