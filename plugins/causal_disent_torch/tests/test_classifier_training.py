import warnings

import numpy as np
import pytest
import torch
from causal_disent_torch import classifier_training
from causal_disent_torch.classifier import _warn_of_low, conv_classifier
from causal_disent_torch.classifier_training import LabelledImages, draw_images, shifted
from hypothesis import given
from hypothesis import strategies as st
from squares import QUICK, EndlessSquares, draw, squares

from causal_disent import errors, get_dataset
from causal_disent.data.array_data import ArrayDataset


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CAUSAL_DISENT_CLASSIFIERS", str(tmp_path / "classifiers"))


def accuracy_on_fresh(classifier):
    """On images that are drawn now."""
    random_state = np.random.RandomState(99)
    factors = EndlessSquares().sample_factors(200, random_state)
    tables = classifier.predict_proba(draw(factors, random_state))
    return [float((table.argmax(axis=1) == factors[:, i]).mean()) for i, table in enumerate(tables)]


def test_it_learns_and_says_how_well(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = conv_classifier(squares(), **QUICK)
    assert classifier.name == "conv_classifier"
    assert min(classifier.accuracy) > 0.95 and min(accuracy_on_fresh(classifier)) > 0.95
    shown = capsys.readouterr().err
    assert f"place {classifier.accuracy[0]:.1%}" in shown and "shade" in shown


@pytest.mark.filterwarnings("ignore:The classifier's accuracy")
def test_it_ends_early_where_there_is_nothing_to_learn(capsys, monkeypatch):
    monkeypatch.setattr(classifier_training, "LEAST_STEPS", 10)
    random_state = np.random.RandomState(0)
    factors = np.stack(np.meshgrid(np.arange(4), np.arange(3), np.arange(40)), -1).reshape(-1, 3)[:, :2]
    noise = ArrayDataset(random_state.randint(256, size=(len(factors), 12, 12, 1)).astype(np.uint8), factors)
    classifier = conv_classifier(noise, **{**QUICK, "num_steps": 60, "held_out": 0.25})
    shown = capsys.readouterr().err
    assert "conv_classifier tells no factor better than by chance after " in shown
    assert max(classifier.accuracy) < 0.6
    conv_classifier(squares(480), **{**QUICK, "num_steps": 60, "held_out": 0.25})
    assert "better than by chance" not in capsys.readouterr().err


def test_data_without_a_table():
    classifier = conv_classifier(EndlessSquares(), **QUICK, max_images=300)
    assert min(accuracy_on_fresh(classifier)) > 0.95


def test_a_confounded_view():
    data = squares().restricted(confounding=["only place=0|1: shade=0", "only place=2|3: shade=1|2"])
    classifier = conv_classifier(data, **QUICK)
    assert min(classifier.accuracy) > 0.95
    assert [table.shape[1] for table in classifier.predict_proba(np.zeros((1, 12, 12, 1)))] == [4, 3]


def test_the_same_seed_gives_the_same_weights(tmp_path):
    options = {**QUICK, "num_steps": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, same, other = (
            conv_classifier(squares(), **options, seed=seed, cache_dir=tmp_path / name)
            for seed, name in ((3, "a"), (3, "b"), (4, "c"))
        )
    for name, tensor in first.network.state_dict().items():
        assert torch.equal(tensor, same.network.state_dict()[name]), name
    assert not torch.equal(first.network.output.weight, other.network.output.weight)


def test_the_accuracy_is_that_on_the_images_left_out():
    data, seed = squares(), 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = conv_classifier(data, **{**QUICK, "num_steps": 12}, held_out=0.25, seed=seed)
    order = np.random.RandomState(seed).permutation(240)[:60]
    table = data.factor_table
    for i, probabilities in enumerate(classifier.predict_proba(data.observations(order))):
        truth = table.iloc[order, i].cat.codes.to_numpy()
        assert classifier.accuracy[i] == pytest.approx((probabilities.argmax(axis=1) == truth).mean())


def test_what_cannot_be_learned_is_warned_of():
    data = squares()
    noise = np.random.RandomState(1).randint(3, size=240)
    pixels = (data.observations(np.arange(240)) * 255).astype(np.uint8)
    mixed = ArrayDataset(pixels, {"place": data.factor_table["place"].cat.codes.to_numpy(), "luck": noise})
    with pytest.warns(UserWarning, match=r"below 90%: luck \d+%\. CG says little"):
        conv_classifier(mixed, **QUICK)
    with warnings.catch_warnings():  # said once per process
        warnings.simplefilter("error")
        conv_classifier(mixed, **QUICK)
    _warn_of_low.cache_clear()  # as in a new process, where the classifier comes from the cache
    with pytest.warns(UserWarning, match="luck"):
        conv_classifier(mixed, **QUICK)


@given(st.integers(3, 60), st.floats(0.001, 0.999), st.integers(0, 100))
def test_no_image_is_both_learned_and_tested(total, held_out, seed):
    images = LabelledImages(np.arange(total, dtype=np.uint8).reshape(-1, 1, 1, 1), np.arange(total)[:, None])
    learned, unseen = images.split(held_out, np.random.RandomState(seed))
    assert len(learned.pixels) >= 2 and len(unseen.pixels) >= 1
    assert sorted([*learned.factors[:, 0], *unseen.factors[:, 0]]) == list(range(total))
    np.testing.assert_array_equal(learned.pixels[:, 0, 0, 0], learned.factors[:, 0])


def test_large_data_sets_are_sampled():
    images = draw_images(squares(), 50, np.random.RandomState(0))
    assert images.pixels.shape == (50, 12, 12, 1) and images.pixels.dtype == np.uint8
    whole = squares().observations(np.arange(240))
    rows = [int(np.abs(whole * 255 - pixels).sum(axis=(1, 2, 3)).argmin()) for pixels in images.pixels]
    assert len(set(rows)) == 50
    np.testing.assert_array_equal(squares().factor_table.iloc[rows, 0].cat.codes.to_numpy(), images.factors[:, 0])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"channels": (8, 8)}, "channels must be three whole numbers, at least 1"),
        ({"channels": (8, 0, 8)}, "channels must be three whole numbers, at least 1"),
        ({"num_steps": 0}, "num_steps must be a whole number, at least 1; given: 0"),
        ({"batch_size": 1}, "batch_size must be a whole number, at least 2; given: 1"),
        ({"max_images": True}, "max_images must be a whole number, at least 3; given: True"),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number, greater than 0"),
        ({"held_out": 1.0}, "held_out must be a finite number, greater than 0 and less than 1; given: 1.0"),
        ({"seed": -1}, "conv_classifier.seed must be"),
        ({"max_shift": -1}, "max_shift must be a whole number, at least 0; given: -1"),
        ({"channels": 5}, "channels must be three whole numbers, at least 1.*given: 5"),
        ({"channels": "abc"}, "channels must be three whole numbers, at least 1.*given: 'abc'"),
        (
            {"learning_rate": "x"},
            "learning_rate must be a finite number, greater than 0 and at most 1; given: 'x'",
        ),
        ({"held_out": "x"}, "held_out must be a finite number, greater than 0 and less than 1; given: 'x'"),
        ({"seed": 2**33}, "conv_classifier.seed must be"),
        ({"cache_dir": 5}, "cache_dir must be the path of a folder; given: 5"),
        ({"device": "tpu"}, "Unknown device 'tpu'"),
        ({"device": 5}, "Unknown device '5'"),
    ],
)
def test_options_that_cannot_be_used(option, message):
    with pytest.raises(errors.CausalDisentError, match=message):
        conv_classifier(squares(), **option)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has the device")
