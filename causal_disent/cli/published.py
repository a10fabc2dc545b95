"""``causal-disent published``: the result tables of the papers, and what is known against their numbers."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from causal_disent.text import say


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("table", nargs="?", metavar="TABLE", help="a table of the list, such as aaai_7")
    parser.add_argument("--json", action="store_true", help="print JSON: the list, or one record per number")
    parser.set_defaults(command=run_published)


def run_published(arguments: argparse.Namespace) -> int:
    """Print the list, or the table that was named."""
    from causal_disent.report.published import published, published_list, published_tables, published_text

    if arguments.table is None and arguments.json:
        say(json.dumps([asdict(table) for table in published_tables()], indent=2, ensure_ascii=False))
    elif arguments.table is None:
        say(published_list())
    elif arguments.json:
        say(published(arguments.table).to_json(orient="records", indent=2, force_ascii=False))
    else:
        say(published_text(arguments.table))
    return 0
