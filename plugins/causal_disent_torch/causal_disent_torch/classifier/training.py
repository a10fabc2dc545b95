"""Training of the classifier, and its accuracy on images it has not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, pad

from causal_disent.metrics.cg import not_judged
from causal_disent.progress import track
from causal_disent.text import say
from causal_disent_torch.classifier.labelled_images import LabelledImages
from causal_disent_torch.classifier.network import FactorNetwork
from causal_disent_torch.classifier.settings import Settings
from causal_disent_torch.denormals import flushed
from causal_disent_torch.train.optimizers import FUSED

#: Images judged at a time.
CHUNK = 256
WEIGHT_DECAY = 1e-2
#: Whether anything is learned shows after this part of the epochs and so many steps, on so many images not seen.
LOOK_AFTER, LEAST_STEPS, LEAST_UNSEEN = 1 / 3, 200, 100


def train(
    network: FactorNetwork,
    images: LabelledImages,
    settings: Settings,
    device: torch.device,
    random_state: np.random.RandomState,
    unseen: LabelledImages | None = None,
) -> None:
    """Fit `network`, which is on `device`, by cross-entropy summed over the factors.

    AdamW with a learning rate that rises and falls once (one cycle); every epoch goes through all images. If after
    a third of them no factor of the `unseen` images is told better than by chance, the rest is left out.
    """
    pixels, factors = torch.from_numpy(images.pixels).to(device), torch.from_numpy(images.factors).to(device)
    size = min(settings.batch_size, len(pixels))
    per_epoch = len(pixels) // size
    epochs = math.ceil(settings.num_steps / per_epoch)
    optimizer = torch.optim.AdamW(
        network.parameters(), settings.learning_rate, weight_decay=WEIGHT_DECAY, fused=device.type in FUSED
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, settings.learning_rate, total_steps=epochs * per_epoch + 1
    )
    looked_at = math.ceil(max(epochs * LOOK_AFTER, LEAST_STEPS / per_epoch))
    for epoch in track(range(1, epochs + 1), "training conv_classifier", unit="epoch"):
        network.train()
        order = torch.from_numpy(random_state.permutation(len(pixels))).to(device)
        with flushed():
            for rows in order[: per_epoch * size].split(size):
                shown = as_floats(pixels[rows])
                if settings.max_shift:
                    corner = random_state.randint(2 * settings.max_shift + 1, size=2).tolist()
                    shown = shifted(shown, corner, settings.max_shift)
                loss = _loss(network(shown), factors[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
        if epoch == looked_at < epochs and unseen is not None and not _learns(network, unseen, device):
            say(
                f"conv_classifier tells no factor better than by chance after {epoch} of {epochs} epochs; the "
                "others are left out",
                error=True,
            )
            return


def _learns(network: FactorNetwork, unseen: LabelledImages, device: torch.device) -> bool:
    """Whether any factor is told better than by naming its most frequent value; True where images are too few."""
    varying = [i for i, column in enumerate(unseen.factors.T) if len(np.unique(column)) > 1]
    if len(unseen.pixels) < LEAST_UNSEEN or not varying:
        return True
    return set(not_judged(accuracy_of(network, unseen, device), unseen.factors)) != set(varying)


def as_floats(pixels: Tensor) -> Tensor:
    """uint8 to [0, 1], as data sets give images."""
    return pixels.float() / 255


def shifted(images: Tensor, corner: Sequence[int], most: int) -> Tensor:
    """Images (n, h, w, c) with their edges repeated `most` times, cut to their size at `corner`.

    The corner (most, most) moves nothing.

    Example:
        >>> shifted(torch.arange(3.0).view(1, 1, 3, 1), (1, 0), 1).flatten()
        tensor([0., 0., 1.])
    """
    _, height, width, _ = images.shape
    padded = pad(images.permute(0, 3, 1, 2), [most] * 4, mode="replicate").permute(0, 2, 3, 1)
    top, left = corner
    return padded[:, top : top + height, left : left + width]


def _loss(logits: Sequence[Tensor], factors: Tensor) -> Tensor:
    return torch.stack([cross_entropy(table, factors[:, i]) for i, table in enumerate(logits)]).sum()


@torch.inference_mode()
def accuracy_of(network: FactorNetwork, images: LabelledImages, device: torch.device) -> list[float]:
    """Per factor, the part of the images whose most probable value is the true one."""
    network.eval()
    correct = np.zeros(images.factors.shape[1])
    for start in range(0, len(images.pixels), CHUNK):
        pixels = torch.from_numpy(images.pixels[start : start + CHUNK]).to(device)
        guesses = torch.stack([table.argmax(dim=1) for table in network(as_floats(pixels))], dim=1)
        correct += (guesses.cpu().numpy() == images.factors[start : start + CHUNK]).sum(axis=0)
    return (correct / len(images.pixels)).tolist()
