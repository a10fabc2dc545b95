"""``@architecture``: a network of one's own, in a module that a config imports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from causal_disent.training.networks import declare_network


def architecture(name: str, kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: let configs say ``@name`` for an architecture that TensorFlow trains, and saved models be read.

    Args:
        name: what configs call it; saved models store it.
        kind: ``"encoder"``, ``"decoder"`` or ``"discriminator"``.

    The function takes ``(image_shape, num_latent, generator)``, a discriminator's ``(num_latent, generator)``, and
    returns a Keras layer or model whose weights are there: an encoder's gives mean and log variance (n,
    num_latent) for images (n, h, w, c), a decoder's images before the activation for codes, a discriminator's
    logits (n, 2) for codes. `generator` is a `numpy.random.Generator`, to draw initial weights or seeds from; None
    where saved weights will replace them. What else it takes, configs can bind, and what they bind is stored with
    the model. An encoder has the attributes ``image_shape`` and ``num_latent``.
    """
    return declare_network(name, kind, "tf")
