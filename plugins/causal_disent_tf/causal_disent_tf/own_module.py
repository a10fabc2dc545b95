"""``keras_module``: a user's own Keras models, bound in a config or in files, as a representation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.training.representation import check_callable
from causal_disent_tf._tensorflow import tensorflow
from causal_disent_tf.device import choose_device
from causal_disent_tf.keras_files import load_keras
from causal_disent_tf.representation import TfRepresentation, from_module


def keras_module(
    data: Any,
    encoder: Any = None,
    decoder: Any = None,
    channels_first: bool = False,
    activation: str = "none",
    gaussian: bool = False,
    trust: bool = False,
    device: str = "auto",
) -> TfRepresentation:
    """The Keras models that the config binds as a representation.

    Args:
        data: ground-truth data.
        encoder: ``'encoder.keras'``, the path of a file, or a model or function that takes images (n, h, w, c),
            ``@my_package.Encoder()`` in a config.
        decoder: the same for what takes codes.
        channels_first: they take and give (n, c, h, w).
        activation: ``"none"`` if the decoder gives pixels in [0, 1], or ``"logits"`` or ``"tanh"``.
        gaussian: the encoder gives mean and log variance.
        trust: load files with classes that are not known to be harmless too.
        device: as for `causal_disent_tf.device.choose_device`.
    """
    if encoder is None:
        raise errors.ConfigError("The config must bind keras_module.encoder, to 'encoder.keras', say.")
    parts = {"encoder": encoder, "decoder": decoder}
    for name, part in parts.items():
        if isinstance(part, (str, Path)):
            with tensorflow().device(choose_device(device)):
                parts[name] = load_keras(Path(part), trust=trust, how="bind keras_module.trust = True")
        elif part is not None:
            check_callable(part, f"keras_module.{name}", "the path of a file, a model or a function")
    options: Any = {"channels_first": channels_first, "activation": activation, "gaussian": gaussian}
    return from_module(parts["encoder"], parts["decoder"], device, **options)
