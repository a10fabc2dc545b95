"""What the models' losses are made of: the functions that `causal_disent.training.forward` names."""

from causal_disent_torch.losses.box import box_loss, box_masks
from causal_disent_torch.losses.density_ratio import density_ratio
from causal_disent_torch.losses.dip import code_covariance, dip_penalty
from causal_disent_torch.losses.gaussian_kl import batch_mean, draw_codes, gaussian_kl
from causal_disent_torch.losses.total_correlation import total_correlation
from causal_disent_torch.representation import activate

__all__ = [
    "activate",
    "batch_mean",
    "box_loss",
    "box_masks",
    "code_covariance",
    "density_ratio",
    "dip_penalty",
    "draw_codes",
    "gaussian_kl",
    "total_correlation",
]
