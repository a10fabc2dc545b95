"""``conv_classifier``, the classifier of CG: a small convolutional network, trained once per data set and kept."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.checks import check_value, is_number
from causal_disent.data.factor_table import value_rows
from causal_disent.files import new_folder, regular
from causal_disent.metrics.cg import GOOD
from causal_disent.metrics.draw import factor_names
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, GroundTruthData
from causal_disent.representation.image_shape import check_image_shape
from causal_disent.text import Shown, say, shown_value
from causal_disent.training.checkpoint import check_shapes
from causal_disent_torch.classifier_training import (
    BATCH,
    CHUNK,
    FactorNetwork,
    Settings,
    accuracy_of,
    draw_images,
    has_table,
    train,
)
from causal_disent_torch.devices import choose_device
from causal_disent_torch.representation import open_tensors, write_tensors


class ConvClassifier(Shown):
    """Follows `causal_disent.protocols.FactorClassifier`.

    Args:
        network: trained, on `device`.
        image_shape: height, width and channels of the images it was trained on.
        accuracy: per factor, on held-out images.
        device: where it runs.
    """

    name = "conv_classifier"

    def __init__(
        self,
        network: FactorNetwork,
        image_shape: Sequence[int],
        accuracy: Sequence[float],
        device: torch.device,
    ) -> None:
        self.network = network.eval()
        self.image_shape = tuple(image_shape)
        self.accuracy = list(accuracy)
        self.device = device

    def _shows(self) -> Iterator[str]:
        yield f"images {'x'.join(map(str, self.image_shape))}"
        sizes = zip(self.network.num_values, self.accuracy, strict=True)
        yield ", ".join(f"{size} values at {accuracy:.3f}" for size, accuracy in sizes)

    def predict_proba(self, images: FloatArray) -> list[FloatArray]:
        """Return images (n, h, w, c) in [0, 1] to one (n, values) array per factor; rows sum to 1."""
        return self.predict_proba_tensor(torch.from_numpy(np.require(images, np.float32, ["C", "W"])))

    @torch.inference_mode()
    def predict_proba_tensor(self, images: Tensor) -> list[FloatArray]:
        """Return the same for a tensor, which may be on any device."""
        check_image_shape(images, self.image_shape, "Images for 'conv_classifier'")
        parts = [
            torch.cat([table.softmax(dim=1) for table in self.network(part.to(self.device, torch.float32))], dim=1)
            for part in images.split(BATCH)
        ]
        whole = torch.cat(parts).cpu().numpy()
        return np.split(whole, np.cumsum(self.network.num_values)[:-1], axis=1)


#: Environment variable that names the folder.
VARIABLE = "CAUSAL_DISENT_CLASSIFIERS"
WEIGHTS, DESCRIPTION = "weights.safetensors", "classifier.json"
#: No description is longer.
MOST_BYTES = 2**16


def cache_folder(chosen: str | Path | None) -> Path:
    """Return where classifiers are kept: as chosen, as the environment says, or in the user's cache folder."""
    if not isinstance(chosen, (str, os.PathLike, type(None))):
        raise errors.InvalidInput(
            f"conv_classifier.cache_dir must be the path of a folder; given: {shown_value(chosen)}."
        )
    if chosen or os.environ.get(VARIABLE):
        return Path(chosen or os.environ[VARIABLE]).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "causal_disent" / "classifiers"


def load_classifier(folder: Path, network: FactorNetwork) -> list[float] | None:
    """Fill `network` with the weights in `folder`; the accuracies, or None if there are no weights to use."""
    if not folder.exists():
        return None
    try:
        accuracy = _read_accuracy(folder / DESCRIPTION, len(network.num_values))
        network.load_state_dict(_read_weights(folder / WEIGHTS, network))
    except (OSError, ValueError) as error:
        warnings.warn(f"The kept classifier {folder} cannot be used and is trained again: {error}", stacklevel=3)
        return None
    return accuracy


def _read_accuracy(path: Path, num_factors: int) -> list[float]:
    """Read the accuracies of a stored classifier."""
    if regular(path).stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name} has more than {MOST_BYTES:,} bytes.")
    content = json.loads(path.read_text(encoding="utf-8"))
    accuracy = content.get("accuracy") if isinstance(content, dict) else None
    if not (isinstance(accuracy, list) and len(accuracy) == num_factors and all(map(_is_part, accuracy))):
        raise ValueError(f"{path.name} must hold an accuracy between 0 and 1 for each of {num_factors} factors.")
    return [float(number) for number in accuracy]


def _is_part(number: Any) -> bool:
    return is_number(number) and 0 <= number <= 1


def _read_weights(path: Path, network: FactorNetwork) -> dict[str, torch.Tensor]:
    """Return the tensors of a file, if they are such as `network` has."""
    expected = network.state_dict()
    with open_tensors(path) as file:
        check_shapes(file, {name: tuple(tensor.shape) for name, tensor in expected.items()}, "the classifier")
        found = {name: file.read(name) for name in expected}
    for name, tensor in found.items():
        if tensor.dtype != expected[name].dtype or not tensor.isfinite().all():
            raise ValueError(f"'{name}' in {path.name} must be finite numbers of type {expected[name].dtype}.")
    return found


