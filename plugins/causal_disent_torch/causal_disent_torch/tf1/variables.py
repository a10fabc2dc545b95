"""Which variable of a TensorFlow checkpoint is which parameter: layers have the same names on both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from causal_disent import errors

#: TensorFlow's kernels are (h, w, in, out), or (h, w, out, in) of a transposed convolution, and (in, out) of a
#: dense layer; torch's are (out, in, h, w), (in, out, h, w) and (out, in).
TO_TORCH = {1: (0,), 2: (1, 0), 4: (3, 2, 0, 1)}
TO_TF = {rank: tuple(np.argsort(order)) for rank, order in TO_TORCH.items()}


def _pairs(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Parameter]]:
    """TensorFlow's name of each parameter, and the parameter."""
    for layer, part in module.named_children():
        yield f"{prefix}{module.tf_scope}/{layer}/kernel", part.weight  # type: ignore[misc]
        yield f"{prefix}{module.tf_scope}/{layer}/bias", part.bias  # type: ignore[misc]


def tf_shapes(module: nn.Module, prefix: str = "") -> dict[str, tuple[int, ...]]:
    """The variables that `load_tf_variables` needs for `module`, and their shapes.

    Args:
        module: one of this package's architectures.
        prefix: before every name; ``"module/"`` in a postprocessed representation.

    Example:
        >>> from causal_disent_torch.networks.linear import LinearDecoder
        >>> tf_shapes(LinearDecoder((2, 2, 1), 3))
        {'decoder/d1/kernel': (3, 4), 'decoder/d1/bias': (4,)}
    """
    return {
        name: tuple(parameter.shape[axis] for axis in TO_TF[parameter.dim()])
        for name, parameter in _pairs(module, prefix)
    }


def tf_variables(module: nn.Module, prefix: str = "") -> dict[str, np.ndarray]:
    """The parameters of `module` as TensorFlow stores them."""
    return {
        name: np.ascontiguousarray(parameter.detach().cpu().numpy().transpose(TO_TF[parameter.dim()]))
        for name, parameter in _pairs(module, prefix)
    }


@torch.no_grad()
def load_tf_variables(module: nn.Module, variables: Mapping[str, Any], prefix: str = "") -> None:
    """Copy the variables of a checkpoint into `module`; variables of other parts are left alone.

    Args:
        module: one of this package's architectures.
        variables: TensorFlow's name -> array.
        prefix: before every name; ``"module/"`` in a postprocessed representation.
    """
    needed = tf_shapes(module, prefix)
    missing = [name for name in needed if name not in variables]
    if missing:
        raise errors.InvalidInput(
            f"The checkpoint has no {errors.listing(missing)}, which '{module.name}' needs. "
            f"It has: {errors.listing(sorted(variables))}."
        )
    arrays = {name: np.asarray(variables[name]) for name in needed}
    for name, shape in needed.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind != "f":
            raise errors.InvalidInput(
                f"'{name}' of the checkpoint is {arrays[name].dtype} of shape {arrays[name].shape}; "
                f"'{module.name}' needs floats of shape {shape}."
            )
    for name, parameter in _pairs(module, prefix):
        array = arrays[name].transpose(TO_TORCH[parameter.dim()])
        parameter.copy_(torch.from_numpy(np.array(array, dtype=np.float32, order="C")))
