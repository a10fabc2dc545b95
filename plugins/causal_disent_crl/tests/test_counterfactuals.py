"""Counterfactuals obey the graph, and are the images that the mechanism makes."""

import networkx as nx
import numpy as np
import pytest
from causal_disent_crl.flow import Flow
from causal_disent_crl.light_tunnel import LIMITS, LightTunnel
from causal_disent_crl.pendulum import Pendulum
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors

DATA = {
    "pendulum": (Pendulum(), Pendulum.limits),
    "pendulum_published": (Pendulum(labels="published"), Pendulum.limits),
    "flow": (Flow(noise_seed=1), Flow.limits),
    "light_uniform": (LightTunnel(num=500), LIMITS),
    "light_linear": (LightTunnel(experiment="buchholz_1_obs", num=500), LIMITS),
    "light_green_set": (LightTunnel(experiment="buchholz_1_green", num=500), LIMITS),
}
several = pytest.mark.parametrize("name", DATA)


@st.composite
def interventions(draw, name):
    """An image, a factor, and a number that it can be set to."""
    data, limits = DATA[name]
    factor = draw(st.sampled_from(sorted(limits)))
    value = draw(st.floats(*limits[factor]))
    return data, draw(st.integers(0, len(data.factor_table) - 1)), factor, value


@several
@settings(deadline=None, max_examples=30)
@given(choice=st.data())
def test_only_descendants_move(name, choice):
    data, row, factor, value = choice.draw(interventions(name))
    before = data.factor_values([row])[0]
    after = data.counterfactual_values([row], {factor: value})[0]
    moved = {data.factor_names[place] for place in np.flatnonzero(before != after)}
    assert moved <= {factor} | nx.descendants(data.graph, factor)
    set_to = np.trunc(value) if name.endswith("published") else value
    assert after[data.factor_names.index(factor)] == pytest.approx(set_to, abs=1e-12)


@several
@settings(deadline=None, max_examples=8)
@given(choice=st.data())
def test_null_interventions_return_the_same_pixels(name, choice):
    data, row, factor, _ = choice.draw(interventions(name))
    shown = data.observations([row])
    np.testing.assert_array_equal(data.counterfactual([row], {}), shown)
    if not name.endswith("published"):  # there an effect's value is not the exact one
        value = data.factor_values([row])[0, data.factor_names.index(factor)]
        np.testing.assert_array_equal(data.counterfactual([row], {factor: value}), shown)
        np.testing.assert_array_equal(
            data.counterfactual_values([row], {factor: value}), data.factor_values([row])
        )


@several
@settings(deadline=None, max_examples=15)
@given(choice=st.data())
def test_setting_all_factors_forgets_the_image(name, choice):
    data, limits = DATA[name]
    do = {factor: choice.draw(st.floats(*limits[factor])) for factor in sorted(limits)}
    rows = np.array([0, len(data.factor_table) - 1])
    one, other = data.counterfactual_values(rows, do)
    np.testing.assert_array_equal(one, other)


def test_the_image_of_set_causes_is_that_of_the_draw_that_has_them():
    data, _ = DATA["pendulum"]
    wanted = data.draws.values[6543]
    images = data.counterfactual([0, 77], {"angle": wanted[0], "light": wanted[1]})
    np.testing.assert_array_equal(images, np.repeat(data.observations([6543]), 2, axis=0))


def test_a_ball_raises_the_same_water():
    data, _ = DATA["flow"]
    # Rows 30 * 9 apart differ in the ball, and in the noise of gravity; the height's own part is kept, too.
    row, other = 40, 40 + 270 * 9
    images = data.counterfactual([row], {"ball": data.draws.values[other, 0]})
    expected = Flow.draw(data.draws.values[[other]], data.draws.noise[[row]])
    np.testing.assert_array_equal(np.rint(images[..., :3] * 255), expected)
    assert data.draws.noise[row] != data.draws.noise[other]


def test_a_shadow_that_is_set_leaves_the_rest_of_the_picture():
    data, _ = DATA["pendulum"]
    changed = (data.counterfactual([3000], {"length": 8, "position": 5}) != data.observations([3000])).any(
        axis=(0, 3)
    )
    rows = np.flatnonzero(changed.any(axis=1))
    assert len(rows) and rows.min() > 75  # the ground


