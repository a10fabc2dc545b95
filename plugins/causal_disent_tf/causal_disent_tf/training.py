"""Training with TensorFlow: what a config binds, and one compiled step after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.loop import Diverged
from causal_disent.training.networks import Framework, check_outputs
from causal_disent.training.objective import (
    BaseTrainer,
    Decay,
    Epsilon,
    Given,
    OwnLoss,
    Rate,
    discriminator_optimizer,
    forward,
    reconstruction_loss,
    terms_of,
    vae_optimizer,
)
from causal_disent.training.plan import Plan, make_networks, vae_networks
from causal_disent_tf import losses
from causal_disent_tf._tensorflow import tensorflow
from causal_disent_tf.representation import TENSORS
from causal_disent_tf.saved import Weight, weights_of

tf: Any = tensorflow()


class Curves:
    """The tracker ``tensorboard``: writes the numbers of a run into `folder`.

    Args:
        folder: of the files.
        first_step: from which the run goes on; TensorBoard itself drops later points of an earlier file.
    """

    def __init__(self, folder: Path, first_step: int = 0) -> None:
        tf = tensorflow()
        self._tf, self._writer = tf, tf.summary.create_file_writer(str(folder))
        # tf.summary.scalar would write the same, but is TensorBoard's.
        self._metadata = tf.compat.v1.SummaryMetadata(plugin_data={"plugin_name": "scalars"})

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """One point of the curve of that name."""
        with self._writer.as_default():
            self._tf.summary.write(name, self._tf.constant(value), step=step, metadata=self._metadata)

    def close(self) -> None:
        """Write what is not written yet."""
        self._writer.close()


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
    """Return a Keras network, computing in bfloat16 and giving float32."""

    def called(*given: Any, **options: Any) -> Any:
        with _mixed_policy(network):
            output = network(*given, **options)
        return tf.nest.map_structure(lambda part: tf.cast(part, tf.float32), output)

    return called


@contextmanager
def _mixed_policy(network: Any) -> Iterator[None]:
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


#: Draws that are the same on every device.
ALGORITHM = "philox"


class Trainer(BaseTrainer):
    """Makes the steps with TensorFlow.

    The noise of a step comes from the seed and the step's number alone, so that a checkpoint need not hold it.

    Args:
        given: as for `BaseTrainer`.
        seed: of the noise.
        bfloat16: the networks compute in it while they learn; otherwise in float32, as when they are evaluated.
    """

    framework = "tf"
    networks: dict[str, Any]

    def __init__(self, *given: Any, seed: int, bfloat16: bool = False) -> None:
        super().__init__(*given)
        self.seed = seed
        #: What a step leads its batch through.
        self.learning: dict[str, Any] = {
            role: in_bfloat16(network) if bfloat16 and role != "supervision" else network
            for role, network in self.networks.items()
        }
        self.trained = {
            "vae": [weight for one in vae_networks(self.networks) for weight in one.trainable_variables]
        }
        if "discriminator" in self.networks:
            self.trained["discriminator"] = list(self.networks["discriminator"].trainable_variables)
        for owner, optimizer in self.optimizers.items():
            optimizer.build(self.trained[owner])
        self._step = tf.function(self._make_step, autograph=False)
        self._judge = tf.function(self._make_terms, autograph=False)

    def step(self) -> Mapping[str, Any]:
        """Draw a batch and follow the gradient once; the terms of the loss."""
        terms = self._step(*self._batch(self.batches, self.labelled, self.num_steps), self._number(self.seed))
        for name in ("loss", "discriminator_loss"):
            if name in terms and not math.isfinite(float(terms[name])):
                bad = next(name for name, term in terms.items() if not math.isfinite(float(term)))
                raise Diverged(f"at step {self.num_steps} the term '{bad}' is {float(terms[bad])}")
        self.num_steps += 1
        return terms

    def gradients(self, given: Given, order: Any) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        """Return the terms of the loss, and the gradient of each optimizer's loss for its weights.

        Args:
            given: the batch.
            order: (n, codes), how the codes are shuffled for the discriminator.
        """
        networks = self._applied(training=True)
        with tf.GradientTape(persistent=True) as tape:
            passed = forward(networks, self.objective, self.reconstruction, losses, given)
            terms = terms_of(self.objective, self.reconstruction, passed)
            if self.objective.discriminates:
                shuffled = losses.shuffle_codes(tf.stop_gradient(passed.codes), order)
                judged = networks["discriminator"](shuffled)
                terms["discriminator_loss"] = losses.discriminator_loss(passed.logits, judged)
        # Each loss has weights of its own; both use the same pass of the discriminator.
        found = {
            owner: tape.gradient(
                terms["loss" if owner == "vae" else "discriminator_loss"],
                [weight.value for weight in weights],
                unconnected_gradients=tf.UnconnectedGradients.ZERO,
            )
            for owner, weights in self.trained.items()
        }
        return terms, found

    def _make_step(self, given: Mapping[str, Any], number: Any, seed: Any) -> dict[str, Any]:
        """Make one step, as TensorFlow traces it."""
        batch = self._given(given, number, seed)
        scores = tf.random.stateless_uniform(batch.noise.shape, (seed, 2 * number + 1), alg=ALGORITHM)
        terms, gradients = self.gradients(batch, tf.argsort(scores, axis=0))
        for owner, optimizer in self.optimizers.items():
            optimizer.apply(gradients[owner], self.trained[owner])
        return terms

    def _make_terms(self, given: Mapping[str, Any], number: Any, seed: Any) -> dict[str, Any]:
        batch = self._given(given, number, seed)
        passed = forward(self._applied(training=False), self.objective, self.reconstruction, losses, batch)
        return terms_of(self.objective, self.reconstruction, passed)

    def _given(self, given: Mapping[str, Any], number: Any, seed: Any) -> Given:
        shape = (given["images"].shape[0], self.networks["encoder"].num_latent)
        noise = tf.random.stateless_normal(shape, (seed, 2 * number), alg=ALGORITHM)
        return Given(noise=noise, **given)

    def _applied(self, *, training: bool) -> dict[str, Any]:
        networks = self.learning if training else self.networks
        return {role: partial(network, training=training) for role, network in networks.items()}

    def evaluations(
        self, batches: Batches, labelled: LabelledImages | None, seed: int
    ) -> Iterator[dict[str, float]]:
        """Yield the terms for each of `batches`, with noise of that seed and the networks in evaluation mode."""
        for number in count():
            terms = self._judge(*self._batch(batches, labelled, number), self._number(seed))
            yield {name: float(term) for name, term in terms.items()}

    def _batch(self, batches: Batches, labelled: LabelledImages | None, number: int) -> tuple[dict[str, Any], Any]:
        """What is given for the batch of that number, in the state of the steps that were made, and the number."""
        given = self.draw_inputs(batches, labelled, number, tf.convert_to_tensor)
        given["step"] = self._number(self.num_steps)
        given["weights"] = {name: tf.constant(value, tf.float32) for name, value in given["weights"].items()}
        for name in {"boxes", "changed"} & set(given):
            given[name] = tf.cast(given[name], tf.int64)
        return given, self._number(number)

    @staticmethod
    def _number(value: int) -> Any:
        return tf.constant(value, tf.int64)  # as a tensor, so that another number is no other function

    def check_weights(self) -> None:
        """Raise if a weight is not finite, so that no checkpoint holds one."""
        for name, weight in weights_of(self.networks).items():
            if weight.variable.dtype.startswith("float") and not np.isfinite(weight.variable.numpy()).all():
                raise Diverged(f"after step {self.num_steps - 1} the weights '{name}' are not finite")

    def state(self) -> dict[str, np.ndarray]:
        """Weights, and what the optimizers keep."""
        return {name: weight.stored() for name, weight in self._weights().items()}

    def packed(
        self, state: Mapping[str, np.ndarray], arrays: Mapping[str, np.ndarray], metadata: dict[str, str]
    ) -> bytes:
        """Return a safetensors file with these arrays."""
        return save({**state, **arrays}, metadata)

    def shapes(self, found: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Return what a state holds."""
        return {name: weight.shape for name, weight in self._weights().items()}

    def restore(self, state: Mapping[str, Any], num_steps: int) -> None:
        """Go on from a state."""
        for name, weight in self._weights().items():
            weight.load(state[name])
        self.num_steps = num_steps

    def _weights(self) -> dict[str, Any]:
        named = {f"networks.{name}": weight for name, weight in weights_of(self.networks).items()}
        for owner, optimizer in self.optimizers.items():
            for number, variable in enumerate(optimizer.variables):
                named[f"optimizer.{owner}.{number}"] = Weight(variable, tuple(range(len(variable.shape))))
        return named


