"""What is to be trained on what: without labels, or with the factors of some images."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.data.factor_table import value_rows
from causal_disent.protocols import IntArray, is_finite
from causal_disent.registry import registry
from causal_disent.training.batches import Batches, LabelledImages, check_boxes, labeller
from causal_disent.training.networks import Framework, check_network, check_sizes, decoder, discriminator, encoder
from causal_disent.training.objective import (
    Objective,
    OwnLoss,
    objective_of,
    supervised_loss,
)
from causal_disent.training.settings import (
    PRECISIONS,
    ModelSettings,
    as_bound,
    model_settings,
    require,
    require_seed,
)


@dataclass(frozen=True)
class Plan:
    """What is to be trained on what.

    Attributes:
        chosen: ``model.*``.
        objective: what is minimised.
        data: the data set.
        model_seed: of weights and noise.
        data_seeds: of the images to train on, and of those to evaluate the loss on.
        labelled: the labelled images to train on, and those to evaluate the loss on.
    """

    chosen: ModelSettings
    objective: Objective
    data: Any
    model_seed: int
    data_seeds: tuple[int, int]
    labelled: tuple[LabelledImages | None, LabelledImages | None] = (None, None)

    def batches(self, which: int = 0) -> Batches:
        """Return the images to train on, or (1) those to evaluate the loss on."""
        boxes, pairs = self.objective.needs_boxes, self.objective.needs_pairs
        seed = self.data_seeds[which]
        return Batches(self.data, self.chosen.batch_size, seed, with_boxes=boxes, in_pairs=pairs)


def make_plan(data: Any, *, with_labels: bool = False, with_pairs: bool = False) -> Plan:
    """The plan that the config binds, for ``dlib_train``, for ``dlib_train_semi_supervised`` (`with_labels`), or
    for ``dlib_train_weakly_supervised`` (`with_pairs`)."""
    chosen = model_settings()
    _check_backend()
    plan = _plan_supervised(chosen, data) if with_labels else _plan_unsupervised(chosen, data)
    if with_pairs and not plan.objective.needs_pairs:
        raise errors.InvalidInput(
            "This model does not learn from pairs of images: train it with dlib_train, or take "
            "@group_vae_argmax(), @group_vae_labels(), @mlvae_argmax() or @mlvae_labels()."
        )
    check_precision(plan)
    if plan.objective.needs_boxes:
        check_boxes(data)
    return plan


def _check_backend() -> None:
    """Raise if the model is one that another backend trains."""
    name = re.split(r"[@./]", as_bound("model.model", "").removesuffix("()"))[-1]
    trained_by = [entry.facts.get("backend", registry.backend) for entry in registry.variants("models", name)]
    if trained_by and registry.backend not in (None, *trained_by):
        raise errors.InvalidInput(
            f"The model '{name}' is trained by the backend {errors.listing(trained_by)}, not by "
            f"'{registry.backend}'. --backend names another."
        )


def check_precision(plan: Plan) -> None:
    """Raise if the backend, or the model, is not one for the precision."""
    precision = plan.chosen.precision
    known = [PRECISIONS[0]]
    if registry.backend is not None:
        known = list(registry.get("backends", registry.backend).facts.get("precisions", known))
    if precision not in known:
        raise errors.InvalidInput(
            f"model.precision is '{precision}'; the backend '{registry.backend}' knows {errors.listing(known)}."
        )
    if precision != PRECISIONS[0] and isinstance(plan.objective, OwnLoss):
        raise errors.InvalidInput(
            f"model.precision is '{precision}'; a model with a loss of its own is trained in {PRECISIONS[0]}."
        )


def _plan_unsupervised(chosen: ModelSettings, data: Any) -> Plan:
    """Plan a training without labels."""
    objective = objective_of(chosen.model)
    if objective.factor_sizes is not None:
        raise errors.InvalidInput("This model needs labels: train it with dlib_train_semi_supervised.")
    seed = require_seed("random_seed", chosen.random_seed)
    seeds = np.random.RandomState(seed)  # the seeds of the images are drawn, as disentanglement_lib does
    data_seeds = (int(seeds.randint(2**32)), int(seeds.randint(2**32)))
    return Plan(chosen, objective, data, seed, data_seeds)


def _plan_supervised(chosen: ModelSettings, data: Any) -> Plan:
    """Plan a training with the labels of some images."""
    model_seed = require_seed("model_seed", chosen.model_seed)
    data_seed = require_seed("unsupervised_data_seed", chosen.unsupervised_data_seed)
    labels_seed = require_seed("supervised_data_seed", chosen.supervised_data_seed)
    fraction = require("train_percentage", chosen.train_percentage)
    num_labelled = _count_labelled(chosen, data)
    draw = _draw_labelled if chosen.labelled_fraction is None else _draw_distinct
    try:
        images, sizes = draw(data, num_labelled, np.random.RandomState(labels_seed))
    except MemoryError:
        raise errors.InvalidInput(
            f"{num_labelled:,} labelled images do not fit into memory. Bind a smaller model.num_labelled_samples."
        ) from None
    objective = objective_of(chosen.model, sizes)
    if objective.factor_sizes is None:  # which disentanglement_lib allows
        warnings.warn(
            "model.model is a model without labels: the labelled images are not used. Take an s2_ model, or train "
            "it with dlib_train.",
            stacklevel=2,
        )
    if objective.factor_sizes is not None and objective.factor_sizes != sizes:
        raise errors.InvalidInput(
            f"The model is bound to labels with {errors.listing(objective.factor_sizes)} values; the labeller "
            f"gives {errors.listing(sizes)}. Leave factor_sizes out."
        )
    split = _split_images(images, math.ceil(num_labelled * fraction))
    return Plan(chosen, objective, data, model_seed, (data_seed, data_seed), split)


def _count_labelled(chosen: ModelSettings, data: Any) -> int:
    """Return how many images have labels: bound as a number, or as a fraction of the images there are."""
    number, fraction = chosen.num_labelled_samples, chosen.labelled_fraction
    if number is not None and fraction is None:
        return number
    if number is not None or fraction is None:
        raise errors.ConfigError(
            "The config must bind model.num_labelled_samples or model.labelled_fraction, and not both."
        )
    if not is_finite(data):
        raise errors.InvalidInput(
            "model.labelled_fraction needs a data set with a known number of images; bind "
            "model.num_labelled_samples instead."
        )
    return max(1, round(fraction * len(data.factor_table)))


def _draw_labelled(data: Any, num: int, random_state: np.random.RandomState) -> tuple[LabelledImages, list[int]]:
    """`num` images with the labels of the bound labeller, and the number of values of each label.

    The draws are disentanglement_lib's: factors, then what the images leave open, then the labeller's. An image
    can come up more than once.
    """
    factors = data.sample_factors(num, random_state)
    if is_finite(data):
        return _label_images(data, data.sample_indices(factors, random_state), factors, random_state)
    observations = np.asarray(data.sample_observations_from_factors(factors, random_state), np.float32)
    labels, sizes = labeller(factors, data, random_state)
    return LabelledImages(observations.__getitem__, labels), [int(size) for size in sizes]


def _draw_distinct(data: Any, num: int, random_state: np.random.RandomState) -> tuple[LabelledImages, list[int]]:
    """As `_draw_labelled`, with each image once at the most."""
    table = data.factor_table
    rows = random_state.choice(len(table), num, replace=False)
    return _label_images(data, table.index.to_numpy()[rows], value_rows(table)[rows], random_state)


def _label_images(
    data: Any, indices: IntArray, factors: IntArray, random_state: np.random.RandomState
) -> tuple[LabelledImages, list[int]]:
    labels, sizes = labeller(factors, data, random_state)
    return LabelledImages(lambda rows: data.observations(indices[rows]), labels), [int(size) for size in sizes]


def _split_images(images: LabelledImages, num_train: int) -> tuple[LabelledImages, LabelledImages]:
    """Return the first `num_train` to train on, and the others to evaluate on, or the same where none are left."""
    rest = num_train if num_train < len(images.labels) else 0
    return (
        LabelledImages(images.images_of, images.labels[:num_train]),
        LabelledImages(lambda rows: images.images_of(rows + rest), images.labels[rest:]),
    )


#: Has a loss and an optimizer of its own.
DISCRIMINATOR = "discriminator"


def make_networks(plan: Plan, generator: Any, framework: Framework) -> dict[str, Any]:
    """``encoder`` and ``decoder``; ``supervision`` and ``discriminator`` where the objective needs them.

    Args:
        plan: what is trained on what.
        generator: of the initial weights, which are drawn in this order.
        framework: whose networks they are.
    """
    shape = tuple(plan.data.observation_shape)
    made, num_latent = encoder(shape, generator)
    networks = {"encoder": check_network("encoder", made, framework)}
    check_sizes(made, shape, num_latent)
    networks["decoder"] = check_network("decoder", decoder(shape, num_latent, generator), framework)
    if plan.objective.factor_sizes is not None:
        networks["supervision"] = supervised_loss(num_latent, plan.objective.factor_sizes, generator)
    if plan.objective.discriminates:
        judge = discriminator(num_latent, generator)
        networks[DISCRIMINATOR] = check_network(DISCRIMINATOR, judge, framework)
    return networks


def vae_networks(networks: Any) -> list[Any]:
    """Return the networks that the first optimizer trains: all but the discriminator."""
    return [network for role, network in networks.items() if role != DISCRIMINATOR]