def test_a_flow_that_is_set_moves_the_jet_alone():
    data, _ = DATA["flow"]
    row = 4000
    start = np.rint(data.observations([row]) * 255).astype(int)[0]
    far = np.rint(data.counterfactual([row], {"flow": 60}) * 255).astype(int)[0]
    changed = (start != far).any(axis=-1)
    # Right of the wall (x = 8), between hole and ground, nothing else.
    columns, rows = np.flatnonzero(changed.any(axis=0)), np.flatnonzero(changed.any(axis=1))
    assert columns.min() >= 40 and rows.min() > 60 and rows.max() < 86
    # The jet ends, where the noise is least, 6 right of the wall: a unit is 3.72 pixels.
    plain = np.rint(Flow().counterfactual([row], {"flow": 60}) * 255).astype(int)[0]
    jet = np.flatnonzero((plain[82] == (135, 206, 250, 255)).all(axis=-1))
    assert jet.max() == pytest.approx(12 + (8 + 6) * 74.4 / 20, abs=2)


def test_each_image_has_its_own_number():
    data, _ = DATA["pendulum"]
    together = data.counterfactual([5, 6], {"angle": [10, 20]})
    apart = [data.counterfactual([row], {"angle": angle})[0] for row, angle in ((5, 10), (6, 20))]
    np.testing.assert_array_equal(together, apart)


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ({"lihgt": 3}, "Unknown factor 'lihgt'. Did you mean 'light'"),
        ({"light": 0}, "'light' can be set to 20 to 180; given: 0"),
        ({"light": float("nan")}, "'light' can be set to 20 to 180; given: nan"),
        ({"light": "bright"}, "a number, or to one for each of the 2 images; given: 'bright'"),
        ({"light": [90, 91, 92]}, "a number, or to one for each of the 2 images"),
        ({"light": "90"}, "a number, or to one for each of the 2 images; given: '90'"),
        ({"light": None}, "a number, or to one for each of the 2 images; given: None"),
        ({"light": True}, "a number, or to one for each of the 2 images; given: True"),
        (None, "`do` must"),
        ([("light", 90)], "`do` must"),
    ],
)
def test_what_cannot_be_set(do, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        DATA["pendulum"][0].counterfactual([0, 1], do)


def test_limits_are_told_in_the_units_that_are_asked_in():
    data = Pendulum(scaling="causalvae")
    with pytest.raises(errors.InvalidInput, match="'light' can be set to -2 to 2; given: 100"):
        data.counterfactual([0], {"light": 100})
    for end in (-2, 2):
        assert data.counterfactual_values([0], {"light": end})[0, 1] == end


@several
@pytest.mark.parametrize(
    "indices", [[10**7], [-1], [0.5], [[0, 1]], 0, None, "a", [True], slice(0, 2), [[0], [1, 2]]]
)
def test_indices_that_are_none(name, indices):
    data, _ = DATA[name]
    for method in (data.observations, data.factor_values, lambda given: data.counterfactual(given, {})):
        with pytest.raises(errors.InvalidInput, match="`indices`|has no image"):
            method(indices)


def test_no_index_gives_no_image():
    for data, _ in DATA.values():
        assert data.observations([]).shape == data.counterfactual([], {}).shape == (0, *data.observation_shape)
        assert data.factor_values([]).shape == (0, data.num_factors)


def test_a_split_has_no_images_of_the_other():
    data = Pendulum(split="test")
    for method in (data.observations, data.factor_values, lambda given: data.counterfactual(given, {})):
        with pytest.raises(errors.InvalidInput, match="has no image 3"):
            method([4, 3])


def test_the_linear_effects_of_the_light_tunnel():
    data, _ = DATA["light_linear"]
    weights = np.zeros((5, 5))
    for cause, effect, weight in (
        (1, 0, 0.71943922), (1, 4, 0.67726298), (2, 1, 0.89303215), (2, 4, 0.98534901), (3, 0, 0.84868401),
    ):  # fmt: skip
        weights[cause, effect] = weight
    variances = np.array([1.3855493, 1.16426732, 1.00502177, 1.95646855, 1.27482347])
    mixing = np.linalg.inv(np.eye(5) - weights.T)
    deviations = np.sqrt(np.diag(mixing @ np.diag(variances) @ mixing.T))
    scale = np.array([25.5, 25.5, 25.5, 18, 18]) / deviations
    before = data.factor_values(np.arange(500))
    middle = np.flatnonzero((np.abs(before - [127.5, 127.5, 127.5, 0, 0]) < [40, 40, 40, 30, 30]).all(axis=1))[:5]
    after = data.counterfactual_values(middle, {"blue": before[middle, 2] + 10})
    # A change of blue by 10 reaches green directly, red over green, and the second polarizer over both ways.
    latent = (
        10 / scale[2] * np.array([0.89303215 * 0.71943922, 0.89303215, 1, 0, 0.98534901 + 0.89303215 * 0.67726298])
    )
    np.testing.assert_allclose(after - before[middle], np.tile(latent * scale, (5, 1)), atol=1e-9)
