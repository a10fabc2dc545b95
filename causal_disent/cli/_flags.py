"""The absl flags of the ``dlib_*`` commands, with one readable message for a wrong one."""

from __future__ import annotations

from collections.abc import Sequence

from absl import flags

from causal_disent import errors
from causal_disent._version import __version__
from causal_disent.text import complain, say, shown


def define_gin_flags(values: flags.FlagValues) -> None:
    """The flags of the ``dlib_*`` commands that read configs and write a folder."""
    flags.DEFINE_multi_string(
        "gin_config", [], "Gin config to read: a path, or a shipped one such as metrics/uc.gin. Repeatable.",
        flag_values=values,
    )  # fmt: skip
    flags.DEFINE_multi_string(
        "gin_bindings", [], "Gin binding, such as \"uc.rho = 2\". Repeatable.", flag_values=values
    )  # fmt: skip
    flags.DEFINE_bool("overwrite", False, "Replace the output folder if it exists.", flag_values=values)
    define_common_flags(values)


def define_common_flags(values: flags.FlagValues) -> None:
    """The flags that every ``dlib_*`` command has."""
    flags.DEFINE_bool("debug", False, "Show the traceback of an error.", flag_values=values)
    flags.DEFINE_bool("help", False, "Show this text.", short_name="h", flag_values=values)
    flags.DEFINE_bool("version", False, "Show the version.", flag_values=values)


def define_backend(values: flags.FlagValues, work: str, *, device: bool = False) -> None:
    """Which backend does the `work`, and on which device."""
    flags.DEFINE_string(
        "backend", None, f"What {work} (`causal-disent backends`); by default the first that can.",
        flag_values=values,
    )  # fmt: skip
    if device:
        flags.DEFINE_string("device", "auto", "Where: auto, or cuda, cuda:1, mps or cpu.", flag_values=values)


def require(values: flags.FlagValues, *names: str) -> None:
    """Raise unless each of these flags is given."""
    for name in names:
        if not getattr(values, name):
            raise errors.InvalidInput(f"--{name} is needed. --help shows an example.")


def parse(values: flags.FlagValues, argv: Sequence[str], usage: str) -> int | None:
    """Parse `argv`; the exit code if the command is over with that, None if it goes on."""
    try:
        rest = values(list(argv))
        if len(rest) > 1:
            raise flags.UnrecognizedFlagError(rest[1])
    except flags.UnrecognizedFlagError as error:
        near = errors.nearest(error.flagname, [f"--{name}" for name in values])
        complain("error", f"unknown argument '{shown(error.flagname)}'.{near} --help lists the flags.")
        return 2
    except flags.Error as error:
        complain("error", str(error))
        return 2
    if values.version:
        say(f"causal_disent {__version__}")
        return 0
    if values.help:
        say(usage.strip() + "\n" + values.get_help())
        return 0
    return None