def test_a_device_that_is_not_there():
    with pytest.raises(errors.InvalidInput, match="There is no device 'cuda' on this machine"):
        conv_classifier(squares(), device="cuda")


def test_data_that_cannot_be_used():
    with pytest.raises(errors.InvalidInput, match=r"needs images \(height, width, channels\)"):
        conv_classifier(get_dataset("identity_data"))
    with pytest.raises(errors.InvalidInput, match="needs three images"):
        conv_classifier(ArrayDataset(np.zeros((2, 4, 4), np.uint8), [[0], [1]]), **QUICK)


class FromOne(EndlessSquares):
    """Factors that count from 1."""

    def sample_factors(self, num, random_state):
        return super().sample_factors(num, random_state) + 1

    def sample_observations_from_factors(self, factors, random_state):
        return draw(factors - 1, random_state)


def test_factors_that_do_not_count_from_0():
    with pytest.raises(errors.InvalidInput, match="count from 0; factor 0 of the data set has 4 values"):
        conv_classifier(FromOne(), **QUICK, max_images=100)


@pytest.mark.filterwarnings("ignore:The classifier's accuracy")
def test_shifted_images():
    images = torch.arange(2 * 4 * 5 * 3.0).view(2, 4, 5, 3)
    assert torch.equal(shifted(images, (2, 2), 2), images)
    moved = shifted(images, (0, 3), 2)  # down by two, left by one
    assert torch.equal(moved[:, 2:, :-1], images[:, :2, 1:])
    assert torch.equal(moved[:, 0, :-1], images[:, 0, 1:]) and torch.equal(moved[:, 2:, -1], images[:, :2, -1])


def test_what_is_learned_from_shifted_images_depends_on_the_shift():
    data = squares()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            conv_classifier(data, **{**QUICK, "num_steps": 6}, max_shift=most).predict_proba(
                data.observations(np.arange(4))
            )
            for most in (0, 2, 2)
        ]
    assert not np.allclose(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[1][0], found[2][0])


@pytest.mark.parametrize("shape", [(128, 128, 3), (240, 320, 1), (15, 9, 3)])
def test_images_of_any_size(shape):
    pixels = np.random.RandomState(0).randint(256, size=(8, *shape), dtype=np.uint8)
    data = ArrayDataset(pixels, np.arange(8)[:, None] % 2)
    classifier = conv_classifier(data, **{**QUICK, "num_steps": 2, "batch_size": 4})
    (table,) = classifier.predict_proba(data.observations(np.arange(8)))
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The classifier's accuracy")  # of the rotation, after so few steps
def test_candle_mini_is_recognised():
    classifier = conv_classifier(get_dataset("candle_mini"), num_steps=250)
    assert np.mean(classifier.accuracy) > 0.95
