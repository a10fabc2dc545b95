"""``--compile``: networks that torch.compile has translated, if steps are the faster for it."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.text import say
from causal_disent_torch.train.trainer import Trainer

#: What translates; a test takes one that needs no compiler.
BACKEND = "inductor"
#: Steps whose fastest is compared, of either kind.
COMPARED = 10


class CompiledTrainer(Trainer):
    """Makes some plain steps, then compiled ones, says when compiling has paid for itself, and keeps the faster.

    All of them count: what is compared is trained.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._plain = self.learning
        self._seconds: list[float] = []

    def step(self) -> dict[str, Tensor]:
        """As a `Trainer` does, with a clock beside the first ones."""
        if len(self._seconds) > 2 * COMPARED:
            return super().step()
        if len(self._seconds) == COMPARED:
            self.learning = self.led(lambda network: torch.compile(network, backend=BACKEND))
        began = perf_counter()
        try:
            terms = super().step()
        except (errors.CausalDisentError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            if len(self._seconds) != COMPARED:
                raise
            raise errors.InvalidInput(
                f"--compile: torch cannot compile the networks here: {errors.described(error)}. Leave it out."
            ) from error
        float(terms["loss"])  # waits for the device
        self._seconds.append(perf_counter() - began)
        if len(self._seconds) == 2 * COMPARED + 1:
            self._choose()
        return terms

    def _choose(self) -> None:
        plain, compiled = min(self._seconds[:COMPARED]), min(self._seconds[COMPARED + 1 :])
        spent = self._seconds[COMPARED] - compiled
        told = f"a step takes {1000 * compiled:.3g} ms compiled and {1000 * plain:.3g} ms plain"
        if compiled < plain:
            pays = math.ceil(spent / (plain - compiled))
            say(f"{told}; compiling took {spent:.3g} s, which {pays:,} steps make up for", error=True)
        else:
            self.learning = self._plain
            say(f"{told}; compiling took {spent:.3g} s and does not pay here: plain ones follow", error=True)
