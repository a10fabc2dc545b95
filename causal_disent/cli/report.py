"""``causal-disent report``: one page about a study, a tree of result folders, or one run."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent.text import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give ``causal-disent report`` its arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a study's folder, or any with result folders")
    parser.add_argument(
        "--output", type=Path, default=Path("report.html"), metavar="FILE", help="the page (%(default)s)"
    )
    parser.add_argument(
        "--draw",
        action="store_true",
        help="first draw what a model of each kind has learned, into its run's folder",
    )
    parser.set_defaults(command=run_report)


def run_report(arguments: argparse.Namespace) -> int:
    """Write the page."""
    from causal_disent.report.write import write_report
    from causal_disent.runs.study import size

    page = write_report(arguments.folder, arguments.output, draw=arguments.draw)
    say(f"one page, {size(page.stat().st_size)}; open it in a browser\n  -> {page}")
    return 0
