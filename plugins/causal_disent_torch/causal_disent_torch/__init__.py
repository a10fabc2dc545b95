"""PyTorch models for causal_disent: architectures, training, representations and classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causal_disent_torch.device import choose_device
    from causal_disent_torch.representation import TorchRepresentation, from_module
    from causal_disent_torch.steps.postprocess import postprocess_with_gin
    from causal_disent_torch.steps.train import train_with_gin

__all__ = ["TorchRepresentation", "choose_device", "from_module", "postprocess_with_gin", "train_with_gin"]

_HOME = {
    "TorchRepresentation": "causal_disent_torch.representation",
    "choose_device": "causal_disent_torch.device",
    "from_module": "causal_disent_torch.representation",
    "postprocess_with_gin": "causal_disent_torch.steps.postprocess",
    "train_with_gin": "causal_disent_torch.steps.train",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that the plugin is found without importing torch.
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'causal_disent_torch' has no attribute '{name}'")
