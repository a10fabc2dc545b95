"""Models that learn from pairs of images (Locatello et al. 2020), by the original's names, and their terms."""

from __future__ import annotations

from typing import Any

from causal_disent.registry import registry

#: The original's classes -> the model that gin names.
MODELS = {
    "GroupVAELabels": "group_vae_labels",
    "GroupVAEArgmax": "group_vae_argmax",
    "MLVaeLabels": "mlvae_labels",
    "MLVaeArgmax": "mlvae_argmax",
}


def compute_kl(z_1: Any, z_2: Any, logvar_1: Any, logvar_2: Any) -> Any:
    """Twice the divergence of each code's Gaussian from that of another image."""
    import tensorflow as tf

    var_1, var_2 = tf.exp(logvar_1), tf.exp(logvar_2)
    return var_1 / var_2 + tf.square(z_2 - z_1) / var_2 - 1 + logvar_2 - logvar_1


def aggregate_labels(
    z_mean: Any, z_logvar: Any, new_mean: Any, new_log_var: Any, labels: Any, kl_per_point: Any
) -> tuple[Any, Any]:
    """The shared Gaussians, but that of the code which `labels` (n, codes) mark."""
    import tensorflow as tf

    own = tf.equal(labels, tf.reduce_max(labels, 1, keepdims=True))
    return tf.where(own, z_mean, new_mean), tf.where(own, z_logvar, new_log_var)


def aggregate_argmax(
    z_mean: Any, z_logvar: Any, new_mean: Any, new_log_var: Any, labels: Any, kl_per_point: Any
) -> tuple[Any, Any]:
    """The shared Gaussians, but those of codes whose divergence is nearer to the largest than to the smallest."""
    import tensorflow as tf

    low = tf.reduce_min(kl_per_point, 1, keepdims=True)
    high = tf.reduce_max(kl_per_point, 1, keepdims=True)
    own = (kl_per_point - low >= (high - low) / 2) & (high > low)
    return tf.where(own, z_mean, new_mean), tf.where(own, z_logvar, new_log_var)


def __getattr__(name: str) -> Any:
    # Models load a framework, which an import of this module does not.
    if name in MODELS:
        return registry.function("models", MODELS[name])
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
