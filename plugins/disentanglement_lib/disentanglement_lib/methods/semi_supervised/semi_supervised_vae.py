"""Models with labels; a program names them in gin (``@s2_vae``), which trains causal_disent's."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.registry import registry
from causal_disent.training import objectives
from disentanglement_lib.methods.unsupervised.vae import compute_gaussian_kl

__all__ = [
    "annealed_annealer",
    "compute_gaussian_kl",
    "fine_tune_annealer",
    "fixed_annealer",
    "make_annealer",
    "normalize_labels",
]

fixed_annealer = objectives.fixed
annealed_annealer = objectives.anneal
fine_tune_annealer = objectives.fine_tune

#: The original's classes -> the model that gin names.
MODELS = {
    "S2BetaVAE": "s2_vae",
    "S2FactorVAE": "s2_factor_vae",
    "S2DIPVAE": "s2_dip_vae",
    "S2BetaTCVAE": "s2_beta_tc_vae",
}


def make_annealer(gamma: float, step: Any, **settings: Any) -> Any:
    """The weight of the supervised loss at a step, as gin's ``annealer`` makes it."""
    return objectives.annealer(gamma, **settings)(step)


def normalize_labels(labels: Any, factors_num_values: Any) -> Any:
    """Labels (n, factors) over the number of values of each factor."""
    return labels / np.asarray(factors_num_values, dtype=np.float32)


def __getattr__(name: str) -> Any:
    # Models load a framework, which an import of this module does not.
    if name in MODELS:
        return registry.function("models", MODELS[name])
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
