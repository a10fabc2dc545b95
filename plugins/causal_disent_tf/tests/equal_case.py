"""One batch of one model, as both frameworks get it: a config, images, labels, boxes, noise, an order of codes."""

import numpy as np

from causal_disent.config import gin_config
from causal_disent.data.array_data import ArrayDataset
from causal_disent.registry import registry
from causal_disent.training.batches import LabelledImages
from causal_disent.training.objective import objective_of
from causal_disent.training.plan import Plan
from causal_disent.training.settings import model_settings

SIZES = [3, 2]


def arrays_of(shape, num_latent, batch, seed):
    """The arrays of a case."""
    draw = np.random.default_rng(seed)
    low = draw.integers(0, 6, (batch, 2))
    return {
        "images": draw.integers(0, 256, (batch, *shape), np.uint8),
        "boxes": np.concatenate([low, low + draw.integers(1, 9, (batch, 2))], axis=1),
        "labels": np.stack([draw.integers(0, size, batch) for size in SIZES], axis=1).astype(np.float32),
        "noise": draw.standard_normal((batch, num_latent), np.float32),
        "order": draw.random((batch, num_latent)).argsort(axis=0),
    }


def trainer_of(backend, make, bindings, arrays):
    """The trainer that `make` makes of the plan."""
    factors = np.indices(SIZES).reshape(2, -1).T.repeat(2, axis=0)
    images = np.resize(arrays["images"], (len(factors), *arrays["images"].shape[1:]))
    data = ArrayDataset(images, factors, bounding_boxes=np.resize(arrays["boxes"], (len(factors), 4)))
    with registry.using(backend), gin_config(bindings=bindings):
        chosen = model_settings()
        supervised = any(line.startswith("model.model = @s2") for line in bindings)
        objective = objective_of(chosen.model, SIZES if supervised else None)
        labelled = LabelledImages(data.observations, arrays["labels"]) if supervised else None
        return make(Plan(chosen, objective, data, 0, (0, 0), (labelled, None)))


def given_of(trainer, arrays, step, tensor):
    """What goes into a step, `tensor` making the framework's tensors."""
    images = tensor(arrays["images"].astype(np.float32) / 255)
    objective = trainer.objective
    return {
        "images": images,
        "noise": tensor(arrays["noise"]),
        "step": step,
        "weights": objective.weights(step),
        "boxes": tensor(arrays["boxes"]) if objective.needs_boxes else None,
        "labelled": (images, tensor(arrays["labels"])) if objective.factor_sizes is not None else None,
    }
