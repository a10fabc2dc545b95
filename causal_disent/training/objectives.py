"""The models of disentanglement_lib and of the CANDLE paper, and what backends register for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_number, check_numbers, check_truth, is_whole
from causal_disent.config import REQUIRED
from causal_disent.registry import part
from causal_disent.text import shown_value
from causal_disent.training.objective import Objective, Pass, Penalties, Tensor
from causal_disent.training.settings import check_function


@part("annealer", supplied=("gamma",))
def annealer(
    gamma: float, iteration_threshold: float = REQUIRED, anneal_fn: Callable[[float, int, float], float] = REQUIRED
) -> Callable[[int], float]:
    """The weight at each step, as the bound `anneal_fn` makes it from `gamma`."""
    check_function("annealer.anneal_fn", anneal_fn, "annealer")
    bound = "above" if inspect.unwrap(anneal_fn) is anneal else "at_least"  # it divides by the threshold
    check_number("annealer.iteration_threshold", iteration_threshold, **{bound: 0})
    return lambda step: anneal_fn(gamma, step, iteration_threshold)


def fixed(gamma: float, step: int, iteration_threshold: float) -> float:
    """`gamma` at every step."""
    return gamma


def anneal(gamma: float, step: int, iteration_threshold: float) -> float:
    """From 0 in a straight line to `gamma` at the threshold, and `gamma` from there on."""
    return min(float(gamma), gamma * step / iteration_threshold)


def fine_tune(gamma: float, step: int, iteration_threshold: float) -> float:
    """0 up to the threshold, `gamma` after it."""
    return float(gamma) if step > iteration_threshold else 0.0


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


#: How the Gaussians of a pair become one: their means and variances averaged, or their densities multiplied.
AVERAGES = ("group", "ml")


class Paired(BetaVae):
    """beta-VAE of pairs, whose codes of what both images share are drawn from one Gaussian.

    Args:
        beta: weight of the divergence.
        average: one of `AVERAGES`: that of Group-VAE, or of ML-VAE.
        labelled: the code of the factor in which the images differ is not shared, and all others are. Otherwise
            those are not shared whose divergence between the images is nearer to the largest than to the
            smallest (Locatello et al. 2020).
    """

    needs_pairs = True

    def __init__(self, beta: float, average: str, labelled: bool) -> None:
        super().__init__(beta)
        self.average, self.labelled = average, labelled

    def share(self, mean: Tensor, log_var: Tensor, changed: Tensor | None, losses: Any) -> tuple[Tensor, Tensor]:
        """The Gaussians of each pair, some of them shared."""
        return losses.share_pairs(mean, log_var, changed if self.labelled else None, self.average)


@part("group_vae")
def group_vae(beta: float = REQUIRED) -> float:
    """The weight of the divergence in both models of pairs that average means and variances."""
    check_numbers("group_vae", beta=beta)
    return beta


@part("mlvae")
def mlvae(beta: float = REQUIRED) -> float:
    """The weight of the divergence in both models of pairs that multiply densities."""
    check_numbers("mlvae", beta=beta)
    return beta


def group_vae_labels() -> Objective:
    """Group-VAE; the config binds ``group_vae.beta`` and ``dynamics.k``."""
    return Paired(group_vae(), "group", labelled=True)


def group_vae_argmax() -> Objective:
    """Ada-GVAE; the config binds ``group_vae.beta`` and ``dynamics.k``."""
    return Paired(group_vae(), "group", labelled=False)


def mlvae_labels() -> Objective:
    """ML-VAE; the config binds ``mlvae.beta`` and ``dynamics.k``."""
    return Paired(mlvae(), "ml", labelled=True)


def mlvae_argmax() -> Objective:
    """Ada-ML-VAE; the config binds ``mlvae.beta`` and ``dynamics.k``."""
    return Paired(mlvae(), "ml", labelled=False)


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
