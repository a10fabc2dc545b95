"""Pendulum: the published images, labels and splits."""

import math

import matplotlib
import numpy as np
import published_way
import pytest
from causal_disent_crl.pendulum import Pendulum
from PIL import Image

from causal_disent import errors


@pytest.fixture(scope="module")
def data():
    return Pendulum()


def pixels(data, indices):
    return np.rint(data.observations(np.asarray(indices)) * 255).astype(np.uint8)


def test_the_counts_of_the_published_folders(data):
    assert len(data.factor_table) == 7308
    assert len(Pendulum(split="train").factor_table) == 5482
    test = Pendulum(split="test")
    assert len(test.factor_table) == 1826 and test.factor_table.index[:3].tolist() == [4, 8, 12]


def test_the_numbers_are_those_of_the_facts(data):
    values = data.factor_values(np.arange(7308))
    angle, light, length, position = values.T
    assert (angle.min() * 0.9, angle.max() * 0.9) == pytest.approx((-36, 38.7))
    assert (light.min() * 0.9, light.max() * 0.9) == pytest.approx((54, 132.3)) and 100 not in light
    assert (length.min(), length.max().round(3)) == (3, 12.577) and (length == 3).sum() == 2894
    assert (position.min().round(3), position.max().round(3)) == (2.008, 19.606)
    assert ((position - length / 2 < 0) | (position + length / 2 > 20)).sum() == 114
    labels = Pendulum(labels="published").factor_values(np.arange(7308))
    np.testing.assert_array_equal(labels, np.floor(values))
    correlation = np.corrcoef(labels.T)
    assert correlation[[0, 1, 0, 1], [3, 3, 2, 2]].round(3).tolist() == [0.504, 0.857, -0.077, 0.111]


def test_the_files_are_named_as_published(data):
    number = 0
    for angle in range(-40, 44):
        for light in range(60, 148):
            if light == 100:
                continue
            _, length, position = published_way.shadow(angle, light)
            assert data.draws.names[number] == f"a_{angle}_{light}_{int(length)}_{int(position)}.png"
            assert data.draws.values[number] == pytest.approx([angle, light, length, position], abs=1e-12)
            number += 1
    assert number == len(data.draws.names) == len(set(data.draws.names))


def check_samples(data, folder, total):
    """Each file is pixel for pixel, and split for split, the image of its name."""
    row_of = {name: row for row, name in enumerate(data.draws.names)}
    files = sorted(folder.glob("*/a_*.png"))
    assert len(files) == total
    for file in files:
        row = row_of[file.name]
        assert data.draws.splits[row] == file.parent.name
        np.testing.assert_array_equal(pixels(data, [row])[0], np.asarray(Image.open(file)), err_msg=file.name)


def test_the_samples(data, samples):
    check_samples(data, samples / "pendulum", 4)


def test_all_samples(data, archive):
    check_samples(data, archive / "pendulum", 120)


@pytest.mark.parametrize("style", ["default", "dark_background", "ggplot"])
def test_the_published_way_draws_the_same_under_any_style(data, style):
    rows = np.random.RandomState(1).choice(7308, 4, replace=False)
    with matplotlib.style.context("default"):
        expected = [published_way.draw_pendulum(*data.draws.values[row, :2]) for row in rows]
    with matplotlib.style.context(style):
        drawn = Pendulum.draw(data.draws.values[rows], np.zeros(4))
    np.testing.assert_array_equal(drawn, np.stack(expected)[..., :3])


def test_a_light_straight_above(data):
    # The published program leaves it out: the tangent has a pole there.
    values = data.counterfactual_values([0], {"light": 100, "angle": 20})[0]
    half = 9.5 * math.sin(20 * math.pi / 200) / 2
    assert values == pytest.approx([20, 100, 3, 10 + half])


def test_sizes_and_channels(data):
    small = Pendulum(size=64, channels="rgb")
    assert small.observation_shape == (64, 64, 3) and data.observation_shape == (96, 96, 4)
    whole = pixels(data, [5])[0, ..., :3]
    reduced = np.asarray(Image.fromarray(whole).resize((64, 64), Image.Resampling.LANCZOS))
    np.testing.assert_array_equal(pixels(small, [5])[0], reduced)
    assert (data.observations([0, 7000])[..., 3] == 1).all()


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("causalvae", [(0, 44), (100, 40), (6.5, 3.5), (10, 5)]),
        ("causalvae_generator", [(0, 44), (100, 40), (7, 7.5), (10, 10)]),
        ("causaldiffae", [(2, 42), (104, 44), (7.5, 4.5), (11, 8)]),
    ],
)
def test_the_published_scalings(data, name, scale):
    centre, width = np.array(scale).T
    scaled = Pendulum(scaling=name)
    np.testing.assert_allclose(scaled.factor_values([3, 9]), (data.factor_values([3, 9]) - centre) / width)
    # What a factor is set to is scaled, too.
    light = (120 - centre[1]) / width[1]
    np.testing.assert_array_equal(
        scaled.counterfactual([3], {"light": light}), data.counterfactual([3], {"light": 120})
    )


def test_the_scalings_of_the_data():
    unit = Pendulum(scaling="min_max").factor_values(np.arange(7308))
    assert unit.min(axis=0) == pytest.approx(np.zeros(4)) and unit.max(axis=0) == pytest.approx(np.ones(4))
    standard = Pendulum(scaling="z_score", labels="published").factor_values(np.arange(7308))
    assert standard.mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-9)
    assert standard.std(axis=0) == pytest.approx(np.ones(4))


def test_indices_are_places_among_the_values(data):
    exact, published = data, Pendulum(labels="published", split="test")
    assert exact.factors_num_values[:2] == published.factors_num_values[:2] == [84, 87]
    assert published.factors_num_values[2:] == [10, 18]  # also where a split lacks some
    assert published.value_names[2] == tuple(str(length) for length in range(3, 13))
    for one in (exact, published):
        indices = one.factor_table.index.to_numpy()[[0, 100, -1]]
        names = one.factor_table.loc[indices].to_numpy().astype(float)
        np.testing.assert_allclose(names, one.factor_values(indices), atol=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "rounded"}, "Unknown `labels` 'rounded'. There are: exact, published"),
        ({"size": 128}, "`size` is one of 96, 64; given: 128"),
        ({"channels": "grey"}, "Unknown `channels` 'grey'. There are: rgba, rgb"),
        ({"split": "tset"}, "Unknown `split` 'tset'. Did you mean 'test'"),
        ({"scaling": "causal_vae"}, "Unknown `scaling` 'causal_vae'. Did you mean 'causalvae'"),
        ({"folder": "nowhere"}, "The folder nowhere does not exist"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(errors.CausalDisentError, match=message.replace("(", r"\(")):
        Pendulum(**options)
