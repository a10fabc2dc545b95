"""IRS, UC and CG against what they may cost, as ratios of runs in this process.

python benchmarks/bench_core.py
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

from _timing import best, pin_threads

pin_threads()

import numpy as np  # noqa: E402
from _conv import SmallConvNet  # noqa: E402

from causal_disent.metrics import cg, irs, uc  # noqa: E402
from causal_disent.metrics.cg import make_baseline  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402

SIZES = (5, 5, 3, 6, 3, 3)


def sample(num_points: int, num_codes: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.RandomState(0)
    factors = np.stack([generator.randint(size, size=num_points) for size in SIZES], axis=1)
    mixing = generator.normal(size=(len(SIZES), num_codes))
    return factors @ mixing + generator.normal(size=(num_points, num_codes)), factors


def pairwise_deviation(codes: np.ndarray, num_points: int) -> np.ndarray:
    """The authors' search, for the first `num_points` points."""
    return np.stack(
        [codes[np.abs(codes - point).argmax(axis=0), np.arange(codes.shape[1])] for point in codes[:num_points]]
    )


def decoder_and_classifier(num_codes: int) -> tuple[Callable, Callable]:
    """Dense, about as costly per image as a small network on a core."""
    generator = np.random.RandomState(0)
    hidden = generator.normal(size=(num_codes, 256)).astype(np.float32)
    pixels = generator.normal(size=(256, 64 * 64 * 3)).astype(np.float32) / 16
    heads = [generator.normal(size=(64 * 64 * 3, size)).astype(np.float32) / 100 for size in SIZES]

    def decode(codes: np.ndarray) -> np.ndarray:
        raw = np.clip(np.maximum(codes.astype(np.float32) @ hidden, 0) @ pixels, -50, 50)
        return (1 / (1 + np.exp(-raw))).reshape(-1, 64, 64, 3)

    def predict_proba(images: np.ndarray) -> list[np.ndarray]:
        flat = images.reshape(len(images), -1)
        logits = [flat @ head for head in heads]
        return [np.exp(a - a.max(axis=1, keepdims=True)) / np.exp(a - a.max(axis=1, keepdims=True)).sum(
            axis=1, keepdims=True) for a in logits]  # fmt: skip

    return decode, predict_proba


def peak_memory(function: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rows() -> Iterator[tuple[str, str, str]]:
    """What was measured, its ratio, and what it may be."""
    codes, factors = sample(10_000, 64)
    both = best(lambda: (irs(codes, factors), uc(codes, factors)))
    encoder, images = SmallConvNet(), np.random.RandomState(0).uniform(size=(250, 64, 64, 3)).astype(np.float32)
    encoding = best(lambda: encoder(images)) * 40
    yield "IRS + UC / encoding the 10,000 images", f"{both / encoding:.3f}", "< 1"
    resampled = best(lambda: uc(codes, factors, bootstrap=200), repeats=2)
    yield "200 resamples of IRS + UC / one evaluation", f"{resampled / both:.1f}", "<= 40"
    closed = best(lambda: make_baseline(codes, "max_deviation")(codes))
    pairwise = best(lambda: pairwise_deviation(codes, 50), repeats=1) * len(codes) / 50
    yield "pairwise maximal deviation / closed form", f"{pairwise / closed:.0f}", ">= 1000"
    yield from counterfactual_rows()


def counterfactual_rows() -> Iterator[tuple[str, str, str]]:
    decode, predict_proba = decoder_and_classifier(64)

    def measured(num_points: int) -> object:
        codes, factors = sample(num_points, 64)
        return cg(codes, factors, decode, predict_proba, attribution=sets)

    sets = uc(*sample(1024, 64)).sets
    passes = 1 + len({*sets}) * 2
    codes = sample(1024, 64)[0]

    def bare() -> None:
        for _ in range(passes):
            for start in range(0, len(codes), 256):
                predict_proba(decode(codes[start : start + 256]))

    yield "CG / the bare decode and classify passes", f"{best(lambda: measured(1024)) / best(bare):.3f}", "<= 1.15"
    growth = peak_memory(lambda: measured(4096)) / peak_memory(lambda: measured(1024))
    yield "CG's peak memory, 4,096 points / 1,024 points", f"{growth:.2f}", "about 1"


if __name__ == "__main__":
    print(text_table(["work", "ratio", "wanted"], list(rows())))
