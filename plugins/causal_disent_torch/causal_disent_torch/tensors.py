"""Torch tensors: which values are, and in safetensors files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from safetensors.torch import save
from torch import Tensor

from causal_disent.training import checkpoint
from causal_disent.training.networks import Tensors

#: For what is checked in all frameworks.
TENSORS = Tensors(lambda value: isinstance(value, Tensor), lambda tensor, axes: tensor.permute(axes))
#: What safetensors calls torch.
FRAMEWORK = "pt"

#: A file from outside, whose tensors are read to the CPU.
open_tensors = partial(checkpoint.open_tensors, framework=FRAMEWORK)


def packed(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file with these tensors."""
    # Copies: tensors that share memory cannot be stored.
    copies = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}
    return save(copies, dict(metadata or {}))


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write `tensors` whole or not at all."""
    checkpoint.write_packed(path, packed(tensors, metadata))
