"""A training step of dlib_train beside a bare torch loop with the same modules, in one run.

    python benchmarks/bench_torch.py [--steps 20] [--repeats 7]

Convolutional beta-VAE, 64x64x3 images, batch 64, one thread. The bare loop trains on one batch that is in memory;
ours draws its images from candle_mini, watches the terms of the loss, writes curves if tensorboard is installed,
and has its share of a checkpoint every 1000 steps. The two take turns, and the fastest turn of each counts, in
processor time, so that other programs on the machine matter little.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _timing import pin_threads, processor_time

pin_threads()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from causal_disent_torch.losses.bernoulli import bernoulli_loss  # noqa: E402
from causal_disent_torch.networks.conv import ConvEncoder, DeconvDecoder  # noqa: E402
from causal_disent_torch.train.trainer import Trainer  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn.functional import binary_cross_entropy_with_logits  # noqa: E402

from causal_disent import get_dataset  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402
from causal_disent.training import checkpoint  # noqa: E402
from causal_disent.training.batches import Batches  # noqa: E402
from causal_disent.training.checkpoint import CHECKPOINT  # noqa: E402
from causal_disent.training.loop import Keeping, train  # noqa: E402
from causal_disent.training.objectives.vae import BetaVae  # noqa: E402
from causal_disent.training.parts import reconstruction_loss  # noqa: E402

SHAPE, NUM_LATENT, BATCH, BETA, LEARNING_RATE = (64, 64, 3), 10, 64, 4.0, 1e-4
CHECKPOINT_EVERY = 1000
#: What is promised: data, curves and checkpoints cost at most this much.
MOST_OVER_BARE = 1.15


def modules() -> nn.ModuleDict:
    """The networks that both sides train."""
    return nn.ModuleDict({"encoder": ConvEncoder(SHAPE, NUM_LATENT), "decoder": DeconvDecoder(SHAPE, NUM_LATENT)})


def adam(networks: nn.ModuleDict) -> torch.optim.Optimizer:
    """The optimizer that both sides use."""
    return torch.optim.Adam(networks.parameters(), lr=LEARNING_RATE, fused=True)


def bare_loop(images: torch.Tensor) -> Callable[[int], None]:
    """What anybody would write: no data set, no checks, nothing kept."""
    networks = modules()
    optimizer = adam(networks)
    generator = torch.Generator().manual_seed(0)

    def run(num_steps: int) -> None:
        for _ in range(num_steps):
            mean, log_var = networks["encoder"](images)
            codes = mean + torch.exp(log_var / 2) * torch.randn(mean.shape, generator=generator)
            output = networks["decoder"](codes)
            reconstruction = binary_cross_entropy_with_logits(output, images, reduction="sum") / len(images)
            kl = 0.5 * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean()
            optimizer.zero_grad()
            (reconstruction + BETA * kl).backward()
            optimizer.step()

    return run


def our_loop(data: Any, folder: Path) -> tuple[Trainer, Callable[[int], None]]:
    """The loop of dlib_train."""
    networks = modules()
    trainer = Trainer(
        networks,
        BetaVae(BETA),
        reconstruction_loss(bernoulli_loss),
        {"vae": adam(networks)},
        Batches(data, BATCH, 0),
        torch.Generator().manual_seed(0),
        torch.device("cpu"),
    )
    keeping = Keeping(folder, every=0, resume=False)
    return trainer, lambda num_steps: train(trainer, trainer.num_steps + num_steps, {}, keeping) and None


def main() -> int:
    """Run, print, and return 1 if the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    data = get_dataset("candle_mini", scenes=1)
    data.observations(np.arange(len(data.factor_table)))  # drawn before the clock starts
    images = torch.from_numpy(Batches(data, BATCH, 0).draw()[0])
    with tempfile.TemporaryDirectory() as folder:
        trainer, ours = our_loop(data, Path(folder))
        bare = bare_loop(images)
        for loop in (ours, bare):
            loop(1)
        times: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(arguments.repeats):
            times["ours"].append(processor_time(lambda: ours(arguments.steps)))
            times["bare"].append(processor_time(lambda: bare(arguments.steps)))
        saving = processor_time(lambda: checkpoint.save(Path(folder) / CHECKPOINT, trainer, {}, 0.0))
    step = {name: min(found) / arguments.steps for name, found in times.items()}
    step["ours"] += saving / CHECKPOINT_EVERY
    ratio = step["ours"] / step["bare"]
    rows = [
        ["bare torch loop", f"{step['bare'] * 1000:.1f}", "1.00"],
        ["dlib_train", f"{step['ours'] * 1000:.1f}", f"{ratio:.2f}"],
    ]
    print(text_table(["training step, conv beta-VAE", "ms", "ratio"], rows))
    print(f"a checkpoint takes {saving * 1000:.0f} ms; promised: a ratio of at most {MOST_OVER_BARE}")
    return int(ratio > MOST_OVER_BARE)


if __name__ == "__main__":
    sys.exit(main())
