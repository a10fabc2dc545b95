"""``dip_vae``: DIP-VAE-I and DIP-VAE-II (Kumar et al. 2018)."""

from __future__ import annotations

from causal_disent import errors
from causal_disent.arguments import check_numbers
from causal_disent.config import REQUIRED
from causal_disent.training.objective import Objective, Pass, Penalties

#: ``"i"`` regards the means alone, ``"ii"`` the codes that are drawn.
DIP_TYPES = ("i", "ii")


class DipVae(Objective):
    """The divergence from the prior, and how far the codes' covariance is from the identity."""

    def __init__(self, lambda_od: float, lambda_d_factor: float, dip_type: str) -> None:
        if dip_type not in DIP_TYPES:
            raise errors.unknown("dip_type", dip_type, DIP_TYPES)
        self.lambda_od, self.lambda_d, self.dip_type = lambda_od, lambda_d_factor * lambda_od, dip_type

    def penalties(self, passed: Pass) -> Penalties:
        """Two terms."""
        losses = passed.losses
        covariance = losses.code_covariance(passed.mean, passed.log_var, self.dip_type)
        return {"kl_loss": passed.kl, "dip_loss": losses.dip_penalty(covariance, self.lambda_od, self.lambda_d)}


def dip_vae(lambda_od: float = REQUIRED, lambda_d_factor: float = REQUIRED, dip_type: str = "i") -> Objective:
    """DIP-VAE; the weight of the diagonal is `lambda_d_factor` times `lambda_od`."""
    check_numbers("dip_vae", lambda_od=lambda_od, lambda_d_factor=lambda_d_factor)
    return DipVae(lambda_od, lambda_d_factor, dip_type)
