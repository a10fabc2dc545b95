"""Metrics, array-first: give them codes and factors, get a result.

The ``compute_*`` functions have disentanglement_lib's signature and are what gin configs name.
"""

from causal_disent.metrics.cg import CgResult, counterfactual_generativeness
from causal_disent.metrics.irs import IrsResult, irs
from causal_disent.metrics.uc import (
    UcResult,
    unconfoundedness,
    unconfoundedness_curve,
    unconfoundedness_of_sets,
)

__all__ = [
    "CgResult",
    "IrsResult",
    "UcResult",
    "counterfactual_generativeness",
    "irs",
    "unconfoundedness",
    "unconfoundedness_curve",
    "unconfoundedness_of_sets",
]
