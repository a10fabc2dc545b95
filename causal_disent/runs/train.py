"""``model.*``: train a model, as ``dlib_train`` and ``dlib_train_semi_supervised`` do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.config import gin_config, operative_bindings, operative_config
from causal_disent.files import check_free, claim, new_folder
from causal_disent.registry import registry
from causal_disent.runs.dataset import dataset
from causal_disent.runs.representation import training_backend
from causal_disent.runs.results import write_results
from causal_disent.training.checkpoint import clear, partial_folder
from causal_disent.training.loop import Keeping
from causal_disent.training.plan import make_plan
from causal_disent.training.saved import MODEL
from causal_disent.training.trackers import copy_tracked


@checked
def train_with_gin(
    model_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
    *,
    backend: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    """`train` under a config that is cleared afterwards, also when the run fails.

    Args:
        model_dir: the folder to write; it must not exist, unless `overwrite`.
        overwrite: replace `model_dir`.
        gin_config_files: paths, or names of shipped configs such as ``models/beta_vae.gin``.
        gin_bindings: lines such as ``"vae.beta = 4"``.
        backend: as for `train`.
        options: as for `train`.

    Returns:
        The terms of the loss at the end.
    """
    # Names may mean something of each backend, so that it is chosen before the config is read.
    with registry.using(training_backend(backend).name), gin_config(gin_config_files, gin_bindings):
        return train(model_dir, overwrite, backend=backend, **options)


def train(
    model_dir: str | Path,
    overwrite: bool = False,
    *,
    with_labels: bool = False,
    with_pairs: bool = False,
    backend: str | None = None,
    device: str = "auto",
    checkpoint_every: int = 1000,
    resume: bool = True,
    tensorboard: bool | None = None,
    compiled: bool = False,
) -> dict[str, Any]:
    """Train the bound model on the bound data set and write a model folder.

    All that can be wrong with the settings is found before the first step.

    Args:
        model_dir: the folder to write. While the run goes on, its checkpoint is in ``<model_dir>.partial``.
        overwrite: replace `model_dir` if it exists.
        with_labels: the model knows the factors of some images.
        with_pairs: a model that does not learn from pairs of images is an error.
        backend: what trains (``causal-disent backends``); by default the first that can.
        device: ``"auto"``, or one that the backend knows.
        checkpoint_every: steps between checkpoints; 0 for none.
        resume: go on from a checkpoint with the same settings.
        tensorboard: write curves into ``<model_dir>/tensorboard``; None for doing so where it is installed.
        compiled: let the backend compile the networks, if steps are the faster for it.

    Returns:
        The terms of the loss, averaged over ``model.eval_steps`` batches, with ``elapsed_time`` in seconds. The
        supervised loss is that of labelled images that were not trained on, if any were kept back.
    """
    target = Path(model_dir)
    check_free(target, overwrite=overwrite)
    if checkpoint_every < 0:
        raise errors.InvalidInput(f"--checkpoint_every must be at least 0; given: {checkpoint_every}.")
    folder = partial_folder(target)
    keeping = Keeping(folder, checkpoint_every, resume, restart=overwrite, tensorboard=tensorboard)
    entry = training_backend(backend)
    if compiled and not entry.facts.get("compiles"):
        raise errors.InvalidInput(f"--compile: the backend '{entry.name}' does not do so. Leave it out.")
    with claim(target), registry.using(entry.name):
        worker = entry.load()(device=device, **({"compiled": True} if compiled else {}))
        model, scores = worker.train(make_plan(dataset(), with_labels=with_labels, with_pairs=with_pairs), keeping)
        with new_folder(target, overwrite=overwrite) as written:
            worker.write(written / MODEL, model)
            copy_tracked(folder, written)
            write_results(written, "train", scores, operative_config(), operative_bindings())
        clear(folder)
    return scores
