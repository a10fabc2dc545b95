"""The absl flags of the ``dlib_*`` commands, with one readable message for a wrong one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from causal_disent import errors
from causal_disent._version import __version__
from causal_disent.cli._run import MOST_CHARACTERS, run
from causal_disent.files import read_bounded
from causal_disent.text import complain, say, shown

#: Of a file of flags.
MOST_BYTES = 2**20


class Flags(flags.FlagValues):
    """The flags of one command, with those that every command has."""

    def __init__(self) -> None:
        super().__init__()
        self.add_switch(debug="Show the traceback of an error.", version="Show the version.")
        self.add("bool", "help", False, "Show this text.", short_name="h")

    def add(self, kind: str, name: str, default: Any, told: str, **options: Any) -> None:
        """Add a flag of one of absl's kinds, such as ``"integer"``."""
        getattr(flags, f"DEFINE_{kind}")(name, default, told, flag_values=self, **options)

    def add_text(self, **helps: str) -> None:
        """Add flags that take a text, each with its help."""
        for name, told in helps.items():
            self.add("string", name, None, told)

    def add_texts(self, **helps: str) -> None:
        """Add flags that can be repeated."""
        for name, told in helps.items():
            self.add("multi_string", name, [], f"{told} Repeatable.")

    def add_switch(self, **helps: str) -> None:
        """Add flags that are off unless they are given."""
        for name, told in helps.items():
            self.add("bool", name, False, told)

    def add_config(self) -> None:
        """Add the flags of commands that read configs and write a folder."""
        self.add_texts(
            gin_config="Gin config to read: a path, or a shipped one such as metrics/uc.gin.",
            gin_bindings='Gin binding, such as "uc.rho = 2".',
        )
        self.add_switch(overwrite="Replace the output folder if it exists.")

    def add_backend(self, work: str, *, device: bool = False) -> None:
        """Add the choice of the backend that does the `work`, and of the device."""
        self.add_text(backend=f"What {work} (`causal-disent backends`); by default the first that can.")
        if device:
            self.add("string", "device", "auto", "Where: auto, or cuda, cuda:1, mps or cpu.")

    def require(self, *names: str) -> None:
        """Raise unless each of these flags is given."""
        for name in names:
            if not getattr(self, name):
                raise errors.InvalidInput(f"--{name} is needed. --help shows an example.")

    def _get_flag_file_lines(self, filename: str, parsed_file_stack: list[str] | None = None) -> list[str]:
        """The lines of what ``--flagfile`` names; absl would wait for a pipe, and read a device without end."""
        if filename in (parsed_file_stack or ()):
            raise flags.CantOpenFlagFileError(f"The file {shown(filename)} of --flagfile names itself.")
        try:
            read_bounded(Path(filename), MOST_BYTES).decode("utf-8") if filename else None
        except (errors.InvalidInput, ValueError) as error:
            raise flags.CantOpenFlagFileError(f"--flagfile: {errors.text_of(error)}") from None
        return super()._get_flag_file_lines(filename, parsed_file_stack)

    def run(self, command: Callable[[], int], argv: Sequence[str] | None, usage: str) -> int:
        """Parse `argv`, or the arguments of the process, and call the command; its exit code.

        Args:
            command: what is called once the flags have their values.
            argv: without the name of the command.
            usage: what ``--help`` shows first; it begins with the name of the command.
        """
        try:
            rest = self(sys.argv if argv is None else [usage.strip().partition(":")[0], *argv])
            if len(rest) > 1:
                raise flags.UnrecognizedFlagError(rest[1])
        except flags.UnrecognizedFlagError as error:
            near = errors.nearest(error.flagname, [f"--{name}" for name in self])
            complain("error", f"unknown argument '{shown(error.flagname)}'.{near} --help lists the flags.")
            return 2
        except flags.Error as error:
            complain("error", shown(error, MOST_CHARACTERS))
            return 2
        return run(lambda: self._tell(usage) if self.version or self.help else command(), debug=self.debug)

    def _tell(self, usage: str) -> int:
        """Print the version, or the help."""
        say(f"causal_disent {__version__}" if self.version else f"{usage.strip()}\n{self.get_help()}")
        return 0
