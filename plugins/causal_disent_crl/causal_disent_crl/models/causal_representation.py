"""A trained model with a causal layer, as metrics and pictures use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from causal_disent_torch import TorchRepresentation
from torch import Tensor
from torch.func import functional_call

from causal_disent import errors
from causal_disent.checks import is_whole
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value


class CausalRepresentation(TorchRepresentation):
    """A `causal_disent.protocols.CausalModel`: images to codes that obey the layer's graph, and interventions.

    A concept's value is the mean of its block of codes, in the units of the factor that it was taught. Setting it
    sets each code of the block to the value.
    """

    decoder: Any

    def _encoded(self, images: Tensor) -> tuple[Tensor, ...]:
        mean, *rest = super()._encoded(images)
        return (self.decoder.codes_of(mean), *rest)

    def _encode(self, images: Tensor) -> tuple[Tensor, ...]:
        if self._noise is None or self.decoder.encoder_gives == "codes":
            return super()._encode(images)
        mean, log_var = super()._encoded(images)  # the noise is drawn, and codes follow from it
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
        return self._through(self._noise_of, images)[0]

    def _noise_of(self, images: Tensor) -> tuple[Tensor, ...]:
        encoded = super()._encoded(images)[0]
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

        return self._through(follow, noise)[0]

    def masked(self, codes: FloatArray) -> FloatArray:
        """Codes (n, m) to what images are made of, (n, m): w where the decoder has a mask layer."""
        return self._through(lambda rows: (self.decoder.masked(self.decoder.in_blocks(rows)).flatten(1),), codes)[
            0
        ]

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """(n, concepts) float64: the mean of each block, in the units of the factor that it was taught."""
        codes = np.asarray(codes, dtype=np.float64)
        blocks = codes.reshape(len(codes), self.decoder.concepts, -1).mean(axis=2)
        return blocks * np.asarray(self.decoder.scale) + np.asarray(self.decoder.centre)

    def intervene(self, codes: FloatArray, do: Mapping[int, float | FloatArray]) -> FloatArray:
        """Codes (n, m) under do(concept = value): descendants follow, the rest keep their noise.

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

        return self._through(follow, np.concatenate([codes, held.astype(np.float32)], axis=1))[0]

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
