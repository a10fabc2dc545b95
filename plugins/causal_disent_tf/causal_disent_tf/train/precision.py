"""``model.precision = 'bfloat16'``: the networks compute in it; weights, losses and optimizers stay in float32."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from causal_disent import errors
from causal_disent_tf._tensorflow import tensorflow

tf: Any = tensorflow()
#: Variables in float32, all else in bfloat16.
MIXED = tf.keras.mixed_precision.Policy("mixed_bfloat16")
SIDE = 4


def check_bfloat16() -> None:
    """Raise unless the device of now can learn in bfloat16."""
    image, kernel = tf.ones((1, SIDE, SIDE, 1), tf.bfloat16), tf.Variable(tf.ones((2, 2, 1, 1), tf.bfloat16))
    try:
        with tf.GradientTape() as tape:
            output = tf.nn.conv2d(image, kernel, 2, "SAME")
            output = tf.nn.conv2d_transpose(output, kernel, image.shape, 2, "SAME")
        tape.gradient(output, kernel)
    except (tf.errors.OpError, NotImplementedError) as error:
        raise errors.InvalidInput(
            "model.precision is 'bfloat16', which TensorFlow does not compute in on this device: "
            f"{str(error).strip().splitlines()[0]} Leave it out, or choose another --device."
        ) from None


def in_bfloat16(network: Callable[..., Any]) -> Callable[..., Any]:
    """A Keras network, computing in bfloat16 and giving float32."""

    def called(*given: Any, **options: Any) -> Any:
        with _mixed(network):
            output = network(*given, **options)
        return tf.nest.map_structure(lambda part: tf.cast(part, tf.float32), output)

    return called


@contextmanager
def _mixed(network: Any) -> Iterator[None]:
    """The layers of a network have the policy while it is traced."""
    layers = list(network._flatten_layers())
    before = [layer.dtype_policy for layer in layers]
    for layer in layers:
        layer.dtype_policy = MIXED
    try:
        yield
    finally:
        for layer, policy in zip(layers, before, strict=True):
            layer.dtype_policy = policy
