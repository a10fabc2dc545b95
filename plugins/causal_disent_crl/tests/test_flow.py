"""Flow: the published images, labels, splits and collisions."""

from collections import Counter

import numpy as np
import published_way
import pytest
from causal_disent_crl.flow import Flow
from PIL import Image

from causal_disent import errors


@pytest.fixture(scope="module")
def data():
    return Flow()


def test_the_counts_of_the_published_folders(data):
    assert (len(data.factor_table), len(Flow(split="train").factor_table)) == (8100, 6480)
    sizes = {split: len(Flow(split=split, collisions=True).factor_table) for split in ("train", "test", "all")}
    assert sizes == {"train": 5254, "test": 1620, "all": 6874}
    kept = ~data.draws.overwritten
    names = {split: set(data.draws.names[kept & (data.draws.splits == split)]) for split in ("train", "test")}
    assert len(names["train"] | names["test"]) == 6050 and len(names["train"] & names["test"]) == 824


def test_the_last_draw_of_a_name_stays(data):
    files = list(zip(data.draws.splits, data.draws.names, strict=True))
    last = {file: row for row, file in enumerate(files)}
    assert sorted(last.values()) == np.flatnonzero(~data.draws.overwritten).tolist()
    assert max(Counter(files).values()) == 3
    spread = max(
        abs(data.draws.values[row, 1] - data.draws.values[last[file], 1]) for row, file in enumerate(files)
    )
    assert spread == pytest.approx(0.2)


def test_the_numbers_are_those_of_the_facts(data):
    number = 0
    for ball in range(5, 35):
        for raw in range(10, 40):
            for hole in range(6, 15):
                height = (ball / 30) ** 3 + raw / 10
                flow = (1.96 * height * (hole / 3 - 0.5)) ** 0.5
                assert data.draws.names[number] == f"a_{ball}_{int(height)}_{int(10 * flow)}_{hole}.png"
                assert data.draws.splits[number] == ("test" if number % 5 == 4 else "train")
                assert data.draws.values[number] == pytest.approx([ball, height, 10 * flow, hole], abs=1e-9)
                number += 1
    labels = Flow(labels="published").factor_values(np.arange(8100))
    assert labels.min(axis=0).tolist() == [5, 1, 17, 6] and labels.max(axis=0).tolist() == [34, 5, 66, 14]
    scaled = Flow(labels="published", scaling="causalvae").factor_values(np.arange(8100))[:, 2]
    assert (scaled.min().round(2), scaled.max().round(2), scaled.mean().round(2)) == (-1.6, 0.25, -0.79)


def check_samples(folder, total, least_identical):
    """Drawn with the noise that is found out, each image is the published one, pixel for pixel."""
    read = Flow(folder)
    indices = np.arange(len(read.factor_table))
    assert len(indices) == total
    np.testing.assert_array_equal(read.counterfactual(indices, {}), read.observations(indices))
    noise = read.noise(indices)
    assert (noise == 0.01).sum() >= least_identical and (noise >= 0.01).all() and noise.max() < 0.05
    # Without the noise they differ by no more than 16 grey levels.
    plain = Flow.draw(read.draws.values, np.full(total, 0.01)).astype(int)
    assert np.abs(plain - read.source.pixels).max() <= 16
    for row, split, name in zip(indices, read.draws.splits, read.draws.names, strict=True):
        published = np.asarray(Image.open(folder / split / name))
        shown = np.rint(read.observations([row])[0] * 255)
        np.testing.assert_array_equal(shown, published, err_msg=name)


def test_the_samples(samples):
    check_samples(samples / "flow", 7, 2)


def test_all_samples(archive):
    check_samples(archive / "flow", 120, 87)


def test_the_published_way_draws_the_same(data):
    for row in np.random.RandomState(2).choice(8100, 6, replace=False):
        ball, height, _, hole = data.draws.values[row]
        raw = round(10 * (height - (ball / 30) ** 3))
        noise = 0.01 + 0.002 * (row % 5)
        drawn = Flow.draw(data.draws.values[[row]], np.array([noise]))[0]
        np.testing.assert_array_equal(drawn, published_way.draw_flow(ball, raw, hole, noise)[..., :3])


def test_noise_is_drawn_as_published(data):
    noise = Flow(noise_seed=3).noise(np.arange(8100))
    np.testing.assert_array_equal(noise, Flow(noise_seed=3).noise(np.arange(8100)))
    assert (noise == 0.01).mean() == pytest.approx(0.6827, abs=0.02) and noise.min() == 0.01
    assert (noise > 0.02).mean() == pytest.approx(0.0455, abs=0.01)
    assert (data.noise(np.arange(8100)) == 0.01).all()
    with pytest.raises(errors.InvalidInput, match="`noise_seed` must be a whole number"):
        Flow(noise_seed=-1)
    with pytest.raises(errors.InvalidInput, match="`collisions` must be True or False; given: 'no'"):
        Flow(collisions="no")


def test_the_noise_of_an_image_is_found_out(tmp_path, data):
    rows = [10, 4004, 8004]
    noise = np.array([0.0123, 0.0301, 0.0172])
    images = Flow.draw(data.draws.values[rows], noise)
    for row, image in zip(rows, images, strict=True):
        (tmp_path / data.draws.splits[row]).mkdir(exist_ok=True)
        Image.fromarray(image).save(tmp_path / data.draws.splits[row] / data.draws.names[row])
    (tmp_path / "test").mkdir(exist_ok=True)
    for size in (96, 64):
        read = Flow(tmp_path, size=size)
        assert read.noise(np.arange(3)) == pytest.approx(noise, abs=1e-4)
        np.testing.assert_array_equal(read.counterfactual(np.arange(3), {}), read.observations(np.arange(3)))
