"""CG of the models of table 7, judged as here and with two errors of the published program.

    causal-disent study studies/table7.gin --output_dir output/table7     # trains the models, if that was not done
    python benchmarks/published_classifier.py [--study output/table7]

The published program gives the classifier the decoder's logits, without a sigmoid; and it trains the classifier on
images whose channels were moved to the front by ``reshape``, which tears pixels apart, while generated images are
moved by ``transpose``. docs/reproduction.md discusses the numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.classifier_training import (
    FactorNetwork,
    LabelledImages,
    Settings,
    accuracy_of,
    draw_images,
    train,
)
from synthetic_components import CONFOUNDING, DATA_SET, FACTORS

from causal_disent import get_dataset
from causal_disent.metrics import cg
from causal_disent.progress import track
from causal_disent.report.table import text_table

Judge = Callable[[Any], Sequence[np.ndarray]]

SEED, NUM_POINTS = 0, 300
SETTINGS = Settings((16, 32, 128), 150, 64, 5e-3, 0.1, 20_000, SEED)
CPU = torch.device("cpu")
#: Nearest to 0 and 1 that a pixel may come before its logit is taken.
EDGE = 1e-7


def torn(images: np.ndarray) -> np.ndarray:
    """Images (n, h, w, c) as ``reshape`` to (n, c, h, w) leaves them, with the channels moved back."""
    count, height, width, channels = images.shape
    return np.ascontiguousarray(images.reshape(count, channels, height, width).transpose(0, 2, 3, 1))


def judge(images: LabelledImages, num_values: Sequence[int]) -> Judge:
    """A classifier trained on `images`; it says how well it does on those it has not seen."""
    learned, unseen = images.split(SETTINGS.held_out, np.random.RandomState(SEED))
    network = FactorNetwork(images.pixels.shape[1:], num_values, SETTINGS.channels, SEED)
    train(network, learned, SETTINGS, CPU, np.random.RandomState(SEED))
    print("accuracy on held-out images:", ", ".join(f"{part:.1%}" for part in accuracy_of(network, unseen, CPU)))

    @torch.inference_mode()
    def predict_proba(shown: Any) -> list[np.ndarray]:
        return [table.softmax(1).numpy() for table in network(torch.as_tensor(shown, dtype=torch.float32))]

    return predict_proba


def of_logits(predict_proba: Judge) -> Judge:
    """The same classifier, shown the logits of the pixels."""

    def shown(images: Any) -> Sequence[np.ndarray]:
        pixels = np.clip(np.asarray(images, dtype=np.float64), EDGE, 1 - EDGE)
        return predict_proba(np.log(pixels) - np.log1p(-pixels))

    return shown


def model_folders(study: Path) -> list[tuple[str, Path]]:
    """The models of the first seed in a study's folder."""
    runs = [(json.loads(file.read_text()), file.parent) for file in sorted(study.glob("*/run.json"))]
    return [(what["model"], folder / "model") for what, folder in runs if what["seed"] == SEED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", type=Path, default=Path("output/table7"), help="its folder (%(default)s)")
    arguments = parser.parse_args()
    data = get_dataset(DATA_SET, factors=FACTORS, confounding=CONFOUNDING)
    images = draw_images(data, SETTINGS.max_images, np.random.RandomState(SEED))
    right = judge(images, data.factors_num_values)
    wrong = judge(LabelledImages(torn(images.pixels), images.factors), data.factors_num_values)
    judges = {"as here": right, "logits": of_logits(right), "torn": wrong, "torn, logits": of_logits(wrong)}
    factors, points = data.sample(NUM_POINTS, np.random.RandomState(SEED))
    rows = []
    for name, folder in track(model_folders(arguments.study), "models", unit="model"):
        model: Any = TorchBackend(device="cpu").read(folder, data)
        codes = model(points)
        found = [cg(codes, factors, model.decode, each) for each in judges.values()]
        rows.append([name, *(result.score for result in found)])
    print(text_table(["CG, seed 0", *judges], rows))


if __name__ == "__main__":
    main()
