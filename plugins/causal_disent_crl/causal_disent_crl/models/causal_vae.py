"""CausalVAE and its peer that exchanges causes and effects, and the labels that they are taught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.checks import (
    check_arguments,
    check_choice,
    check_number,
    check_numbers,
    check_truth,
    columns_of,
    graph_for,
    parameters_of,
    whole,
)
from causal_disent.data.factor_table import factor_values
from causal_disent.metrics.draw import factor_names
from causal_disent.protocols import IntArray, is_finite
from causal_disent.training.objective import Batch, OwnLoss, Penalties
from causal_disent_crl.mechanism_data import Scaling, find_scaling
from causal_disent_crl.models.causal_decoder import CausalDecoder, causal_decoder_of


class Labels:
    """Labels of some or of all images of a finite data set.

    Args:
        model: the name of the model that needs them, for messages.
        data: the data set; its `factor_values` are the labels.
        most: how many factors the model can be taught.
        scaling: ``z_score``, ``min_max``, or one that the data set has under ``scalings``; None for none.
        fraction: of the images that have labels, above 0.
        factors: their names; all by default.
        seed: of the choice of the images that have labels.

    Attributes:
        names: the factors.
        scaling: centre and scale of each.
    """

    def __init__(
        self,
        model: str,
        data: Any,
        most: int,
        *,
        scaling: str | None = "z_score",
        fraction: float = 1.0,
        factors: Sequence[str] | None = None,
        seed: int = 0,
    ) -> None:
        check_number(f"{model}.labelled_fraction", fraction, above=0, at_most=1)
        if not is_finite(data):
            raise errors.InvalidInput(
                f"The model '{model}' needs labels, and the data set {type(data).__name__} has no known set of "
                "images to label. Take a finite data set, or a model without labels: causal_vae_unsupervised."
            )
        known = list(factor_names(data))
        columns = list(range(len(known))) if factors is None else columns_of(factors, known)
        self.names = [known[column] for column in columns]
        if len(self.names) > most:
            raise errors.InvalidInput(
                f"The model '{model}' has {most} concepts for {len(self.names)} factors "
                f"({errors.listing(self.names)}). Bind more concepts, or choose some with {model}.factors."
            )
        images = data.factor_table.index.to_numpy()
        raw = factor_values(data, images)[:, columns]
        if not np.isfinite(raw).all():
            where = [name for name, column in zip(self.names, raw.T, strict=True) if not np.isfinite(column).all()]
            raise errors.InvalidInput(
                f"The model '{model}' needs labels, and the data set lacks some of {errors.listing(where)}: they "
                f"are not finite numbers. Choose others with {model}.factors."
            )
        number = max(1, round(fraction * len(images)))
        rows = np.sort(np.random.RandomState(seed).permutation(len(images))[:number])
        # Of the labels that are known: the others must not count, not even by their mean.
        found = find_scaling(scaling, getattr(data, "scalings", {}), factor_values(data, images)[rows])
        centre, scale = ([0.0] * len(known), [1.0] * len(known)) if found is None else (found.centre, found.scale)
        # What never varies is centred alone.
        self.scaling = Scaling(
            tuple(float(centre[column]) for column in columns),
            tuple(float(scale[column]) or 1.0 for column in columns),
        )
        self._place = np.full(int(images.max()) + 1, -1, dtype=np.int64)
        self._place[images] = np.arange(len(images))
        self._is_labelled = torch.zeros(len(images), 1)
        self._is_labelled[torch.from_numpy(rows)] = 1.0
        self._raw = torch.from_numpy(raw.astype(np.float32))
        self._scaled = torch.from_numpy(self.scaling.apply(raw).astype(np.float32))

    def of(self, indices: IntArray | None, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
        """Scaled labels (n, factors), the same as they are, and (n, 1) whether an image has them: 1 or 0."""
        assert indices is not None  # a finite data set has them
        rows = torch.from_numpy(self._place[np.asarray(indices)])
        return tuple(part[rows].to(device) for part in (self._scaled, self._raw, self._is_labelled))  # type: ignore[return-value]


def mean_over(losses: Tensor, is_labelled: Tensor) -> Tensor:
    """Return the mean of losses (n,) over the images with labels (n, 1); 0 if there are none in the batch."""
    weight = is_labelled[:, 0]
    return (losses * weight).sum() / weight.sum().clamp(min=1)


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
        """Return codes and masked codes towards their labels, and each label towards what its causes say."""
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


@dataclass
class DoVae(OwnLoss):
    r"""DoVAE as we read its abstract: no labels; causes and effects of two images are exchanged.

    The losses, the pairs, the weights and the sizes were not published; each is an argument here. Of a pair (a, b)
    the causes of b with the effects of a go through the causal layer, which says what effects follow, and must
    then decode to b; likewise for a. So the effects of the partner may not count, and the layer must know those of
    the causes. Beside it stand the VAE's own loss, what the layer leaves unexplained of the effects, and
    acyclicity. Concepts have no names: the first `causes` of them are causes.

    Args:
        causes: how many concepts, the first ones, are causes; the others are effects.
        pairs: who an image is paired with: by chance (``random``) another of the batch, or the ``previous`` one.
        beta: weight of the divergence from the prior.
        exchange: weight of the reconstruction after the exchange.
        layer: weight of half the squared distance between effects and what the layer says of them.
        sparsity: weight of the sum of absolute weights of the graph.
        acyclicity: weight of h, which is 0 for a graph without cycles.
        acyclicity_squared: weight of its square.
        warm_up: steps over which `exchange`, `layer` and `sparsity` grow from 0.
        reconstruction: weight of both reconstructions.
    """

    causes: Annotated[int, whole(at_least=1)] = 2
    pairs: Literal["random", "previous"] = "random"
    beta: float = 1.0
    exchange: float = 1.0
    layer: float = 1.0
    sparsity: float = 0.0
    acyclicity: float = 3.0
    acyclicity_squared: float = 0.5
    warm_up: Annotated[int, whole(at_least=0)] = 0
    reconstruction: float = 1.0

    def __post_init__(self) -> None:
        check_arguments(parameters_of(DoVae).values(), vars(self), "do_vae")

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
        """Return the plain VAE's, the exchange's and the layer's."""
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
