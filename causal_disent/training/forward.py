"""A batch through the networks, and the terms of its loss, for any framework that brings the functions.

These are ``draw_codes``, ``gaussian_kl``, ``total_correlation``, ``code_covariance``, ``dip_penalty``,
``density_ratio``, ``box_masks``, ``box_loss``, ``activate`` and ``batch_mean``, all of tensors, as in
`causal_disent_torch.losses`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causal_disent.training.objective import Objective, Pass, Tensor
from causal_disent.training.parts import ReconstructionLoss


@dataclass(frozen=True)
class Given:
    """What goes into one step.

    Attributes:
        images: (n, h, w, c) in [0, 1].
        noise: (n, codes), standard normal.
        step: how many steps were made before.
        weights: what the objective's `weights` gives for this step.
        boxes: (n, 4), where the objective asks for them.
        labelled: images and their labels (n, factors), where the objective has labels.
    """

    images: Tensor
    noise: Tensor
    step: Any
    weights: Mapping[str, Any] = field(default_factory=dict)
    boxes: Tensor | None = None
    labelled: tuple[Tensor, Tensor] | None = None


def forward(
    networks: Any, objective: Objective, reconstruction: ReconstructionLoss, losses: Any, given: Given
) -> Pass:
    """Encode, draw, decode.

    Args:
        networks: ``encoder``, ``decoder``, and ``discriminator`` and ``supervision`` where the objective has them.
        objective: what is minimised.
        reconstruction: the reconstruction loss.
        losses: the functions of the framework.
        given: the batch.
    """
    mean, log_var = networks["encoder"](given.images)
    codes = losses.draw_codes(mean, log_var, given.noise)
    passed = Pass(
        step=given.step,
        images=given.images,
        mean=mean,
        log_var=log_var,
        codes=codes,
        output=networks["decoder"](codes),
        kl=losses.gaussian_kl(mean, log_var),
        activation=reconstruction.activation,
        weights=given.weights,
        losses=losses,
        boxes=given.boxes,
    )
    if objective.discriminates:
        passed.logits = networks["discriminator"](codes)
    if objective.factor_sizes is not None and given.labelled is not None:
        images, labels = given.labelled
        passed.supervised_loss = networks["supervision"](networks["encoder"](images)[0], labels)
    return passed


def terms_of(objective: Objective, reconstruction: ReconstructionLoss, passed: Pass) -> dict[str, Tensor]:
    """Each term by disentanglement_lib's name, the weighted ones that it does not name, and the whole ``loss``."""
    error = passed.losses.batch_mean(reconstruction(passed.images, passed.output))
    penalties = objective.penalties(passed)
    regularizer = sum(penalties.values())
    terms = {
        "reconstruction_loss": error,
        "kl_loss": passed.kl,
        **{f"weighted_{name}": term for name, term in penalties.items() if name != "kl_loss"},
        "regularizer": regularizer,
        "elbo": -(error + passed.kl),
        "loss": error + regularizer,
    }
    if passed.supervised_loss is not None:
        terms["supervised_loss"] = passed.supervised_loss
    return terms
