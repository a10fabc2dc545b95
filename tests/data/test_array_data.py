"""Arrays as a data set of one's own, and the table that it is."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors, get_metric, get_representation
from causal_disent.data import _row_groups
from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.factor_columns import read_columns
from causal_disent.metrics.draw import fix_factor
from causal_disent.registry import Entry
from causal_disent.representation.nearest_image import NearestImageClassifier
from causal_disent.testing import parametrize_checks

NAMES = ("object", "color", "light")
ROWS = np.array([(a, b, c) for a in range(3) for b in range(4) for c in range(2) if (a, b) != (0, 3)])


def array_data():
    """33 images, three combinations of object and color twice, one missing."""
    rows = np.concatenate([ROWS, ROWS[:11]])
    images = np.random.RandomState(0).randint(256, size=(len(rows), 6, 5, 3)).astype(np.uint8)
    values = {"object": ("cube", "ball", "cone")}
    return ArrayDataset(images, rows, factor_names=NAMES, value_names=values)


def complete_data():
    """All combinations of two factors, once each."""
    rows = np.array([(a, b) for a in range(3) for b in range(2)])
    return ArrayDataset(np.arange(6 * 4, dtype=np.uint8).reshape(6, 2, 2), rows, factor_names=["shape", "hue"])


def view_of_array_data():
    """A part of the rows, two of the factors."""
    return array_data().restricted(factors=["light", "object"], confounding="correlate object light 0.5")


ENTRIES = [
    Entry("datasets", "array", "tests", array_data, "arrays"),
    Entry("datasets", "complete", "tests", complete_data, "all combinations"),
    Entry("datasets", "view", "tests", view_of_array_data, "part of the rows"),
]


@parametrize_checks("datasets", ENTRIES)
def test_the_checks_for_all_data_sets(check):
    check()


def test_what_it_says_of_itself():
    data = array_data()
    assert data.factor_names == NAMES and data.factors_num_values == [3, 4, 2]
    assert data.value_names == (("cube", "ball", "cone"), ("0", "1", "2", "3"), ("0", "1"))
    assert data.observation_shape == (6, 5, 3) and data.is_confounded
    assert data.factor_table.index.name == "image" and len(data.factor_table) == 33


def test_only_rows_that_exist_are_drawn(random_state):
    data = array_data()
    factors = data.sample_factors(2000, random_state)
    drawn, counts = np.unique(factors, axis=0, return_counts=True)
    np.testing.assert_array_equal(drawn, np.unique(ROWS, axis=0))
    expected = np.where(np.arange(22) < 11, 2, 1) / 33  # eleven combinations have two images
    assert abs(counts / 2000 - expected).max() < 0.02


def test_images_of_a_combination_take_turns(random_state):
    data = array_data()
    indices = data.sample_indices(np.repeat(ROWS[:1], 400, axis=0), random_state)
    assert set(indices) == {0, 22} and abs((indices == 0).mean() - 0.5) < 0.1


def test_the_image_of_a_missing_combination_is_an_error(random_state):
    message = r"The data set has no image of object=cube, color=3, light=1 \(row 1\)"
    with pytest.raises(errors.InvalidInput, match=message):
        array_data().sample_observations_from_factors(np.array([[0, 0, 0], [0, 3, 1]]), random_state)


def test_a_value_that_does_not_exist_is_an_error(random_state):
    with pytest.raises(errors.InvalidInput, match="value 7 of the factor 'color'"):
        array_data().sample_indices(np.array([[0, 7, 0]]), random_state)


@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
@settings(deadline=None)
def test_conditional_draws(seed, color):
    rows = array_data().sample_factors_given([1], np.full((60, 1), color), np.random.RandomState(seed))
    assert (rows[:, 1] == color).all()
    assert set(rows[:, 0]) == ({1, 2} if color == 3 else {0, 1, 2})


def test_metrics_that_fix_a_factor(random_state):
    data = array_data()
    fixed = fix_factor(data, data.sample_factors(50, random_state), 1, 3, random_state)
    data.sample_indices(fixed, random_state)
    scores = get_metric("factor_vae_score")(
        data, get_representation("perfect_oracle", data), random_state,
        batch_size=8, num_train=60, num_eval=30, num_variance_estimate=60,
    )  # fmt: skip
    assert scores["train_accuracy"] > 0.9


def test_confounded_means_missing_or_uneven():
    data = complete_data()
    assert not data.is_confounded
    assert data.restricted(confounding="never shape=0 hue=1").is_confounded
    assert data.restricted(confounding="correlate shape hue 0.5").is_confounded
    assert not data.restricted(factors=["hue"]).is_confounded
    named = ArrayDataset(np.zeros((2, 1, 1)), [[0], [1]], value_names=[["a", "b", "never seen"]])
    assert named.is_confounded and named.factors_num_values == [3]


def test_rules_apply_to_the_rows_there_are(random_state):
    data = array_data().restricted(confounding=["only object=ball: color=2|3", "never light=1"])
    table = data.factor_table
    assert set(zip(table["object"], table["color"], strict=True)) == {
        ("cube", "0"), ("cube", "1"), ("cube", "2"), ("ball", "2"), ("ball", "3"),
        ("cone", "0"), ("cone", "1"), ("cone", "2"), ("cone", "3"),
    }  # fmt: skip
    drawn = data.sample_factors(500, random_state)
    assert (drawn[:, 2] == 0).all() and len(np.unique(drawn, axis=0)) == 9
    again = data.restricted(confounding="never object=cube", factors=["color"])
    assert again.factor_names == ("color",) and not (again.sample_factors(99, random_state) == 5).any()
    assert set(again.factor_table.index) < set(table.index)


def test_soft_links_weigh_the_rows(random_state):
    data = complete_data().restricted(confounding="correlate shape hue 0")
    assert {tuple(row) for row in data.sample_factors(50, random_state).tolist()} == {(0, 0), (2, 1)}
    soft = complete_data().restricted(confounding="correlate shape hue 0.5")
    shares = np.exp(-0.5 * (np.array([0, 0.5, 1]) / 0.5) ** 2)
    agree = (soft.sample_factors(4000, random_state) @ [1, -2] == 0).mean()
    assert abs(agree - 2 * shares[0] / (2 * shares.sum())) < 0.03


def test_a_confounding_that_leaves_no_image():
    with pytest.raises(errors.InvalidInput, match="forbids every one of the 33 images"):
        array_data().restricted(confounding="never light=0|1")
    with pytest.raises(errors.UnknownName, match="Unknown factor 'colour'. Did you mean 'color'?"):
        array_data().restricted(factors=["colour"])
    with pytest.raises(errors.InvalidInput, match="a list of one or more names, none twice"):
        array_data().restricted(factors=["color", "color"])


def test_oracles_and_nearest_image(random_state):
    data = array_data()
    oracle = get_representation("perfect_oracle", data)
    factors, images = data.sample(40, random_state)
    assert len(np.unique(oracle(images), axis=0)) == len(np.unique(factors, axis=0))
    np.testing.assert_array_equal(oracle(oracle.decode(oracle(images))), oracle(images))
    guesses = NearestImageClassifier(data).predict_proba(images)
    np.testing.assert_array_equal(np.stack([guess.argmax(axis=1) for guess in guesses], axis=1), factors)


def test_continuous_factors_are_ranked(random_state):
    angles = np.array([0.5, -1.0, 0.5, 3.25])
    data = ArrayDataset(np.zeros((4, 2, 2)), angles[:, None], factor_names=["angle"])
    assert data.factors_num_values == [3] and data.value_names == (("-1.0", "0.5", "3.25"),)
    assert data.factor_table["angle"].cat.codes.tolist() == [1, 0, 1, 2]
    assert set(data.sample_indices(np.array([[1]] * 50), random_state)) == {0, 2}


def test_more_combinations_than_numbers(random_state, monkeypatch):
    rows = random_state.random_sample((300, 12))  # 300 ** 12 combinations, far more than 64 bits count
    data = ArrayDataset(np.zeros((300, 1, 1)), rows)
    factors = data.sample_factors(200, random_state)
    indices = data.sample_indices(factors, random_state)
    codes = np.argsort(np.argsort(rows, axis=0), axis=0)
    np.testing.assert_array_equal(codes[indices], factors)
    mixed = factors.copy()
    mixed[:, 0] = np.roll(mixed[:, 0], 1)
    with pytest.raises(errors.InvalidInput, match="has no image of"):
        data.sample_indices(mixed, random_state)
    monkeypatch.setattr(_row_groups, "MOST_KEYS", 50)
    np.testing.assert_array_equal(array_data().sample_indices(ROWS[11:], random_state), np.arange(11, 22))


def test_pixels():
    grey = ArrayDataset(np.array([[[0, 255]], [[51, 0]]], dtype=np.uint8), [[0], [1]])
    np.testing.assert_allclose(grey.observations([1, 0])[:, 0, :, 0], [[0.2, 0], [0, 1]])
    assert grey.observations([0]).dtype == np.float32
    floats = ArrayDataset(np.array([[[0.25]]]), [[0]])
    assert floats.observations([0]).tolist() == [[[[0.25]]]] and floats.observations([0]).dtype == np.float32


def test_a_memory_map_stays_one(tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((3, 2, 2), dtype=np.uint8))
    data = ArrayDataset(np.load(tmp_path / "images.npy", mmap_mode="r"), [[0], [1], [2]])
    assert isinstance(data.source.pixels, np.memmap)


def test_graph_and_boxes_if_given():
    graph = nx.DiGraph([("factor_0", "image")])
    data = ArrayDataset(np.zeros((2, 3, 3)), [[0], [1]], graph=graph, bounding_boxes=[[0, 0, 1, 1], [1, 1, 3, 3]])
    assert data.graph is graph and data.bounding_boxes([1]).tolist() == [[1, 1, 3, 3]]
    part = pickle.loads(pickle.dumps(data)).restricted(confounding="never factor_0=0")
    assert part.bounding_boxes(part.factor_table.index).tolist() == [[1, 1, 3, 3]]
    assert not hasattr(array_data(), "graph") and not hasattr(array_data(), "bounding_boxes")


def test_the_table_of_one_data_set_makes_another():
    data = array_data()
    table = data.factor_table
    again = ArrayDataset(data.observations(table.index), table)
    assert again.value_names == data.value_names
    pd.testing.assert_frame_equal(again.factor_table, table)


def test_columns_of_text_and_numbers():
    space, rows = read_columns(
        {"size": ["small", "large", "small"], "count": [10, 2, 10], "seen": [True, False, True]},
        value_names={"size": ("small", "medium", "large")},
    )
    assert space.value_names == {
        "size": ("small", "medium", "large"), "count": ("2", "10"), "seen": ("False", "True"),
    }  # fmt: skip
    assert rows.tolist() == [[0, 1, 1], [2, 0, 0], [0, 1, 1]]


IMAGES = np.zeros((2, 4, 4), dtype=np.uint8)
BOX = [0, 0, 4, 4]
WRONG_ARRAYS = [
    ((IMAGES[0], [[0], [1]]), {}, r"shape \(n, h, w, c\) or \(n, h, w\); given: \(4, 4\)"),
    ((IMAGES[:0], [[0], [1]]), {}, r"given: \(0, 4, 4\)"),
    ((IMAGES.astype(int), [[0], [1]]), {}, "uint8, or floats in .*; given: dtype int64"),
    ((IMAGES + 2.0, [[0], [1]]), {}, r"these are from 2 to 2. Give pixels from 0 to 255 as uint8"),
    ((IMAGES * np.nan, [[0], [1]]), {}, "these are from nan to nan"),
    ((IMAGES, [[0], [1], [2]]), {}, "given: 2 images and 3 rows"),
    ((IMAGES, [0, 1]), {}, r"shape \(points, factors\); given: shape \(2,\)"),
    ((IMAGES, [[], []]), {}, "there are 0 factors"),
    ((IMAGES, {"a": [0, 1], "b": [0]}), {}, "equally long, and not empty; given: a: 2, b: 1"),
    ((IMAGES, [[0.5], [np.nan]]), {}, "'factor_0' is nan in row 1; it must be finite"),
    ((IMAGES, [[1j], [0]]), {}, "numbers or text; given: dtype complex128"),
    ((IMAGES, [[0, 1], [1, 0]]), {"factor_names": ["a"]}, "there are 2 factors and the names a"),
    ((IMAGES, [[0, 1], [1, 0]]), {"factor_names": ["a", "a"]}, "needs a name of its own"),
    (
        (IMAGES, [[0], [1]]),
        {"value_names": [["x"], ["y"]]},
        "an entry for each of the 1 factors factor_0; given: 2",
    ),
    ((IMAGES, [[0], [1]]), {"value_names": {"factor0": "xy"}}, "Did you mean 'factor_0'?"),
    ((IMAGES, [[0], [2]]), {"value_names": [["x", "y"]]}, "Unknown value of the factor 'factor_0' in row 1: '2'"),
    ((IMAGES, [[0], [-1]]), {"value_names": [["x", "y"]]}, "in row 1: '-1'"),
    ((IMAGES, [["cub"], ["cube"]]), {"value_names": [["cube"]]}, "row 0: 'cub'. Did you mean 'cube'?"),
    (
        (IMAGES, [[0.5], [1.5]]),
        {"value_names": [["x", "y"]]},
        "continuous, so that its values are their own",
    ),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [[0, 0, 1, 1]]}, r"shape \(2, 4\): a box for each image"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [BOX, [0, 0, 5, 4]]}, r"box \[0, 0, 5, 4\] of image 1 is no box"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [BOX, [0, 0, 4, 5]]}, "which is 4 wide and 4 high"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [[-1, 0, 1, 1], BOX]}, "of image 0 is no box"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [[0, -1, 1, 1], BOX]}, "of image 0 is no box"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [[2, 0, 2, 1], BOX]}, "of image 0 is no box"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [[0, 3, 2, 1], BOX]}, "of image 0 is no box"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [[0, 0, np.nan, 1], BOX]}, "of image 0 is no box"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [list("abcd")] * 2}, "numbers of pixels; given: dtype <U1"),
    ((IMAGES, [[0], [1]]), {"bounding_boxes": [BOX, [0, 0, 1]]}, "`bounding_boxes` must be .*lists of equal"),
    ((IMAGES, [[0], [1]]), {"graph": "x"}, "`graph` must be a networkx.DiGraph .*given: str"),
    ((IMAGES, [[0], [1]]), {"graph": nx.Graph()}, "`graph` must be a networkx.DiGraph .*given: Graph"),
    (([[[0.0]], [[0.0, 1.0]]], [[0], [1]]), {}, "Images must be an array, or lists of equal lengths"),
    ((IMAGES, [[0, 1], [1]]), {}, "Factors must be an array, or lists of equal lengths"),
    ((IMAGES, {"a": [[0], [1, 2]]}), {}, "The factor 'a' must be an array, or lists of equal lengths"),
    ((IMAGES, {"a": [[0], [1]]}), {}, r"The factor 'a' must be one value per point; given: \(2, 1\)"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), WRONG_ARRAYS)
def test_wrong_arrays_are_explained(arguments, options, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        ArrayDataset(*arguments, **options)
