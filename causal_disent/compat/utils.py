"""What old files know as ``disentanglement_lib.evaluation.metrics.utils``.

The names, the order of the arguments and the layout are theirs: a row per code or factor, a column per point.
The work is done by the functions that the metrics here use themselves, which have a row per point.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.adapter import bind
from causal_disent.checks import as_array, as_numbers, checked
from causal_disent.metrics import fitting, information
from causal_disent.metrics.contract import binding
from causal_disent.metrics.draw import encode_fixed, sample_codes, split
from causal_disent.metrics.fitting import Estimator, name_of, predictor, set_seed
from causal_disent.metrics.information import discretizer, histogram_discretizer
from causal_disent.metrics.others import factor_merges, independent_groups
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation

__all__ = [
    "_histogram_discretize",
    "discrete_entropy",
    "discrete_mutual_info",
    "generate_batch_factor_code",
    "gradient_boosting_classifier",
    "logistic_regression_cv",
    "make_discretizer",
    "make_predictor_fn",
    "normalize_data",
    "obtain_representation",
    "split_train_test",
]

#: Of classifiers that old files make without a generator at hand.
SEED = 0


def _rows(given: Any) -> NDArray[Any]:
    """What disentanglement_lib passes around: (rows, points)."""
    array = as_array("What is given", given)
    if array.ndim != 2:
        raise errors.InvalidInput(f"What is given must be of shape (rows, points); given: {array.shape}.")
    return array


@checked
def generate_batch_factor_code(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    num_points: int,
    random_state: np.random.RandomState,
    batch_size: int,
) -> tuple[FloatArray, IntArray]:
    """Codes (codes, points) and factors (factors, points) of sampled points."""
    codes, factors = sample_codes(ground_truth_data, representation_function, num_points, random_state, batch_size)
    return codes.T, factors.T


@checked
def obtain_representation(
    observations: FloatArray, representation_function: Representation, batch_size: int
) -> FloatArray:
    """Codes (codes, points) of observations (points, ...)."""
    if not observations.ndim:
        raise errors.InvalidInput("`observations` must be of shape (points, ...); given: one number.")
    unlabelled = np.empty((0, len(observations)), dtype=np.int64)
    return encode_fixed(observations, unlabelled, representation_function, batch_size)[0].T


@checked
def split_train_test(observations: NDArray[Any], train_percentage: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first points of (rows, points), and the rest; `train_percentage` is a number between 0 and 1."""
    points = _rows(observations).T
    (train, _), (test, _) = split(points, points, train_percentage)
    return train.T, test.T


@checked
def discrete_mutual_info(mus: NDArray[Any], ys: NDArray[Any]) -> FloatArray:
    """Mutual information (codes, factors) in nats of discrete (codes, points) and (factors, points)."""
    return information.mutual_information_matrix(_rows(mus).T, _rows(ys).T)


@checked
def discrete_entropy(ys: NDArray[Any]) -> FloatArray:
    """Entropy of each row of (factors, points), in nats."""
    return information.entropies(_rows(ys).T)


@checked
def make_discretizer(
    target: NDArray[Any], num_bins: int | None = None, discretizer_fn: Any = None
) -> NDArray[Any]:
    """(rows, points) in the bins of gin's ``discretizer``.

    Where no ``discretizer_fn`` is bound, whole numbers stay as they are and others go into 20 equally wide bins.
    """
    points = _rows(target).T
    own = discretizer_fn and (lambda target, num_bins: discretizer_fn(target.T, num_bins).T)
    given = {"num_bins": num_bins, "discretizer_fn": own}
    binned = bind(discretizer)(points, **{name: value for name, value in given.items() if value is not None})
    if binned is points and points.dtype.kind not in "iub":
        with binding(bind):
            binned = information.bin_codes_by_config(points)
    return binned.T


