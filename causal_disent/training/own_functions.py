"""What a user gives to encode or decode: whether it can be called, and with which order of axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from causal_disent import errors
from causal_disent.text import shown_value
from causal_disent.training.outputs import Tensors


def check_callable(function: Any, name: str, kinds: str = "a module or a function") -> None:
    """Raise unless `function`, which the user calls `name`, can encode or decode; `kinds` says what can."""
    if not callable(function):
        raise errors.InvalidInput(f"{name} must be {kinds}; given: {shown_value(function)}.")
    if isinstance(function, type):
        kind = function.__name__
        raise errors.InvalidInput(
            f"{name} is the class {kind}; give an instance, with brackets: @{kind}() in a config, {kind}() in "
            "Python."
        )


class Reordered:
    """A function with the axes of its argument or of its result permuted.

    Args:
        function: tensor -> tensor.
        tensors: of the framework.
        before: the order of the argument's axes.
        after: the order of the result's.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        tensors: Tensors,
        before: tuple[int, ...] = (),
        after: tuple[int, ...] = (),
    ) -> None:
        self.function, self.before, self.after = function, before, after
        self._tensors = tensors

    def __call__(self, tensor: Any) -> Any:
        result = self.function(self._permuted(tensor, self.before) if self.before else tensor)
        # What is no tensor is told of by those who need one.
        return self._permuted(result, self.after) if self.after and self._tensors.is_tensor(result) else result

    def _permuted(self, images: Any, axes: tuple[int, ...]) -> Any:
        if len(images.shape) != len(axes):
            raise errors.InvalidInput(
                f"channels_first is for images, which have {len(axes)} axes; given: a tensor of shape "
                f"{tuple(images.shape)}."
            )
        return self._tensors.permuted(images, axes)


def channels_last(encode: Any, decode: Any, tensors: Tensors) -> tuple[Any, Any]:
    """A pair that takes and gives (n, c, h, w) as one of (n, h, w, c); there may be no `decode`."""
    after = None if decode is None else Reordered(decode, tensors, after=(0, 2, 3, 1))
    return Reordered(encode, tensors, before=(0, 3, 1, 2)), after
