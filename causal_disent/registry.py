"""Where everything that has a name is looked up: `registry`.

The registry fills itself on first use through the loader that ``causal_disent.plugins`` installs, so that ``import
causal_disent`` stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from causal_disent import errors
from causal_disent.entries import KINDS, MIDDLE_RANK, NETWORKS, ROLES, Entry, Kind, Register, Store, store

__all__ = ["KINDS", "NETWORKS", "ROLES", "Entry", "Kind", "Register", "Registry", "registry"]


class Registry:
    """Look-ups of what the plugins have registered.

    Attributes:
        wrap: makes of an entry what is to be called; ``causal_disent.config`` puts gin's bindings around it.
    """

    def __init__(self, entries: Store) -> None:
        self.wrap: Callable[[Entry], Callable[..., Any]] = lambda entry: entry.plain()
        self._store = entries
        self._load: Callable[[], None] = lambda: None
        self._explain_missing: Callable[[str, str], errors.CausalDisentError | None] = lambda kind, name: None

    def set_loader(
        self, load: Callable[[], None], explain_missing: Callable[[str, str], errors.CausalDisentError | None]
    ) -> None:
        """`load` runs before each look-up; `explain_missing` may say why a name is not there."""
        self._load, self._explain_missing = load, explain_missing

    def function(self, kind: str, name: str) -> Callable[..., Any]:
        """What to call for `name`: the target, with gin's bindings where gin is in use."""
        return self.wrap(self.get(kind, name))

    def get(self, kind: str, name: str) -> Entry:
        """The entry called `name`, or an error that says what there is instead."""
        self._load()
        try:
            return self._store.get(kind, name)
        except errors.UnknownName as error:
            raise self._explain_missing(kind, name) or error from None

    def entries(self, kind: str) -> Iterator[Entry]:
        """The entries of one kind that a user can ask for, sorted by name."""
        self._load()
        return self._store.entries(kind)

    def ranked(self, kind: str) -> list[Entry]:
        """The same in the order of their ``rank``."""
        return sorted(self.entries(kind), key=lambda entry: entry.facts.get("rank", MIDDLE_RANK))

    def names(self, kind: str) -> list[str]:
        """Their names."""
        return [entry.name for entry in self.entries(kind)]

    def variants(self, kind: str, name: str) -> list[Entry]:
        """All entries of that kind and name: one for each backend, where they say one."""
        self._load()
        return self._store.variants(kind, name)

    def holds(self, kind: str, name: str, thing: Any) -> bool:
        """Whether that name stands for this very thing."""
        return any(entry.load() is thing for entry in self.variants(kind, name))

    def in_configs(self) -> dict[str, Entry]:
        """Everything that configs can name, by the name that they say."""
        self._load()
        return self._store.in_configs()

    @property
    def backend(self) -> str | None:
        """What decides between entries of one name."""
        return self._store.backend

    @contextmanager
    def using(self, backend: str | None) -> Iterator[None]:
        """Let `backend` decide between entries of one name, for a while."""
        before, self._store.backend = self._store.backend, backend
        try:
            yield
        finally:
            self._store.backend = before

    def declare(self, entry: Entry) -> None:
        """Take an entry of a module that a config or a program imports; declared again, it replaces the former."""
        self._load()
        self._store.declare(entry)

    def replace(self, entry: Entry) -> Callable[[], None]:
        """Let `entry` have its name alone, until the function that is returned is called."""
        self._load()
        return self._store.replace(entry)


registry = Registry(store)
