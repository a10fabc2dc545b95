"""``causal-disent plugins``: which plugins there are, what they offer, and why some failed."""

from __future__ import annotations

import argparse

from causal_disent.cli._arguments import add_names
from causal_disent.cli._entry import facts_of
from causal_disent.plugins import LoadedPlugin, loaded_plugins, missing_plugin
from causal_disent.registry import KINDS
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import number_of, say, say_json, shown

#: Of a reason, so many are shown.
MOST_CHARACTERS = 2000


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["plugins"], "names", nargs="*", help="show all that these offer")
    parser.add_argument("--json", action="store_true", help="print JSON: everything that each plugin offers")
    parser.set_defaults(command=run_plugins)


def run_plugins(arguments: argparse.Namespace) -> int:
    """Print the table, or all as JSON."""
    by_name = {plugin.name: plugin for plugin in loaded_plugins()}
    for name in arguments.names:
        if name not in by_name:
            raise missing_plugin(name)
    plugins = [by_name[name] for name in arguments.names or by_name]
    if arguments.json:
        say_json([_as_json(plugin) for plugin in plugins])
        return 0
    if arguments.names:
        say("\n\n".join(map(_text, plugins)))
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


def _text(plugin: LoadedPlugin) -> str:
    """What one plugin offers, kind by kind."""
    lines = [f"{plugin.name} {plugin.version}: {plugin.status}"]
    lines += [f"    {shown(plugin.reason, MOST_CHARACTERS)}"] if plugin.reason else []
    for kind, entries in plugin.offers.items():
        rows = [[entry.name, entry.summary] for entry in entries]
        lines += ["", text_table([kind, "summary"], rows, WIDTH)] if rows else []
    return "\n".join([*lines, *(["", f"configs: {shown(plugin.configs)}"] if plugin.configs else [])])


def _counts(plugin: LoadedPlugin) -> str:
    offers = (number_of(len(entries), KINDS[kind].thing) for kind, entries in plugin.offers.items() if entries)
    return ", ".join(offers) or "nothing"
