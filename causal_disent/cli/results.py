"""``causal-disent results``: the scores of any tree of result folders, model by data set by metric."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent.cli._tables import told_table
from causal_disent.text import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give ``causal-disent results`` its arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with result folders, at any depth")
    parser.add_argument(
        "--metrics", nargs="+", metavar="METRIC", help="these alone; a score's name, such as CG, is as good"
    )
    parser.add_argument("--published", metavar="TABLE", help="show the numbers of a paper beside, such as aaai_1")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="also write every score as a tidy table (.csv or .parquet), or what is printed as Markdown (.md)",
    )
    parser.set_defaults(command=run_results)


def run_results(arguments: argparse.Namespace) -> int:
    """Print the table."""
    from causal_disent.runs.study_table import chosen_scores, results_text, write_results

    table = chosen_scores(told_table(arguments.folder), arguments.metrics or ())
    say(results_text(table, arguments.published))
    if arguments.output is not None:
        write_results(table, arguments.output, arguments.published)
        say(f"  -> {arguments.output}")
    return 0
