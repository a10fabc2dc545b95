"""Continuous factors: the numbers behind the factors, in every kind of data set and by every way to them."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from PIL import Image

from causal_disent import errors, get_dataset
from causal_disent.data import ArrayDataset, FolderDataset
from causal_disent.data import weak_supervision as weak
from causal_disent.data.do_pairs import do_pairs
from causal_disent.data.factor_table import factor_values
from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import FiniteDataView, view

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


def images(num):
    return (np.arange(num) % 256).astype(np.uint8).reshape(num, 1, 1)


class Swing(ArrayDataset):
    """A mechanism: two causes, an effect, one factor apart; an image shows two of them as its pixels."""

    NAMES = ("angle", "light", "length", "hue")
    GRAPH = nx.DiGraph([("angle", "length"), ("light", "length"), ("length", "image"), ("hue", "image")])

    def __init__(self, num=40, seed=0):
        rs = np.random.RandomState(seed)
        self.table = np.stack([rs.rand(num), rs.rand(num), np.zeros(num), rs.randint(2, size=num)], axis=1)
        self.table[:, 2] = self.table[:, 0] + self.table[:, 1] / 2
        super().__init__(self.draw(self.table), dict(zip(self.NAMES, self.table.T, strict=True)), graph=self.GRAPH)

    @staticmethod
    def draw(values):
        return (values[:, [0, 2]] / 4).astype(np.float32).reshape(-1, 1, 2, 1)

    def counterfactual_values(self, indices, do):
        values = self.table[indices].copy()
        for i, name in enumerate(("angle", "light")):
            values[:, i] = do.get(name, values[:, i])
        values[:, 2] = do.get("length", values[:, 0] + values[:, 1] / 2)
        return values

    def counterfactual(self, indices, do):
        return self.draw(self.counterfactual_values(indices, do))


# The numbers themselves.


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.integers(-5, 5)), min_size=1, max_size=30), st.sampled_from("fd"))
def test_arrays_keep_the_numbers_they_were_given(rows, kind):
    angle, count = np.array([row[0] for row in rows], dtype=kind), np.array([row[1] for row in rows])
    name = [["cube", "ball"][row[1] % 2] for row in rows]
    data = ArrayDataset(images(len(rows)), {"angle": angle, "count": count, "name": name})
    values = data.factor_values(np.arange(len(rows)))
    assert values.dtype == np.float64 and values.shape == (len(rows), 3)
    np.testing.assert_array_equal(values[:, 0], angle.astype(np.float64))  # exactly, of 32 bits too
    np.testing.assert_array_equal(values[:, 1], count)
    np.testing.assert_array_equal(values[:, 2], data.factor_table["name"].cat.codes)
    # The protocol of disentanglement_lib has the places, by size.
    places = data.factor_table["angle"].cat.codes.to_numpy()
    np.testing.assert_array_equal(np.unique(angle)[places], angle)


def test_value_names_that_are_numbers_are_these_numbers():
    data = ArrayDataset(
        images(3), [[0, 0], [1, 2], [2, 1]], value_names=[("0", "22.5", "45"), ("red", "green", "blue")]
    )
    np.testing.assert_array_equal(data.factor_values(np.array([2, 1])), [[45, 1], [22.5, 2]])
    assert data.space.is_continuous("factor_0") and not data.space.is_continuous("factor_1")


def test_folders_keep_the_numbers_they_were_given(tmp_path):
    lines = ["file,angle,size,object", "0.png,0.1,3,cube", "1.png,-2.75e3,1,ball", "0.png,2,3,cube"]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    for i in range(2):
        Image.new("L", (2, 2), i).save(tmp_path / f"{i}.png")
    values = FolderDataset(tmp_path).factor_values(np.array([0, 1, 2]))
    np.testing.assert_array_equal(values, [[0.1, 3, 1], [-2750, 1, 0], [2, 3, 1]])


def test_factorial_data_and_views_of_it():
    data = get_dataset("synthetic_mini")
    index = data.space.to_index(np.array([[2, 1, 5, 0, 3, 1]]))
    np.testing.assert_array_equal(data.factor_values(index), [[2, 1, 90, 0, 3, 1]])  # 90 degrees
    part = view(data, factors=["rotation", "object"], confounding="only object=cube: color=green")
    np.testing.assert_array_equal(part.factor_values(index), [[90, 2]])


def test_data_that_says_no_numbers_itself_is_asked_for_its_table(small_data):
    np.testing.assert_array_equal(factor_values(small_data, np.array([11, 0])), [[1, 2, 1], [0, 0, 0]])
    shown = FiniteDataView(small_data, ["light", "color"])
    np.testing.assert_array_equal(shown.factor_values([11]), [[1, 2]])


def test_a_part_has_the_numbers_and_the_mechanism_of_the_whole():
    data = Swing()
    part = data.restricted(factors=["length", "angle"], confounding="never hue=1").restricted(
        confounding="never angle=0.9..1"
    )
    kept = np.flatnonzero((data.table[:, 3] == 0) & (data.table[:, 0] < 0.9))
    np.testing.assert_array_equal(part.factor_table.index, kept)
    np.testing.assert_array_equal(part.factor_values(kept), data.table[kept][:, [2, 0]])
    do = {"light": 0.25}
    np.testing.assert_array_equal(part.counterfactual(kept, do), data.counterfactual(kept, do))
    after = part.counterfactual_values(kept, do)
    np.testing.assert_array_equal(after, data.counterfactual_values(kept, do)[:, [2, 0]])
    plain = ArrayDataset(images(2), [[0], [1]])
    assert not hasattr(plain, "counterfactual") and not hasattr(plain.restricted(), "counterfactual")


def test_a_part_of_a_subclass_asks_the_subclass_for_numbers():
    class Scaled(ArrayDataset):
        def factor_values(self, indices):
            return super().factor_values(indices) * [10, 100]

    part = Scaled(images(2), [[1, 2], [3, 4]]).restricted(factors=["factor_1"])
    np.testing.assert_array_equal(part.factor_values(np.array([1, 0])), [[400], [200]])


def test_images_that_do_not_exist_are_an_error():
    data = ArrayDataset(images(4), np.arange(4)[:, None])
    for index in (4, -1):
        with pytest.raises(errors.InvalidInput, match=f"has no image {index}"):
            data.factor_values(np.array([0, index]))


def test_state_space():
    space = StateSpace({"a": ("0.5", 1, "2e1"), "b": ("x", 1, 2), "c": ("1", "nan"), "d": (3, 1)})
    assert set(space.numbers) == {"a", "d"}
    np.testing.assert_array_equal(space.to_numbers(np.array([[2, 1, 1, 0]])), [[20, 1, 1, 3]])
    assert [space.is_continuous(factor) for factor in "abcd"] == [True, False, False, False]
    assert space.value("a", 0.50) == space.value("a", ".5") == 0 and space.value("a", 20) == 2
    with pytest.raises(errors.UnknownName, match="value of the factor 'a' '0.6'"):
        space.value("a", "0.6")
    with pytest.raises(errors.UnknownName, match="value of the factor 'b' 'nan'"):
        space.value("b", "nan")
    assert space.subspace([0]).numbers["a"].tolist() == [0.5, 1, 20]


# Rules and correlations.


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=20), NUMBERS, NUMBERS)
def test_an_interval_keeps_what_is_inside(angles, low, high):
    low, high = sorted((low, high))
    inside = [low <= angle <= high for angle in angles]
    assume(any(inside) and any(angle % 1 for angle in angles))
    data = ArrayDataset(images(len(angles)), {"angle": np.array(angles), "one": np.zeros(len(angles), int)})
    part = data.restricted(confounding=f"only one=0: angle={low!r}..{high!r}")
    np.testing.assert_array_equal(part.factor_table.index, np.flatnonzero(inside))


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "never angle=5..6",
            "None of the 3 values of the factor 'angle', which are from -0.5 to 3, is in .* 5..6",
        ),
        ("never angle=3..1", "The range 3..1 of the factor 'angle' is empty, .*Write 1..3"),
        ("never angle=0..x", "Unknown value of the factor 'angle' 'x'"),
        ("never count=1..5", "Unknown value of the factor 'count' '5'"),
        ("never agnle=0..1", "Unknown factor 'agnle'. Did you mean 'angle'"),
    ],
)
def test_wrong_intervals_are_explained(statement, message):
    data = ArrayDataset(images(3), {"angle": [-0.5, 1.25, 3.0], "count": [1, 2, 4]})
    with pytest.raises(errors.CausalDisentError, match=message):
        data.restricted(confounding=statement)


def test_intervals_of_whole_numbers_need_not_end_at_a_value():
    data = ArrayDataset(images(3), {"count": [1, 2, 4], "angle": [1.5, 2.0, 3.0]})
    assert list(data.restricted(confounding="only angle=2: count=2..3").factor_table.index) == [0, 1, 2]
    assert list(data.restricted(confounding="never count=3..4").factor_table.index) == [0, 1]


def test_correlation_of_continuous_factors_goes_by_their_numbers():
    angle, count = np.array([0.5, 1.5, 10.5]), np.array([0, 1, 2])
    data = ArrayDataset(images(9), {"angle": np.repeat(angle, 3), "count": np.tile(count, 3)})
    weights = data.restricted(confounding="correlate angle count 0.5").image_weights
    u, v = np.repeat([0, 0.1, 1], 3), np.tile([0, 0.5, 1], 3)
    np.testing.assert_allclose(weights, np.exp(-((u - v) ** 2) / (2 * 0.5**2)))


# Weak supervision.


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.floats(-2, 2), st.integers(0, 2)), min_size=2, max_size=10), st.floats(0.01, 2), SEEDS
)
def test_matches_within_a_tolerance_are_the_pairs_that_are_near(rows, tolerance, seed):
    angle, color = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    assume((angle % 1 != 0).any())
    apart = np.abs(angle[:, None] - angle)
    assume((np.abs(apart - tolerance) > 1e-6).all())  # no pair is at the border
    names = np.array(["red", "green", "blue"])[color]
    data = ArrayDataset(images(len(rows)), {"angle": angle, "color": names})
    near = (apart <= tolerance) & (color[:, None] == color)
    expected = {(i, j) for i, j in zip(*np.nonzero(near), strict=True) if i != j}
    for given_as in (tolerance, {"angle": tolerance}):
        draw = partial(weak.match_pairs, data, ["angle", "color"], tolerance=given_as)
        if not expected:
            with pytest.raises(errors.InvalidInput, match="No two images .* are that near in angle, color"):
                draw(1, np.random.RandomState(seed))
        else:
            assert set(map(tuple, draw(3000, np.random.RandomState(seed)).tolist())) == expected


def test_one_tolerance_means_continuous_factors():
    data = ArrayDataset(images(4), {"angle": [0.0, 0.5, 0.0, 9.0], "count": [1, 2, 3, 1]})
    rs = np.random.RandomState(0)
    with pytest.raises(errors.InvalidInput, match="that near"):
        weak.match_pairs(data, ["angle", "count"], 1, rs, tolerance=1)
    tolerance = {"angle": 0.5, "count": 1}
    pairs = weak.match_pairs(data, ["angle", "count"], 50, rs, tolerance=tolerance)
    assert {frozenset(pair) for pair in pairs.tolist()} == {frozenset((0, 1)), frozenset((1, 2))}
    for wrong, message in (
        (-1, "`tolerance` must be a finite number, at least 0; given: -1"),
        ({"angle": "a"}, r"`tolerance\['angle'\]` must be a finite number"),
        ({"count": 1}, "Unknown factor in `tolerance`: 'count'"),
    ):
        with pytest.raises(errors.CausalDisentError, match=message):
            weak.match_pairs(data, ["angle"], 1, rs, tolerance=wrong)


def test_ranks_are_those_of_the_numbers():
    data = ArrayDataset(images(3), {"angle": ["9", "10", "-1.5"]})  # text, listed by the alphabet
    assert data.value_names == (("-1.5", "10", "9"),)
    pairs = weak.rank_pairs(data, "angle", 100, np.random.RandomState(0))
    values = data.factor_values(pairs.images.ravel()).reshape(-1, 2)
    np.testing.assert_array_equal(pairs.first_is_larger, values[:, 0] > values[:, 1])
    assert len(np.unique(pairs.images, axis=0)) == 6


# Pairs under interventions.


def test_pairs_from_the_mechanism():
    data = Swing()
    pairs = do_pairs(data, 200, np.random.RandomState(0))
    before = data.table[pairs.images]
    assert set(pairs.causes) == {"angle", "light"} and set(pairs.effects) == {"length"}
    # Both causes come from one image, and the effect follows; hue has no part in this.
    rows = {tuple(row) for row in data.table[:, :2].tolist()}
    assert set(zip(pairs.causes["angle"].tolist(), pairs.causes["light"].tolist(), strict=True)) <= rows
    effect = pairs.causes["angle"] + pairs.causes["light"] / 2
    np.testing.assert_allclose(pairs.after_causes[:, 0, 1, 0], effect / 4, rtol=1e-6)
    # An effect that is set leaves its causes, whatever they would make.
    np.testing.assert_allclose(pairs.after_effects[:, 0, 0, 0], before[:, 0] / 4, rtol=1e-6)
    np.testing.assert_allclose(pairs.after_effects[:, 0, 1, 0], pairs.effects["length"] / 4, rtol=1e-6)
    assert (pairs.effects["length"] != before[:, 2]).all()
    assert len(np.unique(pairs.images)) > 30
    again = do_pairs(data, 200, np.random.RandomState(0))
    np.testing.assert_array_equal(again.after_effects, pairs.after_effects)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=10), SEEDS)
def test_pairs_from_the_table_are_those_of_all_comparisons(rows, seed):
    graph = nx.DiGraph([("cause", "effect"), ("hue", "image")])
    table = np.array(rows)
    data = ArrayDataset(images(len(rows)), table, factor_names=["cause", "effect", "hue"], graph=graph)
    both = [(i, j) for i in range(len(rows)) for j in range(len(rows))]
    on_causes = {(i, j) for i, j in both if table[i, 0] != table[j, 0] and table[i, 2] == table[j, 2]}
    on_effects = {
        (i, j) for i, j in both if table[i, 1] != table[j, 1] and (table[i, [0, 2]] == table[j, [0, 2]]).all()
    }
    able = {i for i, _ in on_causes} & {i for i, _ in on_effects}
    if not able:
        with pytest.raises(errors.InvalidInput, match=r"same causes and other effects \(effect\).*counterfactual"):
            do_pairs(data, 1, np.random.RandomState(seed))
        return
    pairs = do_pairs(data, 2000, np.random.RandomState(seed))
    for expected, after, do, column in (
        (on_causes, pairs.after_causes, pairs.causes["cause"], 0),
        (on_effects, pairs.after_effects, pairs.effects["effect"], 1),
    ):
        other = np.rint(after.reshape(-1) * 255).astype(int)  # an image shows its number
        found = set(zip(pairs.images.tolist(), other.tolist(), strict=True))
        assert found == {(i, j) for i, j in expected if i in able}
        np.testing.assert_array_equal(do, table[other, column])


def test_the_table_can_be_chosen_where_there_is_a_mechanism():
    with pytest.raises(errors.InvalidInput, match="its table shows no intervention on effects"):
        do_pairs(Swing(), 1, np.random.RandomState(0), source="table")


def test_wrong_calls_for_pairs_are_explained(small_data, random_state):
    data = ArrayDataset(images(2), [[0], [1]])
    with pytest.raises(errors.InvalidInput, match="ArrayDataset has no causal graph. Give one"):
        do_pairs(data, 1, random_state)
    with pytest.raises(errors.InvalidInput, match="a factor causes another; none of shape, color, light does"):
        do_pairs(small_data, 1, random_state, graph=nx.DiGraph([("shape", "image")]))
    with pytest.raises(errors.InvalidInput, match="`num` must be a whole number, at least 1; given: 0"):
        do_pairs(Swing(), 0, random_state)
    with pytest.raises(errors.UnknownName, match="`source` 'mechanisms'. Did you mean 'mechanism'"):
        do_pairs(Swing(), 1, random_state, source="mechanisms")
    with pytest.raises(errors.InvalidInput, match="has no mechanism .*source='table' needs none"):
        do_pairs(small_data, 1, random_state, source="mechanism")
