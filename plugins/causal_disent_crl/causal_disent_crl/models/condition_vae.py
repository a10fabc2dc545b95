"""``condition_vae``: a VAE that is given the labels (Sohn et al. 2015), of the sizes in CausalVAE's program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.checks import check_numbers, check_whole
from causal_disent.training.objective import Batch, OwnLoss, Penalties
from causal_disent_crl.models.causal_vae import Labels, mean_over
from causal_disent_crl.models.layers import check_sizes, mlp

#: Log variance of codes that are labels.
CERTAIN = -10.0


class ConditionEncoder(nn.Module):
    """``condition_encoder``: images (n, h, w, c) to mean and log variance, each (n, num_latent).

    The last codes are the labels. While a model is trained they are given; of an image alone they are what a
    linear map of the first hidden layer says, which is trained beside the model and does not change it.

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes, the labels included.
        generator: not used: torch's own, which a run seeds, draws the weights.
        labels: how many of the codes are labels.
        hidden: units of the hidden layers; labels come in after the first.
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        labels: int = 4,
        hidden: Sequence[int] = (300, 300, 300),
    ) -> None:
        super().__init__()
        check_whole("condition_encoder.labels", labels, 1)
        if labels >= num_latent:
            raise errors.InvalidInput(
                "encoder.num_latent counts the labels too, so that it must be above condition_encoder.labels; "
                f"given: {num_latent} and {labels}."
            )
        self.image_shape, self.num_latent, self.labels = tuple(image_shape), num_latent, labels
        first, *rest = check_sizes("condition_encoder.hidden", hidden)
        self.first = mlp([math.prod(image_shape), first], active=True)
        self.rest = mlp([first + labels, *rest, 2 * (num_latent - labels)])
        self.head = nn.Linear(first, labels)

    def given(self, hidden: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log variance of the codes that are no labels, from the first layer's output."""
        mean, log_var = self.rest(torch.cat([hidden, labels], dim=1)).chunk(2, dim=1)
        return mean, log_var

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log variance, with labels that are guessed."""
        hidden = self.first(images.flatten(1))
        labels = self.head(hidden)
        mean, log_var = self.given(hidden, labels)
        return torch.cat([mean, labels], dim=1), torch.cat([log_var, torch.full_like(labels, CERTAIN)], dim=1)


class MlpDecoder(nn.Module):
    """``crl_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation.

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes.
        generator: not used: torch's own, which a run seeds, draws the weights.
        hidden: units of the hidden layers, each followed by an ELU.
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        hidden: Sequence[int] = (300, 300),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        self.body = mlp([num_latent, *check_sizes("crl_decoder.hidden", hidden), math.prod(image_shape)])

    def forward(self, codes: Tensor) -> Tensor:
        """Return images before the activation."""
        return self.body(codes).unflatten(1, self.image_shape)


class ConditionVae(OwnLoss):
    """See `condition_vae`."""

    def __init__(self, beta: float, options: dict[str, Any]) -> None:
        self.beta, self.options = beta, options
        self.labels: Labels | None = None

    def prepare(self, data: Any, networks: Any, seed: int) -> None:
        """Read the labels."""
        encoder = networks["encoder"]
        if not isinstance(encoder, ConditionEncoder):
            raise errors.InvalidInput(
                "The model 'condition_vae' needs an encoder that takes labels: bind encoder.encoder_fn = "
                f"@condition_encoder; given: {getattr(encoder, 'name', encoder)}."
            )
        self.labels = Labels("condition_vae", data, encoder.labels, seed=seed, **self.options)

    def losses(self, networks: Any, batch: Batch) -> Penalties:
        """Return the VAE's, given the labels, and that of the guess of them."""
        encoder, labels = networks["encoder"], self.labels
        assert labels is not None
        hidden = encoder.first(batch.images.flatten(1))
        guessed = encoder.head(hidden.detach())
        scaled, _, is_labelled = labels.of(batch.indices, hidden.device)
        # Codes for labels that there are not are 0.
        full = nn.functional.pad(scaled, (0, encoder.labels - scaled.shape[1]))
        known = torch.where(is_labelled.bool(), full, guessed.detach())
        mean, log_var = encoder.given(hidden, known)
        codes = mean + torch.exp(log_var / 2) * batch.draw(mean.shape)
        output = networks["decoder"](torch.cat([codes, known], dim=1))
        return {
            "reconstruction_loss": batch.reconstruction(batch.images, output).mean(),
            "kl_loss": self.beta * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean() / 2,
            "guessed_labels": mean_over((guessed - full).square().sum(1) / 2, is_labelled),
        }


def condition_vae(
    beta: float = 1.0,
    scaling: str | None = "z_score",
    labelled_fraction: float = 1.0,
    factors: Sequence[str] | None = None,
) -> OwnLoss:
    """ConditionVAE: encoder and decoder are given the labels, so that the other codes need not hold them.

    Args:
        beta: weight of the divergence from the prior.
        scaling: of the labels: ``z_score``, ``min_max``, one of the data set's, or None.
        labelled_fraction: of the images whose labels are known; above 0. For the others they are guessed.
        factors: the factors that are given; all by default.
    """
    check_numbers("condition_vae", beta=beta)
    return ConditionVae(beta, {"scaling": scaling, "fraction": labelled_fraction, "factors": factors})
