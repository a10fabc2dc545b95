"""The whole loss of each model, its gradient and its mean over batches, against plain computations in numpy."""

import numpy as np
import pytest
import torch
from plain_losses import Plain, cross_entropy, entropy, weights_of
from small_trainers import LABELS, make_trainer
from training_configs import unsupervised

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.training.batches import Batches
from causal_disent.training.loop import evaluate
from causal_disent.training.objective import reconstruction_loss

pytestmark = pytest.mark.usefixtures("global_generators")

ANNEALED = [
    "supervised_loss.loss_fn = @xent",
    "annealer.anneal_fn = @anneal",
    "annealer.iteration_threshold = 7",
]
#: A weight for each term, no two the same -> the terms beside the reconstruction loss.
MODELS = {
    "vae": (["beta = 3.5"], lambda x: 3.5 * x.kl),
    "annealed_vae": (
        ["gamma = 11", "c_max = 50.", "iteration_threshold = 7"],
        lambda x: 11 * abs(x.kl - 50 * x.step / 7),
    ),
    "factor_vae": (["gamma = 6.5"], lambda x: x.kl + 6.5 * x.odds),
    "dip_vae i": (
        ["lambda_od = 3", "lambda_d_factor = 5", "dip_type = 'i'"],
        lambda x: x.kl + x.dip(3, 15, drawn=False),
    ),
    "dip_vae ii": (
        ["lambda_od = 3", "lambda_d_factor = 5", "dip_type = 'ii'"],
        lambda x: x.kl + x.dip(3, 15, drawn=True),
    ),
    "beta_tc_vae": (["beta = 4.5"], lambda x: x.kl + 3.5 * x.total_correlation),
    "s2_vae": (["beta = 3.5", "gamma_sup = 2.5"], lambda x: 3.5 * x.kl + 2.5 * x.step / 7 * x.xent),
    "s2_factor_vae": (
        ["gamma = 6.5", "gamma_sup = 2.5"],
        lambda x: x.kl + 6.5 * x.odds + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_dip_vae i": (
        ["lambda_od = 3", "lambda_d_factor = 5", "gamma_sup = 2.5", "dip_type = 'i'"],
        lambda x: x.kl + x.dip(3, 15, drawn=False) + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_dip_vae ii": (
        ["lambda_od = 3", "lambda_d_factor = 5", "gamma_sup = 2.5", "dip_type = 'ii'"],
        lambda x: x.kl + x.dip(3, 15, drawn=True) + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_beta_tc_vae": (
        ["beta = 4.5", "gamma_sup = 2.5"],
        lambda x: x.kl + 3.5 * x.total_correlation + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_factor_vae_bb top": (
        ["gamma = 6.5", "gamma_sup = 2.5"],
        lambda x: x.kl + 6.5 * x.odds + 2.5 * x.step / 7 * x.xent + 2 * x.box(x.sigmoid),
    ),
    "s2_factor_vae_bb bottom": (
        ["gamma = 6.5", "gamma_sup = 2.5", "lambda_bb = 1.5", "boxes_from_bottom = True"],
        lambda x: x.kl + 6.5 * x.odds + 2.5 * x.step / 7 * x.xent + 1.5 * x.box(x.sigmoid, from_bottom=True),
    ),
}


def model(case, tiny, *more):
    """The trainer of one of `MODELS`."""
    name = case.split()[0]
    bindings = [f"{name}.{line}" for line in MODELS[case][0]]
    return make_trainer(name, tiny, *(ANNEALED if name.startswith("s2_") else []), *bindings, *more)


def plain(trainer, tiny, generator, step, *, labelled_step=None, drawn=None):
    """What is about to pass the networks of `trainer`; `generator` stays as it is."""
    images, told = trainer.batches.draw() if drawn is None else drawn
    noise = torch.randn((len(images), 3), generator=generator.clone_state()).numpy()
    first = len(images) * (step if labelled_step is None else labelled_step)
    rows = [row % 5 for row in range(first, first + len(images))]
    labelled = tiny.observations(np.array(rows)), LABELS[rows]
    return Plain(weights_of(trainer), np.asarray(images, float), noise, step, labelled, told.get("boxes"))


def check(found, reconstruction, regularizer, kl):
    assert found["reconstruction_loss"].item() == pytest.approx(reconstruction, rel=1e-5)
    assert found["kl_loss"].item() == pytest.approx(kl, rel=1e-4)
    assert found["regularizer"].item() == pytest.approx(regularizer, rel=1e-4)
    assert found["loss"].item() == pytest.approx(reconstruction + regularizer, rel=1e-5)
    assert found["elbo"].item() == pytest.approx(-reconstruction - kl, rel=1e-5)


@pytest.mark.parametrize("num_steps", [0, 4])
@pytest.mark.parametrize("case", MODELS)
def test_the_whole_loss(case, num_steps, tiny):
    trainer = model(case, tiny)
    for _ in range(num_steps):
        trainer.step()
    expected = plain(trainer, tiny, trainer.generator, num_steps)
    bernoulli, regularizer, kl = expected.bernoulli, MODELS[case][1](expected), expected.kl
    check(trainer.step(), bernoulli, regularizer, kl)


