"""A training step of CausalVAE by dlib_train's loop beside a bare torch loop with the same networks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _timing import processor_time
from causal_disent_crl.models.causal_decoder import CausalDecoder
from causal_disent_crl.models.causal_vae import causal_vae
from causal_disent_crl.models.layers import ConvEncoder
from causal_disent_torch.losses import bernoulli_loss
from causal_disent_torch.training import Trainer
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from causal_disent.training.batches import Batches
from causal_disent.training.loop import Keeping, train
from causal_disent.training.objective import reconstruction_loss

SHAPE, BATCH, STEPS, REPEATS = (64, 64, 3), 64, 6, 5


def networks_of(shape: Sequence[int]) -> nn.ModuleDict:
    """Those of models/causal_vae_small.gin."""
    torch.manual_seed(0)
    encoder = ConvEncoder(shape, 16, channels=[32, 32, 64, 64])
    return nn.ModuleDict({"encoder": encoder, "decoder": CausalDecoder(shape, 16, images="conv", joint=True)})


def _bare(images: torch.Tensor, labels: torch.Tensor) -> Callable[[int], None]:
    """What anybody would write for images and labels in memory: no data set, no checks, nothing kept."""
    networks = networks_of(SHAPE)
    encoder, decoder = networks["encoder"], networks["decoder"]
    optimizer = torch.optim.Adam(networks.parameters(), lr=1e-3, fused=True)
    unit = torch.eye(4)

    def run(num_steps: int) -> None:
        for _ in range(num_steps):
            mean, log_var = encoder(images)
            adjacency = decoder.layer.weights * (1 - unit)
            eps = (mean + torch.exp(log_var / 2) * torch.randn(mean.shape)).view(-1, 4, 4)
            z = torch.inverse(unit - adjacency.T) @ eps
            w = decoder.mechanisms(adjacency.T @ z) + eps
            output = decoder.images(w.reshape(-1, 1, 16))
            loss = binary_cross_entropy_with_logits(output, images, reduction="sum") / len(images) / 192
            loss = loss + 0.15 * (mean.square() + log_var.exp() - log_var - 1).sum(1).mean()
            loss = loss + sum(0.5 * (part - labels[:, :, None]).square().sum((1, 2)).mean() for part in (z, w))
            said = decoder.label_mechanisms((labels @ adjacency)[:, :, None])[:, :, 0]
            h = torch.linalg.matrix_power(unit + adjacency.square() / 4, 4).trace() - 4
            loss = loss + mse_loss(said, labels) + 3 * h + 0.5 * h * h
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return run


def training(data: Any) -> Iterator[tuple[str, str, str]]:
    """Both loops in turn, so that both are disturbed alike; the fastest turn of each counts."""
    torch.set_num_threads(1)
    networks, objective = networks_of(SHAPE), causal_vae()
    objective.prepare(data, networks, 0)
    trainer = Trainer(
        networks,
        objective,
        reconstruction_loss(bernoulli_loss),
        {"vae": torch.optim.Adam(networks.parameters(), lr=1e-3, fused=True)},
        Batches(data, BATCH, 0),
        generator=torch.Generator().manual_seed(0),
        device=torch.device("cpu"),
    )
    pixels, indices = Batches(data, BATCH, 0).draw_known(0)
    bare = _bare(torch.from_numpy(pixels), objective.labels.of(indices, torch.device("cpu"))[0])
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    with tempfile.TemporaryDirectory() as folder:
        keeping = Keeping(Path(folder), every=0, resume=False)
        train(trainer, 1, {}, keeping)
        bare(1)
        for _ in range(REPEATS):
            times["ours"].append(processor_time(lambda: train(trainer, trainer.num_steps + STEPS, {}, keeping)))
            times["bare"].append(processor_time(lambda: bare(STEPS)))
    ours, plain = (1000 * float(np.min(times[name])) / STEPS for name in ("ours", "bare"))
    yield "a step of CausalVAE on Pendulum by a bare torch loop", f"{plain:.0f} ms", ""
    yield "the same by dlib_train", f"{ours:.0f} ms", ""
    yield "dlib_train / bare", f"{ours / plain:.2f}", "<= 1.15"
