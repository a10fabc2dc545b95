"""Which seed decides which images."""

import numpy as np
import pytest
from squares import NUM_VALUES, EndlessSquares
from training_configs import supervised, unsupervised

from causal_disent.config import gin_config
from causal_disent.registry import Entry, registry
from causal_disent.runs.dataset import dataset
from causal_disent.runs.train import train_with_gin
from causal_disent.training import loop
from causal_disent.training.plan import make_plan

pytestmark = pytest.mark.usefixtures("global_generators", "tiny")


def test_the_loss_is_evaluated_on_other_draws_than_trained_on(monkeypatch, tmp_path):
    evaluate, drawn = loop.evaluate, []

    def recording(trainer, batches, *more):
        drawn.extend([trainer.batches.draw()[0], batches.draw()[0]])
        return evaluate(trainer, batches, *more)

    monkeypatch.setattr(loop, "evaluate", recording)
    more = ["model.training_steps = 0", "model.batch_size = 20"]
    train_with_gin(tmp_path / "m", gin_bindings=unsupervised("vae", *more), device="cpu")
    assert not np.array_equal(*drawn)


def labelled(*more):
    """The labelled images to train on, and those to evaluate on, of a run of ``dlib_train_semi_supervised``."""
    with gin_config(bindings=supervised("s2_vae", "model.num_labelled_samples = 20", *more)):
        return make_plan(dataset(), with_labels=True).labelled


def test_another_seed_gives_other_labelled_images():
    first, again, other = (labelled(f"model.supervised_data_seed = {seed}")[0].labels for seed in (2, 2, 3))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    # The seeds of the weights and of the images without labels have no say in it.
    more = ["model.supervised_data_seed = 2", "model.model_seed = 7", "model.unsupervised_data_seed = 8"]
    np.testing.assert_array_equal(first, labelled(*more)[0].labels)


def test_labels_are_those_of_their_images(tiny):
    """Also of those that are kept back: 22 % of 20, rounded down."""
    parts = labelled("model.train_percentage = 0.78")
    assert [len(part.labels) for part in parts] == [16, 4]
    for part in parts:
        images, labels = part.batch(0, len(part.labels))
        places = 3 * labels[:, 0] + labels[:, 1]  # in the tiny data set
        np.testing.assert_array_equal(images, tiny.observations(places.astype(int)))


def test_factors_then_images_then_labels_are_drawn():
    """As disentanglement_lib does, so that a seed means the same labelled images there and here."""
    restore = registry.replace(Entry("datasets", "endless", "tests", EndlessSquares, "for tests"))
    try:
        parts = labelled("dataset.name = 'endless'", "labeller.labeller_fn = @permuted_labeller")
    finally:
        restore()
    random_state, data = np.random.RandomState(2), EndlessSquares()
    factors = data.sample_factors(20, random_state)
    images = data.sample_observations_from_factors(factors, random_state)
    names = [random_state.permutation(size) for size in NUM_VALUES]
    labels = np.stack([renamed[column] for renamed, column in zip(names, factors.T, strict=True)], axis=1)
    np.testing.assert_array_equal(parts[0].labels, labels[:16])
    np.testing.assert_array_equal(parts[0].batch(0, 16)[0], images[:16])
