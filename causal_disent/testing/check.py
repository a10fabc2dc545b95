"""One check of one entry, and how it went."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class CheckFailed(AssertionError):
    """What an entry must do and does not."""


class NotApplicable(Exception):
    """A check that says nothing about this entry, and why."""


@dataclass(frozen=True)
class Outcome:
    """How a check went.

    Attributes:
        check: its name.
        status: ``"ok"``, ``"failed"`` or ``"skipped"``.
        reason: why it failed or was skipped.
        error: what was raised, if it failed.
    """

    check: str
    status: str
    reason: str = ""
    error: BaseException | None = None

    def __str__(self) -> str:
        line = f"{self.status:<8} {self.check}"
        return f"{line}: {self.reason}" if self.reason else line


@dataclass(frozen=True)
class Check:
    """A named check, ready to run.

    Attributes:
        name: what it checks.
        run: returns if all is well; raises `NotApplicable`, or `CheckFailed`, or whatever the entry raised.
        known_failure: why the entry need not pass, if it declares so; such a check is not run.
    """

    name: str
    run: Callable[[], None]
    known_failure: str = ""

    def __call__(self) -> None:
        """Run it, or raise `NotApplicable` for a known failure."""
        if self.known_failure:
            raise NotApplicable(f"known failure: {self.known_failure}")
        self.run()

    def outcome(self) -> Outcome:
        """Run it; whatever the entry does is told, not raised."""
        try:
            self()
        except NotApplicable as reason:
            return Outcome(self.name, "skipped", str(reason))
        except CheckFailed as error:
            return Outcome(self.name, "failed", str(error), error)
        except Exception as error:  # an entry is foreign code: anything may come out of it
            text = getattr(error, "message", None) or str(error)
            return Outcome(self.name, "failed", f"it raised {type(error).__name__}: {text}", error)
        return Outcome(self.name, "ok")


def checks_in(names: Mapping[str, Any]) -> tuple[Callable[[Any], None], ...]:
    """The checks among the `names` of a module, in their order: the functions that take a `trial`."""
    functions = (value for value in names.values() if inspect.isfunction(value))
    return tuple(function for function in functions if list(inspect.signature(function).parameters) == ["trial"])


def demand(condition: object, message: str) -> None:
    """Fail the check with `message` unless `condition` holds."""
    if not condition:
        raise CheckFailed(message)
