"""The metrics beside disentanglement_lib 1.5, in one run: images encoded, times, and their ratios.

    python benchmarks/bench_metrics.py [--peer FOLDER] [--scale 1.0]

Writes benchmarks/results.json. The published sample sizes are multiplied by ``--scale``; at 1 the run takes
twenty minutes. The original asks its encoder for some three million images, so its encoding is not waited for: it
gets codes that are looked up, its requests are counted, and the time a convolutional encoder takes for batches of
that size is added, once with one thread and once, for the suite, with all cores. Ours really encodes. The data
set's images are drawn before the clock starts, as neither side does that.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from _memory import PeakMemory
from _timing import best, pin_threads

pin_threads()

import numpy as np  # noqa: E402
from _conv import SmallConvNet  # noqa: E402
from _index_data import IndexData  # noqa: E402
from _peer import BINS, Peer, load_peer  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402

from causal_disent import get_dataset, get_metric, get_representation  # noqa: E402
from causal_disent.checks import Pairs  # noqa: E402
from causal_disent.config import gin_config  # noqa: E402
from causal_disent.files import new_file  # noqa: E402
from causal_disent.metrics.dci import dci  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402
from causal_disent.representation.code_table import CodeTable  # noqa: E402

RESULTS = Path(__file__).resolve().parent / "results.json"
BINDINGS = ["discretizer.discretizer_fn = @histogram_discretizer", "discretizer.num_bins = 20"]
VOTES = {"num_train": 10_000, "num_eval": 5_000, "batch_size": 64}
TRAIN_TEST = {"num_train": 10_000, "num_test": 5_000, "batch_size": 16}
DOWNSTREAM = {**TRAIN_TEST, "num_train": [10, 100, 1_000, 10_000]}
#: Run -> metric, the published study's sizes, and the predictor of the downstream task.
SUITE: dict[str, tuple[str, dict[str, Any], str]] = {
    "beta_vae": ("beta_vae_sklearn", VOTES, ""),
    "factor_vae": ("factor_vae_score", {**VOTES, "num_variance_estimate": 10_000}, ""),
    "mig": ("mig", {"num_train": 10_000, "batch_size": 16}, ""),
    "sap": ("sap_score", {**TRAIN_TEST, "continuous_factors": False}, ""),
    "modularity": ("modularity_explicitness", TRAIN_TEST, ""),
    "unsupervised": ("unsupervised_metrics", {"num_train": 10_000, "batch_size": 16}, ""),
    "dci": ("dci", TRAIN_TEST, ""),
    "downstream, trees": ("downstream_task", DOWNSTREAM, "gradient_boosting_classifier"),
    "downstream, logistic": ("downstream_task", DOWNSTREAM, "logistic_regression_cv"),
}
TREES, REMOVED = "gradient_boosting_classifier", "num_factors_to_remove"
#: What else the original measures, with a tenth of the points where trees are fitted.
OTHERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "irs": ("irs", {"num_train": 10_000, "batch_size": 16}, ""),
    "fairness": ("fairness", {"num_train": 1_000, "num_test_points_per_class": 100, "batch_size": 16}, TREES),
    "reduced": (
        "reduced_downstream_task",
        {REMOVED: 2, "num_train": [1_000], "num_test": 1_000},
        TREES,
    ),
    "strong": ("strong_downstream_task", {"num_train": [1_000], "num_test": 1_000, "n_experiment": 1}, TREES),
}
RUNS = {**SUITE, **OTHERS}
#: What our fast suite uses in place of scikit-learn's boosted trees and of its slow solver.
FAST_BINDINGS = ["logistic_regression_cv.solver = 'newton-cholesky'"]
FAST = {"dci": {"estimator_fn": "histogram_boosting"}}
FAST_PREDICTOR = {"gradient_boosting_classifier": "histogram_boosting"}


class LookUp:
    """The codes of image numbers; remembers how many batches of which size were asked for."""

    def __init__(self, codes: np.ndarray) -> None:
        self._codes = codes
        self.batches: Counter[int] = Counter()

    def __call__(self, indices: np.ndarray) -> np.ndarray:
        self.batches[len(indices)] += 1
        return self._codes[indices[:, 0]]


def scaled(parameters: dict[str, Any], scale: float) -> dict[str, Any]:
    """The sizes of samples multiplied, batches left alone."""

    def one(name: str, value: Any) -> Any:
        if name.startswith("num_") and isinstance(value, list):
            return [max(10, int(size * scale)) for size in value]
        return max(10, int(value * scale)) if name.startswith("num_") and name != REMOVED else value

    return {name: one(name, value) for name, value in parameters.items()}


def run_ours(name: str, data: Any, encoder: Any, scale: float, fast: bool, **more: Any) -> float:
    """Seconds that one run takes here."""
    metric, parameters, predictor = RUNS[name]
    parameters = {**scaled(parameters, scale), **(FAST.get(name, {}) if fast else {}), **more}
    predictor = FAST_PREDICTOR.get(predictor, predictor) if fast else predictor
    bindings = [
        *BINDINGS,
        *(FAST_BINDINGS if fast else []),
        *([f"predictor.predictor_fn = @{predictor}"] if predictor else []),
    ]
    with gin_config([], bindings):
        start = time.perf_counter()
        get_metric(metric)(data, encoder, np.random.RandomState(0), **parameters)
        return time.perf_counter() - start


def run_peer(peer: Peer, name: str, data: Any, look_up: LookUp, scale: float) -> float:
    """Seconds that one run takes there, its encoding not counted."""
    metric, parameters, predictor = RUNS[name]
    bindings = {**BINS, "reduced_representation.correlation_measure": "factorwise_dci"}
    bindings |= {"predictor.predictor_fn": predictor} if predictor else {}
    with peer.bound(bindings):
        start = time.perf_counter()
        getattr(peer, metric)(data, look_up, np.random.RandomState(0), **scaled(parameters, scale))
        return time.perf_counter() - start


def encoding_seconds(batches: Counter[int], images: np.ndarray, threads: int) -> float:
    """What a convolutional encoder takes for these batches, from one of each size."""
    encoder = SmallConvNet()
    with threadpool_limits(threads):
        return sum(
            count * best(lambda size=size: encoder(images[np.arange(size) % len(images)]), repeats=5)
            for size, count in batches.items()
        )


def measure(peer: Peer, scale: float) -> dict[str, Any]:
    """Times of every run, there, here, and here with the fast estimators."""
    data = get_dataset("candle_mini")
    images = data.observations(np.arange(256))
    look_up = LookUp(CodeTable(data, SmallConvNet()).codes_of(np.arange(4050)))
    runs: dict[str, dict[str, float]] = {}
    own, fast = SmallConvNet(), SmallConvNet()
    tables = {"here": CodeTable(data, own), "fast": CodeTable(data, fast)}
    peak = PeakMemory()
    for name in SUITE:
        print(name, "...", flush=True)
        look_up.batches.clear()
        there = run_peer(peer, name, IndexData(data), look_up, scale)
        runs[name] = {
            "there": there,
            "images there": sum(size * count for size, count in look_up.batches.items()),
            "encoding there": encoding_seconds(look_up.batches, images, threads=1),
            "encoding there, all cores": encoding_seconds(look_up.batches, images, threads=os.cpu_count() or 1),
            "here": peak.during(lambda name=name: run_ours(name, data, tables["here"], scale, fast=False)),
            "fast": run_ours(name, data, tables["fast"], scale, fast=True),
        }
    one = run_ours("dci", data, tables["fast"], scale, fast=True, num_jobs=1)
    return {
        "scale": scale,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "images here": own.num_images,
        "peak memory MB": peak.megabytes,
        "dci, histogram booster, one process": one,
        "runs": runs,
    }


def sets_of_codes(num: int) -> dict[str, tuple[Pairs, Pairs]]:
    """Three data sets for the estimators of DCI: train and test parts of codes and factors."""
    generator = np.random.RandomState(1)
    candle = get_dataset("candle_mini")

    def drawn(encode: Any) -> Pairs:
        factors = candle.sample_factors(num, generator)
        return encode(candle.observations(candle.sample_indices(factors, generator))), factors

    def made() -> Pairs:
        factors = np.stack([generator.randint(size, size=num) for size in (5, 5, 3, 6, 16, 3)], axis=1)
        noise = generator.normal(size=(num, 10))
        return factors @ np.random.RandomState(2).normal(size=(6, 10)) + noise, factors

    mixed = get_representation("mixed_oracle", candle, strength=0.5)
    return {
        "candle_mini, random network": (drawn(SmallConvNet()), drawn(SmallConvNet())),
        "candle_mini, mixed oracle": (drawn(mixed), drawn(mixed)),
        "linear mixture with noise": (made(), made()),
    }


def distances(scale: float) -> dict[str, dict[str, float]]:
    """How far DCI's histogram booster lands from the default, and how much faster, per data set."""
    found = {}
    for name, (train, test) in sets_of_codes(max(200, int(10_000 * scale))).items():
        print("dci on", name, "...", flush=True)
        results, seconds = {}, {}
        for estimator in ("gradient_boosting", "histogram_boosting"):
            start = time.perf_counter()
            results[estimator] = dci(*train, test=test, estimator=estimator)
            seconds[estimator] = time.perf_counter() - start
        exact, quick = results.values()
        found[name] = {
            "disentanglement": abs(exact.disentanglement - quick.disentanglement),
            "completeness": abs(exact.completeness - quick.completeness),
            "ratio": seconds["gradient_boosting"] / seconds["histogram_boosting"],
        }
    return found


