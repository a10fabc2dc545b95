"""Optimizers by the names that configs use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from causal_disent.checks import checked
from causal_disent.training.objective import Decay, Epsilon, Rate
from causal_disent_tf._tensorflow import tensorflow

tf: Any = tensorflow()


class Adam(tf.keras.optimizers.Adam):
    r"""Adam as its paper has it, and torch: epsilon is added after the correction of the second moment.

    .. math:: w \leftarrow w - \eta \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}

    Keras adds it before, which makes it larger in the first steps.
    """

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Move one variable."""
        index = self._get_variable_index(variable)
        first, second = self._momentums[index].value, self._velocities[index].value
        step = tf.cast(self.iterations.value + 1, tf.float64)  # 1 - 0.999 has few digits in single precision
        rate = tf.cast(tf.cast(learning_rate, tf.float64) / (1 - self.beta_1**step), gradient.dtype)
        scale = tf.cast(1 / tf.sqrt(1 - self.beta_2**step), gradient.dtype)
        first = first.assign_add((gradient - first) * (1 - self.beta_1))
        second = second.assign_add((tf.square(gradient) - second) * (1 - self.beta_2))
        variable.assign_sub(rate * first / (tf.sqrt(second) * scale + self.epsilon))


@checked
def adam(
    parameters: Sequence[Any],
    learning_rate: Rate = 0.001,
    beta1: Decay = 0.9,
    beta2: Decay = 0.999,
    epsilon: Epsilon = 1e-8,
    use_locking: bool = False,
    name: str = "Adam",
) -> Adam:
    """Adam with TensorFlow's names and defaults; `use_locking` and `name` are taken and change nothing."""
    return Adam(learning_rate=learning_rate, beta_1=beta1, beta_2=beta2, epsilon=epsilon)
