"""``do_vae``: a reading of DoVAE (Zhu et al. 2022, arXiv:2206.01802), whose losses were not published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from causal_disent import errors
from causal_disent.checks import check_choice, check_numbers, check_whole
from causal_disent.training.objective import Batch, OwnLoss, Penalties
from causal_disent_crl.models.causal_decoder import causal_decoder_of

#: Who an image is paired with: another of the batch by chance, or the one before it.
PAIRS = ("random", "previous")


@dataclass
class DoVae(OwnLoss):
    """See `do_vae`."""

    causes: int
    pairs: str
    beta: float
    exchange: float
    layer: float
    sparsity: float
    acyclicity: float
    acyclicity_squared: float
    warm_up: int
    reconstruction: float

    def prepare(self, data: Any, networks: Any, seed: int) -> None:
        """See that there are causes and effects."""
        decoder = causal_decoder_of("do_vae", networks)
        if decoder.encoder_gives != "codes":
            raise errors.InvalidInput("The model 'do_vae' needs causal_decoder.encoder_gives = 'codes'.")
        if self.causes >= decoder.concepts:
            raise errors.InvalidInput(
                f"do_vae.causes must be less than the number of concepts, {decoder.concepts}, so that effects are "
                f"left; given: {self.causes}."
            )

    def losses(self, networks: Any, batch: Batch) -> Penalties:
        """The plain VAE's, the exchange's and the layer's."""
        decoder, layer = networks["decoder"], networks["decoder"].layer
        mean, log_var = networks["encoder"](batch.images)
        codes = decoder.in_blocks(mean + torch.exp(log_var / 2) * batch.draw(mean.shape))
        number = len(codes)
        if self.pairs == "random":
            partner = batch.draw((number,)).argsort()
        else:
            partner = torch.arange(number, device=codes.device).roll(1)
        # The causes of each image, the effects of its partner: the layer says what becomes of the effects.
        exchanged = torch.cat([codes[:, : self.causes], codes[partner, self.causes :]], dim=1)
        said = torch.cat([codes[:, : self.causes], layer.expected(exchanged)[:, self.causes :]], dim=1)
        drawn = decoder.draw(decoder.masked(torch.cat([codes, said])))
        rebuilt, after = (batch.reconstruction(batch.images, part).mean() for part in drawn.chunk(2))
        unexplained = layer.noise(codes)[:, self.causes :].square().sum((1, 2)).mean() / 2
        h, grown = layer.acyclicity(), 1.0 if not self.warm_up else min(1.0, batch.step / self.warm_up)
        return {
            "reconstruction_loss": self.reconstruction * rebuilt,
            "kl_loss": self.beta * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean() / 2,
            "exchange": grown * self.exchange * self.reconstruction * after,
            "layer": grown * self.layer * unexplained,
            "sparsity": grown * self.sparsity * layer.adjacency.abs().sum(),
            "acyclicity": self.acyclicity * h + self.acyclicity_squared * h.square(),
        }


def do_vae(
    causes: int = 2,
    pairs: str = "random",
    beta: float = 1.0,
    exchange: float = 1.0,
    layer: float = 1.0,
    sparsity: float = 0.0,
    acyclicity: float = 3.0,
    acyclicity_squared: float = 0.5,
    warm_up: int = 0,
    reconstruction: float = 1.0,
) -> OwnLoss:
    r"""DoVAE as we read its abstract: no labels; causes and effects of two images are exchanged.

    The losses, the pairs, the weights and the sizes were not published; each is an argument here. Of a pair (a, b)
    the causes of b with the effects of a go through the causal layer, which says what effects follow, and must
    then decode to b; likewise for a. So the effects of the partner may not count, and the layer must know those of
    the causes. Beside it stand the VAE's own loss, what the layer leaves unexplained of the effects, and
    acyclicity. Concepts have no names: the first `causes` of them are causes.

    Args:
        causes: how many concepts, the first ones, are causes; the others are effects.
        pairs: ``random`` within the batch, or the ``previous`` image of the batch.
        beta: weight of the divergence from the prior.
        exchange: weight of the reconstruction after the exchange.
        layer: weight of half the squared distance between effects and what the layer says of them.
        sparsity: weight of the sum of absolute weights of the graph.
        acyclicity: weight of h, which is 0 for a graph without cycles.
        acyclicity_squared: weight of its square.
        warm_up: steps over which `exchange`, `layer` and `sparsity` grow from 0.
        reconstruction: weight of both reconstructions.
    """
    check_whole("do_vae.causes", causes, 1)
    check_choice("do_vae.pairs", pairs, PAIRS)
    weights = {
        "beta": beta,
        "exchange": exchange,
        "layer": layer,
        "sparsity": sparsity,
        "acyclicity": acyclicity,
        "acyclicity_squared": acyclicity_squared,
        "reconstruction": reconstruction,
    }
    check_numbers("do_vae", **weights)
    check_whole("do_vae.warm_up", warm_up, 0)
    return DoVae(causes=causes, pairs=pairs, warm_up=warm_up, **weights)
