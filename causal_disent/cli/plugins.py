"""``causal-disent plugins``: which plugins there are, what they offer, and why some failed."""

from __future__ import annotations

import argparse

from causal_disent.cli._entry import facts_of
from causal_disent.plugins import LoadedPlugin, loaded_plugins
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import say, say_json, shown

#: Of a reason, so many are shown.
MOST_CHARACTERS = 2000


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON: everything that each plugin offers")
    parser.set_defaults(command=run_plugins)


def run_plugins(arguments: argparse.Namespace) -> int:
    """Print the table, or all as JSON."""
    plugins = loaded_plugins()
    if arguments.json:
        say_json([_as_json(plugin) for plugin in plugins])
        return 0
    rows = [[plugin.name, plugin.version, plugin.status, _counts(plugin)] for plugin in plugins]
    say(text_table(["plugin", "version", "status", "offers"], rows, WIDTH))
    for plugin in plugins:
        if plugin.reason:
            say(f"\n{plugin.name}: {shown(plugin.reason, MOST_CHARACTERS)}")
    return 0


def _as_json(plugin: LoadedPlugin) -> dict[str, object]:
    return {
        **{name: getattr(plugin, name) for name in ("name", "version", "status", "reason")},
        "offers": {kind: [facts_of(entry) for entry in entries] for kind, entries in plugin.offers.items()},
        "configs": None if plugin.configs is None else str(plugin.configs),
    }


def _counts(plugin: LoadedPlugin) -> str:
    return ", ".join(f"{len(entries)} {kind}" for kind, entries in plugin.offers.items() if entries) or "nothing"
