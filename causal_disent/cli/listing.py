"""``causal-disent metrics``, ``models``, ``datasets``, ...: what there is of a kind, or all about one."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from causal_disent import errors
from causal_disent.cli._arguments import add_names
from causal_disent.cli._entry import backends_of, details, facts_of, files_of, range_text, text_of
from causal_disent.registry import KINDS, Entry, registry
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import say, say_json, shown


def _needs(entry: Entry) -> str:
    """What a metric needs besides codes and factors of points, which all of them do."""
    needs = entry.facts.get("needs", "")
    return "points" if getattr(needs, "arrays_suffice", False) else shown(needs)


#: Kind -> what its listing tells, besides name and summary; a column that is empty for all is left out.
COLUMNS: dict[str, dict[str, Callable[[Entry], str]]] = {
    "metrics": {
        "range": lambda entry: range_text(entry.facts.get("range")),
        "better": lambda entry: shown(entry.facts.get("better", "")),
        "needs": _needs,
    },
    "models": {"backends": lambda entry: ", ".join(backends_of(entry))},
    "datasets": {
        "files": lambda entry: files_of(entry)["files"],
        "licence": lambda entry: str(entry.facts.get("licence", "")).partition(";")[0],
    },
}
MORE = {
    "datasets": "`causal-disent datasets verify NAME` checks files; `datasets graph NAME` tests the causal graph.",
    "metrics": "`dlib_evaluate --gin_config metrics/NAME.gin` runs one; `causal-disent configs` lists configs.",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Give a listing its arguments; which kind it lists, the name of the command tells."""
    kind = str(parser.get_default("called")).partition("_")[0]
    add_names(parser, [kind], "names", nargs="*", help="show all that is known of these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run_listing, kind=kind, all=False)


def add_show(parser: argparse.ArgumentParser) -> None:
    """The same, showing all if none is named."""
    add(parser)
    parser.set_defaults(all=True)


def run_listing(arguments: argparse.Namespace) -> int:
    """Print the list, or all that is known of those that are named."""
    kind = arguments.kind
    names = arguments.names or (registry.names(kind) if arguments.all else [])
    if names:
        found = [details(registry.get(kind, name)) for name in names]
        say_json(found) if arguments.json else say("\n\n".join(map(text_of, found)))
    elif arguments.json:
        say_json([facts_of(entry) | _columns(kind, entry) | _lists(entry) for entry in registry.entries(kind)])
    else:
        say(_table(kind))
    return 0


def _lists(entry: Entry) -> dict[str, list[str]]:
    """What is text in a table, and a list in JSON, as it is where one entry is shown."""
    return {"backends": backends_of(entry)} if entry.kind == "models" else {}


def _columns(kind: str, entry: Entry) -> dict[str, str]:
    """What the listing's own columns say; what belongs to a plugin may fail in saying it."""
    found = {}
    for title, column in COLUMNS.get(kind, {"plugin": lambda entry: entry.owner}).items():
        try:
            with entry.isolated():
                found[title] = column(entry)
        except errors.CausalDisentError:
            found[title] = "failed"
    return found


def _table(kind: str) -> str:
    entries = list(registry.entries(kind))
    columns = [_columns(kind, entry) for entry in entries]
    titles = [title for title in (columns[0] if columns else {}) if any(row[title] for row in columns)]
    rows = [
        [entry.name, *(row[title] for title in titles), entry.summary]
        for entry, row in zip(entries, columns, strict=True)
    ]
    table = text_table([KINDS[kind].thing, *titles, "summary"], rows, WIDTH)
    more = [f"`causal-disent {kind} NAME` shows one, and how to use it.", *([MORE[kind]] if kind in MORE else [])]
    return "\n".join([table, "", *more])
