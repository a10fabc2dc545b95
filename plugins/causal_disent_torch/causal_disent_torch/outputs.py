"""What encoders and decoders give, checked: they may be a user's own."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from causal_disent import errors

#: Rounding that is forgiven in images that a decoder promises to be in [0, 1].
TOLERANCE = 1e-3


def codes_in(output: Any, *, gaussian: bool) -> tuple[Tensor, ...]:
    """What an encoder gave: its codes, or mean and log variance where it is `gaussian`."""
    if gaussian:
        pair = isinstance(output, tuple) and len(output) == 2 and all(map(_is_real, output))
        if not pair or output[0].shape != output[1].shape:
            raise errors.InvalidInput(
                "The encoder must give mean and log variance, a tuple of two tensors (n, codes); it gave "
                f"{described(output)}. If it gives codes alone, leave gaussian=True out."
            )
        return output
    codes = output[0] if isinstance(output, tuple) and output else output
    if not _is_real(codes):
        raise errors.InvalidInput(
            "The encoder must give codes, a tensor (n, codes) of real numbers, or a tuple that begins with them; "
            f"it gave {described(output)}."
        )
    return (codes,)


def images_in(output: Any) -> Tensor:
    """What a decoder gave, as float32."""
    if not _is_real(output):
        raise errors.InvalidInput(
            f"The decoder must give images, a tensor (n, h, w, c) of real numbers; it gave {described(output)}."
        )
    return output.float()


def check_pixels(images: Tensor) -> None:
    """Raise if not all values are numbers in [0, 1]."""
    if not images.numel():
        return
    low, high = (value.item() for value in images.aminmax())
    if math.isnan(low):
        raise errors.InvalidInput("The decoder gives values that are not numbers (nan). Look at its weights.")
    if low < -TOLERANCE or high > 1 + TOLERANCE:
        raise errors.InvalidInput(
            f"The decoder gives values from {low:.4g} to {high:.4g}; images are in [0, 1]. If they are logits, "
            "pass activation='logits'."
        )


def _is_real(value: Any) -> bool:
    return isinstance(value, Tensor) and not value.is_complex()


def described(output: Any) -> str:
    """What a message says of a module's output."""
    if isinstance(output, Tensor):
        return f"a tensor of shape {tuple(output.shape)} and type {output.dtype}"
    if isinstance(output, tuple):
        return f"a tuple of {len(output)} ({errors.listing(map(described, output), 5)})"
    return "None" if output is None else f"a value of type {type(output).__name__}"
