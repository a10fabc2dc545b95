"""Training sets of several sizes, each drawn anew: what the downstream tasks need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least
from causal_disent.metrics.tools.fitting import forked
from causal_disent.metrics.tools.needs import Sample, Source, TrainTest


@dataclass(frozen=True)
class Sizes(TrainTest):
    """Points to fit to and to test on, for each size of training set; keys are prefixed ``<size>:``."""

    how = (
        "training sets of each size n in `num_train`, tested on `num_test` points, with gin's ``predictor``; keys "
        "are prefixed ``<n>:``"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters, "num_train": (10, 100, 1_000, 10_000)}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        for size in sizes_of(drawn.pop("num_train")):
            (found,) = self.draw_one(source, num_train=size, **drawn)
            # A generator of its own for the fits, so that the next size draws what it always drew.
            yield Sample(found.arguments, forked(source.random_state), found.keywords, f"{size}:")

    def draw_one(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        """The points of one size."""
        return super().draw(source, **drawn)


def sizes_of(num_train: int | Sequence[int]) -> list[int]:
    """Sizes of training sets, given one or several."""
    sizes = [num_train] if isinstance(num_train, (int, np.integer)) else list(num_train)
    if not sizes:
        raise errors.InvalidInput("`num_train` must name at least one size of a training set; given: none.")
    for size in sizes:
        check_at_least(1, num_train=size)
    return sizes
