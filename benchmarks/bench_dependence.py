"""How often codes that are independent of the factors are called better than chance, by kind of rows.

    python benchmarks/bench_dependence.py [--samples 200]

Nominal is 5 %. Codes and factors are drawn apart from each other: independent rows; rows that follow each other
(autoregressive, 0.95); each row five times. With `blocks`, dependent rows are permuted together.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np

from causal_disent import score
from causal_disent.report.table import markdown_table

METRICS = ("mig", "mig_sup", "irs", "mcc", "r2", "jemmig")
POINTS, CODES, FACTORS, VALUES = 1000, 4, 3, 4
Points = tuple[np.ndarray, np.ndarray]


def autoregressive(generator: np.random.RandomState, columns: int, memory: float = 0.95) -> np.ndarray:
    """(points, columns): each row is `memory` times the one before, and noise."""
    noise = generator.normal(size=(POINTS, columns))
    rows = np.empty_like(noise)
    rows[0] = noise[0] / np.sqrt(1 - memory**2)
    for i in range(1, POINTS):
        rows[i] = memory * rows[i - 1] + noise[i]
    return rows


def independent(generator: np.random.RandomState) -> Points:
    return generator.normal(size=(POINTS, CODES)), generator.randint(VALUES, size=(POINTS, FACTORS))


def following(generator: np.random.RandomState) -> Points:
    numbers = autoregressive(generator, FACTORS)
    edges = np.quantile(numbers, np.arange(1, VALUES) / VALUES, axis=0)
    factors = np.stack([np.digitize(numbers[:, i], edges[:, i]) for i in range(FACTORS)], axis=1)
    return autoregressive(generator, CODES), factors


def repeated(generator: np.random.RandomState) -> Points:
    codes, factors = independent(generator)
    rows = np.arange(POINTS) // 5
    return codes[rows], factors[rows]


CASES: tuple[tuple[str, Callable[[np.random.RandomState], Points], int | None], ...] = (
    ("independent rows", independent, None),
    ("autoregressive rows", following, None),
    ("autoregressive rows, blocks=100", following, 100),
    ("each row five times", repeated, None),
    ("each row five times, blocks=5", repeated, 5),
)


def false_positives(
    make: Callable[[np.random.RandomState], Points], blocks: int | None, samples: int
) -> list[str]:
    """Per cent of samples in which each metric is called better than chance, in which any is, and in which a note
    warns."""
    better, any_better, noted = dict.fromkeys(METRICS, 0), 0, 0
    for seed in range(samples):
        codes, factors = make(np.random.RandomState(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = score(codes, factors, METRICS, seed, bootstrap=30, chance=20, blocks=blocks, progress=False)
        for row in found.rows:
            better[row.entry.name] += row.sure.within_chance is False
        any_better += any(row.sure.within_chance is False for row in found.rows)
        noted += any("give blocks" in note for note in found.points.notes)
    return [f"{100 * number / samples:.0f}" for number in (*better.values(), any_better, noted)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    samples = parser.parse_args().samples
    rows = [[name, *false_positives(make, blocks, samples)] for name, make, blocks in CASES]
    print(markdown_table(["rows", *METRICS, "any", "warned"], rows))


if __name__ == "__main__":
    main()
