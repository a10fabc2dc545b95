"""Numbers below 1e-38, which a processor takes a hundred times as long for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

#: The least number of float32 that is not one of them is twice as large.
DENORMAL = 2.0**-127


@contextmanager
def flushed() -> Iterator[None]:
    """In the block they are 0, where the processor can; averages of gradients that vanish come to be so small."""
    before = not torch.full((), DENORMAL).mul(1.0).item()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
