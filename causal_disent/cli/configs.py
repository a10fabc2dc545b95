"""``causal-disent configs``: the configs that are shipped, for ``--gin_config``."""

from __future__ import annotations

import argparse

from causal_disent.cli._arguments import add_names
from causal_disent.config_files import config_summary, found_config, shipped_configs
from causal_disent.report.table import WIDTH, text_table
from causal_disent.text import say, say_json


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["configs"], "name", nargs="?", help="print this one, such as metrics/mig.gin")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run_configs)


def run_configs(arguments: argparse.Namespace) -> int:
    """Print the list, or the config that was named."""
    names = [arguments.name] if arguments.name else shipped_configs()
    paths = {name: found_config(name) for name in names}
    texts = {name: path.read_text(encoding="utf-8", errors="replace") for name, path in paths.items()}
    if arguments.json:
        listed = [
            {"name": name, "path": str(path), "summary": config_summary(texts[name])}
            for name, path in paths.items()
        ]
        say_json({**listed[0], "text": texts[arguments.name]} if arguments.name else listed)
    elif arguments.name:
        say(f"# {paths[arguments.name]}\n{texts[arguments.name].rstrip()}")
    else:
        rows = [[name, config_summary(text)] for name, text in texts.items()]
        say(text_table(["config", "what it is for"], rows, WIDTH))
        say("\n`--gin_config NAME` reads one; `causal-disent configs NAME` prints it.")
    return 0
