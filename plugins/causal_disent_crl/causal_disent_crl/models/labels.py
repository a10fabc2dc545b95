"""The numbers behind the factors of the images, as a model is taught them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.checks import check_number, columns_of
from causal_disent.data.factor_table import factor_values
from causal_disent.metrics.draw import factor_names
from causal_disent.protocols import IntArray, is_finite
from causal_disent_crl.scalings import Scaling, find_scaling


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
    """The mean of losses (n,) over the images with labels (n, 1); 0 if there are none in the batch."""
    weight = is_labelled[:, 0]
    return (losses * weight).sum() / weight.sum().clamp(min=1)
