"""``causal-disent datasets``: which there are, where their files come from, and whether these are whole."""

from __future__ import annotations

import argparse
import inspect
import os
import textwrap
from collections.abc import Iterator
from typing import Any

from causal_disent.cli import datasets_graph
from causal_disent.cli._dataset_options import add_options, read_options
from causal_disent.registry import Entry, registry
from causal_disent.report.table import text_table

__all__ = ["add_command", "describe", "list_datasets", "show", "verify"]

#: Columns of the terminal.
WIDTH = 115


def add_command(commands: Any) -> None:
    """Add ``datasets`` to the parser."""
    parser = commands.add_parser("datasets", help="list the data sets; show, verify or test one")
    parser.set_defaults(command=list_datasets)
    parts = parser.add_subparsers(title="commands", metavar="COMMAND")
    shown = parts.add_parser("show", help="tell where data sets look for files, their size, licence and source")
    shown.add_argument("names", nargs="*", metavar="NAME", help="registered data sets; all if not given")
    shown.set_defaults(command=show)
    verified = parts.add_parser("verify", help="check the counts and checksums of a data set's files")
    verified.add_argument("name", metavar="NAME", help="a registered data set")
    verified.add_argument(
        "--skip_broken", action="store_true", help="name the files that cannot be used, and check the others"
    )
    add_options(verified, "folder=/path/to/images")
    verified.set_defaults(command=verify)
    datasets_graph.add_command(parts)


def list_datasets(arguments: argparse.Namespace) -> int:
    """Print a line for each data set."""
    rows = [
        [entry.name, _state(entry), entry.facts.get("licence", "").partition(";")[0], entry.summary]
        for entry in registry.entries("datasets")
    ]
    print(text_table(["data set", "files", "licence", "summary"], rows))
    print(
        "\n`causal-disent datasets show NAME` tells where a data set looks for its files, their size, and where "
        "they are\npublished; `datasets verify NAME` checks them; `datasets graph NAME` tests the causal graph."
    )
    return 0


def show(arguments: argparse.Namespace) -> int:
    """Print all that is known of the data sets named."""
    names = arguments.names or registry.names("datasets")
    print("\n\n".join("\n".join(describe(registry.get("datasets", name))) for name in names))
    return 0


def verify(arguments: argparse.Namespace) -> int:
    """Check the files of a data set, and print what was checked."""
    entry = registry.get("datasets", arguments.name)
    check = getattr(entry.load(), "verify", None)
    if check is None:
        print(f"{entry.name} is made by a program; there are no files to check.")
        return 0
    texts = [*arguments.options, *(["skip_broken=True"] if arguments.skip_broken else [])]
    lines = list(check(**read_options(entry.name, check, texts)))
    # What is sound, but not whole, can be used; it is not called ok.
    verdict = lines.pop() if lines and lines[-1].startswith("incomplete: ") else "ok"
    print("\n".join([*lines, f"{entry.name}: {verdict}"]))
    return 0


def describe(entry: Entry) -> Iterator[str]:
    """The lines of ``datasets show``."""
    yield f"{entry.name}, of the plugin {entry.owner}"
    yield f"    {entry.summary}"
    yield _line("files", _state(entry))
    for path, found in _locations(entry):
        # A path is not wrapped: it is there to be copied.
        yield f"    {'looks for':<11}{os.path.abspath(path)} ({'found' if found else 'missing'})"
    for name in ("size", "licence", "published"):
        if name in entry.facts:
            yield _line(name, entry.facts[name])
    options = [_option(parameter) for parameter in inspect.signature(entry.load()).parameters.values()]
    if options:
        yield _line("options", ", ".join(options))


def _line(name: str, text: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=f"    {name:<11}",
        subsequent_indent=" " * 15,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _option(parameter: inspect.Parameter) -> str:
    """``size=64``, or the name alone where the default says nothing."""
    if parameter.default in (None, parameter.empty):
        return parameter.name
    return f"{parameter.name}={parameter.default!r}"


def _locations(entry: Entry) -> list[tuple[Any, bool]]:
    return entry.load().locate() if hasattr(entry.load(), "locate") else []


def _state(entry: Entry) -> str:
    """Whether the files are there: ``found``, ``missing``, or ``none`` where none are needed."""
    if not _locations(entry):
        return "none"
    is_found = getattr(entry.load(), "is_found", None)
    there = is_found() if is_found else all(found for _, found in _locations(entry))
    return "found" if there else "missing"
