"""What `check_graph` found, as text: all pairs of factors, those given common effects, then the independences."""

from __future__ import annotations

import textwrap

from causal_disent.graphs.check_graph import GraphCheck, Independence
from causal_disent.graphs.chi_square import ChiSquare
from causal_disent.graphs.dependences import Pair
from causal_disent.report.table import WIDTH, text_table

#: More factors than this make no matrix that can be read.
MOST = 12


def graph_check_text(check: GraphCheck) -> str:
    """The tests as a table, then the independences that cannot be tested, then the result in one line."""
    parts = []
    if check.tested:
        rows = [[*_cells(found, found.test), found.verdict] for found in check.tested]
        parts.append(text_table(["variables", "given", "chi2", "dof", "p", "verdict"], rows))
    if check.untestable:
        parts.append("Implied given variables that are not in the table. Tested given nothing, these pairs are:")
        hidden = [
            [*_cells(found, found.marginal), "dependent" if found.is_linked else "independent"]
            for found in check.untestable
        ]
        parts.append(text_table(["variables", "needs", "chi2", "dof", "p", "without it"], hidden))
    return "\n\n".join([*parts, _result(check)])


def _cells(found: Independence, test: ChiSquare) -> list[object]:
    given = ", ".join(found.given) or "-"
    return [f"{found.first}, {found.second}", given, test.statistic, test.degrees, test.p]


def _result(check: GraphCheck) -> str:
    points = f"{check.num_points:,} points, alpha {check.alpha:g}"
    if check.cut:
        points += f"; in intervals: {', '.join(check.cut)}"
    if not check.tested:
        return f"The graph implies no independence that can be tested ({points})."
    told = [
        f"{test.first}, {test.second}" + f" given {', '.join(test.given)}" * bool(test.given)
        for test in check.broken
    ]
    broken = textwrap.fill(f"Broken: {'; '.join(told)}.", WIDTH) + "\n" if told else ""
    return f"{broken}{len(check.broken)} of {len(check.tested)} independences are broken ({points})."


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
        table = [_pair_cells(pair) for pair in check.opened]
        parts.append(text_table(["variables", "given", "chi2", "dof", "p", "by the data"], table))
    return "\n\n".join(parts)


def _pair_cells(pair: Pair) -> list[object]:
    given = ", ".join(pair.given) + (f"={pair.value}" if pair.value else "")
    doubt = " (few points)" if pair.test.too_few_points else ""
    found = ("independent" if pair.looks_independent else "dependent") + doubt
    if not pair.test.degrees:
        found = "cannot tell: no variation"
    return [f"{pair.first}, {pair.second}", given, pair.test.statistic, pair.test.degrees, pair.test.p, found]
