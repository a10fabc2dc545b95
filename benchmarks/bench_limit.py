"""How often intervals contain the score of 200,000 points: that of the score, and that of its limit.

    python benchmarks/bench_limit.py [--samples 100] [--points 1000]

Codes are good (a factor and a little noise each), mixed (half rotated) or weak (mostly noise); their noise is
normal, so that they have no bounds, or uniform. A cell has both coverages in per cent (none: in most samples no
limit is told), and in brackets the mean score and that of 200,000 points.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from causal_disent import score
from causal_disent.metrics import dcimig, irs, jemmig, mig, mig_sup, modularity_explicitness
from causal_disent.report.table import markdown_table

VALUES = (3, 4, 5, 4)
POPULATION = 200_000
Points = tuple[np.ndarray, np.ndarray]
#: A metric of tables and whether by quantiles -> its score of the population.
METRICS: dict[tuple[str, bool], Callable[..., float]] = {
    ("mig", False): lambda codes, factors: mig(codes, factors).score,
    ("mig_sup", False): lambda codes, factors: mig_sup(codes, factors).score,
    ("dcimig", False): lambda codes, factors: dcimig(codes, factors).score,
    ("modularity_explicitness", False): lambda codes, factors: (
        modularity_explicitness(codes, factors, test=(codes[:500], factors[:500]), max_iterations=0).score
    ),
    ("irs", False): lambda codes, factors: irs(codes, factors).score,
    ("jemmig", False): lambda codes, factors: jemmig(codes, factors).score,
    ("irs", True): lambda codes, factors: irs(codes, factors, deviation="quantile").score,
    ("jemmig", True): lambda codes, factors: jemmig(codes, factors, estimator="quantile_bins").score,
}


def draw_points(kind: str, noise: str, num_points: int, generator: np.random.RandomState) -> Points:
    """Codes and factors."""
    factors = np.stack([generator.randint(number, size=num_points) for number in VALUES], axis=1)
    numbers = np.array(VALUES)
    signal = (factors - (numbers - 1) / 2) / np.sqrt((numbers**2 - 1) / 12)
    size = signal.shape
    extra = generator.normal(size=size) if noise == "normal" else generator.uniform(-(3**0.5), 3**0.5, size=size)
    rotation = np.linalg.qr(np.random.RandomState(7).normal(size=(len(VALUES),) * 2))[0]
    codes = {
        "good": signal + 0.2 * extra,
        "mixed": 0.5 * signal + 0.5 * signal @ rotation + 0.2 * extra,
        "weak": 0.5 * signal + extra,
    }
    return codes[kind], factors


def measure_coverage(kind: str, noise: str, num_points: int, samples: int) -> Iterator[str]:
    """For each metric the per cent of samples in which the score's interval and the limit's contain the score of
    the population; the latter of the samples in which a limit is told, if half of them are."""
    population = draw_points(kind, noise, POPULATION, np.random.RandomState(2**31 - 1))
    true = {key: score_of(*population) for key, score_of in METRICS.items()}
    found: dict[tuple[str, bool], list[tuple[float, ...]]] = {key: [] for key in METRICS}
    for seed in range(samples):
        points = draw_points(kind, noise, num_points, np.random.RandomState(seed))
        for robust in (False, True):
            names = [name for name, by_quantiles in METRICS if by_quantiles == robust]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = score(*points, names, seed, chance=0, robust=robust, progress=False).table
            for name, *row in table[["score", "low", "high", "limit_low", "limit_high"]].itertuples():
                found[name, robust].append(tuple(row))
    for (name, robust), rows in found.items():
        scores, low, high, limit_low, limit_high = np.array(rows).T
        value, told = true[name, robust], ~np.isnan(limit_low)
        covered = ((limit_low <= value) & (value <= limit_high))[told]
        of_score = 100 * ((low <= value) & (value <= high)).mean()
        of_limit = f"{100 * covered.mean():.0f}" if told.mean() >= 0.5 else "none"
        yield f"{of_score:.0f}, {of_limit} ({scores.mean():.2f}, {value:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--points", type=int, default=1000)
    options = parser.parse_args()
    kinds = [(kind, noise) for noise in ("normal", "uniform") for kind in ("good", "mixed", "weak")]
    columns = [list(measure_coverage(*one, options.points, options.samples)) for one in kinds]
    names = [f"{name}, robust" if robust else name for name, robust in METRICS]
    rows = [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]
    print(markdown_table([f"{options.points:,} points", *(f"{kind}, {noise}" for kind, noise in kinds)], rows))


if __name__ == "__main__":
    main()
