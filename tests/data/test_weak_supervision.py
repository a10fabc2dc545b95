from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors, get_dataset
from causal_disent.data import _partners
from causal_disent.data import weak_supervision as weak
from causal_disent.data.dummy import DummyData


class Table:
    """A data set that is its factor table; its images are numbered from 100."""

    def __init__(self, rows):
        rows = np.asarray(rows)
        columns = {
            name: pd.Categorical.from_codes(column, list(range(6)))
            for name, column in zip("abcd", rows.T, strict=False)
        }
        self.factor_table = pd.DataFrame(columns, index=pd.RangeIndex(100, 100 + len(rows)))
        self.rows = rows

    def of(self, images):
        return self.rows[np.asarray(images) - 100]


SEEDS = st.integers(0, 2**32 - 1)
TABLES = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12).map(Table)


def pairs_where(table, condition):
    """The ordered pairs of different images that satisfy a condition on their rows, by comparing all."""
    numbers = range(100, 100 + len(table.rows))
    both = ((i, j) for i in numbers for j in numbers if i != j)
    return {(i, j) for i, j in both if condition(*table.of([i, j]))}


def as_set(pairs):
    return set(map(tuple, pairs.tolist()))


@settings(deadline=None)
@given(TABLES, st.sampled_from([["a"], ["b", "c"], ["c", "a", "b"]]), SEEDS)
def test_matches_are_the_pairs_that_agree(table, factors, seed):
    columns = ["abc".index(factor) for factor in factors]
    expected = pairs_where(table, lambda one, other: (one[columns] == other[columns]).all())
    if not expected:
        with pytest.raises(errors.InvalidInput, match="No two images of the data set agree in"):
            weak.match_pairs(table, factors, 1, np.random.RandomState(seed))
        return
    assert as_set(weak.match_pairs(table, factors, 4000, np.random.RandomState(seed))) == expected


@settings(deadline=None)
@given(TABLES, SEEDS)
def test_ranks_are_those_of_the_values(table, seed):
    expected = pairs_where(table, lambda one, other: one[1] != other[1])
    if not expected:
        with pytest.raises(errors.InvalidInput, match="have the same value of the factor 'b'"):
            weak.rank_pairs(table, "b", 1, np.random.RandomState(seed))
        return
    pairs = weak.rank_pairs(table, "b", 4000, np.random.RandomState(seed))
    assert as_set(pairs.images) == expected
    first, second = table.of(pairs.images[:, 0]), table.of(pairs.images[:, 1])
    np.testing.assert_array_equal(pairs.first_is_larger, first[:, 1] > second[:, 1])


@settings(deadline=None)
@given(TABLES, st.integers(1, 3), SEEDS)
def test_pairs_differ_in_exactly_k_factors(table, k, seed):
    expected = pairs_where(table, lambda one, other: (one != other).sum() == k)
    if not expected:
        with pytest.raises(errors.InvalidInput, match=f"differ in exactly {k} of a, b, c"):
            weak.differing_pairs(table, 1, np.random.RandomState(seed), k=k)
        return
    pairs = weak.differing_pairs(table, 4000, np.random.RandomState(seed), k=k)
    assert as_set(pairs.images) == expected
    differs = table.of(pairs.images[:, 0]) != table.of(pairs.images[:, 1])
    np.testing.assert_array_equal(pairs.differs, differs)


@settings(deadline=None)
@given(TABLES, st.sampled_from([["a"], ["c", "a"], ["a", "b", "c"]]), SEEDS, st.sampled_from([0, 2]))
def test_pairs_differ_exactly_where_asked(table, factors, seed, guesses):
    named = np.isin(list("abc"), factors)
    expected = pairs_where(table, lambda one, other: ((one != other) == named).all())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_partners, "GUESSES", guesses)  # the search finds what guesses do not
        patch.setattr(_partners, "CHUNK", 5)
        if not expected:
            with pytest.raises(errors.InvalidInput, match="differ exactly in"):
                weak.differing_pairs(table, 1, np.random.RandomState(seed), factors=factors)
            return
        pairs = weak.differing_pairs(table, 4000, np.random.RandomState(seed), factors=factors)
    assert as_set(pairs.images) == expected


