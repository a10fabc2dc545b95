"""``annealed_vae``: AnnealedVAE (Burgess et al. 2018, equation 8)."""

from __future__ import annotations

from causal_disent.arguments import check_number, check_numbers
from causal_disent.config import REQUIRED
from causal_disent.training.annealers import anneal
from causal_disent.training.objective import Objective, Pass, Penalties


class AnnealedVae(Objective):
    """The distance of the divergence from a capacity that rises to `c_max`, `gamma` times."""

    def __init__(self, gamma: float, c_max: float, iteration_threshold: float) -> None:
        check_numbers("annealed_vae", gamma=gamma, c_max=c_max)
        check_number("annealed_vae.iteration_threshold", iteration_threshold, above=0)
        self.gamma, self.c_max, self.iteration_threshold = gamma, c_max, iteration_threshold

    def weights(self, step: int) -> dict[str, float]:
        """The capacity."""
        return {"capacity": anneal(self.c_max, step, self.iteration_threshold)}

    def penalties(self, passed: Pass) -> Penalties:
        """One term."""
        return {"kl_loss": self.gamma * abs(passed.kl - passed.weights["capacity"])}


def annealed_vae(
    gamma: float = REQUIRED, c_max: float = REQUIRED, iteration_threshold: float = REQUIRED
) -> Objective:
    """AnnealedVAE."""
    return AnnealedVae(gamma, c_max, iteration_threshold)