def make_trainer(plan: Plan) -> Trainer:
    """Networks and optimizers for `plan`, before the first step."""
    objective = plan.objective
    if isinstance(objective, OwnLoss):
        raise errors.InvalidInput(
            "This model leads the images through the networks by itself, which the backend 'tf' does not train. "
            "--backend torch does."
        )
    bfloat16 = plan.chosen.precision == "bfloat16"
    if bfloat16:
        check_bfloat16()
    generator = np.random.default_rng(plan.model_seed)
    networks = make_networks(plan, generator, KERAS)
    images, _ = Batches(plan.data, 2, 0).draw()
    check_outputs(networks, tf.constant(images), KERAS)
    # The weights of a network of one's own may be there only now.
    optimizers = {"vae": vae_optimizer([weight for one in vae_networks(networks) for weight in one.weights])}
    if objective.discriminates:
        optimizers["discriminator"] = discriminator_optimizer(networks["discriminator"].weights)
    given = (networks, objective, reconstruction_loss(), optimizers, plan.batches(), plan.labelled[0])
    return Trainer(*given, seed=plan.model_seed, bfloat16=bfloat16)


def _is_float32(value: Any, shape: tuple[int, ...]) -> bool:
    # Keras calls single precision so, unless it was set to another.
    return tf.is_tensor(value) and tuple(value.shape) == shape and value.dtype == tf.keras.config.floatx()


#: For the checks of networks.
KERAS = Framework(tf.keras.layers.Layer, "keras.layers.Layer", _is_float32, TENSORS)
