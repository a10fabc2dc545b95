"""What every model that can be trained must do. A check is a function of a `ModelTrial`; users see its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from causal_disent.config import gin_config, given_to_gin
from causal_disent.plugins import shipped_configs
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import Entry, registry
from causal_disent.runs.representation import training_backend
from causal_disent.testing.stage import (  # noqa: F401  a check as well
    StageData,
    check_known_failures,
    check_untouched,
    checks_in,
    demand,
    documented,
    touched_generators,
)
from causal_disent.training.loop import Keeping
from causal_disent.training.plan import make_plan
from causal_disent.training.saved import MODEL

#: What a model is trained with if it ships no config of its own.
CONFIG = "models/shared.gin"
STEPS, BATCH = 2, 8
SHORT = [f"model.batch_size = {BATCH}", "model.eval_steps = 1", "vae_optimizer.learning_rate = 0.0003"]
LABELS = ["model.num_labelled_samples = 8", "model.labelled_fraction = None", "model.train_percentage = 0.75"]
#: Threads may add numbers in another order.
TOLERANCE = 1e-4


class FixedData(StageData):
    """Small images with boxes, of which every batch of one size is the same."""

    def __init__(self) -> None:
        super().__init__((3, 4, 5), width=16)

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """The same rows each time, spread over all combinations."""
        return self.space.to_factors(np.arange(num) * 7 % self.space.num_combinations)

    def bounding_boxes(self, indices: IntArray) -> IntArray:
        """(n, 4): the left half."""
        return np.tile([0, 0, 8, 16], (len(indices), 1))


@dataclass(frozen=True)
class Run:
    """How a short training went: the loss on the fixed batch, the codes of images, and their reconstructions."""

    loss: float
    codes: FloatArray
    images: FloatArray


class ModelTrial:
    """Short trainings of a model, each carried out once.

    Args:
        entry: the model.
        data: what it is trained on; a small data set of which every batch is the same, by default.
        bindings: lines for the config, besides those of the config that the entry states.
    """

    def __init__(self, entry: Entry, data: Any = None, bindings: Sequence[str] = ()) -> None:
        self.entry, self.bindings = entry, list(bindings)
        self.data = FixedData() if data is None else data
        self.labels = bool(entry.facts.get("labels"))
        self.trained = cache(self.train)

    def train(self, steps: int = STEPS, seed: int = 0, pause: int = 0) -> Run:
        """Train so many steps; with a `pause`, only so many at first, and go on from their checkpoint."""
        with TemporaryDirectory() as folder:
            for until in (pause, steps) if pause else (steps,):
                model, scores = self._train(Path(folder), until, seed, bool(pause))
        return self._run(model, scores)

    def read_back(self) -> tuple[Run, Run]:
        """A trained model before it is saved, and as it is read."""
        with TemporaryDirectory() as folder:
            model, scores = self._train(Path(folder), STEPS, 0, False)
            backend = self._backend().load()()
            backend.write(Path(folder) / MODEL, model)
            read = backend.read(Path(folder), self.data, model_dir=None)
        return self._run(model, scores), self._run(read, scores)

    def _backend(self) -> Entry:
        return training_backend(self.entry.facts.get("backend"))

    def _train(self, folder: Path, steps: int, seed: int, keep: bool) -> tuple[Any, dict[str, Any]]:
        with_labels = ("model_seed", "unsupervised_data_seed", "supervised_data_seed")
        seeds = with_labels if self.labels else ("random_seed",)
        lines = [
            f"model.model = @{self.entry.name}{'' if self.labels else '()'}",
            f"model.training_steps = {steps}",
            *(f"model.{name} = {seed}" for name in seeds),
            *SHORT,
            *(LABELS if self.labels else ()),
            *self.bindings,
        ]
        backend = self._backend()
        given_to_gin(self.entry)  # which need not be registered
        config = self.entry.facts.get("config", CONFIG)
        with registry.using(backend.name), gin_config([config], lines):
            plan = make_plan(self.data, with_labels=self.labels)
            keeping = Keeping(folder / "partial", every=1 if keep else 0, resume=keep, tensorboard=False)
            return backend.load()().train(plan, keeping)

    def _run(self, model: Any, scores: dict[str, Any]) -> Run:
        images = self.data.sample_observations(BATCH, np.random.RandomState(0))
        codes = np.asarray(model(images))
        return Run(scores["loss"], codes, np.asarray(model.decode(codes)))


def declarations_hold_together(trial: ModelTrial) -> None:
    """What the entry declares for these checks can be understood."""
    check_known_failures(trial.entry, (check.__name__ for check in MODEL_CHECKS))
    demand(trial.entry.facts.get("backend"), "it does not say what trains it; register with backend='torch'.")
    config = trial.entry.facts.get("config", CONFIG)
    demand(config in shipped_configs(), f"`config` is a shipped config such as {CONFIG}; given: {config!r}.")


def loss_falls_on_a_fixed_batch(trial: ModelTrial) -> None:
    """Two steps lower the loss, which is finite."""
    before, after = trial.trained(0).loss, trial.trained().loss
    # Written so that NaN fails too.
    demand(after < before, f"{STEPS} steps on one batch change its loss from {before:.6g} to {after:.6g}.")


def same_seed_same_model(trial: ModelTrial) -> None:
    """Weights and noise come from the seed alone."""
    first = trial.trained()
    demand(_same(first, trial.train()), "trained again with the same seed, it gives other codes or images.")
    demand(not _same(first, trial.trained(seed=1)), "another seed gives the same codes and images.")


def goes_on_after_a_kill(trial: ModelTrial) -> None:
    """From a checkpoint it ends as if nothing had happened."""
    demand(
        _same(trial.trained(), trial.trained(pause=1)),
        "a run that goes on from a checkpoint ends with other codes or images than one that was not interrupted.",
    )


def saved_and_read_back_equal(trial: ModelTrial) -> None:
    """What is read gives the codes and the images of what was written."""
    demand(_same(*trial.read_back()), "saved and read again, it gives other codes or images.")


def global_generators_untouched(trial: ModelTrial) -> None:
    """``random`` and ``numpy.random`` are left alone."""
    with touched_generators() as touched:
        trial.train()
    check_untouched(touched)


def _same(one: Run, other: Run) -> bool:
    pairs = ((one.codes, other.codes), (one.images, other.images))
    return all(a.shape == b.shape and np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE) for a, b in pairs)


MODEL_CHECKS = checks_in(globals())
