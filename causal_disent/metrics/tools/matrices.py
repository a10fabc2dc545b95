"""Matrices of codes and factors by functions that configs choose, in disentanglement_lib's form: points second."""

from __future__ import annotations

import inspect

import numpy as np

from causal_disent import errors
from causal_disent.checks import MatrixFunction, Pairs
from causal_disent.metrics.dci import dci
from causal_disent.metrics.tools.estimators import Estimator, name_of
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import Part, part


def _importance(name: str) -> Part:
    @part(name)
    def importance(
        mus_train: FloatArray,
        ys_train: IntArray,
        mus_test: FloatArray,
        ys_test: IntArray,
        estimator_fn: str | Estimator = "gradient_boosting",
        random_state: np.random.RandomState | int = 0,
    ) -> FloatArray:
        """The importance (codes, factors) that `dci` finds; points are in the second axis of each argument."""
        test = (mus_test.T, ys_test.T)
        return dci(
            mus_train.T, ys_train.T, test=test, estimator=estimator_fn, random_state=random_state
        ).importance

    return importance


#: The same by two names: of a downstream task, and of the unified scores.
factorwise_dci, importance_gbt_matrix = _importance("factorwise_dci"), _importance("importance_gbt_matrix")


def matrix_of(
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
