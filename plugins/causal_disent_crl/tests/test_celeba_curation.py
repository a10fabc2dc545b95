"""Curation makes two factors independent, and leaves out no more than it must."""

import numpy as np
import pytest
from causal_disent_crl.celeba import CURATIONS, curate
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.graphs.chi_square import chi_square

COUNTS = st.lists(st.integers(0, 400), min_size=4, max_size=4)


def columns(counts):
    cells = np.random.RandomState(0).permutation(np.repeat(np.arange(4), counts))
    return cells >> 1, cells & 1


def count(first, second, places):
    return np.bincount(2 * first[places] + second[places], minlength=4)


@settings(max_examples=100, deadline=None)
@given(COUNTS, st.integers(0, 1000))
def test_pairs_are_balanced_and_as_many_as_there_are(counts, seed):
    first, second = columns(counts)
    expected = [min(counts[0], counts[1])] * 2 + [min(counts[2], counts[3])] * 2
    assume(sum(expected))
    places = curate("pairs", first, second, np.random.RandomState(seed))
    assert count(first, second, places).tolist() == expected
    assert (np.diff(places) > 0).all()
    if expected[0] and expected[2]:
        found = chi_square(first[places], second[places])
        assert found.statistic == pytest.approx(0, abs=1e-9) and found.p == pytest.approx(1)


@settings(max_examples=100, deadline=None)
@example([20, 20, 230, 368], 0)  # 12.5 would be right, and 13 leaves more than 12
@given(st.lists(st.integers(20, 400), min_size=4, max_size=4), st.integers(0, 1000))
def test_removing_takes_from_one_combination_until_the_two_are_independent(counts, seed):
    first, second = columns(counts)
    places = curate("remove", first, second, np.random.RandomState(seed))
    left = count(first, second, places)
    assert (np.array(counts) >= left).all() and (np.array(counts) != left).sum() <= 1
    assert chi_square(first[places], second[places]).p > 0.7  # counts are whole numbers
    # No other combination would have left more: by brute force.
    best = 0
    for cell in range(4):
        for number in range(counts[cell] + 1):
            changed = [number if place == cell else counts[place] for place in range(4)]
            gap = abs(changed[0] * changed[3] - changed[1] * changed[2])
            step = changed[3 - cell]  # how far one image more would carry
            if gap <= step / 2:
                best = max(best, sum(changed))
    assert len(places) == best


@pytest.mark.parametrize("curation", CURATIONS)
def test_the_seed_decides(curation):
    first, second = columns([100, 300, 200, 50])
    one, again, other = (curate(curation, first, second, np.random.RandomState(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert one.tolist() != other.tolist() and len(one) == len(other)


def test_nothing_to_pair():
    with pytest.raises(errors.InvalidInput, match="'pairs' leaves no image"):
        curate("pairs", np.array([0, 0, 1]), np.array([1, 1, 0]), np.random.RandomState(0))
