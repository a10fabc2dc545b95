"""BetaVAE score (Higgins et al. 2017)."""

from disentanglement_lib._core import metric

compute_beta_vae_sklearn = metric("beta_vae_sklearn")
