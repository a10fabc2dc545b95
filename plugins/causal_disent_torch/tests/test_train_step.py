"""One step: every model's loss goes down, every weight moves, the terms add up."""

import numpy as np
import pytest
import torch
from small_trainers import make_trainer
from training_configs import SUPERVISED, UNSUPERVISED

from causal_disent.training import checkpoint
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.objective import Objective

pytestmark = pytest.mark.usefixtures("global_generators")

CASES = [*UNSUPERVISED, *SUPERVISED]


def hold_still(trainer, which):
    """Let one of the optimizers make no steps."""
    for group in trainer.optimizers[which].param_groups:
        group["lr"] = 0.0


def loss_of(trainer):
    """The loss of the fixed batch with fixed noise."""
    return next(trainer.evaluations(trainer.batches, trainer.labelled, 5))


@pytest.mark.parametrize("name", CASES)
def test_one_gradient_step_lowers_the_loss_of_a_fixed_batch(name, tiny):
    trainer = make_trainer(name, tiny, "vae/AdamOptimizer.learning_rate = 0.0001")
    if "discriminator" in trainer.optimizers:  # which plays against it
        hold_still(trainer, "discriminator")
    state = trainer.generator.get_state()
    before = trainer.step()["loss"].item()
    trainer.generator.set_state(state)
    trainer.num_steps = 0
    assert trainer.step()["loss"].item() < before


@pytest.mark.parametrize("name", CASES)
def test_every_weight_moves(name, tiny):
    trainer = make_trainer(name, tiny)
    before = {key: value.clone() for key, value in trainer.networks.state_dict().items()}
    for _ in range(3):
        trainer.step()
    still = [key for key, value in trainer.networks.state_dict().items() if torch.equal(value, before[key])]
    assert still == []


@pytest.mark.parametrize("name", CASES)
def test_terms_add_up(name, tiny):
    trainer = make_trainer(name, tiny)
    found = loss_of(trainer)
    assert found["loss"] == pytest.approx(found["reconstruction_loss"] + found["regularizer"], rel=1e-5)
    assert found["elbo"] == pytest.approx(-found["reconstruction_loss"] - found["kl_loss"], rel=1e-5)
    weighted = sum(value for key, value in found.items() if key.startswith("weighted_"))
    kl = {"vae": 4, "s2_vae": 4, "annealed_vae": 10}.get(name, 1) * found["kl_loss"]
    assert found["regularizer"] == pytest.approx(weighted + kl, rel=1e-4)
    if name in SUPERVISED:
        assert found["weighted_supervised_loss"] == pytest.approx(4 * found["supervised_loss"], rel=1e-5)


def test_the_box_term_is_twice_the_error_inside_the_boxes(tiny):
    trainer = make_trainer("s2_factor_vae_bb", tiny)
    found = loss_of(trainer)["weighted_box_loss"]
    images, told = trainer.batches.draw()
    tensor = torch.from_numpy(images)
    mean, log_var = trainer.networks["encoder"](tensor)
    noise = torch.randn(mean.shape, generator=torch.Generator().manual_seed(5))
    pixels = torch.sigmoid(trainer.networks["decoder"](mean + torch.exp(log_var / 2) * noise)).detach().numpy()
    error = sum(
        ((image[top:bottom, left:right] - other[top:bottom, left:right]) ** 2).sum()
        for image, other, (left, top, right, bottom) in zip(images, pixels, told["boxes"], strict=True)
    )
    assert found == pytest.approx(2 * error / len(images), rel=1e-4)


def test_the_discriminator_learns_to_tell_codes_from_shuffled_codes(tiny):
    """Codes that are copies of each other are told from shuffled ones within a few steps."""
    trainer = make_trainer("factor_vae", tiny, "discriminator/AdamOptimizer.learning_rate = 0.0003")
    with torch.no_grad():
        encoder = trainer.networks["encoder"]
        encoder.e1.weight.copy_(encoder.e1.weight[:1].clone().expand_as(encoder.e1.weight) * 10)
        encoder.e2.weight.zero_()
        encoder.e2.bias.fill_(-8.0)
    hold_still(trainer, "vae")
    first = trainer.step()["discriminator_loss"].item()
    last = [trainer.step()["discriminator_loss"].item() for _ in range(40)][-10:]
    assert first == pytest.approx(np.log(2), abs=0.2)
    assert np.mean(last) < first - 0.1


def test_labelled_images_come_in_turn():
    labels = np.arange(5, dtype=np.float32)[:, None]
    images = LabelledImages(lambda rows: rows[:, None].astype(np.float32), labels)
    rows = [images.batch(step, 3)[1].ravel().tolist() for step in range(4)]
    assert rows == [[0, 1, 2], [3, 4, 0], [1, 2, 3], [4, 0, 1]]
    np.testing.assert_array_equal(*images.batch(1, 3))


def test_batches_are_draws_of_the_data_set(tiny):
    images, told = Batches(tiny, 50, 7, with_boxes=True).draw()
    random_state = np.random.RandomState(7)
    factors = tiny.sample_factors(50, random_state)
    indices = tiny.sample_indices(factors, random_state)
    np.testing.assert_array_equal(images, tiny.observations(indices))
    np.testing.assert_array_equal(told["boxes"], tiny.bounding_boxes(indices))
    assert images.dtype == np.float32


def test_an_objective_of_ones_own(tiny):
    """Whatever has `penalties` can be trained."""

    class Nothing(Objective):
        def penalties(self, passed):
            return {"nothing": passed.kl * 0}

    trainer = make_trainer("vae", tiny)
    trainer.objective = Nothing()
    assert loss_of(trainer)["loss"] == pytest.approx(loss_of(trainer)["reconstruction_loss"])


def test_a_checkpoint_from_before_precisions_is_one_in_single_precision(tiny, tmp_path):
    trainer = make_trainer("vae", tiny)
    checkpoint.save(tmp_path / "old", trainer, {"vae.beta": "4"}, 1.0)
    before = checkpoint.read_settings(tmp_path / "old", trainer.framework)
    assert checkpoint.find_differences(before, {"vae.beta": "4", "model.precision": "'float32'"}) == []
    assert checkpoint.find_differences(before, {"vae.beta": "4", "model.precision": "'bfloat16'"}) == [
        "model.precision: 'float32' before, 'bfloat16' now"
    ]
