"""What `check_graph` found, as text."""

from __future__ import annotations

import textwrap

from causal_disent.graphs.check_graph import GraphCheck, Independence
from causal_disent.graphs.chi_square import ChiSquare
from causal_disent.report.table import text_table

WIDTH = 100


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
