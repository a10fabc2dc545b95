"""Which device torch runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_disent import errors

if TYPE_CHECKING:
    import torch

__all__ = ["DEVICES", "choose_device"]

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
    import torch

    here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(kind for kind, available in here.items() if available))
    kind, _, number = name.partition(":")
    if kind not in here or (number and not number.isdigit()):
        raise errors.unknown("device", name, DEVICES)
    if not here[kind]:
        available = errors.listing(other for other, there in here.items() if there)
        raise errors.InvalidInput(f"There is no device '{name}' on this machine; there is {available}, or 'auto'.")
    if kind == "cuda" and number and int(number) >= torch.cuda.device_count():
        raise errors.InvalidInput(f"There is no device '{name}': torch sees {torch.cuda.device_count()}.")
    return torch.device(name)
