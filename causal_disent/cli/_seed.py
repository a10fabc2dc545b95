"""``--seed``, as several commands take it."""

from __future__ import annotations

import argparse

from causal_disent import errors

__all__ = ["add_seed", "seed_of"]

MOST = 2**32 - 1


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the argument to a command."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (%(default)s)")


def seed_of(arguments: argparse.Namespace) -> int:
    """The seed that was given, if numpy takes it."""
    if not 0 <= arguments.seed <= MOST:
        raise errors.InvalidInput(f"--seed must be a whole number from 0 to 2**32 - 1; given: {arguments.seed}.")
    return arguments.seed
