"""Fits that stop before the optimum are told once for each call of a metric; others say nothing."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from dlib_reference_fitted import NoisyMixture
from fitting_promises import encode, mixture
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from causal_disent import adapter
from causal_disent.config import gin_config
from causal_disent.metrics import (
    beta_vae_sklearn,
    dci,
    downstream_task,
    infomec,
    modularity_explicitness,
    sap_score,
)
from causal_disent.metrics.contract import count_fits, fits_of
from causal_disent.runs.evaluate import run_metric

on_data = adapter.on_data(downstream_task)

TRAIN, TEST = mixture(200), mixture(100, seed=1)
FEW = {"num_train": 200, "num_eval": 50}
SIZES = {"num_train": [30, 60], "num_test": 40}


def few_steps():
    return LogisticRegression(max_iter=1)


def newton():
    return LogisticRegression(solver="newton-cholesky")


def one_warning(function, *args, **kwargs):
    """What the only warning of a call says."""
    with pytest.warns() as caught:
        function(*args, **kwargs)
    assert [w.category for w in caught] == [ConvergenceWarning]
    return str(caught[0].message)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: downstream_task(*TRAIN, test=TEST, estimator=few_steps),
            "downstream_task: 3 of 3 fits stopped",
        ),
        (lambda: infomec(*TRAIN, max_iterations=1), "infomec: 3 of 3 fits stopped"),
        # Codes of so unlike sizes that 100 steps are too few.
        (
            lambda: beta_vae_sklearn(TRAIN[0] * [1e4, 1, 1e-3, 1e3, 10], TRAIN[1], **FEW),
            "beta_vae_sklearn: 1 of 1 fits stopped",
        ),
    ],
    ids=["downstream_task", "infomec", "beta_vae"],
)
def test_a_call_says_it_once(call, said):
    message = one_warning(call)
    assert message.startswith(said)
    assert "may differ in the second decimal on another processor" in message


def test_the_own_regression_says_it_too():
    message = one_warning(modularity_explicitness, *TRAIN, test=TEST, max_iterations=1)
    assert message.startswith("modularity_explicitness: 3 of 3 fits")


def test_all_sizes_of_a_metric_are_one_call(tmp_path):
    # Each of its fits tries fifty penalties and folds, and warns of many; it is one fit all the same.
    with gin_config(bindings=["predictor.predictor_fn = @logistic_regression_cv"]):
        message = one_warning(on_data, NoisyMixture(), encode, np.random.RandomState(0), **SIZES)
        assert re.match("downstream_task: [1-6] of 6 fits", message)
        # A run calls it what the user does.
        bound = partial(on_data, **SIZES)
        assert one_warning(run_metric, bound, "my_task", NoisyMixture(), encode, 0, tmp_path) == message.replace(
            "downstream_task", "my_task"
        )


def test_only_fits_that_stopped_are_counted():
    made = iter([few_steps(), newton(), few_steps()])
    assert one_warning(downstream_task, *TRAIN, test=TEST, estimator=lambda: next(made)).startswith(
        "downstream_task: 2 of 3 fits"
    )


def test_converged_fits_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        downstream_task(*TRAIN, test=TEST, estimator=newton)
        dci(*TRAIN, test=TEST, estimator=newton)
        beta_vae_sklearn(*TRAIN, **FEW)
        sap_score(*TRAIN, test=TEST)
        infomec(*TRAIN)
        modularity_explicitness(*TRAIN, test=TEST)


def test_a_failed_call_leaves_no_count_behind():
    with pytest.raises(ZeroDivisionError), fits_of("failing"):
        count_fits(1, 1)
        raise ZeroDivisionError
    test_converged_fits_say_nothing()
