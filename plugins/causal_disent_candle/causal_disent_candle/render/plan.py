"""Which images there are to make: the product of the values, less what the rules forbid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from causal_disent import errors
from causal_disent.data.confounding import allowed_combinations
from causal_disent.data.rule_sets import statements
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import IntArray


@dataclass(frozen=True)
class Plan:
    """The images of one data set.

    Attributes:
        space: the factors; an image's index is the number of its combination, the last factor fastest.
        indices: the images to make, ascending.
    """

    space: StateSpace
    indices: IntArray

    def labels(self, index: int) -> dict[str, str]:
        """Factor -> label of one image."""
        row = self.space.to_factors(np.array([index]))[0]
        pairs = zip(self.space.value_names.items(), row, strict=True)
        return {factor: names[int(value)] for (factor, names), value in pairs}

    def files(self, index: int) -> tuple[str, ...]:
        """The files of one image, the picture first; it is there when all of them are."""
        return f"{index}.png", f"{index}.json"


def make_plan(
    values: Mapping[str, Iterable[str]], *, rules: Iterable[str] = (), limit: int | None = None, seed: int = 0
) -> Plan:
    """The images that the rules allow, or some of them.

    Args:
        values: factor -> labels, in the order in which images are counted.
        rules: names of rule sets, or statements (`causal_disent.data.confounding`).
        limit: draw so many of the images evenly; a larger limit with the same seed keeps those of a smaller one.
        seed: of that draw.

    Example:
        >>> plan = make_plan({"object": ("cube", "cone"), "color": ("red", "blue")},
        ...                  rules=["only object=cube: color=blue"])
        >>> plan.indices, plan.labels(1)
        (array([1, 2, 3]), {'object': 'cube', 'color': 'blue'})
    """
    space = StateSpace(values)
    indices, chances = allowed_combinations(space, statements(list(rules)))
    if not np.allclose(chances, chances[0]):
        raise errors.InvalidInput(
            "Each combination that the rules allow is rendered once, so that a correlation of a width above 0 has "
            "no effect here. Render without it, and correlate the data set that is read (dataset.confounding)."
        )
    if limit is not None:
        indices = np.sort(np.random.RandomState(seed).permutation(indices)[:limit])
    return Plan(space, indices)
