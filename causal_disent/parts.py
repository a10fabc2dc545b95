"""Functions that configs may bind: `Part`, and the decorator that makes one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import update_wrapper
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from causal_disent.entries import Entry
from causal_disent.registry import registry
from causal_disent.typed import checked


class Part:
    """A function that configs may bind, callable without gin as well.

    Programs call it like the function it wraps; where gin is in use, bindings such as ``discretizer.num_bins``
    reach it through the registry.
    """

    def __init__(self, name: str, function: Callable[..., Any], supplied: Sequence[str]) -> None:
        self.name = name
        self.function = checked(function)
        self.supplied = tuple(supplied)
        update_wrapper(self, function, updated=())  # the attributes of a class may be called as these are
        self.declaration = self  # what a hook's callback asks: ``register(part)``

    def entries(self, owner: str) -> Iterator[Entry]:
        """What becomes known; the summary is the first line of the docstring."""
        summary = (self.function.__doc__ or self.name).strip().splitlines()[0].rstrip(".")
        yield Entry("parts", self.name, owner, self, summary)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # One that nobody has registered yet, or that another one of its name stands in for, is called as it is.
        function = registry.function("parts", self.name) if registry.holds("parts", self.name, self) else None
        return (function or self.function)(*args, **kwargs)

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


def declared_in(package: str, without: Collection[str] = ()) -> Iterator[Any]:
    """What the modules of `package` declare, by ``@metric(...)`` or ``@part(...)``, for a hook to register.

    Args:
        package: its name, such as ``"causal_disent.metrics"``; packages inside it are left alone.
        without: modules in it that are not imported.
    """
    for found in iter_modules(import_module(package).__path__, f"{package}."):
        if found.ispkg or found.name.rpartition(".")[2] in without:
            continue
        for value in vars(import_module(found.name)).values():
            # What a module has imported belongs to another.
            if hasattr(value, "declaration") and getattr(value, "__module__", "") == found.name:
                yield value
