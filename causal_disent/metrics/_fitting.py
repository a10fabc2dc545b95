"""Fitting many classifiers at once, each with a seed of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.metrics._arguments import Pairs, check_train_test
from causal_disent.metrics.estimators import Estimator
from causal_disent.protocols import FloatArray, IntArray

__all__ = [
    "Problem",
    "accuracies",
    "check_classes",
    "check_labelled",
    "fit_each",
    "forked",
    "importances",
    "problems_of",
]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Problem:
    """The values (points,) of one factor, to be predicted from codes (points, codes)."""

    codes: FloatArray
    values: NDArray[Any]
    test_codes: FloatArray
    test_values: NDArray[Any]


@dataclass(frozen=True)
class _AlwaysTheSame:
    """Predicts the only value it has seen: classifiers refuse a factor that does not vary."""

    value: Any

    def predict(self, codes: FloatArray) -> NDArray[Any]:
        return np.full(len(codes), self.value)


def problems_of(train: Pairs, test: Pairs, columns: Sequence[int] | IntArray | None = None) -> list[Problem]:
    """One problem for each of the factors in `columns`, or for all."""
    chosen = range(train[1].shape[1]) if columns is None else columns
    return [Problem(train[0], train[1][:, i], test[0], test[1][:, i]) for i in chosen]


def fit_each(
    make: Estimator,
    problems: Sequence[Problem],
    finish: Callable[[Any, Problem], Result],
    random_state: np.random.RandomState,
    num_jobs: int | None = None,
) -> list[Result]:
    """``finish(model, problem)`` of a model fitted to each problem, several at a time.

    Args:
        make: makes a classifier.
        problems: what to fit.
        finish: what to do with a fitted model.
        random_state: gives each model its seed, whatever the order in which they finish.
        num_jobs: threads; by default one per core, and one in a worker process.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    seeds = random_state.randint(2**31 - 1, size=len(problems))
    models = [seeded(make(), int(seed)) for seed in seeds]  # here, where gin's bindings apply
    # The longest first, so that none is left to run alone at the end.
    work = [len(problem.codes) * len(np.unique(problem.values)) for problem in problems]
    order = np.argsort(-np.array(work), kind="stable")
    threads = Parallel(n_jobs=_num_jobs(num_jobs), backend="threading")
    # Threads, not processes: the trees are grown outside the interpreter's lock. Linear algebra stays in its
    # thread: on matrices as small as these, threads of its own wait for each other most of the time.
    with threadpool_limits(1):
        results = threads(delayed(_fit)(models[i], problems[i], finish) for i in order)
    return [result for _, result in sorted(zip(order, results, strict=True), key=lambda pair: pair[0])]


def _fit(model: Any, problem: Problem, finish: Callable[[Any, Problem], Result]) -> Result:
    if (problem.values == problem.values[0]).all():
        return finish(_AlwaysTheSame(problem.values[0]), problem)
    return finish(model.fit(problem.codes, problem.values), problem)


def accuracies(model: Any, problem: Problem) -> tuple[float, float]:
    """How often a model is right on its training and on its test points."""
    return (
        float(np.mean(model.predict(problem.codes) == problem.values)),
        float(np.mean(model.predict(problem.test_codes) == problem.test_values)),
    )


def importances(model: Any, num_codes: int) -> FloatArray:
    """How much each code (codes,) counts in a fitted model: its importance, or its mean absolute weight."""
    last = model[-1] if hasattr(model, "named_steps") else model
    if isinstance(last, _AlwaysTheSame):
        return np.zeros(num_codes)
    if hasattr(last, "feature_importances_"):
        return np.abs(last.feature_importances_)
    if not hasattr(last, "coef_"):
        raise errors.InvalidInput(
            f"The estimator {type(last).__name__} has neither `feature_importances_` nor `coef_`, so the codes "
            "it uses cannot be told."
        )
    return np.abs(last.coef_).mean(axis=0)


def forked(random_state: np.random.RandomState) -> np.random.RandomState:
    """A generator that depends on where `random_state` stands, and leaves it there for later draws."""
    copy = np.random.RandomState()
    copy.set_state(random_state.get_state())
    return np.random.RandomState(copy.randint(2**31 - 1))


def check_labelled(train: Pairs, test: Pairs, *, min_codes: int = 1, min_factors: int = 1) -> tuple[Pairs, Pairs]:
    """Two sets of points with the same codes and factors, the factors discrete."""
    train, test = check_train_test(train, test, min_codes=min_codes, min_factors=min_factors)
    for name, (_, factors) in (("train", train), ("test", test)):
        check_classes(name, factors)
    return train, test


def check_classes(name: str, factors: NDArray[Any]) -> None:
    """Whole numbers: a classifier takes each distinct value for a class."""
    if factors.dtype.kind == "f" and not (factors == np.round(factors)).all():
        raise errors.InvalidInput(
            f"`{name}`: factors must be whole numbers that stand for classes; put continuous ones into bins first "
            "(causal_disent.metrics.discretize.histogram_discretizer)."
        )


def seeded(model: Any, seed: int) -> Any:
    """`model` with `seed` wherever it takes one and has none, nested models included."""
    if not hasattr(model, "get_params"):
        return model
    empty = [
        name
        for name, value in model.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return model.set_params(**{name: seed for name in empty})


def _num_jobs(num_jobs: int | None) -> int:
    if num_jobs is None:
        # A worker's siblings keep the other cores busy already.
        return 1 if multiprocessing.parent_process() else -1
    if num_jobs == 0 or not isinstance(num_jobs, (int, np.integer)):
        raise errors.InvalidInput(f"`num_jobs` is a whole number, -1 for all cores, not 0; given: {num_jobs!r}.")
    return int(num_jobs)
