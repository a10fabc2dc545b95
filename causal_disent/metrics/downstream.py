"""Downstream tasks: how well the factors are predicted from codes, also with codes removed or factors shifted."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import MatrixFunction, Pairs, check_at_least, check_random_state, is_whole
from causal_disent.metrics.arrays import TEST_SHARE
from causal_disent.metrics.contract import COLUMNS, Result, bound, configurable, metric
from causal_disent.metrics.dci import dci
from causal_disent.metrics.draw import Draws, Sample, Source, TrainTest, fix_factor, fork_generator
from causal_disent.metrics.fitting import (
    GIN_PREDICTOR,
    Estimator,
    check_labelled,
    estimator_named,
    fit_each,
    make_problems,
    measure_accuracies,
    name_of,
)
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray
from causal_disent.text import shown_value

# --- Training sets of several sizes, each drawn anew


@dataclass(frozen=True)
class Sizes(TrainTest):
    """Points to fit to and to test on, for each size of training set; keys are prefixed ``<size>:``."""

    how = (
        "training sets of each size n in `num_train`, tested on `num_test` points, with gin's ``predictor``; keys "
        "are prefixed ``<n>:``"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "num_train": (10, 100, 1_000, 10_000)}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        for size in read_sizes(drawn.pop("num_train")):
            (found,) = self.draw_one(source, num_train=size, **drawn)
            # A generator of its own for the fits, so that the next size draws what it always drew.
            yield Sample(found.arguments, fork_generator(source.random_state), found.keywords, f"{size}:")

    def draw_one(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        """The points of one size."""
        return super().draw(source, **drawn)


def read_sizes(num_train: int | Sequence[int]) -> list[int]:
    """Sizes of training sets, given one or several."""
    sizes = [num_train] if isinstance(num_train, (int, np.integer)) else list(num_train)
    if not sizes:
        raise errors.InvalidInput("`num_train` must name at least one size of a training set; given: none.")
    for size in sizes:
        check_at_least(1, num_train=size)
    return sizes


# --- The plain task (Locatello et al. 2019, arXiv:1811.12359, section 5.5)


@dataclass(frozen=True)
class DownstreamResult(Result):
    """What `downstream_task` returns.

    Attributes:
        train_accuracy: (factors,) in [0, 1], on the points that were learnt from.
        test_accuracy: (factors,) on other points.
    """

    train_accuracy: FloatArray
    test_accuracy: FloatArray

    @property
    def score(self) -> float:
        """Mean accuracy on the test points."""
        return float(self.test_accuracy.mean())


def _downstream_keys(result: DownstreamResult, names: Sequence[str]) -> dict[str, float]:
    """``mean_train_accuracy``, ``min_train_accuracy``, ``train_accuracy_factor_<i>``, and the same of ``test``."""
    keys = {}
    for name, accuracy in (("train", result.train_accuracy), ("test", result.test_accuracy)):
        keys[f"mean_{name}_accuracy"] = float(accuracy.mean())
        keys[f"min_{name}_accuracy"] = float(accuracy.min())
        keys.update({f"{name}_accuracy_factor_{i}": float(value) for i, value in enumerate(accuracy)})
    return keys


@metric(
    "downstream_task",
    needs=Sizes(),
    reports=_downstream_keys,
    headline="100:mean_test_accuracy",
    range=(0, 1),
    by_chance="how often the most frequent value occurs, or near it",
    compared="disentanglement_lib 1.5, 3 stored cases: as near as its own runs are to each other",
    summary="how well are the factors predicted from so many codes?",
    assumes="factors, discrete or continuous; any number of codes",
    resampling={"points": 1000, "options": {"estimator": "histogram_boosting"}, "words": "by histogram boosting"},
    takes={"discrete": {}, "continuous": {"continuous": COLUMNS}, "code_groups": {}},
    invariances=("rescaling",),
    fast={"estimator": "histogram_boosting"},
    supplies=GIN_PREDICTOR,
)
def downstream_task(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    estimator: str | Estimator = "gradient_boosting_classifier",
    continuous: Sequence[int] = (),
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> DownstreamResult:
    r"""Accuracy of a classifier for each factor.

    .. math:: A_i = P\left(f_i(z) = g_i\right)

    where :math:`f_i` has learnt factor i from the codes of the training points.

    Assumes: factors that are discrete or named in `continuous`, any number of codes and factors.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. A factor with one value only is predicted
            by that value.
        test: codes and factors of other points, or the share of the points to hold out.
        estimator: a name such as ``"logistic_regression_cv"`` (`causal_disent.metrics.fitting`), or a
            function that makes a classifier.
        continuous: as for `dci`: factors that regressors predict, with R² for the accuracy.
        random_state: seed or generator, of the points held out and the classifiers.
        num_jobs: factors to fit at a time; by default as many as there are cores.

    Returns:
        `DownstreamResult`. Accuracies are in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> downstream_task(v, v, estimator="histogram_boosting").test_accuracy
        array([1., 1.])
    """
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator, continuous)
    problems = make_problems(train, held_out, continuous=continuous)
    fits = fit_each(estimator_named(estimator), problems, measure_accuracies, generator, num_jobs)
    train_accuracy, test_accuracy = np.array(fits).T
    return DownstreamResult(train_accuracy, test_accuracy)


# --- Without the codes that predict a factor best: a factor with a code of its own is forgotten, others are not


@configurable("factorwise_dci")
def factorwise_dci(
    mus_train: FloatArray,
    ys_train: IntArray,
    mus_test: FloatArray,
    ys_test: IntArray,
    estimator_fn: str | Estimator = "gradient_boosting",
    random_state: np.random.RandomState | int = 0,
) -> FloatArray:
    """The importance (codes, factors) that `dci` finds; points are in the second axis of each argument."""
    test = (mus_test.T, ys_test.T)
    return dci(mus_train.T, ys_train.T, test=test, estimator=estimator_fn, random_state=random_state).importance


def compute_matrix(
    function: MatrixFunction, train: Pairs, test: Pairs, random_state: np.random.RandomState
) -> FloatArray:
    """The function's matrix (codes, factors); one that takes a `random_state` is given it."""
    with errors.readable(f"The matrix '{name_of(function)}'"):
        seed = {"random_state": random_state} if "random_state" in inspect.signature(function).parameters else {}
        matrix = np.asarray(function(train[0].T, train[1].T, test[0].T, test[1].T, **seed))
    expected = (train[0].shape[1], train[1].shape[1])
    if matrix.shape != expected:
        raise errors.InvalidInput(
            f"The matrix '{name_of(function)}' must have shape (codes, factors) = {expected}; "
            f"given: {matrix.shape}."
        )
    return matrix


