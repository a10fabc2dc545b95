"""``causal-disent check``: does a registered metric, data set or model do what all of its kind must?"""

from __future__ import annotations

import argparse
import traceback

from causal_disent.cli._arguments import add_names
from causal_disent.plugins import explain_missing
from causal_disent.registry import KINDS, Entry, registry
from causal_disent.text import say, say_json


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    kinds = ["metrics", "datasets", "representations", "models"]
    add_names(parser, kinds, "name", help="a registered name; every kind that has it is checked")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    """Run the checks, each printed as it happens unless JSON is asked for."""
    from causal_disent.testing import named_checks

    results: list[dict[str, str]] = []
    for entry in entries_named(arguments.name):
        if not arguments.json:
            say(f"{KINDS[entry.kind].thing} {entry.name}, of the plugin {entry.owner}")
        for check in named_checks(entry.kind, entry):
            outcome = check.outcome()
            if not arguments.json:
                say(outcome)
            if arguments.debug and outcome.error is not None:
                traceback.print_exception(outcome.error)
            told = {"check": outcome.check, "status": outcome.status, "reason": outcome.reason}
            results.append({"kind": entry.kind, **told})
    if arguments.json:
        say_json(results)
    return 1 if any(result["status"] == "failed" for result in results) else 0


def entries_named(name: str) -> list[Entry]:
    """The entries called `name`, of all kinds that have checks; at least one."""
    from causal_disent.testing import CHECKED_KINDS

    found = [registry.get(kind, name) for kind in CHECKED_KINDS if registry.variants(kind, name)]
    if found:
        return found
    names = sorted({other for kind in CHECKED_KINDS for other in registry.names(kind)})
    raise explain_missing("metric, data set or model", name, names, CHECKED_KINDS)
