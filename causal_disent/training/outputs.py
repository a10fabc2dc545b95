"""What encoders and decoders give, checked: they may be a user's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from causal_disent import errors

#: Rounding that is forgiven in images that a decoder promises to be in [0, 1].
TOLERANCE = 1e-3
#: In the names of types whose values are no real numbers.
NOT_REAL = ("complex", "string")


@dataclass(frozen=True)
class Tensors:
    """What the checks must know of a framework's tensors.

    Attributes:
        is_tensor: whether a value is one of them.
        permuted: a tensor and the new order of its axes -> the tensor with them so.
    """

    is_tensor: Callable[[Any], bool]
    permuted: Callable[[Any, tuple[int, ...]], Any]

    def codes_in(self, output: Any, *, gaussian: bool) -> tuple[Any, ...]:
        """What an encoder gave: its codes, or mean and log variance where it is `gaussian`."""
        several = tuple(output) if isinstance(output, (tuple, list)) else (output,)
        if gaussian:
            if len(several) != 2 or not all(map(self._is_real, several)) or several[0].shape != several[1].shape:
                raise errors.InvalidInput(
                    "The encoder must give mean and log variance, a tuple of two tensors (n, codes); it gave "
                    f"{self.described(output)}. If it gives codes alone, leave gaussian=True out."
                )
            return several
        if not several or not self._is_real(several[0]):
            raise errors.InvalidInput(
                "The encoder must give codes, a tensor (n, codes) of real numbers, or a tuple that begins with "
                f"them; it gave {self.described(output)}."
            )
        return several[:1]

    def images_in(self, output: Any) -> Any:
        """What a decoder gave."""
        if not self._is_real(output):
            raise errors.InvalidInput(
                "The decoder must give images, a tensor (n, h, w, c) of real numbers; it gave "
                f"{self.described(output)}."
            )
        return output

    def described(self, output: Any) -> str:
        """What a message says of a network's output."""
        if self.is_tensor(output):
            name = getattr(output.dtype, "name", output.dtype)
            return f"a tensor of shape {tuple(output.shape)} and type {name}"
        if isinstance(output, (tuple, list)):
            kind = type(output).__name__
            return f"a {kind} of {len(output)} ({errors.listing(map(self.described, output), 5)})"
        return "None" if output is None else f"a value of type {type(output).__name__}"

    def _is_real(self, value: Any) -> bool:
        return self.is_tensor(value) and not any(word in str(value.dtype) for word in NOT_REAL)


def check_pixels(low: float, high: float) -> None:
    """Raise if the values of images, which are from `low` to `high`, are no numbers in [0, 1]."""
    if math.isnan(low) or math.isnan(high):
        raise errors.InvalidInput("The decoder gives values that are not numbers (nan). Look at its weights.")
    if low < -TOLERANCE or high > 1 + TOLERANCE:
        raise errors.InvalidInput(
            f"The decoder gives values from {low:.4g} to {high:.4g}; images are in [0, 1]. If they are logits, "
            "pass activation='logits' (keras_module.activation or torch_module.activation in a config)."
        )
