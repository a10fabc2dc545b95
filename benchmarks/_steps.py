"""Torch in turns, for bench_torch.py and bench_tf.py: ``python _steps.py bare|ours|bfloat16|encoding``."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHAPE, NUM_LATENT, BATCH, BETA, LEARNING_RATE = (64, 64, 1), 10, 64, 4.0, 1e-4
#: How many images are encoded in one go.
ENCODED = 1024


def bare(wait: Callable[[], None]) -> None:
    """What anybody would write: channels first, plain Adam, one batch that is in memory, nothing kept."""
    import torch
    from torch import nn

    if "OMP_NUM_THREADS" in os.environ:
        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    relu = nn.ReLU
    encoder = nn.Sequential(
        nn.Conv2d(SHAPE[2], 32, 4, 2, 1), relu(), nn.Conv2d(32, 32, 4, 2, 1), relu(),
        nn.Conv2d(32, 64, 2, 2), relu(), nn.Conv2d(64, 64, 2, 2), relu(),
        nn.Flatten(), nn.Linear(1024, 256), relu(), nn.Linear(256, 2 * NUM_LATENT),
    )  # fmt: skip
    decoder = nn.Sequential(
        nn.Linear(NUM_LATENT, 256), relu(), nn.Linear(256, 1024), relu(), nn.Unflatten(1, (64, 4, 4)),
        nn.ConvTranspose2d(64, 64, 4, 2, 1), relu(), nn.ConvTranspose2d(64, 32, 4, 2, 1), relu(),
        nn.ConvTranspose2d(32, 32, 4, 2, 1), relu(), nn.ConvTranspose2d(32, SHAPE[2], 4, 2, 1),
    )  # fmt: skip
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=LEARNING_RATE)
    images = torch.rand(BATCH, SHAPE[2], *SHAPE[:2])

    while True:
        wait()
        mean, log_var = encoder(images).chunk(2, 1)
        output = decoder(mean + torch.exp(log_var / 2) * torch.randn_like(mean))
        error = nn.functional.binary_cross_entropy_with_logits(output, images, reduction="sum") / BATCH
        kl = 0.5 * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean()
        optimizer.zero_grad()
        (error + BETA * kl).backward()
        optimizer.step()


def ours(wait: Callable[[], None], kind: str) -> None:
    """The loop of dlib_train with torch."""
    from causal_disent import use_threads

    use_threads()
    from causal_disent_torch.devices import flushed
    from causal_disent_torch.training import make_trainer
    from torch import device

    with flushed():
        train_in_turns(wait, "torch", kind, lambda plan: make_trainer(plan, device("cpu")))


def train_in_turns(wait: Callable[[], None], backend: str, kind: str, make: Callable[[Any], Any]) -> None:
    """The loop of dlib_train: images are drawn, the loss watched, curves written if tensorboard is there."""
    from causal_disent.config import gin_config
    from causal_disent.registry import registry
    from causal_disent.runs.dataset import dataset
    from causal_disent.training.loop import Keeping, train
    from causal_disent.training.plan import make_plan

    bindings = [
        "dataset.name = 'dummy_data'",
        f"model.batch_size = {BATCH}",
        f"vae.beta = {BETA}",
        f"encoder.num_latent = {NUM_LATENT}",
        f"AdamOptimizer.learning_rate = {LEARNING_RATE}",
        f"model.precision = '{'bfloat16' if kind == 'bfloat16' else 'float32'}'",
    ]
    with registry.using(backend), gin_config(["models/beta_vae.gin"], bindings):
        trainer = make(make_plan(dataset()))
    step = trainer.step

    def in_turns() -> dict[str, Any]:
        wait()
        return step()

    trainer.step = in_turns
    with tempfile.TemporaryDirectory() as folder, registry.using(backend):
        train(trainer, 10**9, {}, Keeping(Path(folder), every=0, resume=False))


def encoding(wait: Callable[[], None]) -> None:
    """The encoder as metrics use it."""
    from causal_disent import use_threads

    use_threads()
    import numpy as np
    from causal_disent_torch import TorchRepresentation
    from causal_disent_torch.networks import ConvEncoder

    model = TorchRepresentation(ConvEncoder(SHAPE, NUM_LATENT))
    images = np.random.RandomState(0).random_sample((ENCODED, *SHAPE)).astype(np.float32)
    while True:
        wait()
        model(images)


if __name__ == "__main__":
    from _turns import Turns

    turn = Turns().wait
    programs = {"bare": bare, "encoding": encoding}
    programs[sys.argv[1]](turn) if sys.argv[1] in programs else ours(turn, sys.argv[1])
