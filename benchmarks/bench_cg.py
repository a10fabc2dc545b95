"""CG of a torch model beside the bare passes through its networks, and beside the authors' procedure; and CG that
stops when it knows enough beside CG of all points.

    python benchmarks/bench_cg.py [--points 10000] [--only passes|stopping] [--given MODEL ...]

64 codes, 6 factors, 64x64x3 images, deconvolutional decoder, one thread. Processor time is counted, so that other
programs on the machine matter little. The authors' procedure runs on fewer points and is scaled: it decodes and
classifies three times per factor, with a classifier whose convolutions have no stride (here with fewer channels
and smaller kernels than ours, which favours it), and looks for the maximal deviation among all pairs of points.

For stopping, three models are trained on candle_mini (kept in --models), or folders of trained models are given,
each measured on the data that it was trained on; conv_classifier judges.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from _timing import pin_threads, processor_time

pin_threads()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from causal_disent_torch import TorchRepresentation  # noqa: E402
from causal_disent_torch.backend import TorchBackend  # noqa: E402
from causal_disent_torch.classifier import ConvClassifier  # noqa: E402
from causal_disent_torch.classifier_training import FactorNetwork  # noqa: E402
from causal_disent_torch.networks import ConvEncoder, DeconvDecoder  # noqa: E402
from torch import nn  # noqa: E402

from causal_disent import get_classifier  # noqa: E402
from causal_disent.config import gin_config  # noqa: E402
from causal_disent.metrics import cg  # noqa: E402
from causal_disent.metrics.cg import image_exchange  # noqa: E402
from causal_disent.metrics.draw import sample_codes  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402
from causal_disent.runs.dataset import bind_dataset, dataset  # noqa: E402
from causal_disent.runs.train import train_with_gin  # noqa: E402

SHAPE, NUM_CODES, NUM_VALUES = (64, 64, 3), 64, [5, 5, 3, 6, 16, 3]
BATCH = 256
#: What is promised: at most this many times the bare passes, and this many times faster than the authors.
MOST_OVER_BARE, LEAST_OVER_AUTHORS = 1.15, 5.0
#: At this tolerance, this many times fewer points than all.
TOLERANCE, LEAST_FEWER = 0.02, 5
#: What is trained, and with what besides demo_model.gin.
TRAINING = ["dataset.confounding = None", "model.training_steps = 200"]
MODELS = {
    "vae": [],
    "beta_tc_vae": ["model.model = @beta_tc_vae()", "beta_tc_vae.beta = 4."],
    "dip_vae": [
        "model.model = @dip_vae()",
        "dip_vae.dip_type = 'i'",
        "dip_vae.lambda_od = 10.",
        "dip_vae.lambda_d_factor = 10.",
    ],
}


class UnstridedClassifier(nn.Module):
    """Three 3x3 convolutions with ReLU at the images' full size and a fully connected layer."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for inputs, outputs in ((3, 16), (16, 32), (32, 64)):
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 64 * 64, sum(NUM_VALUES)))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.layers(images.permute(0, 3, 1, 2)))


def bare_passes(model: TorchRepresentation, network: FactorNetwork, codes: np.ndarray) -> None:
    """1 + 2n times through decoder and classifier, nothing else."""
    points = torch.from_numpy(codes)
    with torch.inference_mode():
        for batch in points.split(BATCH):
            for _ in range(1 + 2 * len(NUM_VALUES)):
                [table.softmax(dim=1) for table in network(torch.sigmoid(model.decoder(batch)))]


def authors_passes(model: TorchRepresentation, network: nn.Module, codes: np.ndarray) -> None:
    """Three times through decoder and classifier for each factor."""
    points = torch.from_numpy(codes)
    with torch.inference_mode():
        for batch in points.split(BATCH):
            for _ in range(3 * len(NUM_VALUES)):
                network(torch.sigmoid(model.decoder(batch)))


