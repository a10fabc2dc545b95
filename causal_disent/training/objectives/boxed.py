"""``s2_factor_vae_bb``: SS-FVAE-BB, which looks harder at the object's bounding box (CANDLE paper, equation 6)."""

from __future__ import annotations

from collections.abc import Sequence

from causal_disent.arguments import check_numbers, check_truth
from causal_disent.config import REQUIRED
from causal_disent.training.objective import Objective, Pass, Penalties
from causal_disent.training.objectives.factor_vae import FactorVae
from causal_disent.training.objectives.supervised import Supervised


class Boxed(Objective):
    """Another objective, and `weight` times the squared error inside the boxes."""

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
    """FactorVAE with labels and bounding boxes.

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
