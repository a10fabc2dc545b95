"""What networks do, in numpy, from their weights alone."""

import numpy as np


def weights_of(module):
    return {name: value.detach().double().numpy() for name, value in module.state_dict().items()}


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def leaky(slope):
    return lambda x: np.where(x > 0, x, slope * x)


def dense(weights, prefix, x):
    return x @ weights[f"{prefix}.weight"].T + weights[f"{prefix}.bias"]


def chain(weights, prefix, x, layers, activation=elu):
    """Dense layers of these numbers in a sequence, with the activation between them."""
    for place, layer in enumerate(layers):
        x = dense(weights, f"{prefix}.{layer}", x)
        x = activation(x) if place < len(layers) - 1 else x
    return x


def concept_mlps(weights, prefix, x, active=False):
    """(n, k, d) through an MLP for each k."""
    number = sum(name.startswith(f"{prefix}.weights.") for name in weights)
    columns = []
    for concept in range(x.shape[1]):
        hidden = x[:, concept]
        for layer in range(number):
            hidden = hidden @ weights[f"{prefix}.weights.{layer}"][concept]
            hidden = hidden + weights[f"{prefix}.biases.{layer}"][concept, 0]
            hidden = elu(hidden) if layer < number - 1 or active else hidden
        columns.append(hidden)
    return np.stack(columns, axis=1)


def cross_entropy(images, logits):
    """Summed over the pixels of each image."""
    pixels = np.logaddexp(0, logits) - images * logits
    return pixels.reshape(len(images), -1).sum(axis=1)


def divergence(mean, log_var):
    """From the standard normal, (n,)."""
    return (mean**2 + np.exp(log_var) - log_var - 1).sum(axis=1) / 2
