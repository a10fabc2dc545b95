"""MIC and TIC beside minepy, the C library: seconds of processor time on one core, and their ratios.

    python benchmarks/bench_mic.py

minepy 1.2.6 no longer builds with a current Python and numpy, so its seconds were measured once, on one core; on
a core of another class the ratio means less. Pairs are of noise, which has most clumps and takes longest, and the
two of the reference cases that came with a time. Many pairs at once are timed by the clock: that needs an idle
machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from _timing import best, pin_threads, processor_time

pin_threads()

import numpy as np  # noqa: E402

from causal_disent.metrics import mic_matrix, mic_statistics  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402

CASES = Path(__file__).resolve().parents[1] / "tests/reference/mic_cases_more.json"
TIMED_CASES = ("latent_vs_factor_1826", "factor6_vs_latent_4116")
#: Points -> estimator -> minepy's seconds.
MINEPY = {
    500: {},
    1_826: {},
    4_116: {"mic_approx": 0.73, "mic_e": 0.30},
    10_000: {"mic_approx": 6.1, "mic_e": 1.8},
}
#: What is promised: at most this many times the C library's seconds.
MOST_OVER_MINEPY = 2.0


def pairs() -> dict[str, tuple[np.ndarray, np.ndarray, dict[str, float]]]:
    """Name -> x, y and minepy's seconds, where known."""
    noise = np.random.RandomState(0)
    found = {f"noise, {n} points": (*noise.normal(size=(2, n)), known) for n, known in MINEPY.items()}
    for case in json.loads(CASES.read_text())["cases"]:
        if case["name"] in TIMED_CASES:
            names: dict[str, object] = {"np": np}
            exec(case["code"], names)
            known = {estimator: case[estimator]["seconds_minepy"] for estimator in ("mic_approx", "mic_e")}
            found[case["name"]] = names["x"], names["y"], known
    return found


def main() -> int:
    rows, worst = [], 0.0
    for name, (x, y, known) in pairs().items():
        for estimator in ("mic_approx", "mic_e"):
            ours = min(processor_time(lambda: mic_statistics(x, y, estimator=estimator)) for _ in range(3))  # noqa: B023
            theirs = known.get(estimator)
            worst = max(worst, ours / theirs if theirs else 0.0)
            rows.append([name, estimator, ours, theirs or "-", f"{ours / theirs:.2f}" if theirs else "-"])
    print(text_table(["pair", "estimator", "seconds", "minepy", "ratio"], rows))
    print(f"largest ratio {worst:.2f}; promised: at most {MOST_OVER_MINEPY}")
    codes, factors = np.random.RandomState(1).normal(size=(2, 1_826, 8))
    alone, all_cores = (
        best(lambda: mic_matrix(codes, factors, num_jobs=num_jobs, floor_draws=0), 2)  # noqa: B023
        for num_jobs in (1, -1)
    )
    print(f"8 x 8 pairs of 1,826 points: {alone:.2f} s one after the other, {all_cores:.2f} s on all cores")
    return int(worst > MOST_OVER_MINEPY)


if __name__ == "__main__":
    sys.exit(main())