@dataclass(frozen=True)
class ReducedDownstreamResult(Result):
    """What `reduced_downstream_task` returns.

    Attributes:
        removed: (factors, removed) the codes taken away for each factor, in their order.
        train_accuracy: (factors, factors); entry (i, k) is that of factor k without the codes of factor i.
        test_accuracy: the same on the test points.
    """

    removed: IntArray
    train_accuracy: FloatArray
    test_accuracy: FloatArray

    @property
    def score(self) -> float:
        """Mean test accuracy of the other factors."""
        return float(_reduced_and_others(self.test_accuracy)[1].mean())

    @property
    def gap(self) -> float:
        """The score less the mean test accuracy of the factors whose codes are gone."""
        return self.score - float(_reduced_and_others(self.test_accuracy)[0].mean())


@configurable("reduced_representation")
def reduced_representation(correlation_measure: MatrixFunction = factorwise_dci) -> MatrixFunction:
    """What decides which code of a factor goes: the one with the largest score."""
    return bound(factorwise_dci) if correlation_measure is factorwise_dci else correlation_measure


def _reduced_keys(result: ReducedDownstreamResult, names: Sequence[str]) -> dict[str, float]:
    """For each factor i whose codes are gone ``reduced_factor_<i>:mean_train_accuracy_...`` with
    ``reduced_factor``, ``non_reduced_factor``, ``factor_<k>``; ``mean_train_accuracy_...`` with ``reduced_factor``
    and ``other_factors``; and all of these of ``test``."""
    keys = {}
    for name, accuracy in (("train", result.train_accuracy), ("test", result.test_accuracy)):
        reduced, others = _reduced_and_others(accuracy)
        for i, row in enumerate(accuracy):
            prefix = f"reduced_factor_{i}:mean_{name}_accuracy"
            keys[f"{prefix}_reduced_factor"] = float(reduced[i])
            keys[f"{prefix}_non_reduced_factor"] = float(others[i])
            keys.update({f"{prefix}_factor_{k}": float(value) for k, value in enumerate(row)})
        keys[f"mean_{name}_accuracy_reduced_factor"] = float(reduced.mean())
        keys[f"mean_{name}_accuracy_other_factors"] = float(others.mean())
    return keys


#: Arguments for boosted trees on binned codes throughout.
BY_HISTOGRAMS = {
    "estimator": "histogram_boosting",
    "measure": partial(factorwise_dci, estimator_fn="histogram_boosting"),
}


