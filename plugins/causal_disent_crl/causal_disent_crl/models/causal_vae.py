"""``causal_vae`` and ``causal_vae_unsupervised`` (Yang et al. 2021, arXiv:2004.08697)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.checks import check_choice, check_number, check_numbers, check_truth, graph_for
from causal_disent.training.objective import Batch, OwnLoss, Penalties
from causal_disent_crl.models.causal_decoder import CausalDecoder, causal_decoder_of
from causal_disent_crl.models.labels import Labels, mean_over

#: What the layer starts from.
INITIAL = ("small", "published", "graph")
#: The published start, for any data: the first concept causes all others, the second those after it, each by 1.
PUBLISHED_CAUSES = 2
#: Variance of the noise that the published program adds before it decodes.
DECODER_VARIANCE = 0.001


class CausalVae(OwnLoss):
    """See `causal_vae`; without `labels` no term has them."""

    def __init__(
        self,
        name: str,
        *,
        alpha: float,
        acyclicity: float,
        acyclicity_squared: float,
        reconstruction: float | None,
        initial: str,
        faithful: bool = False,
        labels: dict[str, Any] | None = None,
    ) -> None:
        check_numbers(name, alpha=alpha, acyclicity=acyclicity, acyclicity_squared=acyclicity_squared)
        if reconstruction is not None:
            check_number(f"{name}.reconstruction", reconstruction, above=0)
        check_choice(f"{name}.initial", initial, INITIAL)
        self.name, self.alpha, self.h, self.h_squared = name, alpha, acyclicity, acyclicity_squared
        self.reconstruction, self.initial, self.faithful = reconstruction, initial, faithful
        self.in_order = faithful
        self.options = labels
        self.labels: Labels | None = None

    def prepare(self, data: Any, networks: Any, seed: int) -> None:
        """Read the labels and start the graph."""
        decoder = causal_decoder_of(self.name, networks)
        if self.faithful and (decoder.attention is None or not decoder.layer.free_diagonal):
            raise errors.InvalidInput(
                f"{self.name}.faithful needs the published decoder: bind causal_decoder.attention = True and "
                "causal_decoder.free_diagonal = True, as models/causal_vae_faithful.gin does."
            )
        if self.options is not None:
            if decoder.label_mechanisms is None:
                raise errors.InvalidInput(f"The model '{self.name}' needs causal_decoder.masked = True.")
            self.labels = Labels(self.name, data, decoder.concepts, seed=seed, **self.options)
            decoder.teach(self.labels.names, self.labels.scaling.centre, self.labels.scaling.scale)
        if self.initial != "small":
            start = self._graph(data, decoder) if self.initial == "graph" else _published(decoder.concepts)
            with torch.no_grad():
                decoder.layer.weights.copy_(start)

    def _graph(self, data: Any, decoder: CausalDecoder) -> Tensor:
        """(k, k): 1 for each edge of the data set's graph between concepts that are taught."""
        graph = graph_for(data)
        missing = [name for name in decoder.names if name not in graph and not name.startswith("concept ")]
        if self.labels is None or missing:
            raise errors.InvalidInput(
                f"{self.name}.initial = 'graph' needs concepts that are taught the factors of the data set's graph"
                + (f"; it has no {errors.listing(missing)}." if missing else "; this model is taught none.")
            )
        start = torch.zeros(decoder.concepts, decoder.concepts)
        for cause, effect in graph.edges:
            if cause in decoder.names and effect in decoder.names:
                start[decoder.names.index(cause), decoder.names.index(effect)] = 1.0
        return start

    def losses(self, networks: Any, batch: Batch) -> Penalties:
        """Reconstruction, divergence of the noise, acyclicity; and what labels say of codes and of the graph."""
        decoder, layer = networks["decoder"], networks["decoder"].layer
        mean, log_var = networks["encoder"](batch.images)
        centre = decoder.in_blocks(mean)
        codes = layer(centre)
        masked = decoder.masked(codes, centre)
        if self.faithful:
            divergence = mean.square().sum(1).mean() / 2
            shown = masked + DECODER_VARIANCE**0.5 * batch.draw(masked.shape)
        else:
            divergence = (mean.square() + log_var.exp() - log_var - 1).sum(1).mean() / 2
            noise = centre + decoder.in_blocks(torch.exp(log_var / 2) * batch.draw(mean.shape))
            shown = decoder.masked(layer(noise), noise)
        # The published sum over one row of pixels is the mean over all, times their width.
        pixels = batch.images[0].numel()
        weight = batch.images.shape[2] / pixels if self.reconstruction is None else self.reconstruction
        h = layer.acyclicity()
        terms = {
            "reconstruction_loss": weight * batch.reconstruction(batch.images, decoder.draw(shown)).mean(),
            "kl_loss": self.alpha * divergence,
            "acyclicity": self.h * h + self.h_squared * h.square(),
        }
        return terms if self.labels is None else {**terms, **self._taught(decoder, codes, masked, batch)}

    def _taught(self, decoder: CausalDecoder, codes: Tensor, masked: Tensor, batch: Batch) -> Penalties:
        """Codes and masked codes towards their labels, and each label towards what its causes say."""
        assert self.labels is not None
        scaled, raw, is_labelled = self.labels.of(batch.indices, codes.device)
        number = scaled.shape[1]
        apart = [(part[:, :number] - scaled[:, :, None]).square().sum((1, 2)) / 2 for part in (codes, masked)]
        shown = raw if self.faithful else scaled
        full = torch.nn.functional.pad(shown, (0, decoder.concepts - number))[:, :, None]
        assert decoder.label_mechanisms is not None
        said = decoder.label_mechanisms(decoder.layer.adjacency.T @ full)[:, :number, 0]
        return {
            "code_labels": mean_over(apart[0], is_labelled),
            "masked_labels": mean_over(apart[1], is_labelled),
            "label_graph": mean_over((said - shown).square().mean(1), is_labelled),
        }


