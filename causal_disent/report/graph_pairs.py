"""The pairs of factors that `check_graph` tested, as text: the p-values of all, and those given common effects."""

from __future__ import annotations

from causal_disent.graphs.check_graph import GraphCheck
from causal_disent.graphs.dependences import Pair
from causal_disent.report.table import text_table

#: More factors than this make no matrix that can be read.
MOST = 12


def pairs_text(check: GraphCheck) -> str:
    """A matrix of p-values, and a table of pairs that common effects should make dependent."""
    parts = []
    names = list(dict.fromkeys(name for pair in check.pairs for name in (pair.first, pair.second)))
    if 1 < len(names) <= MOST:
        cells = {}
        for pair in check.pairs:
            mark = "" if pair.agrees else ("*" if pair.separated else "~")
            mark += "?" if pair.test.too_few_points else ""
            cells[pair.first, pair.second] = cells[pair.second, pair.first] = f"{pair.test.p:.2g}{mark}"
        rows = [[name, *(cells.get((name, other), "") for other in names)] for name in names]
        parts.append(
            "p given nothing (*: independent by the graph, not by the data; ~: the other way round; ?: few points)"
        )
        parts.append(text_table(["", *names], rows))
    if check.opened:
        parts.append("Given common effects, the graph lets these pairs depend on each other:")
        table = [_cells(pair) for pair in check.opened]
        parts.append(text_table(["variables", "given", "chi2", "dof", "p", "by the data"], table))
    return "\n\n".join(parts)


def _cells(pair: Pair) -> list[object]:
    given = ", ".join(pair.given) + (f"={pair.value}" if pair.value else "")
    doubt = " (few points)" if pair.test.too_few_points else ""
    found = ("independent" if pair.looks_independent else "dependent") + doubt
    if not pair.test.degrees:
        found = "cannot tell: no variation"
    return [f"{pair.first}, {pair.second}", given, pair.test.statistic, pair.test.degrees, pair.test.p, found]
