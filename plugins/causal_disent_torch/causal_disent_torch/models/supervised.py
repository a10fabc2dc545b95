"""``s2_*``: the models with a supervised loss on the labelled images (Locatello et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

from causal_disent import errors
from causal_disent.config import REQUIRED
from causal_disent.registry import component
from causal_disent_torch.models.beta_tc_vae import BetaTcVae
from causal_disent_torch.models.dip_vae import DipVae
from causal_disent_torch.models.factor_vae import FactorVae
from causal_disent_torch.models.objective import Objective, Pass, Penalties
from causal_disent_torch.models.vae import BetaVae
from causal_disent_torch.supervision.annealers import annealer

__all__ = ["Supervised", "s2_beta_tc_vae", "s2_dip_vae", "s2_factor_vae", "s2_vae"]


class Supervised(Objective):
    """Another objective, and the supervised loss with a weight that the annealer makes of `gamma_sup`."""

    def __init__(self, base: Objective, factor_sizes: Sequence[int], gamma_sup: float) -> None:
        if len(factor_sizes) == 0:
            raise errors.InvalidInput(
                "A semi-supervised model needs labels. Train it with dlib_train_semi_supervised, and write "
                "`model.model = @s2_vae`, say, without brackets: the labels' sizes are filled in."
            )
        self.base = base
        self.discriminates = base.discriminates
        self.factor_sizes = [int(size) for size in factor_sizes]
        self.weight = annealer(gamma_sup)

    def penalties(self, passed: Pass) -> Penalties:
        """Those of the other objective and one more."""
        weighted = self.weight(passed.step) * passed.supervised_loss
        return {**self.base.penalties(passed), "supervised_loss": weighted}


@component("s2_vae", supplied=())
def s2_vae(factor_sizes: Sequence[int] = (), beta: float = REQUIRED, gamma_sup: float = REQUIRED) -> Objective:
    """beta-VAE with labels."""
    return Supervised(BetaVae(beta), factor_sizes, gamma_sup)


@component("s2_factor_vae", supplied=())
def s2_factor_vae(
    factor_sizes: Sequence[int] = (), gamma: float = REQUIRED, gamma_sup: float = REQUIRED
) -> Objective:
    """FactorVAE with labels."""
    return Supervised(FactorVae(gamma), factor_sizes, gamma_sup)


@component("s2_dip_vae", supplied=())
def s2_dip_vae(
    factor_sizes: Sequence[int] = (),
    lambda_od: float = REQUIRED,
    lambda_d_factor: float = REQUIRED,
    gamma_sup: float = REQUIRED,
    dip_type: str = "i",
) -> Objective:
    """DIP-VAE with labels."""
    return Supervised(DipVae(lambda_od, lambda_d_factor, dip_type), factor_sizes, gamma_sup)


@component("s2_beta_tc_vae", supplied=())
def s2_beta_tc_vae(
    factor_sizes: Sequence[int] = (), beta: float = REQUIRED, gamma_sup: float = REQUIRED
) -> Objective:
    """beta-TCVAE with labels."""
    return Supervised(BetaTcVae(beta), factor_sizes, gamma_sup)
