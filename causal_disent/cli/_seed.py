"""``--seed``, as several commands take it."""

from __future__ import annotations

import argparse

from causal_disent.arguments import check_seed


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the argument to a command."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (%(default)s)")


def seed_of(arguments: argparse.Namespace) -> int:
    """The seed that was given, if numpy takes it."""
    check_seed("--seed", arguments.seed)
    return arguments.seed