@metric(
    "reduced_downstream_task",
    needs=Sizes(),
    reports=_reduced_keys,
    headline="100:mean_test_accuracy_other_factors",
    range=(0, 1),
    by_chance="how often the most frequent value occurs, or near it",
    compared="disentanglement_lib 1.5, 2 stored cases: as near as its own runs are to each other",
    summary="how well without the codes that matter most?",
    assumes="discrete factors; several codes",
    resampling={"points": 500, "options": BY_HISTOGRAMS, "words": "by histogram boosting"},
    also=("mean_test_accuracy_reduced_factor (lower)",),
    invariances=("rescaling",),
    fast=BY_HISTOGRAMS,
    supplies={**GIN_PREDICTOR, "measure": lambda data: bound(reduced_representation)()},
)
def reduced_downstream_task(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    num_factors_to_remove: int = 1,
    estimator: str | Estimator = "gradient_boosting_classifier",
    measure: MatrixFunction = factorwise_dci,
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> ReducedDownstreamResult:
    r"""Accuracy for every factor without the codes that matter most to one of them.

    .. math:: A_{ik} = P\left(f_{ik}(z_{-C_i}) = g_k\right)

    where :math:`C_i` are the codes removed for factor i, one after the other, each the most important of those
    left, and :math:`f_{ik}` has learnt factor k from the rest.

    Assumes: discrete factors, at least two; more codes than are removed. Independent factors: where they are
    correlated, the codes of one still tell of the other.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows.
        test: codes and factors of other points, or the share of the points to hold out.
        num_factors_to_remove: how many codes to take away for each factor.
        estimator: what predicts (`causal_disent.metrics.fitting`).
        measure: what tells the importance of codes, by default that of `dci`; a function of codes (codes,
            points) and factors (factors, points) of the training points, then of the test points.
        random_state: seed or generator, of the points held out and the classifiers.
        num_jobs: classifiers to fit at a time; by default as many as there are cores.

    Returns:
        `ReducedDownstreamResult`. Good codes have a low accuracy on the diagonal, a high one elsewhere.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> reduced_downstream_task(v, v, test=(v, v), estimator="histogram_boosting").test_accuracy
        array([[0.5, 1. ],
               [1. , 0.5]])
    """
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator, min_factors=2)
    check_at_least(0, num_factors_to_remove=num_factors_to_remove)
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    if num_factors_to_remove >= num_codes:
        raise errors.InvalidInput(
            f"`num_factors_to_remove` must leave a code of {num_codes}; given: {num_factors_to_remove}."
        )
    left = _codes_left(train, held_out, num_factors_to_remove, measure, generator)
    problems = [
        problem
        for kept in left
        for problem in make_problems((train[0][:, kept], train[1]), (held_out[0][:, kept], held_out[1]))
    ]
    fits = fit_each(estimator_named(estimator), problems, measure_accuracies, generator, num_jobs)
    train_accuracy, test_accuracy = np.array(fits).T.reshape(2, num_factors, num_factors)
    removed = np.array([np.setdiff1d(np.arange(num_codes), kept) for kept in left])
    return ReducedDownstreamResult(removed, train_accuracy, test_accuracy)


def _codes_left(
    train: Pairs, test: Pairs, num_to_remove: int, measure: MatrixFunction, generator: np.random.RandomState
) -> list[IntArray]:
    """For each factor, the codes that stay."""
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    left: list[IntArray] = [np.arange(num_codes)] * num_factors
    if num_to_remove == 0:
        return left
    # At first all factors have the same codes, and one matrix tells the most important one of each.
    first = compute_matrix(measure, train, test, generator)
    left = [np.delete(kept, column.argmax()) for kept, column in zip(left, first.T, strict=True)]
    for _ in range(1, num_to_remove):
        left = [
            np.delete(kept, _scores_of_factor(measure, train, test, kept, i, generator).argmax())
            for i, kept in enumerate(left)
        ]
    return left


def _scores_of_factor(
    measure: MatrixFunction,
    train: Pairs,
    test: Pairs,
    kept: IntArray,
    factor: int,
    generator: np.random.RandomState,
) -> FloatArray:
    """The scores of the codes in `kept` for one factor."""
    # The built-in measure takes factors one by one; a foreign one may compare them.
    columns = [factor] if _is_built_in(measure) else list(range(train[1].shape[1]))
    reduced, reduced_test = ((codes[:, kept], factors[:, columns]) for codes, factors in (train, test))
    return compute_matrix(measure, reduced, reduced_test, generator)[:, columns.index(factor)]


def _is_built_in(measure: MatrixFunction) -> bool:
    return inspect.unwrap(measure) is factorwise_dci


def _reduced_and_others(accuracy: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The diagonal, and the mean of the rest of each row."""
    diagonal = accuracy.diagonal()
    return diagonal, (accuracy.sum(axis=1) - diagonal) / (len(accuracy) - 1)


# --- Where another factor has values that were never seen in training


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
        choices, draws = fork_generator(random_state), Draws(data, source.representation)
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
        estimator: what predicts (`causal_disent.metrics.fitting`).
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
    problems = make_problems(train, held_out)
    num_factors = len(problems)
    for shift in shifts:
        for name, pair in (("train", shift.train), ("test", shift.test)):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise errors.InvalidInput(
                    f"`{name}` of a shift must be a pair (codes, factors); given: {shown_value(pair)}."
                )
        shifted = check_labelled(*shift.train, shift.test, generator)
        if not is_whole(shift.target) or not 0 <= shift.target < shifted[0][1].shape[1]:
            raise errors.InvalidInput(
                f"A shift's target is from 0 to {num_factors - 1}; given: {shown_value(shift.target)}."
            )
        problems += make_problems(*shifted, [shift.target])
    fits = fit_each(estimator_named(estimator), problems, measure_accuracies, generator, num_jobs)
    before, after = np.array(fits[:num_factors]).T, np.array(fits[num_factors:]).T
    return StrongDownstreamResult(before[0], before[1], after[0], after[1])
