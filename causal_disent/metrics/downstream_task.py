"""How well the factors are predicted from codes (Locatello et al. 2019, arXiv:1811.12359, section 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causal_disent.checks import Pairs, check_random_state
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.estimators import GIN_PREDICTOR, Estimator, estimator_named
from causal_disent.metrics.tools.fitting import accuracies, check_labelled, fit_each, problems_of
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.sizes import Sizes
from causal_disent.metrics.tools.splitting import TEST_SHARE
from causal_disent.metrics.tools.takes import COLUMNS
from causal_disent.protocols import FloatArray, IntArray


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


def _keys(result: DownstreamResult, names: Sequence[str]) -> dict[str, float]:
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
    reports=_keys,
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
        estimator: a name such as ``"logistic_regression_cv"`` (`causal_disent.metrics.tools.estimators`), or a
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
    problems = problems_of(train, held_out, continuous=continuous)
    fits = fit_each(estimator_named(estimator), problems, accuracies, generator, num_jobs)
    train_accuracy, test_accuracy = np.array(fits).T
    return DownstreamResult(train_accuracy, test_accuracy)
