"""PyTorch models for causal_disent: networks, training, representations and classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causal_disent.runs.postprocess import postprocess_with_gin
    from causal_disent.runs.train import train_with_gin
    from causal_disent_torch.devices import choose_device
    from causal_disent_torch.networks import architecture
    from causal_disent_torch.representation import TorchRepresentation, from_module

__all__ = [
    "TorchRepresentation",
    "architecture",
    "choose_device",
    "from_module",
    "postprocess_with_gin",
    "train_with_gin",
]

_HOME = {
    "TorchRepresentation": "causal_disent_torch.representation",
    "architecture": "causal_disent_torch.networks",
    "choose_device": "causal_disent_torch.devices",
    "from_module": "causal_disent_torch.representation",
    "postprocess_with_gin": "causal_disent.runs.postprocess",
    "train_with_gin": "causal_disent.runs.train",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that the plugin is found without importing torch.
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'causal_disent_torch' has no attribute '{name}'")
