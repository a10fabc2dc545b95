"""A model with a causal layer, made of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_array, as_numbers, checked
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value


class WithLayer:
    """Base of what adds a causal layer to a representation, which gives the codes and everything else."""

    _representation: Any

    def __call__(self, images: FloatArray, /) -> FloatArray:
        return self._representation(images)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._representation, name)


def mix_blocks(codes: FloatArray, concepts: Sequence[Sequence[int]], weights: FloatArray) -> FloatArray:
    """Multiply the blocks of codes (n, m) by `weights` (concepts, concepts), each dimension alike.

    Other codes stay.

    Example:
        >>> mix_blocks(np.array([[1.0, 2.0, 5.0]]), [[0], [1]], np.array([[1.0, 3.0], [0.0, 1.0]])).tolist()
        [[1.0, 5.0, 5.0]]
    """
    mixed, blocks = np.array(codes, dtype=np.float64), np.asarray(concepts)
    mixed[:, blocks] = np.einsum("nid,ij->njd", mixed[:, blocks], weights)
    return mixed


class CausalFunctions(WithLayer):
    """A representation with a causal layer (`causal_disent.protocols.CausalModel`), made of functions of arrays.

    Args:
        representation: images (n, h, w, c) to codes (n, m), perhaps with ``decode``.
        do: codes (n, m) and {concept: value} to codes under that intervention. A value is one number or (n,), in
            the units of `concept_values`.
        adjacency: (concepts, concepts); entry (i, j) is the weight of i -> j.
        concepts: the codes of each concept; by default code i is concept i.
        concept_names: the factor of each concept; by default ``"concept 0"`` and so on, and metrics match them.
        noise: images to exogenous variables (n, m). By default those of the linear layer
            z = (I - adjacency^T)^-1 noise, in each dimension of the blocks.
        causal_layer: noise (n, m) to codes (n, m); by default the linear layer. Give both functions or none.
        concept_values: codes to one number for each concept (n, concepts); by default the mean of its codes.

    Example:
        >>> shift = np.array([[0.0, 2.0], [0.0, 0.0]])                        # code 0 causes code 1
        >>> def do(codes, values):
        ...     cause = values.get(0, codes[:, 0])
        ...     effect = values.get(1, codes[:, 1] + 2 * (cause - codes[:, 0]))
        ...     return np.stack(np.broadcast_arrays(cause, effect), axis=1)
        >>> model = CausalFunctions(lambda images: images.reshape(len(images), -1), do=do, adjacency=shift)
        >>> images = np.array([[1.0, 5.0], [2.0, 4.0]]).reshape(2, 1, 2, 1)
        >>> model.noise(images).tolist(), model.intervene(model(images), {0: 0.0}).tolist()
        ([[1.0, 3.0], [2.0, 0.0]], [[0.0, 3.0], [0.0, 0.0]])
        >>> np.array_equal(model.causal_layer(model.noise(images)), model(images))
        True
    """

    @checked
    def __init__(
        self,
        representation: Callable[..., Any],
        *,
        do: Callable[..., Any],
        adjacency: Any,
        concepts: Sequence[Sequence[int]] | None = None,
        concept_names: Sequence[str] | None = None,
        noise: Callable[..., Any] | None = None,
        causal_layer: Callable[..., Any] | None = None,
        concept_values: Callable[..., Any] | None = None,
    ) -> None:
        self.adjacency = as_numbers("`adjacency`", adjacency).astype(np.float64)
        if self.adjacency.ndim != 2 or len(set(self.adjacency.shape)) != 1 or not len(self.adjacency):
            raise errors.InvalidInput(
                f"`adjacency` must have a row and a column for each concept; given: {self.adjacency.shape}."
            )
        if not np.isfinite(self.adjacency).all():
            raise errors.InvalidInput("`adjacency` must hold finite numbers.")
        number = len(self.adjacency)
        blocks = [[code] for code in range(number)] if concepts is None else concepts
        self.concepts = [[int(code) for code in block] for block in blocks]
        listed = [code for block in self.concepts for code in block]
        if not all(self.concepts) or min(listed, default=0) < 0:
            raise errors.InvalidInput(
                "`concepts` must have one or more codes for each concept, counted from 0; given: "
                f"{shown_value(self.concepts)}."
            )
        names = [f"concept {i}" for i in range(number)] if concept_names is None else concept_names
        self.concept_names = [str(name) for name in names]
        for name, entries in (("concepts", self.concepts), ("concept_names", self.concept_names)):
            if len(entries) != number:
                raise errors.InvalidInput(
                    f"`{name}` must have {number} entries, as `adjacency` has rows; given: {len(entries)}."
                )
        if (noise is None) != (causal_layer is None):
            raise errors.InvalidInput("Give both `noise` and `causal_layer`, or none for the linear layer.")
        if noise is None and (len({len(block) for block in self.concepts}) != 1 or len(set(listed)) < len(listed)):
            raise errors.InvalidInput(
                "The linear layer needs concepts of equal numbers of codes, without codes in common; give `noise` "
                "and `causal_layer`."
            )
        self._representation, self._do = representation, do
        self._noise, self._layer, self._values = noise, causal_layer, concept_values

    def noise(self, images: FloatArray) -> FloatArray:
        """(n, m): the exogenous variables behind images (n, h, w, c)."""
        if self._noise is not None:
            return as_array("What `noise` returns", self._noise(images))
        return self._mix(self(images), np.eye(len(self.adjacency)) - self.adjacency)

    def causal_layer(self, noise: FloatArray) -> FloatArray:
        """Noise (n, m) to codes (n, m) that obey the graph."""
        if self._layer is not None:
            return as_array("What `causal_layer` returns", self._layer(noise))
        try:
            weights = np.linalg.inv(np.eye(len(self.adjacency)) - self.adjacency)
        except np.linalg.LinAlgError:
            raise errors.InvalidInput(
                "The linear layer needs an `adjacency` without cycles: I - adjacency has no inverse."
            ) from None
        return self._mix(noise, weights)

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """(n, concepts): one number for each concept of codes (n, m)."""
        if self._values is not None:
            return as_array("What `concept_values` returns", self._values(codes))
        return np.stack([np.asarray(codes)[:, block].mean(axis=1) for block in self.concepts], axis=1)

    def intervene(self, codes: FloatArray, do: Mapping[int, float | FloatArray]) -> FloatArray:
        """Codes (n, m) under do(concept = value), the values in the units of `concept_values`."""
        changed = as_array("What `do` returns", self._do(np.asarray(codes), dict(do)))
        if changed.shape != np.shape(codes):
            raise errors.InvalidInput(
                f"What `do` returns must have the shape of the codes, {np.shape(codes)}; it has {changed.shape}."
            )
        return changed

    def _mix(self, rows: FloatArray, weights: FloatArray) -> FloatArray:
        """Multiply the blocks of `rows` by `weights` (concepts, concepts); other codes stay."""
        codes, last = as_array("Codes", rows), np.max(self.concepts)
        if codes.ndim != 2 or codes.shape[1] <= last:
            raise errors.InvalidInput(
                f"Codes and noise must have shape (n, m) with {last + 1} columns or more, as the concepts "
                f"name them; given: {codes.shape}."
            )
        return mix_blocks(codes, self.concepts, weights)
