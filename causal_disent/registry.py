"""Where everything that has a name is kept and looked up: `registry`.

The registry fills itself on first use through the loader that ``causal_disent.plugins`` installs, so that ``import
causal_disent`` stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from causal_disent import errors
from causal_disent.entries import KINDS, MIDDLE_RANK, NETWORKS, ROLES, Entry, Kind, Register

__all__ = ["KINDS", "NETWORKS", "ROLES", "Entry", "Kind", "Register", "Registry", "registry"]


class Registry:
    """All entries, by kind and name.

    Two entries may share a kind and a name if each says another ``backend``: the same model, say, trained by torch
    and by TensorFlow. `backend` decides between them.

    Attributes:
        wrap: makes of an entry what is to be called; ``causal_disent.config`` puts gin's bindings around it.
        load: fills the registry; runs before each look-up.
        explain_missing: kind and name -> the error that says why the name is not there.
        backend: what decides between entries of one name.
    """

    def __init__(self) -> None:
        self.wrap: Callable[[Entry], Callable[..., Any]] = lambda entry: entry.plain()
        self.load: Callable[[], None] = lambda: None
        self.explain_missing: Callable[[str, str], errors.CausalDisentError] = lambda kind, name: errors.unknown(
            KINDS[kind].thing, name, self.names(kind)
        )
        self.backend: str | None = None
        self._entries: dict[str, dict[str, list[Entry]]] = {kind: {} for kind in KINDS}
        self._collisions: list[list[Entry]] | None = None
        self._declared: dict[tuple[str, str, str], Entry] = {}

    def function(self, kind: str, name: str) -> Callable[..., Any]:
        """What to call for `name`: the target, with gin's bindings where gin is in use."""
        return self.wrap(self.get(kind, name))

    def get(self, kind: str, name: str) -> Entry:
        """The entry called `name`, or an error that says what there is instead."""
        found = self.variants(kind, name)
        if not found:
            raise self.explain_missing(kind, name)
        for same in self.collisions():
            if any(entry is found[0] for entry in same):
                raise errors.collision(name, [(entry.label, entry.owner) for entry in same])
        return self._chosen(found)

    def _chosen(self, same: Sequence[Entry]) -> Entry:
        """The entry of the backend in use, or the first."""
        return next((entry for entry in same if entry.facts.get("backend") == self.backend), same[0])

    def entries(self, kind: str) -> Iterator[Entry]:
        """The entries of one kind that a user can ask for, sorted by name."""
        self.load()
        taken = {same[0].in_config for same in self.collisions()} if KINDS[kind].in_configs else set()
        for _, found in sorted(self._entries[kind].items()):
            if found[0].in_config not in taken and (KINDS[kind].in_configs or len(found) == 1):
                yield self._chosen(found)

    def ranked(self, kind: str) -> list[Entry]:
        """The same in the order of their ``rank``."""
        return sorted(self.entries(kind), key=lambda entry: entry.facts.get("rank", MIDDLE_RANK))

    def names(self, kind: str) -> list[str]:
        """Their names."""
        return [entry.name for entry in self.entries(kind)]

    def variants(self, kind: str, name: str) -> list[Entry]:
        """All entries of that kind and name: one for each backend, where they say one."""
        self.load()
        return list(self._entries[kind].get(name, []))

    def holds(self, kind: str, name: str, thing: Any) -> bool:
        """Whether that name stands for this very thing."""
        return any(entry.load() is thing for entry in self.variants(kind, name))

    def in_configs(self) -> dict[str, Entry]:
        """Everything that configs can name, by the name that they say."""
        kinds = (kind for kind, what in KINDS.items() if what.in_configs)
        return {entry.in_config: entry for kind in kinds for entry in self.entries(kind)}

    def collisions(self) -> list[list[Entry]]:
        """The entries that share a name which means one thing alone: over all kinds that configs can say."""
        if self._collisions is None:
            by_name: dict[tuple[str, str], list[Entry]] = {}
            for kind, entries in self._entries.items():
                scope = "configs" if KINDS[kind].in_configs else kind
                for same in entries.values():
                    by_name.setdefault((scope, same[0].in_config), []).extend(same)
            self._collisions = [same for same in by_name.values() if not _agree(same)]
        return self._collisions

    @contextmanager
    def using(self, backend: str | None) -> Iterator[None]:
        """Let `backend` decide between entries of one name, for a while."""
        before, self.backend = self.backend, backend
        try:
            yield
        finally:
            self.backend = before

    def add(self, entry: Entry) -> None:
        """Take an entry; a second owner of its name is remembered, and reported when it is asked for."""
        self._collisions = None
        self._entries[entry.kind].setdefault(entry.name, []).append(entry)

    def declare(self, entry: Entry) -> None:
        """Take an entry of a module that a config or a program imports; it stays when the plugins are loaded anew.

        Declared again, it replaces the former one of that name and owner.
        """
        self.load()
        self._declared[entry.kind, entry.name, entry.owner] = entry
        same = self._entries[entry.kind].setdefault(entry.name, [])
        same[:] = [other for other in same if other.owner != entry.owner]
        self.add(entry)

    def replace(self, entry: Entry) -> Callable[[], None]:
        """Let `entry` have its name alone, until the function that is returned is called."""
        self.load()
        own = KINDS[entry.kind]
        alike = [kind for kind, other in KINDS.items() if other.in_configs and other.ending == own.ending]
        shared = [
            kind for kind in (alike if own.in_configs else [entry.kind]) if entry.name in self._entries[kind]
        ]
        before = [(kind, self._entries[kind].pop(entry.name)) for kind in shared]
        self.add(entry)

        def restore() -> None:
            self._collisions = None
            del self._entries[entry.kind][entry.name]
            for kind, same in before:
                self._entries[kind][entry.name] = same

        return restore

    def clear(self) -> None:
        """Forget every entry, but for those that were declared."""
        self._collisions = None
        for entries in self._entries.values():
            entries.clear()
        for entry in self._declared.values():
            self.add(entry)


def _agree(same: Sequence[Entry]) -> bool:
    """Whether entries of one name are one thing: alone, or one for each of several backends."""
    if len(same) == 1:
        return True
    backends = [entry.facts.get("backend") for entry in same]
    return None not in backends and len(set(backends)) == len(same) == sum(e.kind == same[0].kind for e in same)


registry = Registry()
