"""How sure the scores of a result file are, in words: their intervals, and whether chance gives as much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from causal_disent.arguments import is_finite_number
from causal_disent.text import shown

#: The heads of what `certainty_cells` returns.
HEADS = ("95 % interval", "chance", "it is")
SHARE = "_chance_share"
#: A share below this does not put a score within chance.
FEW = 0.05


def verdict(within: Any, share: Any = None) -> str:
    """Where a score is beside its chance level; nothing if that is not known.

    Args:
        within: whether it is within chance.
        share: of permutations that reach it, to give as the reason; if few do, chance is in the interval of the
            score.

    Example:
        >>> verdict(True, 0.25), verdict(True, 0.0), verdict(False, 0.0)
        ('within chance (25 % reach it)', 'within chance (in its interval)', 'better than chance')
    """
    if not isinstance(within, bool):
        return ""
    if not within:
        return "better than chance"
    if not is_finite_number(share):
        return "within chance"
    return f"within chance ({f'{100 * share:.0f} % reach it' if share >= FEW else 'in its interval'})"


def certainty_cells(scores: Mapping[str, Any], key: str) -> list[str]:
    """Interval, chance level and verdict of one score, each empty where it is not known.

    Example:
        >>> found = {"UC_low": 0.5, "UC_high": 1.0, "UC_chance": 0.8, "UC_chance_share": 0.25}
        >>> certainty_cells({**found, "UC_within_chance": True}, "UC")
        ['0.500 to 1.000', '0.800', 'within chance (25 % reach it)']
    """
    low, high, chance = (scores.get(f"{key}_{end}") for end in ("low", "high", "chance"))
    return [
        f"{low:.3f} to {high:.3f}" if is_finite_number(low) and is_finite_number(high) else "",
        f"{chance:.3f}" if is_finite_number(chance) else "",
        verdict(scores.get(f"{key}_within_chance"), scores.get(f"{key}{SHARE}")),
    ]


def chance_remarks(scores: Mapping[str, Any]) -> Iterator[str]:
    """A line for each score of a result file of which it is known whether chance gives as much.

    Example:
        >>> found = {"UC": 0.9, "UC_chance": 0.8, "UC_chance_share": 0.25, "UC_within_chance": True}
        >>> print(*chance_remarks(found))
        UC 0.900 is within chance (25 % reach it); chance is 0.800
    """
    for key in [key.removesuffix(SHARE) for key in scores if key.endswith(SHARE)]:
        _, chance, words = certainty_cells(scores, key)
        if words and chance and is_finite_number(scores.get(key)):
            yield f"{shown(key)} {scores[key]:.3f} is {words}; chance is {chance}"
