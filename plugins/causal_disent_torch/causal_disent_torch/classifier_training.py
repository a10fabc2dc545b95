"""The network of `conv_classifier`, the images it learns from, and its training."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad
from torch.nn.utils import skip_init

from causal_disent import errors
from causal_disent.checks import check_arguments, is_whole, number, parameters_of, whole
from causal_disent.data.factor_table import value_rows
from causal_disent.metrics.cg import not_judged
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray, is_finite
from causal_disent.text import say, shown_value
from causal_disent_torch.devices import flush_denormals
from causal_disent_torch.training import FUSED

#: Images that are read from the data set together, and images that the network judges together.
CHUNK, BATCH = 512, 256


@dataclass(frozen=True)
class Settings:
    """The options of `conv_classifier` that its weights depend on; see there."""

    channels: tuple[int, int, int]
    num_steps: Annotated[int, whole(at_least=1)]
    batch_size: Annotated[int, whole(at_least=2)]
    learning_rate: Annotated[float, number(above=0, at_most=1)]
    held_out: Annotated[float, number(above=0, below=1)]
    max_images: Annotated[int, whole(at_least=3)]
    seed: Annotated[int, whole(at_least=0, below=2**32)]
    max_shift: Annotated[int, whole(at_least=0)] = 0

    def __post_init__(self) -> None:
        counts = isinstance(self.channels, tuple) and len(self.channels) == 3
        if not counts or not all(is_whole(number) and number >= 1 for number in self.channels):
            raise errors.InvalidInput(
                "conv_classifier.channels must be three whole numbers, at least 1, one for each convolution; "
                f"given: {shown_value(self.channels)}."
            )
        check_arguments(parameters_of(type(self)).values(), vars(self), "conv_classifier")  # type: ignore[arg-type]


@dataclass(frozen=True)
class LabelledImages:
    """Images (n, h, w, c) as uint8 and the factors (n, factors) they show, as value indices."""

    pixels: np.ndarray
    factors: IntArray

    def split(self, held_out: float, random_state: np.random.RandomState) -> tuple[LabelledImages, LabelledImages]:
        """Return images to learn from, and a part `held_out` of them to test on."""
        total = len(self.pixels)
        num_test = min(max(1, round(held_out * total)), total - 2)
        order = random_state.permutation(total)
        test, train = np.sort(order[:num_test]), np.sort(order[num_test:])
        return self._part(train), self._part(test)

    def _part(self, rows: IntArray) -> LabelledImages:
        return LabelledImages(self.pixels[rows], self.factors[rows])


def has_table(data: Any) -> bool:
    """Tell whether `data` says which images it has and what their factors are."""
    return is_finite(data) and hasattr(data, "factor_table")


def draw_images(data: Any, most: int, random_state: np.random.RandomState) -> LabelledImages:
    """Return all images of `data`, or `most` of them if there are more; as many draws where it has no table."""
    draw = _read_table if has_table(data) else _draw_points
    pixels, factors = draw(data, most, random_state)
    if len(pixels) < 3:
        raise errors.InvalidInput(
            f"A classifier needs three images, two to learn from and one to test on; there are {len(pixels)}."
        )
    _check_factors(factors, data.factors_num_values)
    return LabelledImages(pixels, factors)


def _read_table(data: Any, most: int, random_state: np.random.RandomState) -> tuple[np.ndarray, IntArray]:
    """Read images of a data set with a table."""
    table = data.factor_table
    rows = np.arange(len(table))
    if len(rows) > most:
        rows = np.sort(random_state.choice(len(rows), most, replace=False))
    indices = table.index.to_numpy()[rows]
    pixels = np.empty((len(rows), *data.observation_shape), dtype=np.uint8)
    for start, stop in _chunks(len(rows)):
        pixels[start:stop] = _as_bytes(data.observations(indices[start:stop]))
    return pixels, value_rows(table)[rows]


def _draw_points(data: Any, most: int, random_state: np.random.RandomState) -> tuple[np.ndarray, IntArray]:
    """Draw images of a data set without a table."""
    pixels = np.empty((most, *data.observation_shape), dtype=np.uint8)
    factors = np.empty((most, data.num_factors), dtype=np.int64)
    for start, stop in _chunks(most):
        factors[start:stop], images = data.sample(stop - start, random_state)
        pixels[start:stop] = _as_bytes(images)
    return pixels, factors


def _chunks(total: int) -> Iterator[tuple[int, int]]:
    starts = range(0, total, CHUNK)
    for start in track(starts, "images for the classifier", total=len(starts), unit="batch"):
        yield start, min(start + CHUNK, total)


def _as_bytes(images: FloatArray) -> np.ndarray:
    return np.clip(np.rint(np.asarray(images, dtype=np.float32) * 255), 0, 255).astype(np.uint8)


def _check_factors(factors: IntArray, sizes: Any) -> None:
    """Raise unless factors count from 0 and are below their sizes."""
    outside = (factors < 0) | (factors >= np.asarray(sizes))
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise errors.InvalidInput(
            f"A classifier needs factors that count from 0; factor {column} of the data set has {sizes[column]} "
            f"values and one of them is {factors[row, column]}."
        )


KERNEL, STRIDE = 5, 2
#: Against division by 0 where a channel is silent.
SILENT = 1e-3


class FactorNetwork(nn.Module):
    r"""Images (n, h, w, c) in [0, 1] to one (n, values) table of logits per factor.

    Each convolution is followed by batch normalisation and ReLU. The fully connected layer sees four numbers of
    each channel f of the last one: its maximum, its mean, and its centre of mass

    .. math:: \sum_p f_p\, x_p / \sum_p f_p, \qquad \sum_p f_p\, y_p / \sum_p f_p

    with x and y in [-1, 1]. So what an object is like is learned once for all places, and where it is stays known.

    Args:
        image_shape: height, width, channels; any size from 1x1.
        num_values: how many values each factor has.
        channels: of the three convolutions.
        seed: of the weights; the global generator is left alone.
    """

    def __init__(
        self, image_shape: Sequence[int], num_values: Sequence[int], channels: Sequence[int], seed: int
    ) -> None:
        super().__init__()
        height, width, depth = image_shape
        self.num_values = list(num_values)
        layers: list[nn.Module] = []
        for outputs in channels:
            convolution = skip_init(
                nn.Conv2d, depth, outputs, KERNEL, stride=STRIDE, padding=KERNEL // 2, bias=False
            )
            layers += [convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
            height, width, depth = math.ceil(height / STRIDE), math.ceil(width / STRIDE), outputs
        self.convolutions = nn.Sequential(*layers)
        self.output = skip_init(nn.Linear, 4 * depth, sum(self.num_values))
        self.register_buffer("x", torch.linspace(-1, 1, width).view(1, 1, 1, width), persistent=False)
        self.register_buffer("y", torch.linspace(-1, 1, height).view(1, 1, height, 1), persistent=False)
        self._draw_weights(torch.Generator().manual_seed(seed))
        # Permuted images have this layout already.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _draw_weights(self, generator: torch.Generator) -> None:
        for layer in self.convolutions:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=generator)
        nn.init.kaiming_normal_(self.output.weight, nonlinearity="linear", generator=generator)
        nn.init.zeros_(self.output.bias)

    def forward(self, images: Tensor) -> list[Tensor]:
        features = self.convolutions(images.permute(0, 3, 1, 2))
        total = features.sum((2, 3)) + SILENT
        centre = [(features * place).sum((2, 3)) / total for place in (self.x, self.y)]
        seen = torch.cat([features.amax((2, 3)), features.mean((2, 3)), *centre], dim=1)
        return list(self.output(seen).split(self.num_values, dim=1))


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
        with flush_denormals():
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
    """Return images (n, h, w, c) with their edges repeated `most` times, cut to their size at `corner`.

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
    for start in range(0, len(images.pixels), BATCH):
        pixels = torch.from_numpy(images.pixels[start : start + BATCH]).to(device)
        guesses = torch.stack([table.argmax(dim=1) for table in network(as_floats(pixels))], dim=1)
        correct += (guesses.cpu().numpy() == images.factors[start : start + BATCH]).sum(axis=0)
    return (correct / len(images.pixels)).tolist()
