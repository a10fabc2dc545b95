"""Torch's global generators, from which a user's own modules draw their weights and their dropout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor


@contextmanager
def kept(device: torch.device) -> Iterator[None]:
    """Whatever is drawn in the block, the generators of the CPU and of `device` are as before afterwards."""
    before = get_states(device)
    try:
        yield
    finally:
        set_states(before, device)


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """The same, and in the block what is drawn depends on `seed` alone."""
    with kept(device):
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
    """The state of the CPU's generator, and of the device's where it is another."""
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
