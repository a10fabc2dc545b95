"""``conv_classifier``: the trained classifier of a data set, from the cache or made now."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from causal_disent import errors
from causal_disent.checks import check_value
from causal_disent.metrics.cg import GOOD
from causal_disent.metrics.draw import factor_names
from causal_disent.protocols import GroundTruthData
from causal_disent.text import say
from causal_disent_torch.classifier import cache
from causal_disent_torch.classifier.conv import ConvClassifier
from causal_disent_torch.classifier.fingerprint import fingerprint
from causal_disent_torch.classifier.labelled_images import draw_images
from causal_disent_torch.classifier.network import FactorNetwork
from causal_disent_torch.classifier.settings import Settings
from causal_disent_torch.classifier.training import accuracy_of, train
from causal_disent_torch.device import choose_device


def conv_classifier(
    data: GroundTruthData,
    channels: Sequence[int] = (16, 32, 128),
    num_steps: int = 900,
    batch_size: int = 64,
    learning_rate: float = 5e-3,
    held_out: float = 0.1,
    max_images: int = 20_000,
    seed: int = 0,
    max_shift: int = 0,
    device: str = "auto",
    cache_dir: str | Path | None = None,
) -> ConvClassifier:
    """Three strided convolutions with ReLU and a fully connected layer, one softmax per factor.

    It is trained once per data set, confounding and settings, and kept in a folder of the user's cache.

    Args:
        data: ground-truth data whose observations are images (h, w, c).
        channels: of the three convolutions.
        num_steps: of training, at the least: the last epoch is finished. It ends after a third of them where no
            factor is told better than by chance.
        batch_size: images per step.
        learning_rate: the highest; it rises to it and falls again.
        held_out: the part of the images that is kept for measuring the accuracy.
        max_images: the most to use; they are kept in memory, a byte per number.
        seed: of the weights, of the choice and of the order of the images.
        max_shift: pixels by which images are moved to any side, at random, while they are learned from. It helps
            where images are few and the place of things is no factor.
        device: ``"auto"``, ``"cuda"``, ``"mps"`` or ``"cpu"``.
        cache_dir: where trained classifiers are kept. Without it, the folder that the variable
            ``CAUSAL_DISENT_CLASSIFIERS`` names, or else ``causal_disent/classifiers`` in ``$XDG_CACHE_HOME``.

    Returns:
        A classifier whose ``accuracy`` is that on the held-out images, per factor. A warning names factors of
        less than 90 %.
    """
    check_value("`data`", data, GroundTruthData)
    filters: Any = tuple(channels) if isinstance(channels, list) else channels  # gin may give either
    settings = Settings(filters, num_steps, batch_size, learning_rate, held_out, max_images, seed, max_shift)
    shape = tuple(int(size) for size in data.observation_shape)
    if len(shape) != 3:
        raise errors.InvalidInput(
            f"conv_classifier needs images (height, width, channels); the data set's observations are {shape}."
        )
    chosen = choose_device(device)
    network = FactorNetwork(shape, [int(size) for size in data.factors_num_values], settings.channels, seed)
    folder = cache.cache_folder(cache_dir) / fingerprint(data, settings)
    names = factor_names(data)
    accuracy = cache.load(folder, network)
    network.to(chosen)
    if accuracy is None:
        accuracy = _trained(network, data, settings, chosen)
        cache.save(folder, network, accuracy, names, settings)
        _show(dict(zip(names, accuracy, strict=True)))
    _warn_of_low(folder, tuple(zip(names, accuracy, strict=True)))
    return ConvClassifier(network, shape, accuracy, chosen)


def _trained(network: FactorNetwork, data: Any, settings: Settings, device: torch.device) -> list[float]:
    """Train in place; the accuracy per factor on the images left out."""
    random_state = np.random.RandomState(settings.seed)
    images = draw_images(data, settings.max_images, random_state)
    learned, unseen = images.split(settings.held_out, random_state)
    train(network, learned, settings, device, random_state, unseen)
    return accuracy_of(network, unseen, device)


def _show(accuracy: dict[str, float]) -> None:
    each = errors.listing(f"{name} {value:.1%}" for name, value in accuracy.items())
    say(f"conv_classifier is trained; its accuracy on held-out images: {each}", error=True)


@functools.cache  # once per process, however many evaluations use the classifier
def _warn_of_low(folder: Path, accuracy: tuple[tuple[str, float], ...]) -> None:
    low = [f"{name} {value:.0%}" for name, value in accuracy if value < GOOD]
    if low:
        warnings.warn(
            f"The classifier's accuracy on held-out images is below {GOOD:.0%}: {errors.listing(low)}. "
            "CG says little of these factors. More images help most; where the place of things is no factor, "
            "conv_classifier.max_shift = 3 stands in for them.",
            stacklevel=3,
        )
