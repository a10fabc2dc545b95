"""Pictures of models and data sets: arrays first, then sheets, then the ``dlib_visualize_*`` commands."""

from __future__ import annotations

from causal_disent_torch.visualize.counterfactuals import Counterfactuals, make_counterfactuals
from causal_disent_torch.visualize.dataset_sheet import dataset_sheet
from causal_disent_torch.visualize.decoded import make_reconstructions, make_samples, make_traversal
from causal_disent_torch.visualize.sheets import (
    counterfactual_sheet,
    reconstruction_sheet,
    sample_sheet,
    traversal_frames,
    traversal_sheet,
)

__all__ = [
    "Counterfactuals",
    "counterfactual_sheet",
    "dataset_sheet",
    "make_counterfactuals",
    "make_reconstructions",
    "make_samples",
    "make_traversal",
    "reconstruction_sheet",
    "sample_sheet",
    "traversal_frames",
    "traversal_sheet",
]
