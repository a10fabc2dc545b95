"""What an entry declares about itself when it is registered, for the checks to hold it to.

``register("uc", ..., headline="UC", better="higher", range=(0.0, 1.0), invariances=("permutation",))``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from causal_disent import errors
from causal_disent.arguments import is_number
from causal_disent.registry import KINDS, Entry
from causal_disent.testing.check import CheckFailed, demand

BETTER = ("higher", "lower")
#: Scores may leave their range by a rounding error.
ROUNDING = 1e-9


def declared_range(entry: Entry) -> tuple[float, float] | None:
    """The ends of the range that the entry's headline score has, if it declares one."""
    ends = entry.facts.get("range")
    if ends is None:
        return None
    if not (
        isinstance(ends, (tuple, list)) and len(ends) == 2 and all(map(is_number, ends)) and ends[0] < ends[1]
    ):
        raise CheckFailed(f"`range` is a pair of numbers such as (0, 1), or (0, math.inf); given: {ends!r}.")
    return float(ends[0]), float(ends[1])


def is_within(value: float, ends: tuple[float, float]) -> bool:
    """Whether a score is where it should be, but for a rounding error.

    Example:
        >>> is_within(-0.5, (-1, 1)), is_within(2, (-1, 1)), is_within(2, (0, float("inf")))
        (True, False, True)
    """
    return ends[0] - ROUNDING <= value <= ends[1] + ROUNDING


def check_words(entry: Entry, fact: str) -> tuple[str, ...]:
    """The names that a fact lists."""
    given = entry.facts.get(fact, ())
    if isinstance(given, str) or not all(isinstance(word, str) for word in given):
        raise CheckFailed(f"`{fact}` is a tuple of names, such as ('permutation',); given: {given!r}.")
    return tuple(given)


def documented(trial: Any) -> None:
    """Listings and readers can tell what it is."""
    entry = trial.entry
    demand(entry.summary, "it has no summary; register with summary='one line for listings'.")
    demand(inspect.getdoc(entry.load()), f"what makes the {KINDS[entry.kind].thing} has no docstring.")


def known_failures(entry: Entry) -> dict[str, str]:
    """Check -> why the entry need not pass it."""
    stated = entry.facts.get("known_failures", {})
    if not isinstance(stated, Mapping):
        raise CheckFailed(f"`known_failures` is a dict of checks and reasons; given: {stated!r}.")
    return dict(stated)


def check_known_failures(entry: Entry, names: Iterable[str]) -> None:
    """Each known failure is one of the checks `names`, and has a reason."""
    names = list(names)
    for name, reason in known_failures(entry).items():
        if name not in names:
            raise CheckFailed(f"`known_failures`: {errors.unknown('check', name, names).message}")
        demand(reason, f"`known_failures` gives no reason for {name}; write {{'{name}': 'reason'}}.")
