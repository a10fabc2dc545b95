import numpy as np
import pytest

from causal_disent import get_dataset
from causal_disent.data.factorial import FactorialData
from causal_disent.data.independent_draws import IndependentDraws
from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import view
from causal_disent.metrics import fixed_factor
from causal_disent.metrics.draw import sample_codes
from causal_disent.representation.code_table import CodeTable


class Numbers(FactorialData):
    """Images are their numbers."""

    def __init__(self, *sizes):
        super().__init__(StateSpace({f"f{i}": range(size) for i, size in enumerate(sizes)}), (1, 1, 1))

    def observations(self, indices):
        return np.asarray(indices, dtype=np.float64).reshape(-1, 1, 1, 1)


def as_it_is(data):
    return CodeTable(data, lambda images: images.reshape(len(images), 1))


WHOLE = Numbers(3, 1, 4, 2)
DATA = {
    "all factors": WHOLE,
    "some vary beside": view(WHOLE, factors=["f3", "f0"]),
    "others vary beside": view(WHOLE, factors=["f2", "f1"]),
}


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("name", DATA)
def test_the_points_of_single_draws(name, pairs, monkeypatch):
    data = DATA[name]
    drawn = []
    for at_once in (True, False):
        if not at_once:
            monkeypatch.setattr(fixed_factor.IndependentDraws, "of", lambda data: None)
        generator = np.random.RandomState(3)
        drawn.append(
            (*fixed_factor.draw_votes(data, as_it_is(data), 40, 5, generator, pairs=pairs), generator.rand())
        )
    (codes, shared, after), (expected, expected_shared, expected_after) = drawn
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(shared, expected_shared)
    assert after == expected_after


@pytest.mark.parametrize(("num", "batch_size"), [(40, 5), (13, 5), (3, 5), (1, 1)])
@pytest.mark.parametrize("name", DATA)
def test_the_points_of_single_batches(name, num, batch_size, monkeypatch):
    data = DATA[name]
    drawn = []
    for at_once in (True, False):
        if not at_once:
            monkeypatch.setattr(IndependentDraws, "of", lambda data: None)
        generator = np.random.RandomState(4)
        codes, factors = sample_codes(data, as_it_is(data), num, generator, batch_size)
        drawn.append((codes.tolist(), factors.tolist(), generator.rand()))
    assert drawn[0] == drawn[1]


def test_points_share_what_they_should():
    rows = WHOLE.space.to_factors
    images, shared = IndependentDraws.of(WHOLE).votes(30, 4, np.random.RandomState(0), pairs=True)
    first, second = rows(images).reshape(30, 2, 4, 4).transpose(1, 0, 2, 3)
    votes = np.arange(30)
    np.testing.assert_array_equal(first[votes, :, shared], second[votes, :, shared])
    images, shared = IndependentDraws.of(WHOLE).votes(30, 4, np.random.RandomState(0), pairs=False)
    batch = rows(images).reshape(30, 4, 4)
    assert (np.ptp(batch[votes, :, shared], axis=1) == 0).all() and np.ptp(batch, axis=1).any()


class DrawnOtherwise(Numbers):
    def sample_factors(self, num, random_state):
        return np.zeros((num, 4), dtype=np.int64)


def test_not_of_data_that_draw_otherwise():
    assert IndependentDraws.of(DrawnOtherwise(2, 2, 2, 2)) is None
    assert IndependentDraws.of(view(DrawnOtherwise(2, 2, 2, 2), factors=["f0"])) is None
    assert IndependentDraws.of(view(WHOLE, confounding=["never f0=0 f3=1"])) is None
    assert IndependentDraws.of(get_dataset("dummy_data")) is None
    assert IndependentDraws.of(get_dataset("candle_mini")) is not None
