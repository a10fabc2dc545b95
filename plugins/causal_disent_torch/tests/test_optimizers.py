"""Adam with the names of TensorFlow, step by step against numpy, and what configs bind for it."""

import numpy as np
import pytest
import torch
from causal_disent_torch.training import adam
from small_trainers import make_trainer

from causal_disent.config import gin_config
from causal_disent.training.objective import discriminator_optimizer, vae_optimizer

pytestmark = pytest.mark.usefixtures("global_generators")

START = np.array([0.5, -2.0, 3.0])
GRADIENTS = np.array([[0.3, -0.02, 4.0], [-0.1, 0.5, 2.0], [0.7, 0.01, -1.0]])


def move_module(optimizer_of):
    """Where the steps along `GRADIENTS` lead."""
    weight = torch.nn.Parameter(torch.from_numpy(START.copy()))
    optimizer = optimizer_of([weight])
    for gradient in GRADIENTS:
        weight.grad = torch.from_numpy(gradient.copy())
        optimizer.step()
    return weight.detach().numpy()


def plain_adam(learning_rate, beta1, beta2, epsilon):
    """The same by Kingma and Ba, algorithm 1."""
    weight, first, second = START.copy(), 0.0, 0.0
    for step, gradient in enumerate(GRADIENTS, start=1):
        first = beta1 * first + (1 - beta1) * gradient
        second = beta2 * second + (1 - beta2) * gradient**2
        corrected = np.sqrt(second / (1 - beta2**step))
        weight = weight - learning_rate * (first / (1 - beta1**step)) / (corrected + epsilon)
    return weight


def test_adam():
    options = {"learning_rate": 0.03, "beta1": 0.6, "beta2": 0.7, "epsilon": 0.2}
    np.testing.assert_allclose(move_module(lambda given: adam(given, **options)), plain_adam(**options), rtol=1e-9)


def test_adam_has_tensorflows_defaults():
    np.testing.assert_allclose(move_module(adam), plain_adam(0.001, 0.9, 0.999, 1e-8), rtol=1e-9)


def test_configs_bind_each_number():
    numbers = ["learning_rate = 0.03", "beta1 = 0.6", "beta2 = 0.7", "epsilon = 0.2"]
    adams = [f"AdamOptimizer.{line}" for line in numbers]
    with gin_config(bindings=["vae_optimizer.optimizer_fn = @AdamOptimizer", *adams]):
        found = move_module(vae_optimizer)
    np.testing.assert_allclose(found, plain_adam(0.03, 0.6, 0.7, 0.2), rtol=1e-9)


@pytest.mark.parametrize("wrapper", [vae_optimizer, discriminator_optimizer])
def test_the_wrappers_learning_rate_goes_first(wrapper):
    bindings = [f"{wrapper.name}.optimizer_fn = @AdamOptimizer", f"{wrapper.name}.learning_rate = 0.05",
                "AdamOptimizer.learning_rate = 0.03"]  # fmt: skip
    with gin_config(bindings=bindings):
        found = move_module(wrapper)
    np.testing.assert_allclose(found, plain_adam(0.05, 0.9, 0.999, 1e-8), rtol=1e-9)


def test_encoder_and_discriminator_have_optimizers_of_their_own(tiny):
    more = ["vae/AdamOptimizer.learning_rate = 0.02", "discriminator/AdamOptimizer.learning_rate = 0.04"]
    trainer = make_trainer("s2_factor_vae", tiny, *more, "supervised_loss.loss_fn = @l2")
    rates = {name: optimizer.param_groups[0]["lr"] for name, optimizer in trainer.optimizers.items()}
    assert rates == {"vae": 0.02, "discriminator": 0.04}
    names = {id(weight): name for name, weight in trainer.networks.named_parameters()}
    parts = {
        which: {names[id(weight)].partition(".")[0] for weight in optimizer.param_groups[0]["params"]}
        for which, optimizer in trainer.optimizers.items()
    }
    assert parts == {"vae": {"encoder", "decoder", "supervision"}, "discriminator": {"discriminator"}}
