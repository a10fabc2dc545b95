"""``causal-disent datasets verify``: whether the files of a data set are whole."""

from __future__ import annotations

import argparse

from causal_disent.cli._arguments import add_names, add_options, read_options
from causal_disent.registry import registry
from causal_disent.text import say, shown

#: Of a line, so many are shown.
MOST_CHARACTERS = 1000


def add_verify(parser: argparse.ArgumentParser) -> None:
    """Give ``datasets verify`` its arguments."""
    add_names(parser, ["datasets"], "name", help="a registered data set")
    parser.add_argument(
        "--skip_broken", action="store_true", help="name the files that cannot be used, and check the others"
    )
    add_options(parser, "folder=/path/to/images")
    parser.set_defaults(command=verify)


def verify(arguments: argparse.Namespace) -> int:
    """Check the files of a data set, and print what was checked."""
    entry = registry.get("datasets", arguments.name)
    check = getattr(entry.load(), "verify", None)
    if check is None:
        say(f"{entry.name} is made by a program; there are no files to check.")
        return 0
    texts = [*arguments.options, *(["skip_broken=True"] if arguments.skip_broken else [])]
    lines = list(check(**read_options(entry.name, check, texts)))
    # What is sound, but not whole, can be used; it is not called ok.
    verdict = lines.pop() if lines and lines[-1].startswith("incomplete: ") else "ok"
    say("\n".join(shown(line, MOST_CHARACTERS) for line in [*lines, f"{entry.name}: {verdict}"]))
    return 0
