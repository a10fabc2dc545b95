"""The suite at the size of a data set, beside disentanglement_lib 1.5: images encoded, seconds, memory.

    python benchmarks/bench_suite.py [--peer FOLDER] [--data dsprites_regenerated candle_mini] [--scale 1.0]
    python benchmarks/bench_suite.py --data candle_mini --encoded --runs irs fairness

Each run of `bench_metrics.RUNS`, by default of the published suite, is measured in turn, there and here, with one
thread and one process, by the processor's time, so that other programs count little. Here every image is drawn
and encoded when it is first asked for, and its codes are kept for the runs that follow. There the same codes are
looked up, the images that it asks for are counted, and what drawing and encoding batches of its size takes is
added. The encoder is a random projection of the pixels, which takes a hundredth of the time of a small network:
ratios with a network are larger. Where there are fast estimators, these are measured too. ``--scale`` multiplies
the published sample sizes. With ``--encoded`` all images are encoded before the clock starts, for a small data
set: both sides look up, and the metrics' own work is compared. Memory is the most that this process and its
children hold while a run of ours goes on, less what was held before the first.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

from _memory import PeakMemory, held_megabytes
from _timing import processor_time

from causal_disent import use_threads

use_threads(1)  # as commands do, before numpy is loaded

import numpy as np  # noqa: E402
from _index_data import IndexData  # noqa: E402
from _peer import load_peer  # noqa: E402
from bench_metrics import RUNS, SUITE, LookUp, run_ours, run_peer  # noqa: E402

from causal_disent import get_dataset  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402
from causal_disent.representation.code_table import CodeTable  # noqa: E402

NUM_CODES = 10
#: Seconds.
SHORT = 2.0
#: Metrics that fit in processes of their own unless told otherwise.
IN_PROCESSES = ("dci", "downstream_task", "fairness", "reduced_downstream_task", "strong_downstream_task")
#: Runs for which there are fast estimators. (The fast solver of the logistic regression is slow for forty values.)
FASTER = ("dci", "downstream, trees")
#: Batches of the original's size that are encoded to tell what one takes.
BATCHES = 20


class Projection:
    """Random projections of the pixels; counts its images."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        pixels = int(np.prod(shape))
        weights = np.random.RandomState(0).normal(size=(pixels, NUM_CODES)) / np.sqrt(pixels)
        self._weights, self.num_images = weights.astype(np.float32), 0

    def __call__(self, images: np.ndarray) -> np.ndarray:
        self.num_images += len(images)
        return images.reshape(len(images), -1) @ self._weights


def batch_seconds(data: Any, size: int, generator: np.random.RandomState) -> float:
    """What drawing and encoding a batch of `size` images takes, the mean of several."""
    encoder = Projection(data.observation_shape)
    batches = [data.sample_indices(data.sample_factors(size, generator), generator) for _ in range(BATCHES)]
    encoder(data.observations(batches[0]))  # what is done once
    return processor_time(lambda: [encoder(data.observations(batch)) for batch in batches]) / BATCHES


def least(work: Callable[[], Any], *, again: bool) -> float:
    """Seconds of a run; of short ones that may be run `again`, the least of three."""
    first = processor_time(work)
    return min(first, *(processor_time(work) for _ in range(2))) if again and first < SHORT else first


def measure(peer: Any, name: str, scale: float, runs: list[str], *, encoded: bool) -> None:
    data = get_dataset(name)
    encoder = Projection(data.observation_shape)
    table, generator = CodeTable(data, encoder), np.random.RandomState(0)
    codes = np.zeros((data.num_images, NUM_CODES), np.float32)
    looked_up = LookUp(codes)
    before, rows, total = held_megabytes(), [], Counter[str]()
    per_batch: dict[int, float] = {}
    if encoded:
        table.codes_of(np.arange(data.num_images))
    for run in runs:
        images, peak = encoder.num_images, PeakMemory()
        jobs = {"num_jobs": 1} if RUNS[run][0] in IN_PROCESSES else {}

        def ours(*, fast: bool, run: str = run, jobs: dict[str, int] = jobs) -> float:
            return least(lambda: run_ours(run, data, table, scale, fast=fast, **jobs), again=encoded)

        here = peak.during(lambda ours=ours: ours(fast=False))
        fast = ours(fast=True) if run in FASTER else here
        # The same seed asks for the same images, so these are all that will be looked up.
        seen = table._kept.images
        codes[seen] = table.codes_of(seen)

        def theirs(run: str = run) -> None:
            looked_up.batches.clear()
            run_peer(peer, run, IndexData(data), looked_up, scale)

        there = least(theirs, again=encoded)
        asked = sum(size * count for size, count in looked_up.batches.items())
        for size in set(looked_up.batches) - set(per_batch):
            per_batch[size] = 0.0 if encoded else batch_seconds(data, size, generator)
        encoding = sum(count * per_batch[size] for size, count in looked_up.batches.items())
        row = {
            "on codes, there": there,
            "with images, there": there + encoding,
            "here": here,
            "fast": fast,
            "images there": asked,
            "images here": encoder.num_images - images,
        }
        total.update(row)
        rows.append(_row(run, row, peak.megabytes - before))
        print("\t".join(str(cell) for cell in rows[-1]), flush=True)
    header = ["run", "on codes there, s", "with images, s", "here, s", "fast, s", "ratio", "fast"]
    header += ["images there", "here", "MB"]
    most = max(row[-1] for row in rows)
    print(f"\n{name}, {data.num_images:,} images")
    print(text_table(header, [*rows, _row("suite", total, most)]))


def _row(name: str, row: Any, megabytes: float) -> list[Any]:
    there, here, fast = row["with images, there"], row["here"], row["fast"]
    counts = (f"{row[key]:,}" for key in ("images there", "images here"))
    times = (f"{value:.2f}" for value in (row["on codes, there"], there, here, fast))
    return [name, *times, f"{there / here:.1f}x", f"{there / fast:.1f}x", *counts, round(megabytes)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="folder that holds the unpacked wheel")
    parser.add_argument("--data", nargs="+", default=["dsprites_regenerated", "candle_mini"])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--runs", nargs="+", default=list(SUITE), choices=list(RUNS))
    parser.add_argument("--encoded", action="store_true", help="all images before the clock starts")
    arguments = parser.parse_args()
    peer = load_peer(arguments.peer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in arguments.data:
            measure(peer, name, arguments.scale, arguments.runs, encoded=arguments.encoded)


if __name__ == "__main__":
    main()
