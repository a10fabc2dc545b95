"""Which named rule set the images of a folder obey."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from causal_disent.data.confounding import allowed_combinations
from causal_disent.data.rule_sets import statements
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import IntArray

#: Every combination of the factors is there.
NONE = "none"
#: Combinations are missing, and no rule set is obeyed.
OTHER = "other"


@dataclass(frozen=True)
class ObeyedRules:
    """Which rules a set of images obeys.

    Attributes:
        name: ``"none"``, the name of a rule set, or ``"other"``. Of several that are obeyed it is the one whose
            combinations are all there, else the one that allows the fewest.
        images: how many images there are.
        combinations: how many combinations of the factors they show.
        allowed: how many combinations the rules allow; all there are for ``"none"`` and ``"other"``.
        obeyed: every rule set that was compared and that no image breaks.
    """

    name: str
    images: int
    combinations: int
    allowed: int
    obeyed: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every combination that the rules allow is there."""
        return self.combinations == self.allowed

    def __str__(self) -> str:
        images = "1 image shows" if self.images == 1 else f"{self.images:,} images show"
        text = f"{self.name}: {images} {self.combinations:,} of {self.allowed:,} combinations"
        others = [name for name in self.obeyed if name != self.name]
        return f"{text}; they obey {', '.join(others)} too" if others else text


def recognise(space: StateSpace, rows: IntArray, rule_sets: Sequence[str]) -> ObeyedRules:
    """Compare images with rule sets.

    Args:
        space: the factors.
        rows: (images, factors) of value indices.
        rule_sets: the names of those that are compared.

    Example:
        >>> space = StateSpace({"object": ("cylinder", "cone", "cube"), "color": ("red", "green", "blue")})
        >>> print(recognise(space, np.array([[0, 0], [1, 1], [2, 2], [2, 2]]), ["synthetic_full"]))
        synthetic_full: 4 images show 3 of 3 combinations
    """
    present = np.unique(space.to_index(rows))
    allowed = {name: allowed_combinations(space, statements(name))[0] for name in rule_sets}
    obeyed = [name for name in rule_sets if np.isin(present, allowed[name]).all()]
    # False comes first: a rule set whose combinations are all there, then the tightest.
    obeyed.sort(key=lambda name: (len(allowed[name]) != len(present), len(allowed[name])))
    name, total = OTHER, space.num_combinations
    if len(present) == total:
        name = NONE
    elif obeyed:
        name, total = obeyed[0], len(allowed[obeyed[0]])
    return ObeyedRules(name, len(rows), len(present), total, tuple(obeyed))
