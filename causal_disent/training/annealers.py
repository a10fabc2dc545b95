"""How much the supervised loss counts at each step."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from causal_disent.checks import check_number
from causal_disent.config import REQUIRED
from causal_disent.registry import part
from causal_disent.training.bound import check_function


@part("annealer", supplied=("gamma",))
def annealer(
    gamma: float, iteration_threshold: float = REQUIRED, anneal_fn: Callable[[float, int, float], float] = REQUIRED
) -> Callable[[int], float]:
    """The weight at each step, as the bound `anneal_fn` makes it from `gamma`."""
    check_function("annealer.anneal_fn", anneal_fn, "annealer")
    bound = "above" if inspect.unwrap(anneal_fn) is anneal else "at_least"  # it divides by the threshold
    check_number("annealer.iteration_threshold", iteration_threshold, **{bound: 0})
    return lambda step: anneal_fn(gamma, step, iteration_threshold)


def fixed(gamma: float, step: int, iteration_threshold: float) -> float:
    """`gamma` at every step."""
    return gamma


def anneal(gamma: float, step: int, iteration_threshold: float) -> float:
    """From 0 in a straight line to `gamma` at the threshold, and `gamma` from there on."""
    return min(float(gamma), gamma * step / iteration_threshold)


def fine_tune(gamma: float, step: int, iteration_threshold: float) -> float:
    """0 up to the threshold, `gamma` after it."""
    return float(gamma) if step > iteration_threshold else 0.0