@pytest.mark.parametrize("guesses", [0, 40])
def test_partners_are_equally_likely(monkeypatch, random_state, guesses):
    monkeypatch.setattr(_partners, "GUESSES", guesses)
    table = Table([[0, 0], [1, 1], [1, 2], [2, 1], [0, 5], [5, 0]])
    images = weak.differing_pairs(table, 20_000, random_state, factors=["a", "b"]).images
    firsts, counts = np.unique(images[:, 0], return_counts=True)
    assert len(firsts) == 6 and abs(counts / 20_000 - 1 / 6).max() < 0.01
    _, counts = np.unique(images[images[:, 0] == 100, 1], return_counts=True)
    assert len(counts) == 3 and abs(counts / counts.sum() - 1 / 3).max() < 0.03


def test_ranked_pairs_are_equally_likely(random_state):
    table = Table([[0], [0], [1], [2]])
    images = weak.rank_pairs(table, "a", 20_000, random_state).images
    _, counts = np.unique(images, axis=0, return_counts=True)
    assert len(counts) == 10 and abs(counts / 20_000 - 0.1).max() < 0.01


def test_sets_of_factors_are_equally_likely(random_state, small_data):
    differs = weak.differing_pairs(small_data, 6000, random_state, k=2).differs
    sets, counts = np.unique(differs, axis=0, return_counts=True)
    assert len(sets) == 3 and abs(counts / 6000 - 1 / 3).max() < 0.03


def test_both_images_exist_under_a_confounding(random_state):
    data = get_dataset("candle_mini", scenes=16, confounding="candle_released")
    images = weak.differing_pairs(data, 5000, random_state, k=3).images
    assert np.isin(images, data.factor_table.index).all()


def test_a_confounding_can_forbid_all_pairs(random_state):
    data = get_dataset("candle_mini", confounding="candle_one_to_one")
    with pytest.raises(errors.InvalidInput, match="No two images of the data set differ exactly in color"):
        weak.differing_pairs(data, 1, random_state, factors=["color"])
    pairs = weak.differing_pairs(data, 2000, random_state, k=1)
    assert set(np.flatnonzero(pairs.differs.any(axis=0))) == {2, 3, 4, 5}  # neither object nor color alone


def test_many_factors_look_at_some_sets_alone(random_state, monkeypatch):
    monkeypatch.setattr(weak, "MOST_SETS", 3)
    data = get_dataset("candle_mini")
    differs = weak.differing_pairs(data, 500, random_state, k=3).differs
    assert len(np.unique(differs, axis=0)) == 3 and (differs.sum(axis=1) == 3).all()


@given(SEEDS, st.floats(0, 1, exclude_min=True))
@settings(deadline=None)
def test_labels_of_a_fraction_of_the_images(seed, fraction):
    table = Table([[i % 3, i % 2] for i in range(20)])
    labels = weak.restricted_labels(table, np.random.RandomState(seed), fraction=fraction)
    told = labels.is_known.all(axis=1)
    assert told.sum() == max(1, round(20 * fraction)) and labels.is_known.any(axis=1).sum() == told.sum()
    np.testing.assert_array_equal(labels.factors[told], table.rows[told])
    assert (labels.factors[~told] == -1).all()
    np.testing.assert_array_equal(labels.images, table.factor_table.index)


def test_labels_of_some_factors(random_state):
    labels = weak.restricted_labels(Table([[0, 1], [2, 0]]), random_state, factors=["b"])
    assert labels.factors.tolist() == [[-1, 1], [-1, 0]]


