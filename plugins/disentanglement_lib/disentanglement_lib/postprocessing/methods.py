"""What the codes of a representation are."""

from __future__ import annotations

from causal_disent.runs.postprocess import mean_representation, sampled_representation

__all__ = ["mean_representation", "sampled_representation"]