def rows(measured: dict[str, Any]) -> list[list[Any]]:
    """One line per run, then the suite with all cores for its encoding too."""
    lines = []
    total = Counter[str]()
    for name, run in measured["runs"].items():
        total.update(run)
        lines.append(_row(name, run, run["encoding there"]))
    return [*lines, _row("suite, all cores", total, total["encoding there, all cores"])]


def _row(name: str, run: Mapping[str, float], encoding: float) -> list[Any]:
    there, here, fast = run["there"] + encoding, run["here"], run["fast"]
    ratios = (run["there"] / here, there / here, there / fast)
    return [name, run["there"], there, here, fast, *(f"{ratio:.1f}x" for ratio in ratios)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="folder that holds the unpacked wheel")
    parser.add_argument("--scale", type=float, default=1.0)
    arguments = parser.parse_args()
    peer = load_peer(arguments.peer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measured = measure(peer, arguments.scale)
        measured["dci, histogram booster"] = distances(arguments.scale)
    header = ["run", "there, s", "with encoding, s", "here, s", "fast, s", "on codes", "encoding", "fast"]
    print(text_table(header, rows(measured)))
    images = sum(run["images there"] for run in measured["runs"].values())
    print(f"images encoded: {images:,.0f} there, {measured['images here']:,} here")
    print(f"peak memory with the default estimators, workers included: {measured['peak memory MB']:.0f} MB")
    booster = measured["dci, histogram booster, one process"]
    print(f"dci with the histogram booster, one process: {measured['runs']['dci']['there'] / booster:.1f}x")
    found = measured["dci, histogram booster"]
    print(text_table(["dci, histogram booster on", *next(iter(found.values()))],
                     [[name, *values.values()] for name, values in found.items()]))  # fmt: skip
    with new_file(RESULTS) as temporary:
        temporary.write_text(json.dumps(measured, indent=2) + "\n")


if __name__ == "__main__":
    main()
