"""What configs bind for training, checked before it starts: numbers, and functions written ``@name``."""

from __future__ import annotations

import inspect
import operator
import re
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any

from causal_disent import errors
from causal_disent.arguments import is_number, is_whole
from causal_disent.config import bindings_of
from causal_disent.registry import Part, registry

__all__ = [
    "as_bound",
    "check_function",
    "check_no_brackets",
    "check_number",
    "check_numbers",
    "check_seed",
    "check_truth",
    "check_whole",
    "part_of",
    "is_finite_number",
    "takes",
]

BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "at_least": ("at least", operator.ge),
    "above": ("greater than", operator.gt),
    "at_most": ("at most", operator.le),
    "below": ("less than", operator.lt),
}


def is_finite_number(value: Any) -> bool:
    """Whether it is a number that a float can hold; truth values and text are none."""
    return is_number(value) and bool(abs(value) <= sys.float_info.max)


def check_number(name: str, value: Any, **bounds: float) -> None:
    """Raise unless `value` is a finite number within the bounds.

    Args:
        name: of the parameter, as configs call it.
        value: what is bound.
        bounds: any of ``at_least``, ``above``, ``at_most`` and ``below``.

    Example:
        >>> check_number("AdamOptimizer.beta1", 0.9, at_least=0, below=1)
    """
    asked = [(*BOUNDS[bound], limit) for bound, limit in bounds.items()]
    if not is_finite_number(value) or not all(holds(value, limit) for _, holds, limit in asked):
        limits = " and ".join(f"{words} {limit}" for words, _, limit in asked)
        raise errors.InvalidInput(f"{name} must be a finite number{limits and f', {limits}'}; given: {value!r}.")


def check_numbers(owner: str, **values: Any) -> None:
    """`check_number` for several parameters of `owner`, without bounds."""
    for name, value in values.items():
        check_number(f"{owner}.{name}", value)


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless `value` is a whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise errors.InvalidInput(f"{name} must be a whole number of at least {least}; given: {value!r}.")


def check_seed(name: str, value: Any) -> None:
    """Raise unless `value` can be a seed."""
    if not is_whole(value) or not 0 <= value < 2**32:
        raise errors.InvalidInput(f"{name} must be a whole number from 0 to 2**32 - 1; given: {value!r}.")


def check_truth(name: str, value: Any) -> None:
    """Raise unless `value` is True or False; 'False' in quotes, say, would count as true."""
    if not isinstance(value, bool):
        raise errors.InvalidInput(f"{name} must be True or False; given: {value!r}.")


def check_function(name: str, value: Any, arguments: Sequence[str]) -> None:
    """Raise unless `value` is a function that can be called with `arguments`, written ``@its_name`` in a config.

    Args:
        name: of the parameter, as configs call it.
        value: what is bound.
        arguments: what the program calls it with, in this order.
    """
    known = part_of(value)
    fits = takes(value, len(arguments)) if known is None else tuple(known.supplied) == tuple(arguments)
    if not fits:
        raise errors.InvalidInput(
            f"{name} must be a function of {errors.listing(arguments)}, written @its_name without brackets; "
            f"given: {as_bound(name, value)}."
        )


def check_no_brackets(names: Collection[str]) -> None:
    """Raise where a config has ``thing.its_fn = @name()`` for one of `names`, which needs arguments."""
    for parameter, text in bindings_of(*registry.in_configs()):
        called = text.removesuffix("()")
        name = re.split(r"[@./]", called)[-1]
        if parameter.endswith("_fn") and called != text and name in names:
            raise errors.InvalidInput(
                f"{parameter} must be a function, written {called} without brackets; given: {text}."
            )


def part_of(value: Any) -> Part | None:
    """The part that a config means by ``@name``."""
    if isinstance(value, Part):
        return value
    function = inspect.unwrap(value) if callable(value) else value
    parts = (entry.load() for entry in registry.entries("parts"))
    return next((part for part in parts if isinstance(part, Part) and part.function is function), None)


def as_bound(name: str, value: Any) -> str:
    """`value` as the config that binds it to `name` writes it."""
    return dict(bindings_of(name.rpartition(".")[0])).get(name, repr(value))


def takes(value: Any, number: int) -> bool:
    """Whether `value` can be called with so many arguments."""
    try:
        inspect.signature(value).bind(*range(number))
    except TypeError:
        return False
    except ValueError:  # a built-in that does not tell
        return True
    return True
