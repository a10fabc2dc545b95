"""The headline scores of one evaluation by several metrics, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from causal_disent.arguments import is_number
from causal_disent.registry import registry
from causal_disent.report.certainty_words import HEADS, certainty_cells
from causal_disent.report.table import text_table

LOWER = " (lower)"


def evaluation_table(scores: Mapping[str, Any]) -> str:
    """The first scores of each metric, with their intervals and chance levels where there are any.

    Args:
        scores: what `causal_disent.runs.evaluate.evaluate` returns of several metrics: ``"uc:UC": 1.0``.

    Returns:
        A row per score; empty where no key has the name of a metric before it.

    Example:
        >>> print(evaluation_table({"uc:UC": 1.0, "uc:UC_low": 0.9, "uc:UC_high": 1.0, "elapsed_time": 2.0}))
        metric  score  value  better  95 % interval
        ------  -----  -----  ------  --------------
        uc      UC     1.000  higher  0.900 to 1.000
    """
    rows = [row for name in dict.fromkeys(_metrics(scores)) for row in _rows(name, scores)]
    heads = ["metric", "score", "value", "better", *HEADS]
    # What no score has is not asked for.
    kept = [i for i, head in enumerate(heads) if head not in HEADS or any(row[i] for row in rows)]
    return text_table([heads[i] for i in kept], [[row[i] for i in kept] for row in rows]) if rows else ""


def _metrics(scores: Mapping[str, Any]) -> Iterator[str]:
    known = set(registry.names("metrics"))
    return (name for key in scores if (name := key.partition(":")[0]) in known and ":" in key)


def _rows(name: str, scores: Mapping[str, Any]) -> Iterator[list[object]]:
    facts = registry.get("metrics", name).facts
    wanted = {facts.get("headline", ""): facts.get("better", "")}
    wanted |= {
        key.removesuffix(LOWER): "lower" if key.endswith(LOWER) else "higher" for key in facts.get("also", ())
    }
    for key, better in wanted.items():
        for found, value in scores.items():  # a metric of several rho or sizes has the score for each: rho=2:UC
            own = found.removeprefix(f"{name}:")
            if own != found and (own == key or own.endswith(f":{key}")) and is_number(value):
                yield [name, own, float(value), better, *certainty_cells(scores, found)]