def test_the_capacity_may_be_above_the_divergence(tiny):
    """Otherwise the case of `annealed_vae` would say nothing about the distance from it."""
    trainer = model("annealed_vae", tiny)
    assert plain(trainer, tiny, trainer.generator, 4).kl < 50 * 4 / 7


@pytest.mark.parametrize("subtracted", [False, True])
def test_the_images_own_entropy_is_subtracted_if_a_config_says_so(subtracted, tiny):
    images = tiny.observations(np.arange(9))
    output = np.random.RandomState(0).normal(size=images.shape).astype(np.float32)
    more = [f"bernoulli_loss.subtract_true_image_entropy = {subtracted}"]
    with gin_config(bindings=unsupervised("vae", *more)):
        found = reconstruction_loss()(torch.from_numpy(images), torch.from_numpy(output)).numpy()
    own = entropy(images.astype(float))
    assert own.max() > 10
    expected = cross_entropy(images, output).sum(axis=(1, 2, 3)) - subtracted * own
    np.testing.assert_allclose(found, expected, rtol=1e-4)  # black pixels are moved a little off 0


def test_what_is_no_truth_value(tiny):
    lines = unsupervised("vae", "bernoulli_loss.subtract_true_image_entropy = 'False'")
    images = torch.from_numpy(tiny.observations(np.arange(9)))
    with pytest.raises(errors.InvalidInput, match="must be True or False; given: 'Fa"), gin_config(bindings=lines):
        reconstruction_loss()(images, images)


def test_squared_errors_and_another_activation(tiny):
    more = ["reconstruction_loss.loss_fn = @l2_loss", "reconstruction_loss.activation = 'tanh'"]
    trainer = model("s2_factor_vae_bb bottom", tiny, *more)
    expected = plain(trainer, tiny, trainer.generator, 0)
    found = trainer.step()
    error = ((expected.images - expected.tanh) ** 2).sum() / 9
    assert found["reconstruction_loss"].item() == pytest.approx(error, rel=1e-5)
    box = 1.5 * expected.box(expected.tanh, from_bottom=True)
    assert found["weighted_box_loss"].item() == pytest.approx(box, rel=1e-5)


@pytest.mark.parametrize("case", MODELS)
def test_the_gradient_is_that_of_the_models_own_loss(case, tiny):
    """By differences along a direction; the discriminator's loss adds nothing to it."""
    trainer = model(case, tiny)
    trainer.step()  # whose gradient is not to count any more
    trainer.num_steps = 3
    expected = plain(trainer, tiny, trainer.generator, 3)
    trainer.step()
    random_state = np.random.RandomState(0)
    for name in ("encoder.e1", "encoder.e2", "decoder.d1"):
        gradient = trainer.networks.get_submodule(name).weight.grad.double().numpy()
        before = expected.weights[f"{name}.weight"]
        direction = gradient / np.linalg.norm(gradient) + random_state.normal(size=gradient.shape) / 100
        losses = []
        for length in (1e-5, -1e-5):
            expected.weights[f"{name}.weight"] = before + length * direction
            losses.append(expected.bernoulli + MODELS[case][1](expected))
        expected.weights[f"{name}.weight"] = before
        assert (gradient * direction).sum() == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-3)


@pytest.mark.parametrize("case", ["factor_vae", "s2_factor_vae", "s2_factor_vae_bb top"])
def test_the_models_loss_does_not_move_the_discriminator(case, tiny):
    gradients = []
    for gamma in (0, 1000):
        trainer = model(case, tiny, f"{case.split()[0]}.gamma = {gamma}")
        trainer.step()
        gradients.append([weight.grad.numpy() for weight in trainer.networks["discriminator"].parameters()])
    for first, second in zip(*gradients, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-8)
        assert np.abs(first).sum() > 0


@pytest.mark.parametrize("case", ["s2_vae", "annealed_vae"])
def test_the_loss_at_the_end_is_the_mean_over_the_batches(case, tiny):
    """With the weights that the last step would have; the labelled images come in turn from the first."""
    trainer = model(case, tiny)
    trainer.num_steps = 4
    found = evaluate(trainer, Batches(tiny, 6, 8), trainer.labelled, 5, 2)
    generator, batches, losses = torch.Generator().manual_seed(5), Batches(tiny, 6, 8), []
    for number in range(2):
        expected = plain(trainer, tiny, generator, 4, labelled_step=number, drawn=batches.draw())
        torch.randn((6, 3), generator=generator)
        losses.append(expected.bernoulli + MODELS[case][1](expected))
    assert found["loss"] == pytest.approx(np.mean(losses), rel=1e-5)
    assert losses[0] != pytest.approx(losses[1], rel=1e-3)
    other = evaluate(trainer, Batches(tiny, 6, 8), trainer.labelled, 6, 2)
    assert other["loss"] != pytest.approx(found["loss"], rel=1e-5)
