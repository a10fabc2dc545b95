"""What encodes or decodes: a module, a method of one, or a function that a user gives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.text import shown_value

#: Types of weights that images and codes can be given in.
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


class Reordered:
    """A function with the axes of its argument or of its result permuted."""

    def __init__(
        self, function: Callable[[Tensor], Any], before: tuple[int, ...] = (), after: tuple[int, ...] = ()
    ) -> None:
        self.function, self.before, self.after = function, before, after

    def __call__(self, tensor: Tensor) -> Any:
        result = self.function(_permuted(tensor, self.before) if self.before else tensor)
        # What is no tensor is told of by those who need one.
        return _permuted(result, self.after) if self.after and isinstance(result, Tensor) else result


def _permuted(images: Tensor, axes: tuple[int, ...]) -> Tensor:
    if images.ndim != len(axes):
        raise errors.InvalidInput(
            f"channels_first is for images, which have {len(axes)} axes; given: a tensor of shape "
            f"{tuple(images.shape)}."
        )
    return images.permute(axes)


def check_callable(function: Any, name: str) -> None:
    """Raise unless `function`, which the user calls `name`, can encode or decode."""
    if not callable(function):
        raise errors.InvalidInput(f"{name} must be a module or a function; given: {shown_value(function)}.")
    if isinstance(function, type):
        kind = function.__name__
        raise errors.InvalidInput(
            f"{name} is the class {kind}; give an instance, with brackets: @{kind}() in a config, {kind}() in "
            "Python."
        )


def call(function: Callable[[Tensor], Any], tensor: Tensor) -> Any:
    """What `function` gives for `tensor`, which comes in the type of its weights if none of them is float32."""
    module = _module_of(function)
    if module is None:
        return function(tensor)
    found = {weight.dtype for weight in module.parameters()} or {weight.dtype for weight in module.buffers()}
    return function(tensor.to(next((dtype for dtype in DTYPES if dtype in found), tensor.dtype)))


def moved(function: Any, device: torch.device) -> Any:
    """`function`, its module moved to `device` if it has one."""
    module = _module_of(function)
    if module is not None:
        module.to(device)
    return function


@contextmanager
def evaluating(function: Any) -> Iterator[None]:
    """Have a module in evaluation mode for a while; each of its parts is as before afterwards."""
    module = _module_of(function)
    training = [part for part in module.modules() if part.training] if module is not None else []
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True


def _module_of(function: Any) -> nn.Module | None:
    """The module that `function` is, or that it is a method of; there is none behind other functions."""
    while isinstance(function, (Reordered, functools.partial)):
        function = function.function if isinstance(function, Reordered) else function.func
    owner = function.__self__ if inspect.ismethod(function) else function
    return owner if isinstance(owner, nn.Module) else None
