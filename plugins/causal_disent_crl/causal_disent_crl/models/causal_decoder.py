"""The decoder with a causal layer, and the representation that a model with it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from causal_disent_torch import TorchRepresentation
from torch import Tensor, nn
from torch.func import functional_call

from causal_disent import errors
from causal_disent.checks import check_choice, check_truth, check_whole, is_finite_number, is_whole
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value
from causal_disent_crl.models.layers import IMAGES, ConceptMlps, check_sizes, make_layer


class CausalRepresentation(TorchRepresentation):
    """A `causal_disent.protocols.CausalModel`: images to codes that obey the layer's graph, and interventions.

    A concept's value is the mean of its block of codes, in the units of the factor that it was taught. Setting it
    sets each code of the block to the value.
    """

    decoder: Any

    def _encode_batch(self, images: Tensor) -> tuple[Tensor, ...]:
        mean, *rest = super()._encode_batch(images)
        return (self.decoder.codes_of(mean), *rest)

    def _encode(self, images: Tensor) -> tuple[Tensor, ...]:
        if self._noise is None or self.decoder.encoder_gives == "codes":
            return super()._encode(images)
        mean, log_var = super()._encode_batch(images)  # the noise is drawn, and codes follow from it
        drawn = torch.randn(mean.shape, generator=self._noise).to(self.device)
        return (self.decoder.codes_of(mean + torch.exp(log_var / 2) * drawn),)

    @property
    def concepts(self) -> list[list[int]]:
        """The code indices of each concept."""
        return np.arange(self.decoder.num_latent).reshape(self.decoder.concepts, -1).tolist()

    @property
    def concept_names(self) -> list[str]:
        """The factors that concepts were taught, else ``"concept 0"`` and so on."""
        return list(self.decoder.names)

    @property
    def adjacency(self) -> FloatArray:
        """(concepts, concepts) float64; entry (i, j) is the weight of i -> j."""
        return self.decoder.layer.adjacency.detach().cpu().numpy().astype(np.float64)

    def noise(self, images: FloatArray) -> FloatArray:
        """(n, m): posterior means of the exogenous variables."""
        return self._apply_in_batches(self._noise_of, images)[0]

    def _noise_of(self, images: Tensor) -> tuple[Tensor, ...]:
        encoded = super()._encode_batch(images)[0]
        if self.decoder.encoder_gives == "codes":
            encoded = self.decoder.layer.noise(self.decoder.in_blocks(encoded)).flatten(1)
        return (encoded,)

    def causal_layer(self, noise: FloatArray, adjacency: FloatArray | None = None) -> FloatArray:
        """Noise (n, m) to codes (n, m) that obey the graph, or another `adjacency` (k, k) if given."""
        layer = self.decoder.layer
        weights = {} if adjacency is None else {"weights": torch.as_tensor(adjacency, dtype=torch.float32)}
        weights = {name: value.to(self.device) for name, value in weights.items()}

        def follow(rows: Tensor) -> tuple[Tensor, ...]:
            return (functional_call(layer, weights, (self.decoder.in_blocks(rows),)).flatten(1),)

        return self._apply_in_batches(follow, noise)[0]

    def masked(self, codes: FloatArray) -> FloatArray:
        """Return codes (n, m) to what images are made of, (n, m): w where the decoder has a mask layer."""
        return self._apply_in_batches(
            lambda rows: (self.decoder.masked(self.decoder.in_blocks(rows)).flatten(1),), codes
        )[0]

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """(n, concepts) float64: the mean of each block, in the units of the factor that it was taught."""
        codes = np.asarray(codes, dtype=np.float64)
        blocks = codes.reshape(len(codes), self.decoder.concepts, -1).mean(axis=2)
        return blocks * np.asarray(self.decoder.scale) + np.asarray(self.decoder.centre)

    def intervene(self, codes: FloatArray, do: Mapping[int, float | FloatArray]) -> FloatArray:
        """Return codes (n, m) under do(concept = value): descendants follow, the rest keep their noise.

        Args:
            codes: (n, m).
            do: concept -> a number as in `concept_values`, or one for each row.
        """
        codes = np.asarray(codes, dtype=np.float32)
        held, is_held = self._held(len(codes), do)
        if not is_held.any():
            return codes.copy()
        mask = torch.from_numpy(is_held)[None, :, None].to(self.device)

        def follow(rows: Tensor) -> tuple[Tensor, ...]:
            blocks = self.decoder.in_blocks(rows[:, : self.decoder.num_latent])
            values = rows[:, self.decoder.num_latent :, None].expand_as(blocks)
            return (self.decoder.layer.follow(blocks, values, mask).flatten(1),)

        return self._apply_in_batches(follow, np.concatenate([codes, held.astype(np.float32)], axis=1))[0]

    def _held(self, number: int, do: Mapping[int, float | FloatArray]) -> tuple[FloatArray, np.ndarray]:
        """(n, concepts) in the units of codes, and which of them are set."""
        k = self.decoder.concepts
        held, is_held = np.zeros((number, k)), np.zeros(k, dtype=bool)
        for concept, value in do.items():
            if not is_whole(concept) or not 0 <= concept < k:
                raise errors.InvalidInput(
                    f"A concept is a number from 0 to {k - 1}; given: {shown_value(concept)}."
                )
            values = np.asarray(value, dtype=np.float64)
            if values.shape not in ((), (number,)) or not np.isfinite(values).all():
                raise errors.InvalidInput(
                    f"Concept {concept} must be set to a finite number, or to one for each of {number} rows; "
                    f"given: an array of shape {values.shape}."
                )
            held[:, concept] = (values - self.decoder.centre[concept]) / self.decoder.scale[concept]
            is_held[concept] = True
        return held, is_held


#: Hidden units of the networks that say what causes do to each concept.
MECHANISM = 32
#: What the encoder that goes with it can give.
GIVEN = ("noise", "codes")


class CausalDecoder(nn.Module):
    r"""Codes z (n, num_latent), a block for each concept, to images (n, h, w, c), before any activation.

    With ``masked``, images are made of :math:`w_i = f_i(F_i(z)) + \epsilon_i`: F is the causal layer's, the f are
    small networks, :math:`\epsilon = z - F(z)` is the noise. Otherwise of z.

    Args:
        image_shape: (h, w, c).
        num_latent: number of codes, divisible by `concepts`.
        generator: not used: torch's own, which a run seeds, draws the weights.
        concepts: how many.
        layer: ``linear`` (CausalVAE) or ``gae``.
        layer_hidden: hidden units of both networks of ``gae``.
        layer_latent: dimensions in which ``gae`` adds causes up, 1 as published; those of a concept if not given.
        masked: as above.
        attention: the noise is mixed before it is added, as the published program does: by the softmax over the
            concepts of z of :math:`\sigma(z M \epsilon^T)`.
        free_diagonal: concepts may cause themselves, as in the published program.
        encoder_gives: ``noise``, from which codes follow, or ``codes``.
        images: ``mlp`` or ``conv``: what draws.
        hidden: hidden units of ``mlp``.
        joint: one network draws, of all codes, instead of one for each concept whose outputs are averaged.
        names: of the concepts; training sets them to the factors that were taught.
        centre: what concepts that were taught are centred by.
        scale: what they are divided by.
    """

    representation = CausalRepresentation

    def __init__(
        self,
        image_shape: Sequence[int],
        num_latent: int,
        generator: Any = None,
        concepts: int = 4,
        layer: str = "linear",
        layer_hidden: Sequence[int] = (16, 16),
        layer_latent: int | None = None,
        masked: bool = True,
        attention: bool = False,
        free_diagonal: bool = False,
        encoder_gives: str = "noise",
        images: str = "mlp",
        hidden: Sequence[int] = (300, 300, 1024),
        joint: bool = False,
        names: Sequence[str] | None = None,
        centre: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        check_whole("causal_decoder.concepts", concepts, 1)
        if num_latent % concepts:
            raise errors.InvalidInput(
                "encoder.num_latent must be divisible by causal_decoder.concepts, so that each has as many "
                f"codes; given: {num_latent} and {concepts}."
            )
        for name, value in (("masked", masked), ("attention", attention), ("free_diagonal", free_diagonal)):
            check_truth(f"causal_decoder.{name}", value)
        check_truth("causal_decoder.joint", joint)
        check_choice("causal_decoder.images", images, list(IMAGES))
        self.encoder_gives = check_choice("causal_decoder.encoder_gives", encoder_gives, GIVEN)
        self.image_shape, self.num_latent = tuple(image_shape), num_latent
        self.concepts, self.dims = concepts, num_latent // concepts
        self.layer = make_layer(
            layer, concepts, self.dims, hidden=layer_hidden, latent=layer_latent, free_diagonal=free_diagonal
        )
        sizes = check_sizes("causal_decoder.hidden", hidden)
        self.mechanisms = ConceptMlps(concepts, (self.dims, MECHANISM, self.dims)) if masked else None
        #: What causes do to factors, by their labels; it teaches the layer the graph.
        self.label_mechanisms = ConceptMlps(concepts, (1, MECHANISM, 1)) if masked else None
        self.attention = nn.Parameter(torch.randn(self.dims, self.dims)) if attention else None
        self.blocks = (1, num_latent) if joint else (concepts, self.dims)
        self.images = IMAGES[images](image_shape, *self.blocks, sizes)
        self._taught(names, centre, scale)

    def _taught(self, names: Any, centre: Any, scale: Any) -> None:
        """Set names and scaling of all concepts, or their defaults; raise unless there is one for each."""
        self.names = [f"concept {i}" for i in range(self.concepts)] if names is None else list(names)
        self.centre = [0.0] * self.concepts if centre is None else list(centre)
        self.scale = [1.0] * self.concepts if scale is None else list(scale)
        numbers = all(map(is_finite_number, (*self.centre, *self.scale))) and all(self.scale)
        if {len(self.names), len(self.centre), len(self.scale)} != {self.concepts} or not numbers:
            raise errors.InvalidInput(
                f"names, centre and scale of 'causal_decoder' must be lists of {self.concepts}, one for each "
                f"concept, scale without 0; given: {self.names}, {self.centre} and {self.scale}."
            )

    def teach(self, names: Sequence[str], centre: Sequence[float], scale: Sequence[float]) -> None:
        """Note what the first concepts are taught, so that it is saved with the model."""
        others = range(len(names), self.concepts)
        self._taught(
            [*names, *(f"concept {i}" for i in others)],
            [*centre, *(0.0 for _ in others)],
            [*scale, *(1.0 for _ in others)],
        )
        noted = {"names": self.names, "centre": self.centre, "scale": self.scale}
        self.bound_options = {**getattr(self, "bound_options", {}), **noted}

    def in_blocks(self, codes: Tensor) -> Tensor:
        """Return codes (n, num_latent) as (n, concepts, dims)."""
        return codes.unflatten(1, (self.concepts, self.dims))

    def codes_of(self, encoded: Tensor) -> Tensor:
        """Return codes (n, num_latent) from what the encoder gives."""
        return self.layer(self.in_blocks(encoded)).flatten(1) if self.encoder_gives == "noise" else encoded

    def masked(self, codes: Tensor, noise: Tensor | None = None) -> Tensor:
        """(n, concepts, dims): w, what images are made of, from z in blocks, and its noise if that is known."""
        if self.mechanisms is None:
            return codes
        expected = self.layer.expected(codes)
        noise = codes - expected if noise is None else noise
        if self.attention is not None:
            mixing = torch.sigmoid(codes @ self.attention @ noise.transpose(1, 2)).softmax(dim=1)
            noise = mixing @ noise
        return self.mechanisms(expected) + noise

    def draw(self, masked: Tensor) -> Tensor:
        """Return images before the activation, of w (n, concepts, dims)."""
        return self.images(masked.reshape(-1, *self.blocks))

    def forward(self, codes: Tensor) -> Tensor:
        """Return images before the activation."""
        return self.draw(self.masked(self.in_blocks(codes)))


def causal_decoder_of(model: str, networks: Any) -> CausalDecoder:
    """Return the decoder, if it is one with a causal layer, as the model of this name needs."""
    decoder = networks["decoder"]
    if not isinstance(decoder, CausalDecoder):
        raise errors.InvalidInput(
            f"The model '{model}' needs a decoder with a causal layer: bind decoder.decoder_fn = @causal_decoder; "
            f"given: {getattr(decoder, 'name', decoder)}."
        )
    return decoder
