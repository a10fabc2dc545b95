"""What configs bind for training as functions, written ``@name``, checked before it starts."""

from __future__ import annotations

import inspect
import re
from typing import Any

from causal_disent import errors
from causal_disent.checks import check_number
from causal_disent.config import bindings_of, entry_of
from causal_disent.registry import ROLES, registry


def check_function(name: str, value: Any, role: str) -> None:
    """Raise unless `value` is a function of this role, written ``@its_name`` in a config.

    Args:
        name: of the parameter, as configs call it.
        value: what is bound. A function that is not registered will do if it takes what the program gives.
        role: a key of `causal_disent.registry.ROLES`.
    """
    known = entry_of(value)
    fits = takes(value, len(ROLES[role])) if known is None else known.facts.get("role") == role
    if not fits:
        raise errors.InvalidInput(
            f"{name} must be a function of {errors.listing(ROLES[role])}, written @its_name without brackets; "
            f"given: {as_bound(name, value)}."
        )


def check_no_brackets() -> None:
    """Raise where a config has ``thing.its_fn = @name()`` for what needs arguments."""
    known = registry.in_configs()
    for parameter, text in bindings_of(*known):
        called = text.removesuffix("()")
        name = re.split(r"[@./]", called)[-1]
        if parameter.endswith("_fn") and called != text and name in known:
            raise errors.InvalidInput(
                f"{parameter} must be a function, written {called} without brackets; given: {text}."
            )


def check_adam(learning_rate: float, beta1: float, beta2: float, epsilon: float) -> None:
    """Raise unless ``AdamOptimizer`` can have these."""
    check_number("AdamOptimizer.learning_rate", learning_rate, above=0)
    for parameter, value in (("beta1", beta1), ("beta2", beta2)):
        check_number(f"AdamOptimizer.{parameter}", value, at_least=0, below=1)
    check_number("AdamOptimizer.epsilon", epsilon, at_least=0)


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
