"""What an entry declares about itself when it is registered, for the checks to hold it to.

``register("uc", compute_uc, ..., headline="UC", direction="higher", range="0..1", invariances="permutation")``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from causal_disent import errors
from causal_disent.registry import Entry
from causal_disent.testing.check import CheckFailed, demand

__all__ = ["DECLARATIONS", "DIRECTIONS", "Range", "check_known_failures", "declared_range", "known_failures"]

#: Details that are there for the checks; listings leave them out.
DECLARATIONS = ("headline", "also", "direction", "range", "invariances", "known_failures")
DIRECTIONS = ("higher", "lower")
#: Scores may leave their range by a rounding error.
ROUNDING = 1e-9


class Range:
    """From `low` to `high`, both inside.

    Example:
        >>> -0.5 in Range.parse("-1..1"), 2.0 in Range.parse("-1..1"), 2.0 in Range.parse("0..")
        (True, False, True)
    """

    def __init__(self, text: str, low: float, high: float) -> None:
        self.text, self.low, self.high = text, low, high

    @classmethod
    def parse(cls, text: str) -> Range:
        """``0..1``, ``0..`` (no upper end) or ``..1`` (no lower end)."""
        number = r"-?\d+(?:\.\d+)?"
        ends = re.fullmatch(rf"({number})?\.\.({number})?", text.replace(" ", ""))
        if ends is None:
            raise CheckFailed(f"`range` is two numbers such as 0..1, either may be left out; given: {text!r}.")
        low, high = (float(end) if end else None for end in ends.groups())
        return cls(text, float("-inf") if low is None else low, float("inf") if high is None else high)

    def __contains__(self, value: float) -> bool:
        return self.low - ROUNDING <= value <= self.high + ROUNDING

    def __str__(self) -> str:
        return self.text


def declared_range(entry: Entry) -> Range | None:
    """The range that the entry's headline score has, if it declares one."""
    return Range.parse(entry.details["range"]) if "range" in entry.details else None


def words(text: str) -> list[str]:
    """``"a, b"`` as a list."""
    return [word.strip() for word in text.split(",") if word.strip()]


def known_failures(entry: Entry) -> dict[str, str]:
    """Check -> why the entry need not pass it, from ``known_failures="check: reason; check: reason"``."""
    stated = (item.partition(":") for item in entry.details.get("known_failures", "").split(";") if item.strip())
    return {name.strip(): reason.strip() for name, _, reason in stated}


def check_known_failures(entry: Entry, names: Iterable[str]) -> None:
    """Each known failure is one of the checks `names`, and has a reason."""
    names = list(names)
    for name, reason in known_failures(entry).items():
        if name not in names:
            raise CheckFailed(f"`known_failures`: {errors.unknown('check', name, names).message}")
        demand(reason, f"`known_failures` gives no reason for {name}; write '{name}: reason'.")
