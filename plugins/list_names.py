"""Write ``causal_disent/first_party.json``: what each plugin registers, for messages where it is not installed.

    python plugins/list_names.py

A plugin whose dependencies are missing here keeps what the file says of it.
"""

from __future__ import annotations

import configparser
import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pluggy

from causal_disent import hookspecs
from causal_disent.registry import KINDS, Register, first_party

HERE = Path(__file__).parent


def plugins() -> dict[str, dict[str, Any]]:
    """Plugin -> the folders to give to pip, and what it offers."""
    found = {}
    for folder in [*sorted(HERE.glob("causal_disent_*")), HERE / "disentanglement_lib"]:
        sys.path.insert(0, str(folder))
        point = _setup(folder).get("options.entry_points", "causal_disent", fallback=folder.name).strip()
        name, _, module = point.partition(" = ")
        try:
            offers = _offers(import_module(module)) if module else {}
        except ImportError:
            offers = first_party()[name]["offers"]
        finally:
            sys.path.remove(str(folder))  # or whoever loads plugins later would find those that are not installed
        found[name] = {"install": [f"plugins/{one}" for one in dict.fromkeys(_needed(folder))], "offers": offers}
    return found


def _setup(folder: Path) -> configparser.ConfigParser:
    setup = configparser.ConfigParser()
    setup.read(folder / "setup.cfg")
    return setup


def _needed(folder: Path) -> Iterator[str]:
    """The folders of this repository that a plugin needs, its own last."""
    for name in re.findall(r"^[\w-]+", _setup(folder)["options"]["install_requires"], flags=re.M):
        other = name.replace("-", "_")
        if (HERE / other).is_dir():
            yield from _needed(HERE / other)
    yield folder.name


def _offers(module: Any) -> dict[str, list[str]]:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(module)
    entries: list[Any] = []
    for kind in KINDS:
        getattr(manager.hook, f"register_{kind}")(register=Register(kind, "", entries.append))
    named = {kind: sorted(entry.name for entry in entries if entry.kind == kind) for kind in KINDS}
    return {kind: names for kind, names in named.items() if names}


if __name__ == "__main__":
    text = json.dumps(plugins(), indent=1) + "\n"
    (HERE.parent / "causal_disent/first_party.json").write_text(text, encoding="utf-8")
