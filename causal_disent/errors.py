"""What a user can see go wrong: what was given, what is allowed, the nearest match.

An error made here is a mistake its reader can correct. The commands print its
message alone and exit with 2; anything else is a fault, and --debug shows where.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from causal_disent.text import printable, shown

#: What a command that was interrupted exits with, as a shell would have it.
INTERRUPTED = 130
#: Characters of a name that is compared with those there are, and of what another program's error says.
MOST_COMPARED, MOST_DESCRIBED = 100, 1000


class CausalDisentError(Exception):
    """Base of all errors that a user can mend.

    Gin appends its call chain to ``str(error)``; ``message`` stays clean.
    """

    def __init__(self, message: str) -> None:
        # Wherever it is shown, by a command or by Python itself, what strangers wrote in it steers no terminal.
        self.message = printable(message)
        super().__init__(self.message)


class InvalidInput(CausalDisentError, ValueError):
    """An argument that cannot be used."""


class WrongCall(InvalidInput, TypeError):
    """A call with arguments that a function does not have, or without those that it needs."""


class NotForThisBackend(InvalidInput):
    """A saved model that is whole, but of a kind that this backend does not read; another may."""


class UnknownName(CausalDisentError, LookupError):
    """A metric, data set, factor or value that does not exist."""


class NameCollision(CausalDisentError):
    """Two plugins offer the same name."""


class BrokenPlugin(CausalDisentError):
    """A plugin that could not be loaded offers what was asked for."""


class ConfigError(CausalDisentError):
    """A gin config that cannot be parsed or bound."""


class OutOfMemory(CausalDisentError, MemoryError):
    """What was asked for does not fit into memory."""


class OutputExists(CausalDisentError):
    """The output folder is already there."""


class InUse(CausalDisentError):
    """Another process is writing what this one wants to write."""


class MissingPart(CausalDisentError):
    """A metric needs a part (a decoder, say) that the representation lacks."""


class MetricFailed(CausalDisentError):
    """A metric raised `failure`; the run wrote nothing."""

    def __init__(self, message: str, failure: BaseException) -> None:
        super().__init__(message)
        # Gin raises copies of errors without their cause, so that it is kept here.
        self.failure = failure


def listing(names: Iterable[object], most: int = 20) -> str:
    """``a, b, c``, cut after `most` names."""
    words = [shown(name) for name in names]
    text = ", ".join(words[:most])
    return f"{text}, ... ({len(words)} in all)" if len(words) > most else text or "none"


def nearest_name(name: str, names: Iterable[object]) -> str | None:
    """The one of `names` that is most like `name`, if any is."""
    by_lower = {str(candidate).lower(): str(candidate) for candidate in names}
    matches = difflib.get_close_matches(name[:MOST_COMPARED].lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[matches[0]] if matches else None


def nearest(name: str, names: Iterable[object]) -> str:
    """`` Did you mean 'x'?``, or nothing where no name is near."""
    found = nearest_name(str(name), names)
    return f" Did you mean '{shown(found)}'?" if found is not None else ""


def unknown(kind: str, name: object, names: Iterable[object]) -> UnknownName:
    """No `kind` is called `name`; `names` are those there are."""
    names = list(names)
    return UnknownName(
        f"Unknown {kind} '{shown(name)}'.{nearest(shown(name), names)} There are: {listing(names)}."
    )


def unknown_parameter(owner: str, name: str, names: Iterable[str]) -> ConfigError:
    """`owner` has no parameter `name`."""
    names = list(names)
    return ConfigError(
        f"'{shown(owner)}' has no parameter '{shown(name)}'.{nearest(name, names)} It takes: {listing(names)}."
    )


def collision(name: str, things: Iterable[tuple[str, str]]) -> NameCollision:
    """More than one thing is called `name`; each is given as what it is and who registers it."""
    labels, owners = zip(*sorted(things), strict=True)
    others = sorted({owner for owner in owners if owner != "builtin"})
    if len(set(owners)) == 1:
        way = f"{owners[0]} must give one of them another name."
    elif "builtin" in owners:  # which is always there
        way = f"Uninstall {' and '.join(others)}, or leave it out: CAUSAL_DISENT_PLUGINS names what is loaded."
    else:
        way = f"Uninstall one, or load only the other with CAUSAL_DISENT_PLUGINS={others[0]}."
    return NameCollision(f"The name '{name}' is used by {' and by '.join(labels)}. {way}")


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Turn whatever a stranger's object raises while it is read into an error that says that `what` cannot be.

    Example:
        >>> with readable("The graph"):
        ...     list(3)
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: The graph cannot be read: TypeError: 'int' object is not iterable.
    """
    try:
        yield
    except CausalDisentError:
        raise
    except Exception as error:
        raise InvalidInput(f"{what} cannot be read: {described(error).rstrip('.')}.") from error


def missing_input(path: Path, flag: str) -> InvalidInput:
    """The input folder `path`, given by `flag`, does not exist."""
    return InvalidInput(f"The folder {path} given by {flag} does not exist.")


def missing_decoder(metric: str) -> MissingPart:
    """`metric` needs a decoder."""
    return MissingPart(
        f"The metric '{metric}' needs a decoder, and the representation has none. For a saved model, name the "
        "folder that has one with --model_dir; give a registered representation, or one in Python, a "
        "`decode(codes) -> images in [0, 1]`."
    )


def line_in(file: str, error: BaseException) -> int | None:
    """The line of `file` that raised `error`, or that was running when something else did."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else None


def text_of(error: BaseException) -> str:
    """What an error says, without the call chain that gin adds."""
    if isinstance(error, CausalDisentError):
        return error.message
    try:
        return str(error).partition("\n  In call to configurable")[0]
    except BaseException:  # an error's own text may fail too
        return "its text cannot be shown"


def described(error: BaseException) -> str:
    """``ValueError: what it says``, on one line."""
    name, text = shown(type(error).__name__), shown(text_of(error), MOST_DESCRIBED)
    return f"{name}: {text}" if text else name


def metric_failed(name: str, error: BaseException, file: str = "") -> MetricFailed:
    """The metric `name`, which `file` defines, raised `error`."""
    text = text_of(error)
    line = line_in(file, error)
    place = f" It was at {file}, line {line}." if line else ""
    return MetricFailed(
        f"The metric '{name}' failed: {type(error).__name__}: {text}\nNothing was written.{place} "
        "--debug shows where it happened.",
        error,
    )