def test_same_seed_same_pairs():
    data = get_dataset("candle_mini")
    for draw in (
        lambda random_state: weak.match_pairs(data, ["color"], 50, random_state),
        lambda random_state: weak.rank_pairs(data, "size", 50, random_state).images,
        lambda random_state: weak.differing_pairs(data, 50, random_state, k=2).images,
        lambda random_state: weak.restricted_labels(data, random_state, fraction=0.1).factors,
    ):
        one, same, other = (draw(np.random.RandomState(seed)) for seed in (1, 1, 2))
        assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_boxes():
    data = get_dataset("candle_mini", confounding="candle_color")
    image = data.factor_table.index[:2]
    np.testing.assert_array_equal(weak.bounding_boxes(data, image), data.bounding_boxes(image))
    with pytest.raises(errors.InvalidInput, match="The data set Table has no bounding boxes"):
        weak.bounding_boxes(Table([[0]]), [0])


def test_no_image_is_drawn(small_data, random_state):
    weak.match_pairs(small_data, ["color"], 10, random_state)
    weak.differing_pairs(small_data, 10, random_state, k=1)
    weak.rank_pairs(small_data, "light", 10, random_state)
    assert small_data.num_observed == 0


WRONG = [
    (lambda data, rs: weak.match_pairs(data, ["colour"], 1, rs), "Unknown factor 'colour'. Did you mean 'color'?"),
    (lambda data, rs: weak.match_pairs(data, [], 1, rs), "one or more names, none twice"),
    (lambda data, rs: weak.match_pairs(data, "color", 1, rs), "must be a list of texts; given: 'color'"),
    (lambda data, rs: weak.match_pairs(data, ["color", "color"], 1, rs), "none twice"),
    (lambda data, rs: weak.match_pairs(data, ["color"], 0, rs), "At least one pair must be asked for; given: 0"),
    (lambda data, rs: weak.rank_pairs(data, "colors", 1, rs), "Did you mean 'color'?"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs, k=4), "`k` is a whole number from 1 to 3, .*given: 4"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs, k=0), "`k` is a whole number from 1 to 3, .*given: 0"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs, k=1.5), "`k` must be a whole number"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs, k="1"), "`k` must be a whole number"),
    (lambda data, rs: weak.differing_pairs(data, 1.5, rs, k=1), "`num` must be a whole number; given: 1.5"),
    (lambda data, rs: weak.match_pairs(data, ["color"], "a", rs), "`num` must be a whole number; given: 'a'"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs), "Give `k`"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs, k=1, factors=["color"]), "Give `k`"),
    (lambda data, rs: weak.differing_pairs(data, 1, rs, factors=["lihgt"]), "Did you mean 'light'?"),
    (lambda data, rs: weak.restricted_labels(data, rs, fraction=0), "more than 0 and at most 1; given: 0"),
    (lambda data, rs: weak.restricted_labels(data, rs, fraction=1.5), "at most 1; given: 1.5"),
    (lambda data, rs: weak.restricted_labels(data, rs, fraction="a"), "must be a finite number; given: 'a'"),
    (lambda data, rs: weak.restricted_labels(data, rs, fraction=None), "must be a finite number; given: None"),
    (
        lambda data, rs: weak.restricted_labels(data, rs, fraction=float("nan")),
        "a finite number; given: nan",
    ),
    (lambda data, rs: weak.restricted_labels(data, rs, factors=["shap"]), "Did you mean 'shape'?"),
    (lambda data, rs: weak.match_pairs(DummyData(), ["color"], 1, rs), "DummyData has none"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_calls_are_explained(call, message, small_data, random_state):
    with pytest.raises(errors.CausalDisentError, match=message):
        call(small_data, random_state)


def test_every_set_is_looked_at_up_to_ten_factors(random_state):
    for total in range(1, 11):
        for k in range(1, total + 1):
            found = weak._sets_of_columns(total, k, random_state)
            assert found == list(combinations(range(total), k))
