"""``factor_vae``: FactorVAE (Kim and Mnih 2018, equation 2)."""

from __future__ import annotations

from causal_disent.arguments import check_numbers
from causal_disent.config import REQUIRED
from causal_disent.training.objective import Objective, Pass, Penalties


class FactorVae(Objective):
    """The divergence from the prior, and `gamma` times the discriminator's estimate of the total correlation."""

    discriminates = True

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def penalties(self, passed: Pass) -> Penalties:
        """Two terms."""
        return {"kl_loss": passed.kl, "total_correlation": self.gamma * passed.losses.density_ratio(passed.logits)}


def factor_vae(gamma: float = REQUIRED) -> Objective:
    """FactorVAE; the config also binds ``discriminator`` and ``discriminator_optimizer``."""
    check_numbers("factor_vae", gamma=gamma)
    return FactorVae(gamma)
