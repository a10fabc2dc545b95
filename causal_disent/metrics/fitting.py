"""Classifiers that predict a factor from codes, and many of their fits at once, each with a seed of its own."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import Pairs, check_columns, check_fits_trees, is_whole
from causal_disent.metrics.arrays import measure_r_squared, split_points
from causal_disent.metrics.contract import Caught, bound, configurable, report_fits
from causal_disent.metrics.reuse import find_kept, is_reusing, keep
from causal_disent.processes import end_with
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- Classifiers by the names that gin and `dci` know them: made without a seed, which `fit_each` gives them

#: Makes a classifier with ``fit`` and ``predict``.
Estimator = Callable[[], Any]


@configurable("gradient_boosting")
def gradient_boosting() -> Any:
    """scikit-learn's gradient boosted trees with its settings: what disentanglement_lib measures with.

    Where numba is installed (``pip install 'causal-disent[fast]'``), they are grown several times as fast.
    """
    from causal_disent.metrics.boosting import ExactBoosting

    return ExactBoosting()


@configurable("histogram_boosting")
def histogram_boosting(num_bins: int = 255) -> Any:
    """The same trees on binned codes, some twenty to forty times as fast; scores differ by less than 0.01."""
    from causal_disent.metrics.boosting import HistogramBoosting

    return HistogramBoosting(num_bins=num_bins)


@configurable("random_forest")
def random_forest(num_trees: int = 100) -> Any:
    """Random forest; its importances are spread wider than those of boosted trees."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(num_trees)


@configurable("l1_logistic")
def l1_logistic(strength: float = 1.0) -> Any:
    """Logistic regression with an L1 penalty on standardised codes; `strength` is scikit-learn's 1 / C."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # scikit-learn 1.8 renamed the choice of penalty.
    has_penalty_name = inspect.signature(LogisticRegression).parameters["l1_ratio"].default is None
    penalty: dict[str, Any] = {"penalty": "l1"} if has_penalty_name else {"l1_ratio": 1.0}
    # Not "liblinear", whose generator is global: in threads its results change from run to run.
    regression = LogisticRegression(C=1 / strength, solver="saga", max_iter=200, tol=1e-3, **penalty)
    return make_pipeline(StandardScaler(), regression)


@configurable("logistic_regression_cv")
def logistic_regression_cv(solver: str = "lbfgs") -> Any:
    """Logistic regression, its penalty chosen by five-fold cross-validation.

    Args:
        solver: disentanglement_lib's stops after a hundred steps, often before the optimum.
            ``"newton-cholesky"`` gets there in a handful: twice as fast where factors have a few values, five
            times as slow where they have forty.
    """
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import KFold

    # What used to be the defaults; scikit-learn 1.8 warns unless they are written out.
    takes = inspect.signature(LogisticRegressionCV).parameters
    options = {"l1_ratios": (0.0,), "use_legacy_attributes": False} if "use_legacy_attributes" in takes else {}
    return LogisticRegressionCV(Cs=10, cv=KFold(n_splits=5), scoring="accuracy", solver=solver, **options)


@configurable("gradient_boosting_classifier")
def gradient_boosting_classifier() -> Any:
    """`gradient_boosting` by disentanglement_lib's name."""
    return bound(gradient_boosting)()


#: What `dci` and the downstream tasks accept by name.
ESTIMATORS = {
    made.__name__: made
    for made in (
        gradient_boosting,
        gradient_boosting_classifier,
        histogram_boosting,
        l1_logistic,
        logistic_regression_cv,
        random_forest,
    )
}


@configurable("predictor")
def predictor(predictor_fn: str | Estimator = "gradient_boosting_classifier") -> Estimator:
    """What downstream tasks predict with: a name, or a function that makes a classifier."""
    return estimator_named(predictor_fn, argument="predictor_fn")


#: For `metric`: configs decide by ``predictor``, and not by the argument, what predicts.
GIN_PREDICTOR = {"estimator": lambda data: bound(predictor)()}


