"""A trainer as the config binds it, its networks tried on two images before training starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.training.batches import Batches
from causal_disent.training.networks import Framework, check_outputs
from causal_disent.training.objective import OwnLoss, discriminator_optimizer, reconstruction_loss, vae_optimizer
from causal_disent.training.plan import Plan, make_networks, others
from causal_disent_tf.losses import tf
from causal_disent_tf.representation import TENSORS
from causal_disent_tf.train.precision import check_bfloat16
from causal_disent_tf.train.trainer import Trainer


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
    optimizers = {"vae": vae_optimizer([weight for one in others(networks) for weight in one.weights])}
    if objective.discriminates:
        optimizers["discriminator"] = discriminator_optimizer(networks["discriminator"].weights)
    reconstruction, labelled = reconstruction_loss(), plan.labelled[0]
    return Trainer(
        networks, objective, reconstruction, optimizers, plan.batches(), plan.model_seed, labelled, bfloat16
    )


def _is_float32(value: Any, shape: tuple[int, ...]) -> bool:
    # Keras calls single precision so, unless it was set to another.
    return tf.is_tensor(value) and tuple(value.shape) == shape and value.dtype == tf.keras.config.floatx()


#: For the checks of networks.
KERAS = Framework(tf.keras.layers.Layer, "keras.layers.Layer", _is_float32, TENSORS)
