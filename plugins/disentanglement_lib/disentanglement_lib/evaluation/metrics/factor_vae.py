"""FactorVAE score (Kim and Mnih 2018)."""

from disentanglement_lib._core import metric

compute_factor_vae = metric("factor_vae_score")