def estimator_named(estimator: str | Estimator, *, argument: str = "estimator") -> Estimator:
    """The function that makes classifiers, given it or its name."""
    if isinstance(estimator, str):
        if estimator not in ESTIMATORS:
            raise errors.unknown(f"`{argument}`", estimator, ESTIMATORS)
        return bound(ESTIMATORS[estimator])
    if not callable(estimator):
        raise errors.InvalidInput(
            f"`{argument}` is one of {errors.listing(ESTIMATORS)}, or a function without arguments that makes a "
            f"classifier; given: {shown_value(estimator)}."
        )
    return estimator


def regressor_for(make: Estimator) -> Estimator:
    """What predicts continuous factors in the place of a classifier: a random forest, or boosted trees."""

    def regressor() -> Any:
        from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

        if inspect.unwrap(make) is random_forest:
            return RandomForestRegressor()
        return GradientBoostingRegressor()

    return regressor


def name_of(estimator: Any) -> str:
    """What to call an estimator in a result."""
    named = getattr(estimator, "__name__", type(estimator).__name__)
    return str(getattr(estimator, "name", named))


# --- Fits

Result = TypeVar("Result")

#: A result and the warnings on the way to it.
Fitted = tuple[Any, Caught]

#: Points times values below which a fit takes less time than a process to start.
WORTH_A_WORKER = 20_000


@dataclass(frozen=True)
class Problem:
    """The values (points,) of one factor, classes or continuous, to be predicted from codes (points, codes)."""

    codes: FloatArray
    values: NDArray[Any]
    test_codes: FloatArray
    test_values: NDArray[Any]
    continuous: bool = False


#: A model, what it is fitted to, and what is done with it then.
Job = tuple[Any, Problem, Callable[[Any, Problem], Any]]


@dataclass(frozen=True)
class _AlwaysTheSame:
    """Predicts the only value it has seen: classifiers refuse a factor that does not vary."""

    value: Any

    def predict(self, codes: FloatArray) -> NDArray[Any]:
        return np.full(len(codes), self.value)


