"""What metrics share; arrays have a row per code or factor and a column per point."""

from causal_disent.compat import utils as _ours
from causal_disent.compat.utils import (
    discrete_entropy,
    discrete_mutual_info,
    generate_batch_factor_code,
    gradient_boosting_classifier,
    logistic_regression_cv,
    make_discretizer,
    make_predictor_fn,
    normalize_data,
    obtain_representation,
    split_train_test,
)

_histogram_discretize = _ours._histogram_discretize

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
