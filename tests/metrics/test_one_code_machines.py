"""Support vector machines of one code, beside scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from causal_disent.metrics import sap_score
from causal_disent.metrics.linear import fit_machines, machine_accuracies


def objective(weights, values, signs, costs):
    """Of (machines, 2) weights and intercepts, by the definition."""
    margins = np.maximum(0.0, 1.0 - signs * (np.outer(values, weights[:, 0]) + weights[:, 1]))
    return 0.5 * np.square(weights).sum(axis=1) + (costs * margins**2).sum(axis=0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([20, 200]), st.sampled_from([1e-3, 1.0, 1e4]), st.booleans())
def test_the_weights_are_the_best(seed, num_points, scale, ties):
    rng = np.random.RandomState(seed)
    values = scale * (np.round(rng.normal(size=num_points)) if ties else rng.normal(size=num_points))
    positive = np.column_stack([rng.rand(num_points) < 0.3, values > 0, np.zeros(num_points, dtype=bool)])
    costs = rng.uniform(0.01, 1.0, size=(2, 3))
    found = np.stack(fit_machines(values, positive, *costs), axis=1)
    signs, each = np.where(positive, 1.0, -1.0), np.where(positive, *costs)
    best = objective(found, values, signs, each)
    for shift in ((1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)):
        moved = found + np.array(shift) * np.maximum(np.abs(found), 1e-3)
        assert (objective(moved, values, signs, each) >= best * (1 - 1e-9)).all()


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_machines_are_those_of_liblinear(classes):
    rng = np.random.RandomState(classes)
    labels = rng.choice(classes, size=300, p=np.arange(1, classes + 1) / np.arange(1, classes + 1).sum())
    values = labels + 0.4 * rng.normal(size=300)
    machine = LinearSVC(C=0.01, class_weight="balanced", tol=1e-10, max_iter=100_000)
    expected = np.mean(machine.fit(values[:200, None], labels[:200]).predict(values[200:, None]) == labels[200:])
    found = machine_accuracies(values[:200], [labels[:200]], values[200:], [labels[200:]], 0.01)
    assert found == pytest.approx([expected])


def test_sap_by_either_solver():
    rng = np.random.RandomState(1)
    factors = np.column_stack(
        [rng.choice([3, 5, 9], size=400), rng.randint(2, size=400), rng.randint(6, size=400)]
    )
    codes = factors @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(400, 4))
    slow, exact = (sap_score(codes, factors, solver=solver) for solver in ("liblinear", "exact"))
    np.testing.assert_allclose(exact.matrix, slow.matrix, atol=0.02)


def test_a_value_that_is_only_tested_is_never_told():
    codes = np.repeat(np.arange(4.0), 10)[:, None] * [[1.0, -1.0]]
    factors = np.repeat([0, 1, 2, 3], 10)[:, None]
    fit, held = np.arange(30), np.arange(30, 40)
    found = sap_score(codes[fit], factors[fit], test=(codes[held], factors[held]), solver="exact")
    assert (found.matrix == 0).all()
