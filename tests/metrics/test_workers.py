"""Classifiers fitted in worker processes."""

import sys
import threading
import types
import warnings

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from causal_disent import errors
from causal_disent.metrics import dci
from causal_disent.metrics import fitting as _fitting

FACTORS = np.random.RandomState(0).randint(4, size=(200, 3))
CODES = FACTORS + 0.3 * np.random.RandomState(1).normal(size=FACTORS.shape)
POINTS = (CODES, FACTORS)


@pytest.fixture(autouse=True)
def everything_goes_to_workers(monkeypatch):
    monkeypatch.setattr(_fitting, "WORTH_A_WORKER", 0)


def scores(estimator, num_jobs=2):
    result = dci(*POINTS, test=POINTS, estimator=estimator, num_jobs=num_jobs)
    return result.disentanglement, result.completeness, result.informativeness_test


class WithLock(RandomForestClassifier):
    """Cannot be sent to a process."""

    def __init__(self, n_estimators=20, random_state=None):
        super().__init__(n_estimators, random_state=random_state)
        self.lock = threading.Lock()


class Refusing(RandomForestClassifier):
    """Raises what a user can mend."""

    def fit(self, codes, values):
        raise errors.InvalidInput("not these codes")


class Mistaken(RandomForestClassifier):
    """Raises what its author must mend."""

    def fit(self, codes, values):
        raise TypeError("wrong type inside")


class Unsure(RandomForestClassifier):
    """Warns of what is no failure to converge."""

    def fit(self, codes, values):
        warnings.warn("unsure", UserWarning, stacklevel=2)
        return super().fit(codes, values)


@pytest.mark.parametrize("estimator", ["histogram_boosting", "random_forest"])
def test_workers_find_what_is_found_here(estimator):
    assert scores(estimator) == scores(estimator, num_jobs=1)


def test_what_cannot_be_sent_is_fitted_here():
    assert scores(WithLock) == scores(WithLock, num_jobs=1)


def test_a_class_that_a_worker_cannot_import():
    module = types.ModuleType("loaded_by_hand")
    sys.modules["loaded_by_hand"] = module
    try:
        exec("from sklearn.ensemble import RandomForestClassifier\nclass Trees(RandomForestClassifier): pass",
             module.__dict__)  # fmt: skip
        module.Trees.__module__ = "loaded_by_hand"
        make = lambda: module.Trees(20)  # noqa: E731
        assert scores(make) == scores(make, num_jobs=1)
    finally:
        del sys.modules["loaded_by_hand"]


def test_errors_come_through():
    with pytest.raises(errors.InvalidInput, match="not these codes"):
        scores(Refusing)
    with pytest.raises(TypeError, match="wrong type inside"):
        scores(Mistaken)


def test_a_warning_of_many_fits_is_given_once():
    with pytest.warns(UserWarning, match=r"^unsure \(in 3 of the fits\)$") as caught:
        scores(Unsure)
    assert len(caught) == 1


def test_workers_tell_which_fits_did_not_converge():
    with pytest.warns(ConvergenceWarning, match="^dci: 3 of 3 fits stopped") as caught:
        scores(lambda: LogisticRegression(max_iter=1))
    assert len(caught) == 1
