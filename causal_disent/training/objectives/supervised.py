"""``s2_*``: the models with a supervised loss on the labelled images (Locatello et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from causal_disent import errors
from causal_disent.arguments import check_numbers, is_whole
from causal_disent.config import REQUIRED
from causal_disent.training.annealers import annealer
from causal_disent.training.objective import Objective, Pass, Penalties
from causal_disent.training.objectives.beta_tc_vae import BetaTcVae
from causal_disent.training.objectives.dip_vae import DipVae
from causal_disent.training.objectives.factor_vae import FactorVae
from causal_disent.training.objectives.vae import BetaVae


class Supervised(Objective):
    """Another objective, and the supervised loss with a weight that the annealer makes of `gamma_sup`."""

    def __init__(self, base: Objective, factor_sizes: Sequence[int], gamma_sup: float) -> None:
        sizes = list(factor_sizes) if isinstance(factor_sizes, Iterable) else [None]
        if not all(is_whole(size) and size >= 1 for size in sizes):
            raise errors.InvalidInput(
                "A model's factor_sizes must be a list of whole numbers of at least 1, how many values each label "
                f"has; given: {factor_sizes!r}. Leave it out: the labeller knows."
            )
        if not sizes:
            raise errors.InvalidInput(
                "A semi-supervised model needs labels. Train it with dlib_train_semi_supervised, and write "
                "`model.model = @s2_vae`, say, without brackets: the labels' sizes are filled in."
            )
        self.base = base
        self.discriminates = base.discriminates
        self.factor_sizes = [int(size) for size in sizes]
        self.weight = annealer(gamma_sup)

    def weights(self, step: int) -> dict[str, float]:
        """Those of the other objective, and that of the supervised loss."""
        return {**self.base.weights(step), "supervised": self.weight(step)}

    def penalties(self, passed: Pass) -> Penalties:
        """Those of the other objective and one more."""
        weighted = passed.weights["supervised"] * passed.supervised_loss
        return {**self.base.penalties(passed), "supervised_loss": weighted}


def s2_vae(factor_sizes: Sequence[int] = (), beta: float = REQUIRED, gamma_sup: float = REQUIRED) -> Objective:
    """beta-VAE with labels."""
    check_numbers("s2_vae", beta=beta, gamma_sup=gamma_sup)
    return Supervised(BetaVae(beta), factor_sizes, gamma_sup)


def s2_factor_vae(
    factor_sizes: Sequence[int] = (), gamma: float = REQUIRED, gamma_sup: float = REQUIRED
) -> Objective:
    """FactorVAE with labels."""
    check_numbers("s2_factor_vae", gamma=gamma, gamma_sup=gamma_sup)
    return Supervised(FactorVae(gamma), factor_sizes, gamma_sup)


def s2_dip_vae(
    factor_sizes: Sequence[int] = (),
    lambda_od: float = REQUIRED,
    lambda_d_factor: float = REQUIRED,
    gamma_sup: float = REQUIRED,
    dip_type: str = "i",
) -> Objective:
    """DIP-VAE with labels."""
    check_numbers("s2_dip_vae", lambda_od=lambda_od, lambda_d_factor=lambda_d_factor, gamma_sup=gamma_sup)
    return Supervised(DipVae(lambda_od, lambda_d_factor, dip_type), factor_sizes, gamma_sup)


def s2_beta_tc_vae(
    factor_sizes: Sequence[int] = (), beta: float = REQUIRED, gamma_sup: float = REQUIRED
) -> Objective:
    """beta-TCVAE with labels."""
    check_numbers("s2_beta_tc_vae", beta=beta, gamma_sup=gamma_sup)
    return Supervised(BetaTcVae(beta), factor_sizes, gamma_sup)
