"""Trainers of small networks on the tiny data set, without a run around them."""

import numpy as np
import torch
from causal_disent_torch.training import Trainer
from causal_disent_torch.training import make_trainer as trainer_of
from training_configs import SUPERVISED, supervised, unsupervised

from causal_disent.config import gin_config
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.objective import objective_of
from causal_disent.training.plan import Plan
from causal_disent.training.settings import model_settings

SIZES = [3, 3]
#: Of the first images of the tiny data set.
LABELS = np.float32([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]])


class FixedBatches(Batches):
    """The same images and boxes each time."""

    def draw(self):
        self.random_state = np.random.RandomState(0)
        return super().draw()


def make_trainer(name, tiny, *more, **options):
    """A trainer whose batch is always the same; its labelled images are the first ones of the data set."""
    is_supervised = name in SUPERVISED
    # The supervised term is annealed from 0, so that it would not count in the first step.
    fixed = ["annealer.anneal_fn = @fixed"] if is_supervised else []
    bindings = (supervised if is_supervised else unsupervised)(name, *fixed, *more)
    with gin_config(bindings=bindings):
        chosen = model_settings()
        objective = objective_of(chosen.model, SIZES if is_supervised else None)
        labelled = LabelledImages(tiny.observations, LABELS) if is_supervised else None
        plan = Plan(chosen, objective, tiny, 0, (0, 0), (labelled, None))
        trainer = trainer_of(plan, torch.device("cpu"), **options)
        trainer.batches = FixedBatches(tiny, 9, 0, with_boxes=objective.needs_boxes)
        return trainer


def interrupt_at(num_steps, monkeypatch):
    """Have training interrupted, as by a user, before the step after `num_steps`."""
    step = Trainer.step

    def interrupted(self):
        if self.num_steps == num_steps:
            raise KeyboardInterrupt
        return step(self)

    monkeypatch.setattr(Trainer, "step", interrupted)
