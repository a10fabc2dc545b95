"""The networks that a config binds for a plan, in any framework."""

from __future__ import annotations

from typing import Any

from causal_disent.training.network_checks import Framework, check_network, check_sizes
from causal_disent.training.parts import decoder, discriminator, encoder, supervised_loss
from causal_disent.training.plan import Plan

#: Has a loss and an optimizer of its own.
DISCRIMINATOR = "discriminator"


def make_networks(plan: Plan, generator: Any, framework: Framework) -> dict[str, Any]:
    """``encoder`` and ``decoder``; ``supervision`` and ``discriminator`` where the objective needs them.

    Args:
        plan: what is trained on what.
        generator: of the initial weights, which are drawn in this order.
        framework: whose networks they are.
    """
    shape = tuple(plan.data.observation_shape)
    made, num_latent = encoder(shape, generator)
    networks = {"encoder": check_network("encoder", made, framework)}
    check_sizes(made, shape, num_latent)
    networks["decoder"] = check_network("decoder", decoder(shape, num_latent, generator), framework)
    if plan.objective.factor_sizes is not None:
        networks["supervision"] = supervised_loss(num_latent, plan.objective.factor_sizes, generator)
    if plan.objective.discriminates:
        judge = discriminator(num_latent, generator)
        networks[DISCRIMINATOR] = check_network(DISCRIMINATOR, judge, framework)
    return networks


def others(networks: Any) -> list[Any]:
    """The networks that the first optimizer trains: all but the discriminator."""
    return [network for role, network in networks.items() if role != DISCRIMINATOR]
