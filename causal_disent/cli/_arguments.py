"""Arguments that several commands take: names that a shell can complete, ``--seed``, options of a data set."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_seed, literal


def add_names(parser: argparse.ArgumentParser, kinds: Sequence[str], name: str, **options: Any) -> None:
    """Add an argument whose values are names of these kinds of registered things, or of ``configs``."""
    parser.add_argument(name, metavar="NAME", **options).names_of = kinds  # type: ignore[attr-defined]


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (%(default)s)")


def add_certainty(parser: argparse.ArgumentParser) -> None:
    """``--bootstrap`` and ``--chance``: how sure scores are."""
    for name, what in (
        ("bootstrap", "resamples for 95 %% intervals"),
        ("chance", "permutations for chance levels"),
    ):
        few = "(default: some, for quick metrics)"
        parser.add_argument(f"--{name}", type=int, metavar="N", help=f"{what}, of all metrics {few}")


def seed_of(arguments: argparse.Namespace) -> int:
    """The seed that was given, if numpy takes it."""
    check_seed("--seed", arguments.seed)
    return arguments.seed


def add_options(parser: argparse.ArgumentParser, example: str) -> None:
    """Add ``--options``, those of a data set."""
    told = f"what the data set takes, such as {example}"
    parser.add_argument("--options", nargs="+", default=[], metavar="KEY=VALUE", help=told)


def read_options(name: str, function: Callable[..., Any], texts: Sequence[str]) -> dict[str, Any]:
    """``scenes=16`` as a keyword argument of the data set's `function`; what is no Python literal is text."""
    known = inspect.signature(function).parameters
    options: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign:
            raise errors.InvalidInput(f"An option of a data set is given as KEY=VALUE; given: {text!r}.")
        if key not in known:
            raise errors.unknown_parameter(name, key, known)
        options[key] = literal(value)
    return options
