"""How well the factors are predicted from codes (Locatello et al. 2019, arXiv:1811.12359, section 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import Pairs, check_at_least, check_random_state
from causal_disent.metrics.tools.convergence import fits_of
from causal_disent.metrics.tools.estimators import Estimator, estimator_named, predictor
from causal_disent.metrics.tools.fitting import accuracies, check_labelled, fit_each, forked, problems_of
from causal_disent.metrics.tools.sampling import sample_codes
from causal_disent.protocols import FloatArray, GroundTruthData, Representation

__all__ = ["DownstreamResult", "compute_downstream_task", "downstream_task", "sizes_of"]


@dataclass(frozen=True)
class DownstreamResult:
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


@fits_of("downstream_task")
def downstream_task(
    train: Pairs,
    test: Pairs,
    *,
    estimator: str | Estimator = "gradient_boosting_classifier",
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> DownstreamResult:
    r"""Accuracy of a classifier for each factor.

    .. math:: A_i = P\left(f_i(z) = g_i\right)

    where :math:`f_i` has learnt factor i from the codes of the training points.

    Assumes: discrete factors, any number of codes and factors.

    Args:
        train: codes (points, codes) and factors (points, factors) of the same points. A factor with one value
            only is predicted by that value.
        test: the same of other points.
        estimator: a name such as ``"logistic_regression_cv"`` (`causal_disent.metrics.tools.estimators`), or a
            function that makes a classifier.
        random_state: seed or generator, for the classifiers.
        num_jobs: factors to fit at a time; by default as many as there are cores.

    Returns:
        `DownstreamResult`. Accuracies are in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> downstream_task((v, v), (v, v), estimator="histogram_boosting").test_accuracy
        array([1., 1.])
    """
    train, test = check_labelled(*train, test, np.random.RandomState(0))
    generator = check_random_state(random_state)
    fits = fit_each(estimator_named(estimator), problems_of(train, test), accuracies, generator, num_jobs)
    train_accuracy, test_accuracy = np.array(fits).T
    return DownstreamResult(train_accuracy, test_accuracy)


def sizes_of(num_train: int | Sequence[int]) -> list[int]:
    """Sizes of training sets, given one or several."""
    sizes = [num_train] if isinstance(num_train, (int, np.integer)) else list(num_train)
    if not sizes:
        raise errors.InvalidInput("`num_train` must name at least one size of a training set; given: none.")
    for size in sizes:
        check_at_least(1, num_train=size)
    return sizes


@fits_of("downstream_task")
def compute_downstream_task(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: Sequence[int] = (10, 100, 1_000, 10_000),
    num_test: int = 5_000,
    batch_size: int = 16,
    num_jobs: int | None = None,
) -> dict[str, Any]:
    """`downstream_task` with gin's ``predictor``, for each size of training set, with points drawn anew.

    Returns:
        For each size n ``<n>:mean_train_accuracy``, ``<n>:min_train_accuracy``,
        ``<n>:train_accuracy_factor_<i>``, and the same of ``test``.
    """
    scores: dict[str, Any] = {}
    for size in sizes_of(num_train):
        train, test = (
            sample_codes(ground_truth_data, representation_function, num_points, random_state, batch_size)
            for num_points in (size, num_test)
        )
        generator = forked(random_state)  # so that the next size draws what it always drew
        result = downstream_task(train, test, estimator=predictor(), random_state=generator, num_jobs=num_jobs)
        scores.update({f"{size}:{key}": value for key, value in _keys(result).items()})
    return scores


def _keys(result: DownstreamResult) -> dict[str, float]:
    """The entries of a result file for one size."""
    keys = {}
    for name, accuracy in (("train", result.train_accuracy), ("test", result.test_accuracy)):
        keys[f"mean_{name}_accuracy"] = float(accuracy.mean())
        keys[f"min_{name}_accuracy"] = float(accuracy.min())
        keys.update({f"{name}_accuracy_factor_{i}": float(value) for i, value in enumerate(accuracy)})
    return keys
