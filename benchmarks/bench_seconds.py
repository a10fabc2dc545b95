"""How long answers take, as ratios of work that everybody knows.

    python benchmarks/bench_seconds.py [--only panel certainty everything tables large]

Each ratio is of one run on one machine, the best of some turns. docs/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from _memory import PeakMemory
from _timing import best
from scipy import sparse
from sklearn.ensemble import GradientBoostingClassifier

from causal_disent import score
from causal_disent.report.table import markdown_table
from causal_disent.runs.score import read_points

CLOSED_FORM = (
    "mig", "mig_sup", "dcimig", "jemmig", "infomec", "irs", "uc", "mcc", "r2", "modularity_explicitness",
    "factor_vae_score", "unsupervised_metrics",
)  # fmt: skip
SIZES = (5, 5, 3, 6, 16, 3)


def many_points() -> tuple[np.ndarray, np.ndarray]:
    """10,000 points, 10 codes that mix six factors a little, and noise."""
    generator = np.random.RandomState(0)
    factors = np.stack([generator.randint(size, size=10_000) for size in SIZES], axis=1)
    codes = np.column_stack([factors @ (np.eye(6) + 0.1), generator.normal(size=(10_000, 4))])
    return codes + 0.1 * generator.normal(size=codes.shape), factors


def panel() -> list[list[str]]:
    """README's first block beside scikit-learn's boosted trees on the same points, one per factor."""
    generator = np.random.RandomState(0)
    factors = pd.DataFrame(generator.randint(4, size=(500, 3)), columns=["object", "color", "size"])
    codes = factors.to_numpy() + 0.1 * generator.normal(size=(500, 3))
    codes[:, 1] += 0.5 * factors["size"]
    ours = best(lambda: score(codes, factors, progress=False))
    trees = best(lambda: [GradientBoostingClassifier().fit(codes, factors[name]) for name in factors])
    return [["README's first block", "boosted trees of scikit-learn, one per factor", f"{ours / trees:.2f}"]]


def certainty() -> list[list[str]]:
    """Intervals and chance levels beside the scores alone."""
    codes, factors = many_points()
    options = {"metrics": CLOSED_FORM, "progress": False}
    alone = best(lambda: score(codes, factors, **options, bootstrap=0, chance=0), 2)
    asked = best(lambda: score(codes, factors, **options), 2)
    return [["twelve closed-form metrics with intervals and chance", "the same without", f"{asked / alone:.2f}"]]


def everything() -> list[list[str]]:
    """All metrics beside the closed-form ones."""
    codes, factors = many_points()
    options = {"progress": False, "bootstrap": 0, "chance": 0}
    alone = best(lambda: score(codes, factors, CLOSED_FORM, **options), 2)
    whole = best(lambda: score(codes, factors, "all", fast=True, **options), 1)
    return [["all metrics, fast=True, no intervals", "the twelve closed-form ones", f"{whole / alone:.2f}"]]


def tables() -> list[list[str]]:
    """Tables of many factors."""
    generator = np.random.RandomState(0)
    codes, taken = generator.normal(size=(200, 3)), []
    for columns in (5_000, 20_000):
        factors = pd.DataFrame(generator.randint(4, size=(200, columns))).add_prefix("factor ")
        taken.append(best(lambda factors=factors: read_points(codes, factors)))
    return [["a table of 20,000 factors", "one of 5,000", f"{taken[1] / taken[0]:.2f}"]]


def large() -> list[list[str]]:
    """The panel on sparse codes as of an autoencoder of a language model: 1 % of 100,000 x 16,384."""
    generator, points, number, factors = np.random.default_rng(0), 100_000, 16_384, 20
    labels = generator.integers(5, size=(points, factors))
    noise = sparse.random_array((points, number), density=0.01, format="csc", dtype=np.float32, rng=generator)
    own = (5 * np.arange(factors) + labels).ravel()  # each value of a factor has a code
    ones = np.ones(len(own), dtype=np.float32)
    signal = sparse.coo_array((ones, (np.repeat(np.arange(points), factors), own)), shape=noise.shape)
    codes, memory = sparse.csc_array(noise + signal), PeakMemory()
    before = time.perf_counter()
    memory.during(lambda: score(codes, labels, progress=False))
    taken = time.perf_counter() - before
    what = f"panel, 100,000 x 16,384 sparse codes, {codes.nnz / points / number:.1%} filled, 20 factors"
    return [[what, "nothing", f"{taken:.0f} s, {memory.megabytes / 1000:.1f} GB"]]


PARTS = {"panel": panel, "certainty": certainty, "everything": everything, "tables": tables, "large": large}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    warnings.simplefilter("ignore")
    score(
        np.arange(8.0).reshape(4, 2), [[0, 1], [1, 0], [0, 0], [1, 1]], progress=False
    )  # imports are no part of it
    rows = [row for part in parser.parse_args().only for row in PARTS[part]()]
    print(markdown_table(["work", "over", "ratio"], rows))


if __name__ == "__main__":
    main()