def make_problems(
    train: Pairs, test: Pairs, columns: Sequence[int] | IntArray | None = None, continuous: Sequence[int] = ()
) -> list[Problem]:
    """One problem for each of the factors in `columns`, or for all; those in `continuous` are for regressors."""
    chosen = range(train[1].shape[1]) if columns is None else columns
    return [Problem(train[0], train[1][:, i], test[0], test[1][:, i], i in continuous) for i in chosen]


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
        num_jobs: fits at a time; by default one per core, and one in a worker process.
    """
    for problem in problems:
        check_fits_trees(problem.codes)
    seeds = random_state.randint(2**31 - 1, size=len(problems))
    with errors.readable("What the estimator makes"):  # as gin binds it
        models = [
            set_seed(_make_for(make, problem), int(seed)) for problem, seed in zip(problems, seeds, strict=True)
        ]
    problems = [
        replace(one, continuous=True) if _is_regressor(model) else one
        for one, model in zip(problems, models, strict=True)
    ]
    for model in models:
        if not hasattr(model, "fit"):
            raise errors.InvalidInput(f"An estimator makes models with `fit`; this one made {shown_value(model)}.")
    # The longest first, so that none is left to run alone at the end.
    work = np.array([len(problem.codes) * len(np.unique(problem.values)) for problem in problems])
    order = np.argsort(-work, kind="stable")
    shared = is_reusing() and finish in (measure_fit, measure_accuracies)
    done = {i: found for i in order if shared and (found := find_kept(_key_of_fit(models[i], problems[i])))}
    missing = [i for i in order if i not in done]
    jobs = [(models[i], problems[i], _measure_for_all if shared else finish) for i in missing]
    num_jobs = count_jobs(num_jobs)
    alone = num_jobs == 1 or work[missing].sum() < WORTH_A_WORKER
    done.update(zip(missing, _fit_here(jobs) if alone else _fit_in_workers(jobs, num_jobs), strict=True))
    report_fits([done[i][1] for i in order])
    if not shared:
        return [done[i][0] for i in range(len(problems))]
    for i in missing:
        keep(_key_of_fit(models[i], problems[i]), done[i])
    return [_result_for(finish, done[i][0]) for i in range(len(problems))]


def _key_of_fit(model: Any, problem: Problem) -> tuple[Any, ...]:
    """What a fit depends on: the model with its seed, and the points."""
    options = sorted(model.get_params(deep=True).items()) if hasattr(model, "get_params") else id(model)
    return ("fit", type(model), repr(options), *(getattr(problem, one.name) for one in fields(problem)))


def _measure_for_all(model: Any, problem: Problem) -> tuple[FloatArray | errors.InvalidInput, tuple[float, float]]:
    """What the metrics that share a fit ask of it; why it has no importances, if it has none."""
    accuracies = measure_accuracies(model, problem)
    try:
        return measure_importances(model, problem.codes.shape[1]), accuracies
    except errors.InvalidInput as error:
        return error, accuracies


def _result_for(finish: Any, found: tuple[Any, tuple[float, float]]) -> Any:
    """What `finish` gives, from `_measure_for_all`."""
    if finish is measure_accuracies:
        return found[1]
    if isinstance(found[0], errors.InvalidInput):
        raise found[0]
    return found


def _make_for(make: Estimator, problem: Problem) -> Any:
    """A model of `make`; a regressor in the place of a classifier if the factor is continuous."""
    model = make()
    return regressor_for(make)() if problem.continuous and not _is_regressor(model) else model


def _is_regressor(model: Any) -> bool:
    """Whether a model predicts numbers; one that is not scikit-learn's need not say."""
    from sklearn.base import is_regressor

    try:
        return bool(is_regressor(model))
    except (AttributeError, TypeError):
        return False


def _fit_here(jobs: Sequence[Job]) -> list[Fitted]:
    from threadpoolctl import threadpool_limits

    # On matrices as small as these, threads of the linear algebra wait for each other most of the time.
    with threadpool_limits(1):
        return [_fit(*job) for job in track(jobs, "fitting", unit="factor")]


def _fit_in_workers(jobs: Sequence[Job], num_jobs: int) -> list[Fitted]:
    """Processes, not threads: half of a fit holds the interpreter's lock."""
    from joblib import delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    try:
        return list(run_in_processes(num_jobs, [delayed(_fit)(*job) for job in jobs], "fitting"))
    except TerminatedWorkerError:
        raise RuntimeError(
            "A process that was fitting a classifier has died, perhaps for lack of memory. With `num_jobs = 1` "
            "they are fitted in this process, one after the other."
        ) from None
    except (pickle.PicklingError, BrokenProcessPool, TypeError):
        # An estimator that cannot be sent to a process, because it holds a lock or is of a class that a process
        # cannot import. An error of the estimator itself comes up again. Not in threads: they would share the
        # filters of warnings that `_fit` sets.
        return _fit_here(jobs)


