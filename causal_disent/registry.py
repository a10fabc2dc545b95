"""Where everything that has a name is looked up: `registry`, and parts that configs may bind.

The registry fills itself on first use through the loader that ``causal_disent.plugins`` installs, so that ``import
causal_disent`` stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from causal_disent import errors
from causal_disent.entries import KINDS, MIDDLE_RANK, NETWORKS, ROLES, Entry, Kind, Register, Store, store

__all__ = [
    "KINDS",
    "NETWORKS",
    "ROLES",
    "Entry",
    "Kind",
    "Part",
    "Register",
    "Registry",
    "declared_in",
    "part",
    "plain",
    "registry",
]


class Registry:
    """Look-ups of what the plugins have registered.

    Attributes:
        wrap: makes of an entry what is to be called; ``causal_disent.config`` puts gin's bindings around it.
    """

    def __init__(self, entries: Store) -> None:
        self.wrap: Callable[[Entry], Callable[..., Any]] = lambda entry: plain(entry)
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


class Part:
    """A function that configs may bind, callable without gin as well.

    Programs call it like the function it wraps; where gin is in use, bindings such as ``discretizer.num_bins``
    reach it through the registry.
    """

    def __init__(self, name: str, function: Callable[..., Any], supplied: Sequence[str]) -> None:
        self.name = name
        self.function = function
        self.supplied = tuple(supplied)
        update_wrapper(self, function, updated=())  # the attributes of a class may be called as these are

    @property
    def declaration(self) -> Part:
        """What a hook's callback asks: ``register(part)``."""
        return self

    def entries(self, owner: str) -> Iterator[Entry]:
        """What becomes known; the summary is the first line of the docstring."""
        summary = (self.function.__doc__ or self.name).strip().splitlines()[0].rstrip(".")
        yield Entry("parts", self.name, owner, self, summary)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._in_use()(*args, **kwargs)

    def _in_use(self) -> Callable[..., Any]:
        found = registry.variants("parts", self.name)
        # One that nobody has registered yet, or that another one of its name stands in for, is called as it is.
        if not any(entry.load() is self for entry in found):
            return self.function
        return registry.function("parts", self.name)

    def __repr__(self) -> str:
        return self.name


def part(name: str, *, supplied: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Part]:
    """Decorator: let configs bind a function's parameters under `name`, once a hook has registered it as a part.

    Args:
        name: what configs call it.
        supplied: arguments that the program gives, so that configs cannot bind them.

    Example:
        >>> @part("doubled", supplied=("number",))
        ... def doubled(number, times=2):
        ...     return number * times
        >>> doubled(3)
        6
    """
    return lambda function: Part(name, function, supplied)


def declared_in(place: str) -> Iterator[Any]:
    """What a module, or all modules of a package, declare by ``@metric(...)`` or ``@part(...)``, for a hook.

    Args:
        place: its name, such as ``"causal_disent.metrics"``; packages inside it are left alone.
    """
    inside = iter_modules(getattr(import_module(place), "__path__", ()), f"{place}.")
    for name in [found.name for found in inside if not found.ispkg] or [place]:
        for value in vars(import_module(name)).values():
            # What a module has imported belongs to another.
            if hasattr(value, "declaration") and getattr(value, "__module__", "") == name:
                yield value


def plain(entry: Entry) -> Callable[..., Any]:
    """What configs bind for an entry: the thing itself, without what a `Part` puts around it."""
    thing = entry.load()
    if entry.facts.get("role") in NETWORKS:
        return entry.noting
    return thing.function if isinstance(thing, Part) else thing
