"""``causal-disent check``: does a registered metric, data set or model do what all of its kind must?"""

from __future__ import annotations

import argparse
import json
import traceback
from typing import Any

from causal_disent import errors
from causal_disent.registry import KINDS, Entry, registry

__all__ = ["add_command", "entries_named"]


def add_command(commands: Any) -> None:
    """Add ``check`` to the parser."""
    parser = commands.add_parser("check", help="run the common checks of a metric, data set or model")
    parser.add_argument("name", metavar="NAME", help="a registered name; every kind that has it is checked")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    results: list[dict[str, str]] = []
    for entry in entries_named(arguments.name):
        if not arguments.json:
            print(f"{KINDS[entry.kind].thing} {entry.name}, of the plugin {entry.owner}")
        results += _results(entry, show=not arguments.json, debug=arguments.debug)
    if arguments.json:
        print(json.dumps(results, indent=2))
    return 1 if any(result["status"] == "failed" for result in results) else 0


def _results(entry: Entry, *, show: bool, debug: bool) -> list[dict[str, str]]:
    """How each check of `entry` went, printed as it happens if asked for."""
    from causal_disent.testing import named_checks

    results = []
    for check in named_checks(entry.kind, entry):
        outcome = check.outcome()
        if show:
            print(outcome, flush=True)
        if debug and outcome.error is not None:
            traceback.print_exception(outcome.error)
        results.append(
            {"kind": entry.kind, "check": outcome.check, "status": outcome.status, "reason": outcome.reason}
        )
    return results


def entries_named(name: str) -> list[Entry]:
    """The entries called `name`, of all kinds that have checks; at least one."""
    from causal_disent.testing import CHECKED_KINDS

    found, missing = [], []
    for kind in CHECKED_KINDS:
        try:
            found.append(registry.get(kind, name))
        except (errors.UnknownName, errors.BrokenPlugin) as error:
            missing.append(error)
    if found:
        return found
    if isinstance(missing[0], errors.BrokenPlugin):
        raise missing[0]  # it says which plugin may have offered the name
    names = sorted({other for kind in CHECKED_KINDS for other in registry.names(kind)})
    raise errors.unknown("metric, data set or model", name, names)
