"""Name -> entry, for everything a plugin may offer.

The registry fills itself on first use through the loader that
``causal_disent.plugins`` installs, so that ``import causal_disent`` stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from causal_disent import errors

__all__ = [
    "COMPONENTS",
    "KINDS",
    "NOT_IN_CONFIGS",
    "Component",
    "Entry",
    "Register",
    "Registry",
    "component",
    "registry",
]

#: Kind (as a hook names it, ``register_<kind>``) -> the word for one entry of it.
KINDS = {
    "datasets": "data set",
    "models": "model",
    "metrics": "metric",
    "attributions": "attribution",
    "classifiers": "classifier",
    "engines": "engine",
    "backends": "backend",
    "commands": "command",
}

#: Kinds whose entries configs do not name.
NOT_IN_CONFIGS = ("backends", "commands")


@dataclass(frozen=True)
class Entry:
    """One registered thing.

    Attributes:
        kind: a key of `KINDS`.
        name: the name users and gin configs say.
        factory: a metric or attribution itself, what adds a command to a parser, or what makes the data set,
            model, classifier, engine or backend.
        summary: one line for listings.
        owner: the plugin that registered it.
        details: further facts that listings show, such as what a metric assumes of the factors.
    """

    kind: str
    name: str
    factory: Callable[..., Any]
    summary: str
    owner: str
    details: dict[str, str] = field(default_factory=dict)


class Register:
    """The callback a hook receives: ``register(name, factory, summary=...)``."""

    def __init__(self, kind: str, owner: str, add: Callable[[Entry], None]) -> None:
        self._kind = kind
        self._owner = owner
        self._add = add

    def __call__(self, name: str, factory: Callable[..., Any], *, summary: str = "", **details: str) -> None:
        """Offer `factory` under `name`; `details` are shown in listings."""
        thing = KINDS[self._kind]
        if not (isinstance(name, str) and name.isidentifier()):
            raise errors.InvalidInput(
                f"The plugin {self._owner} registers a {thing} under {name!r}; a name is letters, digits and "
                "underscores, for gin to see it."
            )
        if not callable(factory):
            raise errors.InvalidInput(
                f"The plugin {self._owner} registers the {thing} '{name}' with {factory!r}, which cannot be "
                "called."
            )
        self._add(Entry(self._kind, name, factory, summary, self._owner, dict(details)))


class Registry:
    """All entries, by kind and name."""

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, list[Entry]]] = {kind: {} for kind in KINDS}
        self._configured: dict[tuple[str, str], Callable[..., Any]] = {}
        self._loader: Callable[[], None] | None = None
        self._explain_missing: Callable[[str, str], errors.CausalDisentError | None] = lambda kind, name: None

    def set_loader(
        self,
        loader: Callable[[], None],
        explain_missing: Callable[[str, str], errors.CausalDisentError | None],
    ) -> None:
        """`loader` runs before the first look-up; `explain_missing` may say why a name is not there."""
        self._loader = loader
        self._explain_missing = explain_missing

    def add(self, entry: Entry) -> None:
        """Take an entry; a second owner of its name is remembered, and reported when it is asked for."""
        self._entries[entry.kind].setdefault(entry.name, []).append(entry)

    def replace(self, entry: Entry) -> Callable[[], None]:
        """Let `entry` have its name alone, until the function that is returned is called."""
        self._load()
        entries, key = self._entries[entry.kind], (entry.kind, entry.name)
        before, configured = entries.get(entry.name), self._configured.pop(key, None)
        entries[entry.name] = [entry]

        def restore() -> None:
            del entries[entry.name]
            self._configured.pop(key, None)
            if before is not None:
                entries[entry.name] = before
            if configured is not None:
                self._configured[key] = configured

        return restore

    def clear(self) -> None:
        """Forget every entry."""
        self._configured.clear()
        for entries in self._entries.values():
            entries.clear()

    def configure(self, entry: Entry, function: Callable[..., Any]) -> None:
        """Let `function`, gin's wrapper of the entry's factory, be called in its place."""
        self._configured[entry.kind, entry.name] = function

    def function(self, kind: str, name: str) -> Callable[..., Any]:
        """What to call for `name`: the factory, with gin's bindings where gin is in use."""
        return self._configured.get((kind, name), self.get(kind, name).factory)

    def entries(self, kind: str) -> Iterator[Entry]:
        """The entries of one kind that a user can ask for, sorted by name."""
        self._load()
        for _, entries in sorted(self._entries[kind].items()):
            if len(entries) == 1:
                yield entries[0]

    def names(self, kind: str) -> list[str]:
        """Their names."""
        return [entry.name for entry in self.entries(kind)]

    def collisions(self) -> Iterator[list[Entry]]:
        """The entries that share a kind and a name."""
        self._load()
        for entries in self._entries.values():
            yield from (same for same in entries.values() if len(same) > 1)

    def get(self, kind: str, name: str) -> Entry:
        """The entry called `name`, or an error that says what there is instead."""
        self._load()
        found = self._entries[kind].get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise errors.collision(KINDS[kind], name, (entry.owner for entry in found))
        raise self._explain_missing(kind, name) or errors.unknown(KINDS[kind], name, self.names(kind))

    def _load(self) -> None:
        loader, self._loader = self._loader, None
        if loader is not None:
            loader()


registry = Registry()


class Component:
    """A helper that gin may configure, callable without gin as well.

    Metrics call it like the function it wraps; ``causal_disent.config`` puts gin's
    wrapper into `implementation`, so that bindings such as ``discretizer.num_bins`` reach it.
    """

    def __init__(self, name: str, function: Callable[..., Any], supplied: Sequence[str]) -> None:
        self.name = name
        self.function = function
        self.supplied = supplied
        self.implementation = function
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.implementation(*args, **kwargs)

    def __repr__(self) -> str:
        return self.name


COMPONENTS: dict[str, Component] = {}


def component(name: str, *, supplied: Sequence[str] = ("target",)) -> Callable[[Callable[..., Any]], Component]:
    """Make a function bindable from gin as `name`, without importing gin.

    Args:
        name: what configs call it.
        supplied: arguments that the program gives, so that configs cannot bind them.
    """

    def wrap(function: Callable[..., Any]) -> Component:
        COMPONENTS[name] = Component(name, function, supplied)
        return COMPONENTS[name]

    return wrap