def _fit(model: Any, problem: Problem, finish: Callable[[Any, Problem], Result]) -> Fitted:
    """The result, and the warnings on the way: those of a worker would be printed once per fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if (problem.values == problem.values[0]).all():
            result = finish(_AlwaysTheSame(problem.values[0]), problem)
        else:
            result = finish(fit_model(model, problem.codes, problem.values), problem)
    return result, [(warning.category, str(warning.message)) for warning in caught]


def fit_model(model: Any, codes: FloatArray, values: NDArray[Any]) -> Any:
    """The model, fitted; values that a classifier of scikit-learn takes for no classes are told in our words."""
    try:
        return model.fit(codes, values)
    except ValueError as error:
        if "Unknown label type" not in str(error):
            raise
        raise errors.InvalidInput(
            "A classifier predicts discrete factors, and some of these are no whole numbers, or too large. Put "
            "them into bins (`causal_disent.metrics.equally_filled`)."
        ) from error


def measure_accuracies(model: Any, problem: Problem) -> tuple[float, float]:
    """How often a model is right on its training and on its test points; R², 0 at least, if continuous."""
    both = ((problem.codes, problem.values), (problem.test_codes, problem.test_values))
    train, test = (_accuracy(model.predict(codes), values, problem.continuous) for codes, values in both)
    return train, test


def _accuracy(predicted: NDArray[Any], values: NDArray[Any], continuous: bool) -> float:
    if not continuous:
        return float(np.mean(predicted == values))
    if (values == values[0]).all():
        return 0.0
    return max(0.0, float(measure_r_squared(values[:, None], predicted[:, None])[0]))


def measure_fit(model: Any, problem: Problem) -> tuple[FloatArray, tuple[float, float]]:
    """The importances of a fitted model and its accuracies."""
    return measure_importances(model, problem.codes.shape[1]), measure_accuracies(model, problem)


def measure_importances(model: Any, num_codes: int) -> FloatArray:
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
    return np.abs(np.atleast_2d(last.coef_)).mean(axis=0)  # a regressor has one row of weights


def check_labelled(
    codes: Any,
    factors: Any,
    test: Any,
    random_state: np.random.RandomState,
    continuous: Sequence[int] = (),
    **least: int,
) -> tuple[Pairs, Pairs]:
    """What `split_points` makes of its arguments, the factors discrete but for those in `continuous`."""
    train, held_out = split_points(codes, factors, test, random_state, **least)
    check_columns("continuous", continuous, train[1].shape[1])
    for name, (_, labels) in (("train", train), ("test", held_out)):
        check_classes(name, np.delete(labels, list(continuous), axis=1))
    return train, held_out


def check_classes(name: str, factors: NDArray[Any]) -> None:
    """Whole numbers: a classifier takes each distinct value for a class."""
    if factors.dtype.kind == "f" and not (factors == np.round(factors)).all():
        raise errors.InvalidInput(
            f"`{name}`: factors must be whole numbers that stand for classes; put continuous ones into bins first "
            "(`causal_disent.metrics.equally_filled`)."
        )


def set_seed(model: Any, seed: int) -> Any:
    """`model` with `seed` wherever it takes one and has none, nested models included."""
    if not hasattr(model, "get_params"):
        return model
    empty = [
        name
        for name, value in model.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return model.set_params(**{name: seed for name in empty})


def run_in_processes(num_jobs: int, calls: Sequence[Any], label: str = "", unit: str = "factor") -> Iterator[Any]:
    """What joblib's delayed calls give, in processes of one thread; with a `label`, how far they are is told.

    The processes end at once if the caller does, or closes what this returns.
    """
    from joblib import Parallel, parallel_config

    with parallel_config("loky", n_jobs=num_jobs, inner_max_num_threads=1):
        results = Parallel(return_as="generator")((_called_for, (os.getpid(), *call), {}) for call in calls)
    with closing(results):
        yield from track(results, label, total=len(calls), unit=unit) if label else results


def _called_for(parent: int, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """In a process of `parent`, which would go on for long if that were killed."""
    end_with(parent)
    return function(*args, **named)


def count_jobs(num_jobs: int | None) -> int:
    """`num_jobs`, or by default one per core, and one in a worker process; -1 stands for all cores."""
    if num_jobs is None:
        # A worker's siblings keep the other cores busy already.
        return 1 if multiprocessing.parent_process() else -1
    if not is_whole(num_jobs) or num_jobs == 0:
        given = shown_value(num_jobs)
        raise errors.InvalidInput(f"`num_jobs` is a whole number, -1 for all cores, not 0; given: {given}.")
    return int(num_jobs)