def save_classifier(
    folder: Path, network: FactorNetwork, accuracy: list[float], names: list[str], settings: Settings
) -> None:
    """Keep a classifier; where that is not possible, a warning says so."""
    description: dict[str, Any] = {
        "factors": names,
        "num_values": network.num_values,
        "accuracy": accuracy,
        "settings": asdict(settings),
    }
    try:
        with new_folder(folder, overwrite=True, wait=True) as temporary:
            write_tensors(temporary / WEIGHTS, network.state_dict())
            (temporary / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    except (OSError, errors.OutputExists) as error:
        warnings.warn(
            f"The classifier cannot be kept in {folder} and will be trained again next time: {error}. "
            f"The variable {VARIABLE} or conv_classifier.cache_dir names another folder.",
            stacklevel=3,
        )


#: Counts up when the network or its training changes, so that older classifiers are not used.
VERSION = 1
#: The most images that are looked at; those of a larger data set are spread evenly over it.
MOST_IMAGES = 4096


def fingerprint(data: Any, settings: Settings) -> str:
    """Return a name, 32 hexadecimal digits, that differs where the classifier would.

    Every image counts in a data set of up to `MOST_IMAGES`, and that many of a larger one: a data set that differs
    from another of its size and factors in other images only is not told from it. Reading more would take longer
    than many an evaluation that uses a kept classifier.
    """
    digest = hashlib.blake2b(digest_size=16)
    described = {
        "version": VERSION,
        "shape": [int(size) for size in data.observation_shape],
        "sizes": [int(size) for size in data.factors_num_values],
        "confounding": [repr(statement) for statement in getattr(data, "statements", ())],
        "settings": asdict(settings),
    }
    digest.update(json.dumps(described, sort_keys=True).encode())
    for part in _read_parts(data) if has_table(data) else _draw_parts(data):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _read_parts(data: Any) -> Iterator[np.ndarray]:
    """Yield what tells a data set with a table from others."""
    table = data.factor_table
    indices = table.index.to_numpy()
    yield from (indices, value_rows(table))
    yield np.asarray(getattr(data, "image_weights", ()), dtype=np.float64)
    spread = np.unique(np.linspace(0, len(indices) - 1, MOST_IMAGES).round().astype(int))
    for start in _starts(len(spread)):
        yield np.asarray(data.observations(indices[spread[start : start + CHUNK]]), dtype=np.float32)


def _draw_parts(data: Any) -> Iterator[np.ndarray]:
    random_state = np.random.RandomState(0)
    for _ in _starts(MOST_IMAGES):
        factors, images = data.sample(CHUNK, random_state)
        yield from (np.asarray(factors, dtype=np.int64), np.asarray(images, dtype=np.float32))


def _starts(total: int) -> Iterable[int]:
    return track(range(0, total, CHUNK), "recognising the data set", unit="batch")


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
    folder = cache_folder(cache_dir) / fingerprint(data, settings)
    names = factor_names(data)
    accuracy = load_classifier(folder, network)
    network.to(chosen)
    if accuracy is None:
        accuracy = _train_network(network, data, settings, chosen)
        save_classifier(folder, network, accuracy, names, settings)
        _print_accuracy(dict(zip(names, accuracy, strict=True)))
    _warn_of_low(folder, tuple(zip(names, accuracy, strict=True)))
    return ConvClassifier(network, shape, accuracy, chosen)


def _train_network(network: FactorNetwork, data: Any, settings: Settings, device: torch.device) -> list[float]:
    """Train in place; the accuracy per factor on the images left out."""
    random_state = np.random.RandomState(settings.seed)
    images = draw_images(data, settings.max_images, random_state)
    learned, unseen = images.split(settings.held_out, random_state)
    train(network, learned, settings, device, random_state, unseen)
    return accuracy_of(network, unseen, device)


def _print_accuracy(accuracy: dict[str, float]) -> None:
    each = errors.listing(f"{name} {value:.1%}" for name, value in accuracy.items())
    say(f"conv_classifier is trained; its accuracy on held-out images: {each}", error=True)


@functools.cache  # once per process, however many evaluations use the classifier
def _warn_of_low(folder: Path, accuracy: tuple[tuple[str, float], ...]) -> None:
    """Warn of factors that the classifier tells badly."""
    low = [f"{name} {value:.0%}" for name, value in accuracy if value < GOOD]
    if low:
        warnings.warn(
            f"The classifier's accuracy on held-out images is below {GOOD:.0%}: {errors.listing(low)}. "
            "CG says little of these factors. More images help most; where the place of things is no factor, "
            "conv_classifier.max_shift = 3 stands in for them.",
            stacklevel=3,
        )
