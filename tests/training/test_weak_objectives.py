"""Pairs of images that differ in some factors, and the models that learn from them."""

import numpy as np
import pytest

from causal_disent import errors, get_dataset
from causal_disent.cli.dlib import dlib_train_weakly_supervised
from causal_disent.config import gin_config
from causal_disent.training.batches import Batches, draw_pairs, dynamics

DATA = get_dataset("candle_mini")


def differences(k, data=DATA, num=200):
    """The factors in which the images of pairs differ, and those that were drawn last."""
    rows, last = [], []
    random_state = np.random.RandomState(0)
    with gin_config([], [f"dynamics.k = {k}"]):
        for _ in range(num):
            factors = data.sample_factors(1, random_state)
            changed, index = dynamics(factors, data, random_state)
            rows.append((changed != factors)[0])
            last.append(index)
    return np.array(rows), np.array(last)


def test_one_factor_or_k_are_drawn_anew():
    one, last = differences(1)
    assert one.sum(axis=1).max() == 1
    assert all(row[index] or not row.any() for row, index in zip(one, last, strict=True))
    three, _ = differences(3)
    assert three.sum(axis=1).max() == 3 and (three.sum(axis=1) <= 1).mean() > 0.4  # one, or three
    some, last = differences(-1)
    assert some.sum(axis=1).max() > 3 and set(last) == set(range(DATA.num_factors))


def test_which_factors_are_drawn_follows_the_original():
    """Its program, but that it draws the new values with numpy's global generator."""
    for k, seed in ((1, 0), (2, 1), (-1, 2)):
        random_state = np.random.RandomState(seed)
        factors = DATA.sample_factors(1, np.random.RandomState(9))
        number = random_state.randint(1, DATA.num_factors) if k == -1 else k
        expected = random_state.choice(DATA.num_factors, random_state.choice([1, number]), replace=False)
        assert dynamics(factors, DATA, np.random.RandomState(seed), k=k)[1] == expected[-1]


def test_pairs_obey_a_confounding():
    data = get_dataset("candle_mini", confounding="candle_color")
    rows, _ = differences(2, data)
    assert rows.any()
    with gin_config([], ["dynamics.k = 2"]):
        images, changed = draw_pairs(data, 20, np.random.RandomState(0))
    assert images.shape == (40, 64, 64, 3) and images.dtype == np.float32 and changed.shape == (20,)


@pytest.mark.parametrize("name", ["candle_mini", "dummy_data", "synthetic_mini"])
def test_batches_are_of_pairs_of_any_data_set(name):
    batches = Batches(get_dataset(name), 3, 0, in_pairs=True)
    images, told = batches.draw()
    assert len(images) == 6 and set(told) == {"changed"} and told["changed"].shape == (3,)
    again = Batches(get_dataset(name), 3, 0, in_pairs=True)
    assert (again.draw()[0] == images).all()


def test_a_table_that_lacks_combinations():
    """All images of a pair are in the table."""
    data = get_dataset("candle_mini", confounding="candle_color")
    images, _ = Batches(data, 10, 0, in_pairs=True).draw()
    assert np.isfinite(images).all()


@pytest.mark.parametrize("k", [0, 7, -2])
def test_impossible_numbers_of_factors(k):
    with pytest.raises(errors.InvalidInput, match="dynamics.k"):
        dynamics(DATA.sample_factors(1, np.random.RandomState(0)), DATA, np.random.RandomState(0), k=k)


def test_a_model_of_single_images_is_refused(tmp_path, capsys):
    pytest.importorskip("torch")
    flags = ["--gin_config=models/beta_vae.gin", "--gin_bindings=dataset.name = 'candle_mini'"]
    assert dlib_train_weakly_supervised([f"--model_dir={tmp_path / 'model'}", *flags]) == 2
    assert "@group_vae_argmax()" in capsys.readouterr().err and not (tmp_path / "model").exists()


@pytest.mark.parametrize("model", ["group_vae_labels", "group_vae_argmax", "mlvae_labels", "mlvae_argmax"])
def test_the_shipped_configs_train(model, tmp_path):
    pytest.importorskip("torch")
    flags = [
        f"--gin_config=models/{model}.gin",
        "--gin_bindings=dataset.name = 'candle_mini'",
        "--gin_bindings=model.training_steps = 1",
        "--gin_bindings=model.batch_size = 2",
        "--gin_bindings=encoder.encoder_fn = @test_encoder",
        "--gin_bindings=decoder.decoder_fn = @test_decoder",
    ]
    assert dlib_train_weakly_supervised([f"--model_dir={tmp_path / 'model'}", *flags]) == 0
