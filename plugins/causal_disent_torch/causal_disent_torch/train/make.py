"""A trainer as the config binds it, its networks tried on two images before training starts."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from causal_disent import errors
from causal_disent.training.batches import Batches
from causal_disent.training.networks import Framework, check_outputs
from causal_disent.training.objective import OwnLoss, discriminator_optimizer, reconstruction_loss, vae_optimizer
from causal_disent.training.plan import Plan, make_networks, others
from causal_disent_torch.callables import evaluating
from causal_disent_torch.global_generators import kept
from causal_disent_torch.tensors import TENSORS
from causal_disent_torch.train.compiled import CompiledTrainer
from causal_disent_torch.train.precision import check_bfloat16
from causal_disent_torch.train.trainer import Trainer

#: For the checks of networks.
TORCH = Framework(
    nn.Module,
    "torch.nn.Module",
    lambda value, shape: isinstance(value, torch.Tensor) and value.shape == shape and value.dtype == torch.float32,
    TENSORS,
)


def make_trainer(plan: Plan, device: torch.device, *, compiled: bool = False) -> Trainer:
    """Networks and optimizers for `plan`, before the first step; `compiled` if steps are the faster for it."""
    objective = plan.objective
    if compiled and isinstance(objective, OwnLoss):
        raise errors.InvalidInput("--compile: a model with a loss of its own is not compiled. Leave it out.")
    bfloat16 = plan.chosen.precision == "bfloat16"
    if bfloat16:
        check_bfloat16(device)
    generator = torch.Generator().manual_seed(plan.model_seed)
    networks = nn.ModuleDict(make_networks(plan, generator, TORCH))
    if isinstance(objective, OwnLoss):
        objective.prepare(plan.data, networks, plan.model_seed)
    networks.to(device)
    optimizers = {"vae": vae_optimizer([weight for one in others(networks) for weight in one.parameters()])}
    if objective.discriminates:
        optimizers["discriminator"] = discriminator_optimizer(list(networks["discriminator"].parameters()))
    _try(networks, plan.data, device)
    return (CompiledTrainer if compiled else Trainer)(
        networks,
        objective,
        reconstruction_loss(),
        optimizers,
        plan.batches(),
        generator,
        device,
        plan.labelled[0],
        bfloat16,
    )


def _try(networks: nn.ModuleDict, data: Any, device: torch.device) -> None:
    """Raise unless the networks fit the images and each other; statistics and generators stay as they are."""
    images, _ = Batches(data, 2, 0).draw()
    with torch.no_grad(), kept(device), evaluating(networks):
        check_outputs(dict(networks.items()), torch.tensor(images, device=device), TORCH)