def _histogram_discretize(target: NDArray[Any], *num_bins: int, **bound: int) -> NDArray[Any]:
    """(rows, points) in equally wide bins, as many as given or bound to ``histogram_discretizer.num_bins``."""
    return bind(histogram_discretizer)(_rows(target).T, *num_bins, **bound).T


@checked
def normalize_data(
    data: NDArray[Any], mean: FloatArray | None = None, stddev: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Each row of (rows, points) less its mean, over its standard deviation; then the two.

    A row that never varies is divided by 1, where disentanglement_lib divides by zero.
    """
    data = as_numbers("`data`", _rows(data))
    mean = np.mean(data, axis=1) if mean is None else mean
    stddev = np.std(data, axis=1) if stddev is None else stddev
    if mean.shape != (len(data),) or stddev.shape != (len(data),):
        raise errors.InvalidInput(
            f"`mean` and `stddev` have one number for each of the {len(data)} rows; given: {mean.shape} and "
            f"{stddev.shape}."
        )
    divisor = np.where(stddev == 0, 1.0, stddev)
    return (data - mean[:, np.newaxis]) / divisor[:, np.newaxis], mean, stddev


def make_predictor_fn(predictor_fn: str | Estimator | None = None) -> Estimator:
    """The function that makes the classifiers gin binds to ``predictor.predictor_fn``."""
    given = () if predictor_fn is None else (predictor_fn,)
    with binding(bind):
        return _with_seed(bind(predictor)(*given))


def _with_seed(make: Estimator) -> Estimator:
    """The same classifiers, seeded where they would take numbers from numpy's global generator."""

    # A component has no __name__ to take over.
    @functools.wraps(make, assigned=("__doc__",), updated=())
    def made() -> Any:
        with binding(bind):
            return set_seed(make(), SEED)

    made.__name__ = name_of(make)
    return made


def _by_name(make: Estimator) -> Estimator:
    """The classifiers with what a config binds of them."""

    @functools.wraps(make)
    def made() -> Any:
        return bind(make)()

    return _with_seed(made)


logistic_regression_cv = _by_name(fitting.logistic_regression_cv)
gradient_boosting_classifier = _by_name(fitting.gradient_boosting_classifier)


def precision(matrix: FloatArray, th: float) -> int:
    """Into how many groups codes and factors fall, tied where (codes, factors) reaches `th`."""
    return independent_groups(matrix, th)


def recall(matrix: FloatArray, th: float) -> int:
    """How many rows have an entry that reaches `th` and is not 0."""
    return int(((matrix >= th) & (matrix != 0)).any(axis=1).sum())


def heat_square(
    matrix: FloatArray,
    output_dir: str,
    name: str,
    xlabel: str,
    ylabel: str,
    max_val: float | None = None,
    factor_names: Sequence[str] | None = None,
) -> None:
    """Save (codes, factors) as ``<name>.csv``."""
    folder = Path(output_dir)
    folder.mkdir(parents=True, exist_ok=True)
    header = ",".join(map(str, range(matrix.shape[1]) if factor_names is None else factor_names))
    np.savetxt(folder / f"{name}.csv", matrix, delimiter=",", header=header, comments="")


def plot_recovery_vs_independent(matrix: FloatArray, output_dir: str, name: str) -> None:
    """A picture alone: nothing."""


def dendrogram_plot(matrix: FloatArray, output_dir: str, factor_names: Sequence[str]) -> dict[str, float]:
    """After how many ties, from the strongest of (factors, codes) down, two factors share a group."""
    return {f"merge_{i}_{j}": float(after) for (i, j), after in factor_merges(np.asarray(matrix).T).items()}


def namespaced_dict(
    base_dict: Mapping[str, Any] | None = None, **named_dicts: Mapping[str, Any]
) -> dict[str, Any]:
    """`base_dict` and the entries of the others, their keys after the dict's name and a dot."""
    named = {
        f"{outer}.{inner}": value for outer, entries in named_dicts.items() for inner, value in entries.items()
    }
    return {**(base_dict or {}), **named}
