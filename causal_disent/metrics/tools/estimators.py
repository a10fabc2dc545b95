"""Classifiers that predict a factor from codes, by the names that gin and `dci` know them.

Each is made without a seed; `causal_disent.metrics.tools.fitting` gives it one. A function of one's own that takes
no argument and returns a scikit-learn classifier serves as well.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from causal_disent import errors
from causal_disent.registry import part
from causal_disent.text import shown_value

#: Makes a classifier with ``fit`` and ``predict``.
Estimator = Callable[[], Any]


@part("gradient_boosting")
def gradient_boosting() -> Any:
    """scikit-learn's gradient boosted trees with its settings: what disentanglement_lib measures with.

    Where numba is installed (``pip install 'causal-disent[fast]'``), they are grown several times as fast.
    """
    from causal_disent.metrics.tools.exact_boosting import ExactBoosting

    return ExactBoosting()


@part("histogram_boosting")
def histogram_boosting(num_bins: int = 255) -> Any:
    """The same trees on binned codes, some twenty to forty times as fast; scores differ by less than 0.01."""
    from causal_disent.metrics.tools.histogram_boosting import HistogramBoosting

    return HistogramBoosting(num_bins=num_bins)


@part("random_forest")
def random_forest(num_trees: int = 100) -> Any:
    """Random forest; its importances are spread wider than those of boosted trees."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(num_trees)


@part("l1_logistic")
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


@part("logistic_regression_cv")
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


@part("gradient_boosting_classifier")
def gradient_boosting_classifier() -> Any:
    """`gradient_boosting` by disentanglement_lib's name."""
    return gradient_boosting()


#: What `dci` and the downstream tasks accept by name.
ESTIMATORS = {
    made.name: made
    for made in (
        gradient_boosting,
        gradient_boosting_classifier,
        histogram_boosting,
        l1_logistic,
        logistic_regression_cv,
        random_forest,
    )
}


@part("predictor")
def predictor(predictor_fn: str | Estimator = "gradient_boosting_classifier") -> Estimator:
    """What downstream tasks predict with: a name, or a function that makes a classifier."""
    return estimator_named(predictor_fn, argument="predictor_fn")


#: For `metric`: configs decide by ``predictor``, and not by the argument, what predicts.
GIN_PREDICTOR = {"estimator": lambda data: predictor()}


def estimator_named(estimator: str | Estimator, *, argument: str = "estimator") -> Estimator:
    """The function that makes classifiers, given it or its name."""
    if isinstance(estimator, str):
        if estimator not in ESTIMATORS:
            raise errors.unknown(f"`{argument}`", estimator, ESTIMATORS)
        return ESTIMATORS[estimator]
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

        if make in (random_forest, random_forest.function):
            return RandomForestRegressor()
        return GradientBoostingRegressor()

    return regressor


def name_of(estimator: Any) -> str:
    """What to call an estimator in a result."""
    named = getattr(estimator, "__name__", type(estimator).__name__)
    return str(getattr(estimator, "name", named))
