"""Labellers, against plain computations."""

import math
from fractions import Fraction

import numpy as np
import pytest

from causal_disent import errors
from causal_disent.training import batches

SIZES = [2, 12, 5]


class Data:
    factors_num_values = SIZES


def factors(num=400):
    random_state = np.random.RandomState(0)
    return np.stack([random_state.randint(size, size=num) for size in SIZES], axis=1)


def labelled(labeller, seed=0, **options):
    rows = factors()
    labels, sizes = labeller(rows, Data(), np.random.RandomState(seed), **options)
    assert labels.dtype == np.float32 and len(labels) == len(rows)
    np.testing.assert_array_equal(rows, factors())  # the factors themselves are left alone
    return rows, labels, list(sizes)


def test_perfect_labels_are_the_factors():
    rows, labels, sizes = labelled(batches.perfect_labeller)
    np.testing.assert_array_equal(labels, rows)
    assert sizes == SIZES


def test_bins_have_equal_width():
    rows, labels, sizes = labelled(batches.bin_labeller, num_bins=5)
    assert sizes == [2, 5, 5]
    np.testing.assert_array_equal(labels[:, [0, 2]], rows[:, [0, 2]])
    for value, label in zip(rows[:, 1], labels[:, 1], strict=True):
        assert label == math.floor(value * 5 / 12)


@pytest.mark.parametrize(("size", "num_bins"), [(10, 6), (8, 6), (15, 9), (40, 6)])
def test_a_value_on_the_edge_of_a_bin_is_in_the_bin_above(monkeypatch, size, num_bins):
    monkeypatch.setattr(Data, "factors_num_values", [size])
    values = np.arange(size, dtype=np.uint8)[:, None]
    labels, sizes = batches.bin_labeller(values, Data(), np.random.RandomState(0), num_bins=num_bins)
    expected = [math.floor(Fraction(value * num_bins, size)) for value in range(size)]
    assert labels[:, 0].tolist() == expected and list(sizes) == [num_bins]


def test_more_bins_than_there_can_be_values():
    rows, labels, sizes = labelled(batches.bin_labeller, num_bins=10**30)
    np.testing.assert_array_equal(labels, rows)
    assert sizes == SIZES


def test_noise_replaces_the_wished_share():
    rows, labels, _ = labelled(batches.noisy_labeller, prob_random=0.5)
    for column, size in enumerate(SIZES):
        changed = (rows[:, column] != labels[:, column]).mean()
        assert changed == pytest.approx(0.5 * (1 - 1 / size), abs=0.08)
        assert set(labels[:, column]) <= set(range(size))
    np.testing.assert_array_equal(labelled(batches.noisy_labeller, prob_random=0.0)[1], rows)


def test_noise_is_drawn_in_disentanglement_libs_order():
    """Per image and factor: one uniform number, and a value if it is small enough."""
    random_state, expected = np.random.RandomState(3), factors()
    for row in expected:
        for column, size in enumerate(SIZES):
            if random_state.rand() < 0.3:
                row[column] = random_state.randint(size)
    np.testing.assert_array_equal(labelled(batches.noisy_labeller, seed=3, prob_random=0.3)[1], expected)


def test_permuted_labels_are_the_values_renamed():
    rows, labels, sizes = labelled(batches.permuted_labeller)
    assert sizes == SIZES and not np.array_equal(rows, labels)
    for column, size in enumerate(SIZES):
        pairs = set(zip(rows[:, column], labels[:, column], strict=True))
        assert len(pairs) == size == len({label for _, label in pairs})


def test_partial_labels_are_some_factors():
    rows, labels, sizes = labelled(batches.partial_labeller, num_observed_factors=2)
    columns = [SIZES.index(size) for size in sizes]
    assert len(set(columns)) == 2
    np.testing.assert_array_equal(labels, rows[:, columns])


def test_partial_labels_are_two_factors_if_nothing_is_said():
    drawn, told = (
        labelled(batches.partial_labeller, seed=5, **count)[1] for count in ({}, {"num_observed_factors": 2})
    )
    np.testing.assert_array_equal(drawn, told)


@pytest.mark.parametrize("chosen", [["hue", "size"], [2, 0], ["hue", 0]])
def test_partial_labels_are_the_factors_named(monkeypatch, chosen):
    monkeypatch.setattr(Data, "factor_names", ["size", "angle", "hue"], raising=False)
    rows, labels, sizes = labelled(batches.partial_labeller, factors=chosen)
    assert sizes == [SIZES[2], SIZES[0]]
    np.testing.assert_array_equal(labels, rows[:, [2, 0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"factors": ["hues"]}, "Unknown factor 'hues'. Did you mean 'hue'"),
        ({"factors": [3]}, "by position from 0 to 2; given: .3.. There are: size, angle, hue"),
        ({"factors": [-1]}, "partial_labeller.factors must be a list"),
        ({"factors": [1.0]}, "partial_labeller.factors must be a list"),
        ({"factors": ["hue", 2]}, "none twice"),
        ({"factors": []}, "one or more factors"),
        ({"factors": "hue"}, "must be a list .*given: 'hue'"),
        ({"factors": 1}, "must be a list .*given: 1"),
        ({"factors": ["hue"], "num_observed_factors": 1}, "both are given"),
        ({"num_observed_factors": 1.5}, "num_observed_factors must be from 1 to 3.*given: 1.5"),
    ],
)
def test_partial_labels_that_cannot_be(monkeypatch, options, message):
    monkeypatch.setattr(Data, "factor_names", ["size", "angle", "hue"], raising=False)
    with pytest.raises(errors.CausalDisentError, match=message):
        labelled(batches.partial_labeller, **options)


@pytest.mark.parametrize(
    ("labeller", "options"),
    [
        (batches.partial_labeller, {"num_observed_factors": 0}),
        (batches.partial_labeller, {"num_observed_factors": 4}),
        (batches.noisy_labeller, {"prob_random": 1.5}),
        (batches.bin_labeller, {"num_bins": 0}),
    ],
)
def test_impossible_labellers(labeller, options):
    with pytest.raises(errors.InvalidInput, match=next(iter(options))):
        labelled(labeller, **options)
