"""Which device torch runs on."""

from __future__ import annotations

import re

import torch

from causal_disent import errors

#: What ``--device`` takes; ``cuda:1`` and the like as well.
DEVICES = ("auto", "cuda", "mps", "cpu")


def choose_device(name: str = "auto") -> torch.device:
    """The device called `name`, if this machine has it.

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