def authors_deviation(codes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """For each point and code, the farthest value among `codes`, by looking at all of them."""
    farthest = np.empty_like(points)
    for row, point in enumerate(points):
        rows = np.abs(codes - point).argmax(axis=0)
        farthest[row] = codes[rows, np.arange(codes.shape[1])]
    return farthest


def trained(name: str, folder: Path) -> Path:
    """The folder of a model of candle_mini, trained for a little while unless it is there."""
    target = folder / name
    if not target.is_dir():
        train_with_gin(target, False, ["demo_model.gin"], [*TRAINING, *MODELS[name]])
    return target


def made(folder: Path) -> dict[str, Path]:
    """Models of three kinds, in folders of their own."""
    return {name: trained(name, folder) for name in MODELS}


def data_of(folder: Path) -> Any:
    """The data set that a model was trained on."""
    with gin_config(bindings=["dataset.name = 'auto'"]):
        bind_dataset(folder, {})
        return dataset()


def stopping(points: int, folders: dict[str, Path]) -> bool:
    """CG at a tolerance beside CG of all points; whether it keeps what is promised."""
    rows, kept = [], True
    for name, folder in folders.items():
        data, model = data_of(folder), TorchBackend(device="cpu").read(folder)
        classifier = get_classifier("conv_classifier", data)
        codes, factors = sample_codes(data, model, points, np.random.RandomState(0), 16)
        exchange = image_exchange(model, classifier)
        whole, part, each = (
            cg(codes, factors, *exchange, decode_batch_size=64, **options)
            for options in (
                {},
                {"tolerance": TOLERANCE},
                {"tolerance": TOLERANCE, "tolerance_per_factor": True},
            )
        )
        low, high = part.interval
        kept &= low <= whole.score <= high and LEAST_FEWER * part.num_points <= points
        rows.append([name, whole.score, part.score, f"{low:.3f} to {high:.3f}", part.num_points, each.num_points])
        print(rows[-1], file=sys.stderr)
    print(f"CG of {points:,} points, and with a tolerance of {TOLERANCE}:")
    print(text_table(["model", "all", "stopped", "95 % interval", "points", "for each factor"], rows))
    print(f"promised: at least {LEAST_FEWER}x fewer points, and the score of all in the interval: {kept}")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--authors_points", type=int, default=128)
    parser.add_argument("--only", choices=("passes", "stopping"))
    parser.add_argument("--models", type=Path, default=Path("output/bench_cg"), help="(%(default)s)")
    parser.add_argument("--given", type=Path, nargs="+", default=[], help="folders of trained models")
    arguments = parser.parse_args()
    given = {str(folder): folder for folder in arguments.given}
    torch.set_num_threads(1)
    kept = [
        *([passes(arguments.points, arguments.authors_points)] if arguments.only != "stopping" else []),
        *([stopping(arguments.points, given or made(arguments.models))] if arguments.only != "passes" else []),
    ]
    return 0 if all(kept) else 1


def passes(num_points: int, authors_points: int) -> bool:
    """CG beside the bare passes and the authors' procedure; whether it keeps what is promised."""
    encoder, decoder = ConvEncoder(SHAPE, NUM_CODES), DeconvDecoder(SHAPE, NUM_CODES)
    model = TorchRepresentation(encoder, decoder, device="cpu")
    network = FactorNetwork(SHAPE, NUM_VALUES, (16, 32, 128), 0).eval()
    classifier = ConvClassifier(network, SHAPE, [1.0] * len(NUM_VALUES), torch.device("cpu"))
    random_state = np.random.RandomState(0)
    codes = random_state.normal(size=(num_points, NUM_CODES)).astype(np.float32)
    factors = np.stack([random_state.randint(size, size=len(codes)) for size in NUM_VALUES], axis=1)
    few = codes[:authors_points]
    unstrided = UnstridedClassifier()
    bare_passes(model, network, few)  # so that nobody pays for the first call
    authors_passes(model, unstrided, few[:8])

    bare = processor_time(lambda: bare_passes(model, network, codes))
    ours = processor_time(
        lambda: cg(
            codes,
            factors,
            *image_exchange(model, classifier),
            attribution=[[i] for i in range(len(NUM_VALUES))],
            decode_batch_size=BATCH,
        )
    )
    part = len(codes) / len(few)
    # Every point is compared with all points, once per factor.
    deviation = processor_time(lambda: authors_deviation(codes, few)) * part * len(NUM_VALUES)
    authors = processor_time(lambda: authors_passes(model, unstrided, few)) * part + deviation
    rows = [
        ["bare passes (13 decodes, 13 classifications)", bare, 1.0],
        ["cg", ours, ours / bare],
        [f"authors' procedure (scaled from {len(few)} points)", authors, authors / bare],
        ["  of which the search for the deviation", deviation, deviation / bare],
    ]
    print(text_table([f"CG, {len(codes):,} points, 64 codes, 6 factors", "seconds", "x bare"], rows))
    print(f"faster than the authors' procedure: {authors / ours:.1f}x")
    kept = ours / bare <= MOST_OVER_BARE and authors / ours >= LEAST_OVER_AUTHORS
    print(f"promised: at most {MOST_OVER_BARE}x bare, at least {LEAST_OVER_AUTHORS}x faster: {kept}")
    return kept


if __name__ == "__main__":
    sys.exit(main())
