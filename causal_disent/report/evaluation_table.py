"""The headline scores of one evaluation by several metrics, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from causal_disent.registry import registry
from causal_disent.report.table import text_table

LOWER = " (lower)"


def evaluation_table(scores: Mapping[str, Any]) -> str:
    """The first scores of each metric, with their intervals where there are any.

    Args:
        scores: what `causal_disent.runs.evaluate.evaluate` returns of several metrics: ``"uc:UC": 1.0``.

    Returns:
        A row per score; empty where no key has the name of a metric before it.

    Example:
        >>> print(evaluation_table({"uc:UC": 1.0, "uc:UC_low": 0.9, "uc:UC_high": 1.0, "elapsed_time": 2.0}))
        metric  score  value  95 % interval   better
        ------  -----  -----  --------------  ------
        uc      UC     1.000  0.900 to 1.000  higher
    """
    rows = [row for name in dict.fromkeys(_metrics(scores)) for row in _rows(name, scores)]
    return text_table(["metric", "score", "value", "95 % interval", "better"], rows) if rows else ""


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
        value = scores.get(f"{name}:{key}")
        if isinstance(value, (int, float)):
            ends = [scores[end] for end in (f"{name}:{key}_low", f"{name}:{key}_high") if end in scores]
            interval = " to ".join(f"{end:.3f}" for end in ends)
            yield [name, key, float(value), interval, better]
