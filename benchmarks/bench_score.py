"""Intervals and chance levels of every quick metric: as they are found, beside calling each function on each draw.

    python benchmarks/bench_score.py [--points 10000] [--codes 10] [--factors 6] [--plain 6]

Both are of the same points and on one core. Of the plain way, which is the same metric on resampled rows and on
permuted codes (SAP by liblinear, modularity with its regressions), so many draws are timed as ``--plain`` says,
and their time is multiplied. Then `causal_disent.score` itself, with 200 resamples and 20 permutations of all
metrics but the boosted ones, on all cores.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

from _timing import best, pin_threads, processor_time

pin_threads()

import numpy as np  # noqa: E402

import causal_disent  # noqa: E402
from causal_disent.metrics.certainty import Asked, certainty  # noqa: E402
from causal_disent.registry import Entry, registry  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402

RESAMPLES, PERMUTATIONS = 200, 20
#: Seconds that `score` may take with so many, of 10,000 points on two cores.
PROMISED = 60.0
#: Metric -> how its draws were measured before they had a way of their own.
BEFORE = {"sap_score": {"points": 500}, "modularity_explicitness": {"points": 1000}}


def points(num_points: int, num_codes: int, num_factors: int) -> tuple[np.ndarray, np.ndarray]:
    """Factors of five values, a noisy code of each as far as there are codes, and codes of noise."""
    rng = np.random.RandomState(0)
    factors = rng.randint(5, size=(num_points, num_factors))
    codes = rng.normal(size=(num_points, num_codes))
    shared = min(num_codes, num_factors)
    codes[:, :shared] = factors[:, :shared] + 0.3 * codes[:, :shared]
    return codes, factors


def seconds(entry: Entry, how: dict[str, Any], given: Any, asked: Asked) -> float:
    """Processor time of what `certainty` does, resampled in such a way."""
    facts = {**entry.facts, "resampling": how}
    function = entry.facts["function"]
    return processor_time(lambda: certainty(facts, function, given, {}, 0.5, asked))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in (("points", 10_000), ("codes", 10), ("factors", 6), ("plain", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    given = points(arguments.points, arguments.codes, arguments.factors)
    quick = [
        entry
        for entry in registry.entries("metrics")
        if "function" in entry.facts and entry.facts["needs"].arrays_suffice and entry.facts["fast"] is None
    ]
    few = Asked(arguments.plain, max(arguments.plain // 2, 1))
    rows, totals = [], np.zeros(2)
    for entry in quick:
        how = entry.facts["resampling"]
        plain = {"again": lambda *_, **__: None, **BEFORE.get(entry.name, how)}
        seconds(entry, plain, given, Asked(1, 1))  # what is imported at the first call is not timed
        before = seconds(entry, plain, given, Asked(few.bootstrap)) * RESAMPLES / few.bootstrap
        before += seconds(entry, plain, given, Asked(0, few.chance)) * PERMUTATIONS / few.chance
        now = seconds(entry, how, given, Asked(RESAMPLES, PERMUTATIONS))
        totals += before, now
        rows.append([entry.name, f"{before:.2f}", f"{now:.2f}", f"{before / now:.1f}"])
    rows.append(["all", *(f"{total:.1f}" for total in totals), f"{totals[0] / totals[1]:.1f}"])
    print(text_table(["metric", "plain, s", "now, s", "ratio"], rows))
    names = [entry.name for entry in quick]
    taken = best(lambda: causal_disent.score(*given, names, bootstrap=RESAMPLES, chance=PERMUTATIONS), repeats=1)
    print(f"score, {RESAMPLES} resamples and {PERMUTATIONS} permutations: {taken:.1f} s (promised: {PROMISED:g})")


if __name__ == "__main__":
    main()
