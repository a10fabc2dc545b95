"""What encodes or decodes, run as torch runs it: a module, a method of one, or a function that a user gives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from causal_disent.training.representation import Reordered

#: Types of weights that images and codes can be given in.
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


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
