"""``vae``: beta-VAE (Higgins et al. 2017, equation 4)."""

from __future__ import annotations

from causal_disent.arguments import check_numbers
from causal_disent.config import REQUIRED
from causal_disent.training.objective import Objective, Pass, Penalties


class BetaVae(Objective):
    """The divergence from the prior, `beta` times."""

    def __init__(self, beta: float) -> None:
        self.beta = beta

    def penalties(self, passed: Pass) -> Penalties:
        """One term."""
        return {"kl_loss": self.beta * passed.kl}


def vae(beta: float = REQUIRED) -> Objective:
    """beta-VAE; a plain VAE with `beta` 1."""
    check_numbers("vae", beta=beta)
    return BetaVae(beta)
