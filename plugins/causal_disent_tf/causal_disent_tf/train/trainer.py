"""One compiled step of training, and the state that a checkpoint holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from safetensors.numpy import save

from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.loop import Diverged
from causal_disent.training.objective import Given, Objective, ReconstructionLoss, forward, terms_of
from causal_disent.training.plan import others
from causal_disent_tf import losses
from causal_disent_tf.losses import tf
from causal_disent_tf.train.precision import in_bfloat16
from causal_disent_tf.weights import Weight, weights_of

#: Draws that are the same on every device.
ALGORITHM = "philox"


class Trainer:
    """Networks and optimizers of one run.

    The noise of a step comes from the seed and the step's number alone, so that a checkpoint need not hold it.

    Args:
        networks: ``encoder`` and ``decoder``; ``discriminator`` and ``supervision`` where the objective needs
            them.
        objective: what is minimised beside the reconstruction loss.
        reconstruction: the reconstruction loss.
        optimizers: ``vae``, and ``discriminator`` where there is one.
        batches: the images to train on.
        seed: of the noise.
        labelled: the labelled images, where the objective needs them.
        bfloat16: the networks compute in it while they learn; otherwise in float32, as when they are evaluated.
    """

    framework = "tf"

    def __init__(
        self,
        networks: dict[str, Any],
        objective: Objective,
        reconstruction: ReconstructionLoss,
        optimizers: dict[str, Any],
        batches: Batches,
        seed: int,
        labelled: LabelledImages | None = None,
        bfloat16: bool = False,
    ) -> None:
        self.networks, self.objective, self.reconstruction = networks, objective, reconstruction
        self.optimizers, self.batches, self.seed, self.labelled = optimizers, batches, seed, labelled
        self.num_steps = 0
        #: What a step leads its batch through.
        self.learning: dict[str, Any] = {
            role: in_bfloat16(network) if bfloat16 and role != "supervision" else network
            for role, network in networks.items()
        }
        self.trained = {"vae": [weight for one in others(networks) for weight in one.trainable_variables]}
        if "discriminator" in networks:
            self.trained["discriminator"] = list(networks["discriminator"].trainable_variables)
        for owner, optimizer in optimizers.items():
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
        """The terms of the loss, and the gradient of each optimizer's loss for its weights.

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
        """The terms for each of `batches`, with noise of that seed and the networks in evaluation mode."""
        for number in count():
            terms = self._judge(*self._batch(batches, labelled, number), self._number(seed))
            yield {name: float(term) for name, term in terms.items()}

    def _batch(self, batches: Batches, labelled: LabelledImages | None, number: int) -> tuple[dict[str, Any], Any]:
        """What is given for the batch of that number, in the state of the steps that were made, and the number."""
        pixels, boxes = batches.draw()
        weights = self.objective.weights(self.num_steps)
        given: dict[str, Any] = {
            "images": tf.convert_to_tensor(pixels),
            "step": self._number(self.num_steps),
            "weights": {name: tf.constant(value, tf.float32) for name, value in weights.items()},
        }
        if boxes is not None:
            given["boxes"] = tf.constant(boxes, tf.int64)
        if self.objective.factor_sizes is not None and labelled is not None:
            given["labelled"] = tuple(map(tf.convert_to_tensor, labelled.batch(number, batches.batch_size)))
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
        """A safetensors file with these arrays."""
        return save({**state, **arrays}, metadata)

    def shapes(self, found: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """What a state holds."""
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
