"""``ladder_vae``: codes in levels, the lower ones given the higher (Soenderby et al. 2016, arXiv:1602.02282)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from causal_disent_torch import TorchRepresentation
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.checks import check_numbers, check_whole
from causal_disent.training.objective import Batch, OwnLoss, Penalties
from causal_disent_crl.models.layers import check_sizes

#: Slope of the activation below 0.
SLOPE = 0.1
#: Log variances stay within plus and minus this, so that none overflows while batch normalisation has seen little.
MOST = 10.0


def _block(given: int, made: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(given, made), nn.BatchNorm1d(made), nn.LeakyReLU(SLOPE))


def _bounded(output: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and log variance of a layer's output."""
    mean, log_var = output.chunk(2, dim=1)
    return mean, log_var.clamp(-MOST, MOST)


def _parts(num_latent: int, levels: int) -> list[int]:
    """Return how many codes each level has, from the lowest."""
    check_whole("the number of levels, the length of hidden,", levels, 2)
    if num_latent % levels:
        raise errors.InvalidInput(
            f"encoder.num_latent must be divisible by the number of levels, {levels}, which is the length of "
            f"ladder_encoder.hidden; given: {num_latent}."
        )
    return [num_latent // levels] * levels


class LadderEncoder(nn.Module):
    """``ladder_encoder``: images to what they say of each level: means and log variances, each (n, num_latent).

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes, of all levels.
        generator: not used: torch's own, which a run seeds, draws the weights.
        hidden: units of the layer below each level, from the lowest.
    """

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        hidden: Sequence[int] = (900, 300),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        sizes = check_sizes("ladder_encoder.hidden", hidden)
        parts = _parts(num_latent, len(sizes))
        below = [math.prod(image_shape), *sizes[:-1]]
        self.up = nn.ModuleList(map(_block, below, sizes))
        self.heads = nn.ModuleList(nn.Linear(size, 2 * part) for size, part in zip(sizes, parts, strict=True))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Means and log variances, the lowest level first."""
        hidden, found = images.flatten(1), []
        for layer, head in zip(self.up, self.heads, strict=True):
            hidden = layer(hidden)
            found.append(_bounded(head(hidden)))
        means, log_vars = zip(*found, strict=True)
        return torch.cat(means, dim=1), torch.cat(log_vars, dim=1)


class LadderRepresentation(TorchRepresentation):
    """Codes that are standard normal under the prior: how far each level is from what the one above it says."""

    decoder: Any

    def _encode_batch(self, images: Tensor) -> tuple[Tensor, ...]:
        mean, log_var = super()._encode_batch(images)
        return self.decoder.standardised(mean, log_var)


class LadderDecoder(nn.Module):
    r"""``ladder_decoder``: codes (n, num_latent) to images (n, h, w, c), before any activation.

    The code of a level is :math:`e = (z - \mu_p) / s_p`; the prior's mean and spread come from the level above.

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes, of all levels.
        generator: not used: torch's own, which a run seeds, draws the weights.
        hidden: units of the layer below each level, from the lowest; the encoder's.
    """

    representation = LadderRepresentation

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        hidden: Sequence[int] = (900, 300),
    ) -> None:
        super().__init__()
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        sizes = check_sizes("ladder_decoder.hidden", hidden)
        self.parts = _parts(num_latent, len(sizes))
        self.priors = nn.ModuleList(
            nn.Sequential(_block(above, size), nn.Linear(size, 2 * below))
            for below, above, size in zip(self.parts[:-1], self.parts[1:], sizes[1:], strict=True)
        )
        self.images = nn.Sequential(_block(self.parts[0], sizes[0]), nn.Linear(sizes[0], math.prod(image_shape)))

    def forward(self, codes: Tensor) -> Tensor:
        """Return images before the activation."""
        drawn = torch.zeros(0)
        for level, code in self._downwards(codes):
            mean, log_var = self._prior(level, drawn, code)
            drawn = mean + torch.exp(log_var / 2) * code
        return self.draw(drawn)

    def draw(self, lowest: Tensor) -> Tensor:
        """Return images before the activation, of the lowest level's z."""
        return self.images(lowest).unflatten(1, self.image_shape)

    def _downwards(self, codes: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Return each level and its codes, from the highest."""
        return reversed(list(enumerate(codes.split(self.parts, dim=1))))

    def _prior(self, level: int, above: Tensor, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log variance of a level, given the one above it."""
        if level == len(self.parts) - 1:
            return torch.zeros_like(like), torch.zeros_like(like)
        return _bounded(self.priors[level](above))

    def infer(self, mean: Tensor, log_var: Tensor, noise: Tensor | None = None) -> list[tuple[Tensor, ...]]:
        """From the highest level to the lowest: z, mean and log variance of its posterior, and of its prior.

        The posterior has the precisions of the image and of the prior added up, the mean weighted by them.

        Args:
            mean: (n, num_latent) of what the encoder gives.
            log_var: (n, num_latent) of what the encoder gives.
            noise: (n, num_latent); z is the mean if not given.
        """
        found: list[tuple[Tensor, ...]] = []
        drawn = torch.zeros(0)
        log_vars = log_var.split(self.parts, dim=1)
        noises = None if noise is None else noise.split(self.parts, dim=1)
        for level, seen in self._downwards(mean):
            prior, prior_log_var = self._prior(level, drawn, seen)
            precision, prior_precision = torch.exp(-log_vars[level]), torch.exp(-prior_log_var)
            both = precision + prior_precision
            centre = (seen * precision + prior * prior_precision) / both
            drawn = centre if noises is None else centre + both.rsqrt() * noises[level]
            found.append((drawn, centre, -both.log(), prior, prior_log_var))
        return found

    def standardised(self, mean: Tensor, log_var: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log variance of the codes, each (n, num_latent)."""
        codes = [
            ((centre - prior) * torch.exp(-prior_log_var / 2), posterior - prior_log_var)
            for _, centre, posterior, prior, prior_log_var in reversed(self.infer(mean, log_var))
        ]
        means, log_vars = zip(*codes, strict=True)
        return torch.cat(means, dim=1), torch.cat(log_vars, dim=1)


class LadderVae(OwnLoss):
    """See `ladder_vae`."""

    def __init__(self, beta: float, warm_up: int) -> None:
        self.beta, self.warm_up = beta, warm_up

    def prepare(self, data: Any, networks: Any, seed: int) -> None:
        """See that both networks have the same levels."""
        for role, kind in (("encoder", LadderEncoder), ("decoder", LadderDecoder)):
            if not isinstance(networks[role], kind):
                raise errors.InvalidInput(
                    f"The model 'ladder_vae' needs {role}.{role}_fn = @ladder_{role}; given: "
                    f"{getattr(networks[role], 'name', networks[role])}."
                )
        levels = [len(networks["encoder"].up), len(networks["decoder"].parts)]
        if levels[0] != levels[1]:
            raise errors.InvalidInput(
                f"ladder_encoder.hidden has {levels[0]} levels and ladder_decoder.hidden {levels[1]}: bind one."
            )

    def losses(self, networks: Any, batch: Batch) -> Penalties:
        """Reconstruction, and the divergence of each level's posterior from its prior."""
        if len(batch.images) < 2:
            raise errors.InvalidInput(
                "The model 'ladder_vae' normalises batches: bind model.batch_size to 2 or more."
            )
        mean, log_var = networks["encoder"](batch.images)
        levels = networks["decoder"].infer(mean, log_var, batch.draw(mean.shape))
        divergence = sum(_divergence(*level[1:]) for level in levels)
        grown = 1.0 if not self.warm_up else min(1.0, batch.step / self.warm_up)
        output = networks["decoder"].draw(levels[-1][0])
        return {
            "reconstruction_loss": batch.reconstruction(batch.images, output).mean(),
            "kl_loss": grown * self.beta * divergence,
        }


def _divergence(mean: Tensor, log_var: Tensor, prior: Tensor, prior_log_var: Tensor) -> Tensor:
    """Of one Gaussian from another, summed over the codes, averaged over the batch."""
    spread = torch.exp(log_var - prior_log_var)
    moved = (mean - prior).square() * torch.exp(-prior_log_var)
    return (prior_log_var - log_var + spread + moved - 1).sum(1).mean() / 2


def ladder_vae(beta: float = 1.0, warm_up: int = 10_000) -> OwnLoss:
    """LadderVAE: as many levels of codes as ``ladder_encoder.hidden`` has entries.

    Args:
        beta: weight of the divergence.
        warm_up: steps over which that weight grows from 0.
    """
    check_numbers("ladder_vae", beta=beta)
    check_whole("ladder_vae.warm_up", warm_up, 0)
    return LadderVae(beta, warm_up)
