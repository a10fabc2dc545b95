"""``beta_tc_vae``: beta-TCVAE (Chen et al. 2018, equation 4 with alpha = gamma = 1)."""

from __future__ import annotations

from causal_disent.arguments import check_numbers
from causal_disent.config import REQUIRED
from causal_disent.training.objective import Objective, Pass, Penalties


class BetaTcVae(Objective):
    """The divergence from the prior, and `beta` - 1 times the total correlation, which it holds once already."""

    def __init__(self, beta: float) -> None:
        self.beta = beta

    def penalties(self, passed: Pass) -> Penalties:
        """Two terms."""
        correlation = passed.losses.total_correlation(passed.codes, passed.mean, passed.log_var)
        return {"kl_loss": passed.kl, "total_correlation": (self.beta - 1.0) * correlation}


def beta_tc_vae(beta: float = REQUIRED) -> Objective:
    """beta-TCVAE."""
    check_numbers("beta_tc_vae", beta=beta)
    return BetaTcVae(beta)
