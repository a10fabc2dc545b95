"""One vocabulary: everything a config, a command or a listing can name is one `Entry`.

Entries come through pluggy hooks (`causal_disent.hookspecs`); nothing becomes known by being imported. Here they
are kept; `causal_disent.registry` is where they are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from causal_disent import errors

__all__ = ["KINDS", "Entry", "Kind", "Register", "Store", "store"]


@dataclass(frozen=True)
class Kind:
    """What entries of one kind are.

    Attributes:
        thing: the word for one of them.
        supplied: arguments that the program gives, so that configs cannot bind them.
        in_configs: whether configs name them.
        ending: what configs put behind the name.
    """

    thing: str
    supplied: tuple[str, ...] = ()
    in_configs: bool = True
    ending: str = ""


#: Kind, as a hook names it (``register_<kind>``) -> what it is.
KINDS = {
    "datasets": Kind("data set"),
    "models": Kind("model"),
    "representations": Kind("representation", ("data",)),
    "metrics": Kind("metric", ("ground_truth_data", "representation_function", "random_state", "artifact_dir")),
    # `@irs` is the metric; the attribution of that name is `@irs_attribution`.
    "attributions": Kind("attribution", ("codes", "factors", "random_state"), ending="_attribution"),
    "classifiers": Kind("classifier", ("data",)),
    "parts": Kind("part"),
    "engines": Kind("engine"),
    "backends": Kind("backend", in_configs=False),
    "commands": Kind("command", in_configs=False),
}


@dataclass(frozen=True)
class Entry:
    """One registered thing.

    Attributes:
        kind: a key of `KINDS`.
        name: the name users and configs say.
        owner: the plugin that registered it.
        target: the thing itself, or ``"module:attribute"``, which `load` imports.
        summary: one line for listings.
        facts: typed values that listings, checks and runs ask for, such as the ``range`` of a metric, or the
            ``backend`` that trains a model.
    """

    kind: str
    name: str
    owner: str
    target: Callable[..., Any] | str
    summary: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def in_config(self) -> str:
        """What configs call it."""
        return self.name + KINDS[self.kind].ending

    @property
    def label(self) -> str:
        """``the metric of example``, for messages."""
        return f"the {KINDS[self.kind].thing} of {self.owner}"

    def load(self) -> Any:
        """The thing itself: a metric or attribution, what adds a command to a parser, or what makes a data set,
        model, representation, classifier, part, engine or backend."""
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        try:
            thing: Any = import_module(module)
            for name in attribute.split("."):
                thing = getattr(thing, name)
        except (ImportError, AttributeError) as error:
            raise errors.BrokenPlugin(
                f"The {KINDS[self.kind].thing} '{self.name}' of the plugin {self.owner} cannot be used: "
                f"{type(error).__name__}: {error}."
            ) from error
        return thing

    def supplied(self) -> tuple[str, ...]:
        """The arguments that the program gives, so that configs cannot bind them."""
        stated = self.facts.get("supplied", getattr(self.load(), "supplied", None))
        return KINDS[self.kind].supplied if stated is None else tuple(stated)


class Register:
    """The callback a hook receives: ``register(name, target, summary=...)``, or ``register(declared)``."""

    def __init__(self, kind: str, owner: str, add: Callable[[Entry], None]) -> None:
        self._kind = kind
        self._owner = owner
        self._add = add

    def __call__(
        self, name: Any, target: Callable[..., Any] | str | None = None, *, summary: str = "", **facts: Any
    ) -> None:
        """Offer `target` under `name`; `facts` are typed values that listings and checks show.

        What was declared where it is defined, as ``@metric(...)`` and ``@part(...)`` do, is given alone.
        """
        declaration = getattr(name, "declaration", None)
        if target is None and declaration is not None:
            for entry in declaration.entries(self._owner):
                self._add(entry)
            return
        thing = KINDS[self._kind].thing
        if not (isinstance(name, str) and name.isidentifier()):
            raise errors.InvalidInput(
                f"The plugin {self._owner} registers a {thing} under {name!r}; a name is letters, digits and "
                "underscores, for gin to see it."
            )
        if not callable(target) and not (isinstance(target, str) and _names_an_attribute(target)):
            raise errors.InvalidInput(
                f"The plugin {self._owner} registers the {thing} '{name}' with {target!r}, which cannot be "
                "called and is no 'module:attribute'."
            )
        self._add(Entry(self._kind, name, self._owner, target, summary, dict(facts)))


def _names_an_attribute(target: str) -> bool:
    module, _, attribute = target.partition(":")
    return all(name.isidentifier() for name in f"{module}.{attribute}".split("."))


class Store:
    """All entries, by kind and name.

    Two entries may share a kind and a name if each says another ``backend``: the same model, say, trained by torch
    and by TensorFlow. `backend` decides between them.
    """

    def __init__(self) -> None:
        self.backend: str | None = None
        self._entries: dict[str, dict[str, list[Entry]]] = {kind: {} for kind in KINDS}
        self._collisions: list[list[Entry]] | None = None

    def add(self, entry: Entry) -> None:
        """Take an entry; a second owner of its name is remembered, and reported when it is asked for."""
        self._collisions = None
        self._entries[entry.kind].setdefault(entry.name, []).append(entry)

    def replace(self, entry: Entry) -> Callable[[], None]:
        """Let `entry` have its name alone, until the function that is returned is called."""
        shared = [kind for kind in self._sharing(entry) if entry.name in self._entries[kind]]
        before = [(kind, self._entries[kind].pop(entry.name)) for kind in shared]
        self._entries[entry.kind][entry.name] = [entry]
        self._collisions = None

        def restore() -> None:
            self._collisions = None
            del self._entries[entry.kind][entry.name]
            for kind, same in before:
                self._entries[kind][entry.name] = same

        return restore

    def _sharing(self, entry: Entry) -> list[str]:
        """The kinds whose entries of that name would be taken for `entry`."""
        own = KINDS[entry.kind]
        alike = [kind for kind, other in KINDS.items() if other.in_configs and other.ending == own.ending]
        return alike if own.in_configs else [entry.kind]

    def clear(self) -> None:
        """Forget every entry."""
        self._collisions = None
        for entries in self._entries.values():
            entries.clear()

    def entries(self, kind: str) -> Iterator[Entry]:
        """The entries of one kind that a user can ask for, sorted by name."""
        taken = {same[0].in_config for same in self.collisions()} if KINDS[kind].in_configs else set()
        for name, found in sorted(self._entries[kind].items()):
            if found[0].in_config not in taken and (KINDS[kind].in_configs or len(found) == 1):
                yield self._chosen(self._entries[kind][name])

    def names(self, kind: str) -> list[str]:
        """Their names."""
        return [entry.name for entry in self.entries(kind)]

    def in_configs(self) -> dict[str, Entry]:
        """Everything that configs can name, by the name that they say."""
        kinds = (kind for kind, what in KINDS.items() if what.in_configs)
        return {entry.in_config: entry for kind in kinds for entry in self.entries(kind)}

    def variants(self, kind: str, name: str) -> list[Entry]:
        """All entries of that kind and name: one for each backend, where they say one."""
        return list(self._entries[kind].get(name, []))

    def collisions(self) -> list[list[Entry]]:
        """The entries that share a name which means one thing alone: over all kinds that configs can say."""
        if self._collisions is not None:
            return self._collisions
        by_name: dict[tuple[str, str], list[Entry]] = {}
        for kind, entries in self._entries.items():
            scope = "configs" if KINDS[kind].in_configs else kind
            for same in entries.values():
                by_name.setdefault((scope, same[0].in_config), []).extend(same)
        self._collisions = [same for same in by_name.values() if not _agree(same)]
        return self._collisions

    def get(self, kind: str, name: str) -> Entry:
        """The entry called `name`, or an error that says what there is instead."""
        found = self._entries[kind].get(name, [])
        if not found:
            raise errors.unknown(KINDS[kind].thing, name, self.names(kind))
        for same in self.collisions():
            if found[0] in same:
                raise errors.collision(name, [(entry.label, entry.owner) for entry in same])
        return self._chosen(found)

    def _chosen(self, same: Sequence[Entry]) -> Entry:
        """The entry of the backend in use, or the first."""
        return next((entry for entry in same if entry.facts.get("backend") == self.backend), same[0])


def _agree(same: Sequence[Entry]) -> bool:
    """Whether entries of one name are one thing: alone, or one for each of several backends."""
    if len(same) == 1:
        return True
    backends = [entry.facts.get("backend") for entry in same]
    return None not in backends and len(set(backends)) == len(same) == sum(e.kind == same[0].kind for e in same)


store = Store()
