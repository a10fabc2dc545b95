"""Where torch runs: the device, its random generators, and denormal numbers, which are slow on a processor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from causal_disent import errors

#: What ``--device`` takes; ``cuda:1`` and the like as well.
DEVICES = ("auto", "cuda", "mps", "cpu")


def choose_device(name: str = "auto") -> torch.device:
    """Return the device called `name`, if this machine has it.

    Args:
        name: one of `DEVICES`, perhaps with a number. ``"auto"`` takes the first that is there, in the order
            cuda, mps, cpu.

    Example:
        >>> choose_device("cpu")
        device(type='cpu')
    """
    here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if isinstance(name, str) and name == "auto":
        return torch.device(next(kind for kind, available in here.items() if available))
    parts = re.fullmatch(r"(cuda|mps|cpu)(?::([0-9]+))?", name) if isinstance(name, str) else None
    if parts is None:
        raise errors.unknown("device", name, DEVICES)
    kind, number = parts[1], None if parts[2] is None else int(parts[2])
    if not here[kind]:
        available = errors.listing(other for other, there in here.items() if there)
        raise errors.InvalidInput(f"There is no device '{name}' on this machine; there is {available}, or 'auto'.")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if number is not None and number >= count:
        raise errors.InvalidInput(f"There is no device '{name}': torch sees {count} of {kind}, counted from 0.")
    return torch.device(kind) if number is None else torch.device(kind, number)


#: The least number of float32 that is not one of them is twice as large.
DENORMAL = 2.0**-127


@contextmanager
def flush_denormals() -> Iterator[None]:
    """In the block they are 0, where the processor can; averages of gradients that vanish come to be so small."""
    before = not torch.full((), DENORMAL).mul(1.0).item()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


@contextmanager
def keep_generators(device: torch.device) -> Iterator[None]:
    """Whatever is drawn in the block, the generators of the CPU and of `device` are as before afterwards."""
    before = get_states(device)
    try:
        yield
    finally:
        set_states(before, device)


@contextmanager
def seed_generators(seed: int, device: torch.device) -> Iterator[None]:
    """The same, and in the block what is drawn depends on `seed` alone."""
    with keep_generators(device):
        # Not `seed` itself: the noise and the weights of this package's own networks are drawn with that.
        own = int(np.random.SeedSequence([seed, 1]).generate_state(1)[0])
        torch.default_generator.manual_seed(own)
        if device.type == "cuda":
            with torch.cuda.device(device):
                torch.cuda.manual_seed(own)
        elif device.type == "mps":
            torch.mps.manual_seed(own)
        yield


def get_states(device: torch.device) -> dict[str, Tensor]:
    """Return the state of the CPU's generator, and of the device's where it is another."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return states


def set_states(states: Mapping[str, Tensor], device: torch.device) -> None:
    """Set what `get_states` gave; the state of a device that is not this one is left out."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
    elif device.type == "mps" and "mps" in states:
        torch.mps.set_rng_state(states["mps"])
