"""``causal-disent``: everything that is not a drop-in ``dlib_*`` command."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from causal_disent._version import __version__
from causal_disent.cli import calibrate, check, datasets, demo, published, score
from causal_disent.cli._run import run
from causal_disent.plugins import loaded_plugins
from causal_disent.registry import KINDS, Entry, registry
from causal_disent.report.table import text_table

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    # The parser is made inside: it loads the plugins, for the commands they add.
    return run(lambda: _run(argv), debug="--debug" in (sys.argv if argv is None else argv))


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    return arguments.command(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="causal-disent",
        description="How causally disentangled is a representation? `dlib_evaluate --help` runs metrics.",
    )
    parser.add_argument("--version", action="version", version=f"causal_disent {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo.add_command(commands)
    score.add_command(commands)
    calibrate.add_command(commands)
    check.add_command(commands)
    published.add_command(commands)
    plugins = commands.add_parser("plugins", help="list the plugins, what they offer, and those that failed")
    plugins.add_argument("--json", action="store_true", help="print JSON")
    plugins.set_defaults(command=_plugins)
    datasets.add_command(commands)
    for kind, what in KINDS.items():
        if kind == "datasets":
            continue
        listing = commands.add_parser(kind, help=f"list the {what.thing}s")
        listing.set_defaults(command=_list, kind=kind)
    _add_plugin_commands(commands)
    return parser


def _add_plugin_commands(commands: Any) -> None:
    """The commands of plugins; ``register("render_candle", ..., under="render")`` makes ``render candle`` one."""
    groups: dict[str, list[Entry]] = {}
    for entry in registry.entries("commands"):
        groups.setdefault(entry.facts.get("under", ""), []).append(entry)
    for group, entries in groups.items():
        names = {entry.name.removeprefix(f"{group}_"): entry for entry in entries}
        place = commands
        if group:
            summary = f"{group} {', '.join(names)}"
            place = commands.add_parser(group, help=summary, description=summary).add_subparsers(
                title=f"what to {group}", required=True, metavar="WHAT"
            )
        for name, entry in names.items():
            entry.load()(place.add_parser(name, help=entry.summary, description=entry.summary))


def _plugins(arguments: argparse.Namespace) -> int:
    plugins = loaded_plugins()
    if arguments.json:
        print(json.dumps([asdict(plugin) for plugin in plugins], indent=2, default=str))
        return 0
    rows = [[plugin.name, plugin.version, plugin.status, _offers(plugin.offers)] for plugin in plugins]
    print(text_table(["plugin", "version", "status", "offers"], rows))
    for plugin in plugins:
        if plugin.reason:
            print(f"\n{plugin.name}: {plugin.reason}")
    return 0


def _offers(offers: dict[str, list[str]]) -> str:
    return ", ".join(f"{len(names)} {kind}" for kind, names in offers.items() if names) or "nothing"


def _list(arguments: argparse.Namespace) -> int:
    entries = list(registry.entries(arguments.kind))
    rows = [[entry.name, entry.owner, entry.summary] for entry in entries]
    print(text_table([KINDS[arguments.kind].thing, "plugin", "summary"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