def _published(concepts: int) -> Tensor:
    start = torch.zeros(concepts, concepts)
    start[:PUBLISHED_CAUSES] = 1.0
    return start.triu(1)


def causal_vae(
    alpha: float = 0.3,
    acyclicity: float = 3.0,
    acyclicity_squared: float = 0.5,
    reconstruction: float | None = None,
    initial: str | None = None,
    scaling: str | None = "z_score",
    labelled_fraction: float = 1.0,
    factors: Sequence[str] | None = None,
    faithful: bool = False,
) -> OwnLoss:
    r"""CausalVAE: codes that follow from noise by a learned graph, and are taught the factors.

    .. math:: c\,\mathrm{BCE} + \alpha\,\mathrm{KL}(\epsilon \| N(0, I)) + \tfrac12 \|z - u\|^2
        + \tfrac12 \|w - u\|^2 + \tfrac1k \|g(A^T u) - u\|^2 + \lambda h(A) + \mu h(A)^2

    Args:
        alpha: weight of the divergence.
        acyclicity: weight of h.
        acyclicity_squared: weight of its square.
        reconstruction: c; if not given 1 over height times channels, the published balance.
        initial: the graph at the start: ``small`` random weights, the five edges ``published`` for all data, or
            the data set's own ``graph``. ``small``, or with `faithful` ``published``, if not given.
        scaling: of the labels u: ``z_score``, ``min_max``, one of the data set's (``causalvae``), or None.
        labelled_fraction: of the images whose labels are known; above 0.
        factors: the factors to teach, each to a concept; all by default. Further concepts are not taught.
        faithful: as the published program: the noise is not drawn, its variance is 1; a little noise is added
            before decoding; `A` is fitted to labels that are not scaled; images come in their order. The decoder
            must have the published attention and a free diagonal.
    """
    check_truth("causal_vae.faithful", faithful)
    start = ("published" if faithful else "small") if initial is None else initial
    return CausalVae(
        "causal_vae",
        alpha=alpha,
        acyclicity=acyclicity,
        acyclicity_squared=acyclicity_squared,
        reconstruction=reconstruction,
        initial=start,
        faithful=faithful,
        labels={"scaling": scaling, "fraction": labelled_fraction, "factors": factors},
    )


def causal_vae_unsupervised(
    alpha: float = 0.3,
    acyclicity: float = 3.0,
    acyclicity_squared: float = 0.5,
    reconstruction: float | None = None,
    initial: str = "small",
) -> OwnLoss:
    """CausalVAE without any term that has labels; arguments as for `causal_vae`."""
    return CausalVae(
        "causal_vae_unsupervised",
        alpha=alpha,
        acyclicity=acyclicity,
        acyclicity_squared=acyclicity_squared,
        reconstruction=reconstruction,
        initial=initial,
    )
