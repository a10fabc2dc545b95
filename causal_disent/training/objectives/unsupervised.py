"""The models that learn from images alone."""

from __future__ import annotations

from causal_disent import errors
from causal_disent.checks import check_number, check_numbers
from causal_disent.config import REQUIRED
from causal_disent.training.annealers import anneal
from causal_disent.training.objective import Objective, Pass, Penalties

#: ``"i"`` regards the means alone, ``"ii"`` the codes that are drawn.
DIP_TYPES = ("i", "ii")


class BetaVae(Objective):
    """The divergence from the prior, `beta` times (Higgins et al. 2017, equation 4)."""

    def __init__(self, beta: float) -> None:
        self.beta = beta

    def penalties(self, passed: Pass) -> Penalties:
        """One term."""
        return {"kl_loss": self.beta * passed.kl}


def vae(beta: float = REQUIRED) -> Objective:
    """beta-VAE; a plain VAE with `beta` 1."""
    check_numbers("vae", beta=beta)
    return BetaVae(beta)


class AnnealedVae(Objective):
    """`gamma` times the distance of the divergence from a capacity that rises to `c_max` (Burgess et al. 2018)."""

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


class FactorVae(Objective):
    """The divergence, and `gamma` times the discriminator's total correlation (Kim and Mnih 2018, equation 2)."""

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


class DipVae(Objective):
    """The divergence, and how far the codes' covariance is from the identity (Kumar et al. 2018)."""

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


class BetaTcVae(Objective):
    """The divergence, and `beta` - 1 times the total correlation, which it holds once already.

    Chen et al. 2018, equation 4 with alpha = gamma = 1.
    """

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
