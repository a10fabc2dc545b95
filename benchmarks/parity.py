"""Every metric here and in disentanglement_lib 1.5: the same data, seed and encoder, both scores, both times.

    python benchmarks/parity.py [--peer FOLDER] [--full] [--metrics NAME ...]

FOLDER holds the unpacked wheel; see `_peer.load_peer` for the default. Deterministic scores must agree to 1e-9 on
float64 codes and to 1e-5 on float32. Where the original does not seed its classifiers it is run five times, and
our score may be as far from the nearest of its runs, which is shown, as these are from each other, or 0.01. The
last metrics are compared on the small cases of the frozen references, by the mean of the original's runs. Exits
with 1 where a score is farther.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from _timing import pin_threads

pin_threads()

import numpy as np  # noqa: E402
import reference_scores_fitted as fitted  # noqa: E402
import reference_scores_plain as plain  # noqa: E402
from _index_data import IndexData  # noqa: E402
from _peer import BINS, METRICS, Peer, load_peer  # noqa: E402
from dlib_reference import recomputed  # noqa: E402  found by the references' own import path
from dlib_reference_fitted import gin_lines  # noqa: E402

from causal_disent import get_dataset, get_metric  # noqa: E402
from causal_disent.config import gin_config  # noqa: E402
from causal_disent.registry import registry  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402

BINDINGS = [
    "discretizer.discretizer_fn = @histogram_discretizer",
    "discretizer.num_bins = 20",
    "predictor.predictor_fn = @gradient_boosting_classifier",
]
#: Parameters of a quick run and of the published study.
TRAIN = ({"num_train": 1000, "batch_size": 16}, {"num_train": 10_000, "batch_size": 16})
TRAIN_TEST = tuple({**sizes, "num_test": sizes["num_train"] // 2} for sizes in TRAIN)
VOTES = (
    {"num_train": 500, "num_eval": 300, "batch_size": 16},
    {"num_train": 10_000, "num_eval": 5_000, "batch_size": 64},
)
PARAMETERS: dict[str, tuple[dict[str, Any], ...]] = {
    "irs": TRAIN,
    "mig": TRAIN,
    "unsupervised_metrics": TRAIN,
    "modularity_explicitness": TRAIN_TEST,
    "beta_vae_sklearn": VOTES,
    "factor_vae_score": tuple({**sizes, "num_variance_estimate": 1000} for sizes in VOTES),
    "sap_score": tuple({**sizes, "continuous_factors": False} for sizes in TRAIN_TEST),
    "dci": TRAIN_TEST,
    "downstream_task": tuple({**sizes, "num_train": [100, sizes["num_train"]]} for sizes in TRAIN_TEST),
}
#: Classifiers that the original leaves unseeded.
UNSEEDED = {"sap_score", "dci", "downstream_task"}
#: Known slips of the original, listed in docs/compatibility.md.
DIFFERENT = {"num_active_dims"}
PEER_RUNS = 5


def encoder(data: Any, dtype: type) -> Callable[[np.ndarray], np.ndarray]:
    """A fixed mixture of the factors with noise: cheap, so that times are those of the metrics."""
    generator = np.random.RandomState(7)
    factors = data.space.to_factors(np.arange(data.space.num_combinations))
    codes = factors @ generator.normal(size=(data.num_factors, 10))
    codes = (codes + generator.normal(size=codes.shape)).astype(dtype)
    return lambda indices: codes[indices[:, 0]]


def timed(function: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], float]:
    start = time.perf_counter()
    return function(), time.perf_counter() - start


def compared(peer: Peer, metric: str, parameters: dict[str, Any], dtype: type) -> Iterator[list[Any]]:
    """A row for each score: ours, theirs, the difference, what it may be, and both times."""
    candle = get_dataset("candle_mini")
    data, encode = IndexData(candle), encoder(candle, dtype)
    with gin_config([], BINDINGS):
        ours, own_time = timed(lambda: get_metric(metric)(data, encode, np.random.RandomState(0), **parameters))
    bindings = {**BINS, "predictor.predictor_fn": "gradient_boosting_classifier"}
    with peer.bound(bindings):
        runs = [
            timed(lambda: getattr(peer, metric)(data, encode, np.random.RandomState(0), **parameters))
            for _ in range(PEER_RUNS if metric in UNSEEDED else 1)
        ]
    for key in runs[0][0]:
        if key in DIFFERENT:
            continue
        theirs = np.array([float(np.asarray(scores[key])) for scores, _ in runs])
        allowed = 1e-9 if dtype is np.float64 else 1e-5
        if metric in UNSEEDED:
            allowed = max(0.01, theirs.max() - theirs.min())
        elif "explicitness" in key:
            allowed = 0.01
        nearest = float(theirs[np.abs(theirs - float(ours[key])).argmin()])
        yield _row(metric, key, dtype, float(ours[key]), nearest, allowed, own_time, runs[0][1])


def _row(
    metric: str,
    key: str,
    dtype: type,
    ours: float,
    theirs: float,
    allowed: float,
    own_time: float,
    their_time: float,
) -> list[Any]:
    difference = abs(ours - theirs)
    verdict = "ok" if difference <= allowed else "DIFFERENT"
    times = [f"{own_time:.2f}", f"{their_time:.2f}"]
    return [metric, key, dtype.__name__, ours, theirs, f"{difference:.1e}", f"{allowed:.0e}", verdict, *times]


def small_cases(peer: Peer) -> Iterator[list[Any]]:
    """Rows of the other metrics, on the cases of the frozen references."""
    for case in (*plain.cases(), *fitted.cases()):
        metric = case["metric"]
        if metric in PARAMETERS:
            continue
        print(f"{metric} ...", file=sys.stderr, flush=True)
        case = {"is_deterministic": True, **case}
        theirs, their_time = timed(lambda case=case: fitted.scored(peer, case))
        compute = registry.function("parts", metric) if metric in registry.names("parts") else get_metric(metric)
        with gin_config([], [*BINDINGS[:2], *gin_lines(case)]):
            ours, own_time = timed(lambda case=case, compute=compute: recomputed(case, compute))
        seeded = case["is_deterministic"] and not metric.startswith("sap")
        for key, wanted in theirs["scores"].items():
            allowed = 1e-9 if seeded else max(0.01, theirs["spreads"].get(key, 0.0))
            yield _row(metric, key, np.float64, float(ours[key]), wanted, allowed, own_time, their_time)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="folder that holds the unpacked wheel")
    parser.add_argument("--full", action="store_true", help="the published sample sizes (minutes)")
    parser.add_argument("--metrics", nargs="*", choices=list(PARAMETERS), help="only these (all, and small cases)")
    arguments = parser.parse_args()
    fitted.stand_in_for_unused()
    peer = load_peer(arguments.peer, (*METRICS, "unified_scores"))
    rows: list[list[Any]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the original divides by zero here and there
        for metric in arguments.metrics or PARAMETERS:
            for dtype in (np.float64, np.float32):
                print(f"{metric} ({dtype.__name__}) ...", file=sys.stderr, flush=True)
                rows += compared(peer, metric, PARAMETERS[metric][arguments.full], dtype)
        rows += [] if arguments.metrics else small_cases(peer)
    header = ["metric", "score", "codes", "ours", "theirs", "off by", "allowed", "", "s here", "s there"]
    print(text_table(header, rows))
    return int(any(row[7] != "ok" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
