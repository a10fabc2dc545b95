"""Models that learn from images alone, and the terms of their losses, of torch or TensorFlow."""

from __future__ import annotations

import math
from typing import Any

import gin

from causal_disent.training import objectives
from causal_disent.training.objective import Objective, Pass, Penalties
from disentanglement_lib._core import bound, tensor_functions
from disentanglement_lib.methods.unsupervised import gaussian_encoder_model


class BaseVAE(gaussian_encoder_model.GaussianEncoderModel):
    """A VAE whose loss is the reconstruction loss and what a subclass's `regularizer` adds to it."""

    def regularizer(self, kl_loss: Any, z_mean: Any, z_logvar: Any, z_sampled: Any) -> Any:
        """The term, a scalar tensor of the framework that trains."""
        raise NotImplementedError(f"{type(self).__name__} must define `regularizer`.")

    def penalties(self, passed: Pass) -> Penalties:
        """The one term."""
        return {"regularizer": self.regularizer(passed.kl, passed.mean, passed.log_var, passed.codes)}


class BetaVAE(BaseVAE):
    """beta-VAE (Higgins et al. 2017)."""

    def __init__(self, beta: float = gin.REQUIRED) -> None:
        self.beta = bound("vae.beta", beta)

    def regularizer(self, kl_loss: Any, z_mean: Any, z_logvar: Any, z_sampled: Any) -> Any:
        return self.beta * kl_loss


class _Ours(BaseVAE):
    """A model whose terms need more than `regularizer` is given; a subclass may override it all the same."""

    ours: Objective

    def weights(self, step: int) -> dict[str, float]:
        """What changes from step to step."""
        return self.ours.weights(step)

    def penalties(self, passed: Pass) -> Penalties:
        """The model's own terms, or the one of a subclass."""
        if type(self).regularizer is not BaseVAE.regularizer:
            return super().penalties(passed)
        return self.ours.penalties(passed)


class AnnealedVAE(_Ours):
    """beta-VAE with a capacity that grows (Burgess et al. 2018)."""

    def __init__(
        self, gamma: float = gin.REQUIRED, c_max: float = gin.REQUIRED, iteration_threshold: float = gin.REQUIRED
    ) -> None:
        self.gamma = bound("annealed_vae.gamma", gamma)
        self.c_max = bound("annealed_vae.c_max", c_max)
        self.iteration_threshold = bound("annealed_vae.iteration_threshold", iteration_threshold)
        self.ours = objectives.AnnealedVae(self.gamma, self.c_max, self.iteration_threshold)


class FactorVAE(_Ours):
    """Total correlation by a discriminator (Kim and Mnih 2018)."""

    discriminates = True

    def __init__(self, gamma: float = gin.REQUIRED) -> None:
        self.gamma = bound("factor_vae.gamma", gamma)
        self.ours = objectives.FactorVae(self.gamma)


class DIPVAE(BaseVAE):
    """Covariance of the codes towards the identity (Kumar et al. 2018)."""

    def __init__(
        self, lambda_od: float = gin.REQUIRED, lambda_d_factor: float = gin.REQUIRED, dip_type: str = "i"
    ) -> None:
        self.lambda_od = bound("dip_vae.lambda_od", lambda_od)
        self.lambda_d_factor = bound("dip_vae.lambda_d_factor", lambda_d_factor)
        self.dip_type = dip_type

    def regularizer(self, kl_loss: Any, z_mean: Any, z_logvar: Any, z_sampled: Any) -> Any:
        covariance = tensor_functions(z_mean).code_covariance(z_mean, z_logvar, self.dip_type)
        lambda_d = self.lambda_d_factor * self.lambda_od
        return kl_loss + regularize_diag_off_diag_dip(covariance, self.lambda_od, lambda_d)


class BetaTCVAE(BaseVAE):
    """Total correlation by minibatches (Chen et al. 2018)."""

    def __init__(self, beta: float = gin.REQUIRED) -> None:
        self.beta = bound("beta_tc_vae.beta", beta)

    def regularizer(self, kl_loss: Any, z_mean: Any, z_logvar: Any, z_sampled: Any) -> Any:
        return kl_loss + (self.beta - 1.0) * total_correlation(z_sampled, z_mean, z_logvar)


def shuffle_codes(z: Any) -> Any:
    """Each code of (n, codes) permuted over the batch by itself; a tensor of TensorFlow."""
    import tensorflow as tf

    return tf.stack([tf.random.shuffle(z[:, code]) for code in range(z.shape[1])], 1)


def anneal(c_max: float, step: Any, iteration_threshold: float) -> Any:
    """Capacity that grows to `c_max`; a tensor of TensorFlow."""
    import tensorflow as tf

    return tf.minimum(c_max * 1.0, c_max * 1.0 * tf.cast(step, tf.float32) / iteration_threshold)


def compute_gaussian_kl(z_mean: Any, z_logvar: Any) -> Any:
    """Divergence from the standard normal, averaged over the batch."""
    return tensor_functions(z_mean).gaussian_kl(z_mean, z_logvar)


def compute_covariance_z_mean(z_mean: Any) -> Any:
    """Covariance (codes, codes) over the batch."""
    return tensor_functions(z_mean).code_covariance(z_mean, None, "i")


def regularize_diag_off_diag_dip(covariance_matrix: Any, lambda_od: float, lambda_d: float) -> Any:
    """Squared distance from the identity, with one weight off the diagonal and one on it."""
    return tensor_functions(covariance_matrix).dip_penalty(covariance_matrix, lambda_od, lambda_d)


def gaussian_log_density(samples: Any, mean: Any, log_var: Any) -> Any:
    """Log density of each entry under its own Gaussian."""
    return -0.5 * ((samples - mean) ** 2 * math.e**-log_var + log_var + math.log(2 * math.pi))


def total_correlation(z: Any, z_mean: Any, z_logvar: Any) -> Any:
    """Estimate on a batch, up to a constant."""
    return tensor_functions(z).total_correlation(z, z_mean, z_logvar)
