"""How well a factor is predicted once another has values that were never seen in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Pairs, check_at_least, check_random_state
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.estimators import GIN_PREDICTOR, Estimator, estimator_named
from causal_disent.metrics.tools.fitting import accuracies, check_labelled, fit_each, forked, problems_of
from causal_disent.metrics.tools.needs import Sample, Source
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.sampling import Draws, fix_factor
from causal_disent.metrics.tools.sizes import Sizes
from causal_disent.metrics.tools.splitting import TEST_SHARE
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray
from causal_disent.text import shown_value


@dataclass(frozen=True)
class Shift:
    """Points between whose training and test set another factor than the target shifts.

    Attributes:
        target: the factor to predict.
        train: codes (points, codes) and factors (points, factors), another factor fixed to one value.
        test: the same of other points, where that factor has its other values.
    """

    target: int
    train: Pairs
    test: Pairs


@dataclass(frozen=True)
class StrongDownstreamResult(Result):
    """What `strong_downstream_task` returns.

    Attributes:
        train_accuracy: (factors,) in [0, 1], without a shift.
        test_accuracy: (factors,) on other points.
        strong_train_accuracy: (shifts,) of each shift's target.
        strong_test_accuracy: (shifts,) on the shifted points.
    """

    train_accuracy: FloatArray
    test_accuracy: FloatArray
    strong_train_accuracy: FloatArray
    strong_test_accuracy: FloatArray

    @property
    def score(self) -> float:
        """Mean accuracy on the shifted points."""
        return float(self.strong_test_accuracy.mean())

    @property
    def generalization_gap(self) -> float:
        """The part of the test accuracy that is lost by the shifts; 0 if there was none to lose."""
        before = self.test_accuracy.mean()
        return float(1.0 - self.strong_test_accuracy.mean() / before) if before > 0 else 0.0


@dataclass(frozen=True)
class Shifts(Sizes):
    """For each size, points without a shift, and `n_experiment` random shifts for each factor.

    disentanglement_lib chooses the shifts with numpy's global generator; here a generator of their own does, and
    `random_state` draws what it draws there.
    """

    words = "shifts of one factor between training and test"
    arrays_suffice = False
    how = (
        "training sets of each size n in `num_train`, tested on `num_test` points, with gin's ``predictor`` and "
        "`n_experiment` random shifts for each factor; keys are prefixed ``<n>:``"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        sizes = {name: default for name, default in super().parameters.items() if name != "batch_size"}
        return {**sizes, "n_experiment": 10}

    def draw_one(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        data, random_state = source.data, source.random_state
        num_train, num_test = drawn["num_train"], drawn["num_test"]
        check_at_least(1, num_test=num_test, n_experiment=drawn["n_experiment"])
        choices, draws = forked(random_state), Draws(data, source.representation)
        factors = [data.sample_factors(num_train, random_state), data.sample_factors(num_test, random_state)]
        for points in tuple(factors):
            draws.given(points, random_state)
        targets = np.repeat(np.arange(data.num_factors), drawn["n_experiment"])
        for target in targets:
            column, train_value, test_values = _choose_shift(data, int(target), num_test, choices)
            for points, values in ((factors[0], train_value), (factors[1], test_values)):
                factors.append(fix_factor(data, points, column, values, random_state))
                draws.given(factors[-1], random_state)
        codes = np.split(draws.codes(), np.cumsum([len(points) for points in factors])[:-1])
        pairs = list(zip(codes, factors, strict=True))
        shifts = [Shift(int(target), pairs[2 * k + 2], pairs[2 * k + 3]) for k, target in enumerate(targets)]
        yield Sample((*pairs[0], shifts), keywords={"test": pairs[1]})


def _choose_shift(
    data: GroundTruthData, target: int, num_test: int, choices: np.random.RandomState
) -> tuple[int, int, IntArray]:
    """Another factor, its value in training, and its other values (num_test,) in the test."""
    columns = [j for j, size in enumerate(data.factors_num_values) if j != target and size > 1]
    if not columns:
        raise errors.InvalidInput("A shift needs a factor besides the target that has at least two values.")
    column = int(choices.choice(columns))
    values = list(range(data.factors_num_values[column]))
    train_value = int(choices.choice(values))
    values.remove(train_value)
    return column, train_value, choices.choice(values, size=num_test)


@metric(
    "strong_downstream_task",
    needs=Shifts(),
    reports={
        "mean_train_accuracy": lambda result, names: result.train_accuracy.mean(),
        "mean_test_accuracy": lambda result, names: result.test_accuracy.mean(),
        "mean_strong_train_accuracy": lambda result, names: result.strong_train_accuracy.mean(),
        "mean_strong_test_accuracy": "score",
        "strong_generalization_gap": "generalization_gap",
    },
    headline="100:mean_strong_test_accuracy",
    range=(0, 1),
    by_chance="at most how often the most frequent value occurs",
    compared="disentanglement_lib 1.5, 2 stored cases: as near as its own runs are to each other",
    summary="are the factors predicted where a factor takes values never trained on?",
    assumes="discrete factors, several; any number of codes",
    also=("mean_test_accuracy",),
    invariances=("rescaling",),
    supplies=GIN_PREDICTOR,
)
def strong_downstream_task(
    codes: FloatArray,
    factors: IntArray,
    shifts: Sequence[Shift],
    *,
    test: Pairs | float = TEST_SHARE,
    estimator: str | Estimator = "gradient_boosting_classifier",
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> StrongDownstreamResult:
    r"""Accuracy of classifiers with and without a shift of another factor.

    .. math:: gap = 1 - \frac{E_{ij}\, P\left(f_i^{g_j = v}(z) = g_i \mid g_j \ne v\right)}{E_i\, P\left(f_i(z) = g_i\right)}

    where :math:`f_i^{g_j = v}` has learnt factor i from points at which factor j has the value v.

    Assumes: discrete factors, at least two.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows.
        shifts: at least one.
        test: codes and factors of other points, or the share of the points to hold out.
        estimator: what predicts (`causal_disent.metrics.tools.estimators`).
        random_state: seed or generator, of the points held out and the classifiers.
        num_jobs: classifiers to fit at a time; by default as many as there are cores.

    Returns:
        `StrongDownstreamResult`. Accuracies are in [0, 1], higher is better; the gap is at most 1, lower is
        better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> low, high = v[v[:, 1] == 0], v[v[:, 1] == 1]
        >>> shift = Shift(0, (low, low), (high, high))
        >>> strong_downstream_task(v, v, [shift], estimator="histogram_boosting").generalization_gap
        0.0
    """  # noqa: E501  the formula
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator)
    if not len(shifts):
        raise errors.InvalidInput("`shifts` must hold at least one; given: none.")
    problems = problems_of(train, held_out)
    num_factors = len(problems)
    for shift in shifts:
        shifted = check_labelled(*shift.train, shift.test, generator)
        if not 0 <= shift.target < shifted[0][1].shape[1]:
            raise errors.InvalidInput(
                f"A shift's target is from 0 to {num_factors - 1}; given: {shown_value(shift.target)}."
            )
        problems += problems_of(*shifted, [shift.target])
    fits = fit_each(estimator_named(estimator), problems, accuracies, generator, num_jobs)
    before, after = np.array(fits[:num_factors]).T, np.array(fits[num_factors:]).T
    return StrongDownstreamResult(before[0], before[1], after[0], after[1])
