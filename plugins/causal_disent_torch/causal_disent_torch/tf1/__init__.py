"""disentanglement_lib's checkpoints, read without TensorFlow."""

from __future__ import annotations

from causal_disent_torch.tf1.backend import Tf1Backend
from causal_disent_torch.tf1.read import Checkpoint, read_checkpoint

__all__ = ["Checkpoint", "Tf1Backend", "read_checkpoint"]
