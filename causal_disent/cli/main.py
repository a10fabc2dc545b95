"""``causal-disent``: everything that is not a drop-in ``dlib_*`` command.

Each command is an entry of the kind ``commands``, the built-in ones as well; its parser is made when it is called.
"""

from __future__ import annotations

import argparse
import io
import sys
import textwrap
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint
from typing import NoReturn

from causal_disent import errors
from causal_disent._version import __version__
from causal_disent.cli._run import MOST_CHARACTERS, run
from causal_disent.plugins import BUILTIN, ENTRY_POINT_GROUP, distribution_of, entry_points, explain_missing
from causal_disent.registry import Entry, registry
from causal_disent.report.table import WIDTH
from causal_disent.text import say, shown

#: Words -> what they call: ``("datasets", "verify")``, say.
Commands = dict[tuple[str, ...], Entry]

OPTIONS = ("--help", "--version", "--debug")
HELP = """usage: causal-disent COMMAND ...

How causally disentangled is a representation? `causal-disent COMMAND --help` tells what a command
takes; --debug shows the traceback of an error; --version shows the version."""
SCRIPTS = "disentanglement_lib's commands have names of their own, and --help:\n  "
#: In this order; commands that are none of the core's come last.
GROUPS = ("measure", "look up", "set up", "of plugins")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    # Inside, because it loads the plugins, for the commands they add.
    return run(lambda: _run(words), debug="--debug" in words)


def _run(words: list[str]) -> int:
    debug = words[:1] == ["--debug"]
    words = words[debug:]
    commands = all_commands()
    if not words or words[0] in ("-h", "--help"):
        say(_help(commands))
        return 0
    if words[0] == "--version":
        say(f"causal_disent {__version__}")
        return 0
    if words[0].startswith("-"):
        raise errors.unknown("option", words[0], OPTIONS)
    for length in (2, 1):
        called = tuple(words[:length])
        if called in commands:
            return _call(commands[called], called, words[length:], debug)
    group = {called: entry for called, entry in commands.items() if called[0] == words[0]}
    if group and (not words[1:] or words[1] in ("-h", "--help")):
        say(_table(group))
        return 0
    raise explain_missing(
        "command", " ".join(words[: 2 if group else 1]), [" ".join(called) for called in commands], ["commands"]
    )


def all_commands() -> Commands:
    """What can be called; ``register("render_candle", ..., under="render")`` makes ``render candle``."""
    return {entry.words: entry for entry in registry.entries("commands")}


class _Parser(argparse.ArgumentParser):
    """A parser whose messages steer no terminal and forge no line."""

    def error(self, message: str) -> NoReturn:
        super().error(shown(message, MOST_CHARACTERS))


def parser_of(entry: Entry, called: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of a command, with the arguments that its owner gives it."""
    parser = _Parser(
        prog=" ".join(["causal-disent", *called]), description=shown(entry.summary), conflict_handler="resolve"
    )
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.set_defaults(called=entry.name)
    entry.load()(parser)
    return parser


def _call(entry: Entry, called: Sequence[str], words: Sequence[str], debug: bool) -> int:
    with entry.isolated():
        parser = parser_of(entry, called)
        if debug:
            parser.set_defaults(debug=True)
        over: SystemExit | None = None
        with redirect_stdout(io.StringIO()) as helped:  # argparse would ignore that the disk is full
            try:
                arguments = parser.parse_args(words)
            except SystemExit as error:  # argparse has said what is wrong, or printed the help
                over = error
    if over is not None:
        if helped.getvalue():
            say(helped.getvalue().rstrip("\n"))
        return over.code if isinstance(over.code, int) else 0
    try:
        code = arguments.command(arguments)
    except (errors.CausalDisentError, OSError):
        raise
    except (Exception, SystemExit) as error:
        if entry.owner == BUILTIN:
            raise
        if isinstance(error, SystemExit) and isinstance(error.code, int):
            return error.code  # a program of its own may end as programs do
        raise errors.BrokenPlugin(
            f"The command '{' '.join(called)}' of the plugin {entry.owner} failed: {errors.described(error)}. "
            "--debug shows where."
        ) from error
    return code if isinstance(code, int) else 0


def _help(commands: Commands) -> str:
    groups: dict[str, Commands] = {title: {} for title in GROUPS}
    for called, entry in commands.items():
        groups[entry.facts["group"] if entry.owner == BUILTIN else GROUPS[-1]][called] = entry
    tables = [f"{title}:\n{_table(group)}" for title, group in groups.items() if group]
    scripts = textwrap.fill(", ".join(dlib_scripts()), WIDTH, subsequent_indent="  ")
    return "\n\n".join([HELP, *tables, SCRIPTS + scripts])


def dlib_scripts() -> dict[str, EntryPoint]:
    """disentanglement_lib's commands that are installed, by name."""
    ours = {distribution_of(point)[0] for point in entry_points(group=ENTRY_POINT_GROUP)} | {"causal-disent"}
    return {
        point.name: point
        for point in sorted(entry_points(group="console_scripts"), key=lambda point: point.name)
        if point.name.startswith("dlib_") and distribution_of(point)[0] in ours
    }


def _table(commands: Commands) -> str:
    """A line for each command: what to type, and its summary."""
    names = {" ".join(called): shown(entry.summary) for called, entry in sorted(commands.items())}
    widest = min(max(map(len, names)), WIDTH // 3)
    return "\n".join(
        textwrap.fill(
            f"{name:<{widest}}  {summary}", WIDTH, initial_indent="  ", subsequent_indent=" " * (widest + 4)
        )
        for name, summary in names.items()
    )


if __name__ == "__main__":
    sys.exit(main())
