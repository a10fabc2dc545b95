"""``s2_*``: the models with a supervised loss on the labelled images (Locatello et al. 2020), one with boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from causal_disent import errors
from causal_disent.checks import check_numbers, check_truth, is_whole
from causal_disent.config import REQUIRED
from causal_disent.text import shown_value
from causal_disent.training.annealers import annealer
from causal_disent.training.objective import Objective, Pass, Penalties
from causal_disent.training.objectives.unsupervised import BetaTcVae, BetaVae, DipVae, FactorVae


class Supervised(Objective):
    """Another objective, and the supervised loss with a weight that the annealer makes of `gamma_sup`."""

    def __init__(self, base: Objective, factor_sizes: Sequence[int], gamma_sup: float) -> None:
        sizes = list(factor_sizes) if isinstance(factor_sizes, Iterable) else [None]
        if not all(is_whole(size) and size >= 1 for size in sizes):
            raise errors.InvalidInput(
                "A model's factor_sizes must be a list of whole numbers of at least 1, how many values each label "
                f"has; given: {shown_value(factor_sizes)}. Leave it out: the labeller knows."
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


class Boxed(Objective):
    """Another objective, and `weight` times the squared error inside the box (CANDLE paper, equation 6)."""

    needs_boxes = True

    def __init__(self, base: Objective, weight: float, *, from_bottom: bool = False) -> None:
        self.base, self.weight, self.from_bottom = base, weight, from_bottom
        self.discriminates, self.factor_sizes = base.discriminates, base.factor_sizes

    def weights(self, step: int) -> dict[str, float]:
        """Those of the other objective."""
        return self.base.weights(step)

    def penalties(self, passed: Pass) -> Penalties:
        """Those of the other objective and one more."""
        losses = passed.losses
        masks = losses.box_masks(passed.boxes, passed.images.shape[1:], from_bottom=self.from_bottom)
        error = losses.box_loss(passed.images, losses.activate(passed.output, passed.activation), masks)
        return {**self.base.penalties(passed), "box_loss": self.weight * error}


def s2_factor_vae_bb(
    factor_sizes: Sequence[int] = (),
    gamma: float = REQUIRED,
    gamma_sup: float = REQUIRED,
    lambda_bb: float = 2.0,
    boxes_from_bottom: bool = False,
) -> Objective:
    """SS-FVAE-BB: FactorVAE with labels and bounding boxes.

    Args:
        factor_sizes: number of values of each label.
        gamma: weight of the total correlation.
        gamma_sup: weight of the supervised loss.
        lambda_bb: weight of the squared error inside the boxes.
        boxes_from_bottom: the data set counts the y of its boxes from the bottom row, unlike those here.
    """
    check_numbers("s2_factor_vae_bb", gamma=gamma, gamma_sup=gamma_sup, lambda_bb=lambda_bb)
    check_truth("s2_factor_vae_bb.boxes_from_bottom", boxes_from_bottom)
    base = Supervised(FactorVae(gamma), factor_sizes, gamma_sup)
    return Boxed(base, lambda_bb, from_bottom=boxes_from_bottom)
