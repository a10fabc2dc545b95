"""Write tests/reference/dlib_scores_plain.json: scores of disentanglement_lib 1.5 that the tests hold ours to.

    python benchmarks/reference_scores_plain.py [--peer FOLDER]

FOLDER holds the unpacked wheel; see `_peer.load_peer` for the default.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _peer import BINS, Peer, load_peer
from _reference_file import write_cases

from causal_disent import get_dataset

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "metrics"))
import dlib_reference  # noqa: E402  the tests' encoders, found through the line above

TRAIN = {"num_train": 500, "batch_size": 16}
TRAIN_TEST = {**TRAIN, "num_test": 300}
VOTES = {"batch_size": 16, "num_train": 300, "num_eval": 150}
PARAMETERS: dict[str, dict[str, Any]] = {
    "mig": TRAIN,
    "unsupervised_metrics": TRAIN,
    "modularity_explicitness": TRAIN_TEST,
    "sap_score": {**TRAIN_TEST, "continuous_factors": False},
    "beta_vae_sklearn": VOTES,
    "factor_vae_score": {**VOTES, "num_variance_estimate": 500},
}
PLACES = [
    ("identity_data", "identity"),
    ("identity_data", "mixed"),
    ("identity_data", "mixed32"),
    ("identity_data", "duplicated"),
    ("candle_mini", "perfect_oracle"),
    ("candle_mini", "mixed_oracle"),
    ("candle_mini", "extra_noise_oracle"),
]
SEEDS = (0, 1)
#: 300 votes of 16 noise images each would say no more than 40 do.
SMALL = {"num_train": 40, "num_test": 40, "num_eval": 20, "num_variance_estimate": 60}


def cases() -> Iterator[dict[str, Any]]:
    """Everything to be scored."""
    for metric, parameters in PARAMETERS.items():
        for data, encoder in PLACES:
            # The total correlation of duplicated codes is infinite, and the original's a rounding error.
            if (metric, encoder) != ("unsupervised_metrics", "duplicated"):
                yield from (case(metric, data, encoder, seed, parameters) for seed in SEEDS)
        small = {name: SMALL.get(name, value) for name, value in parameters.items()}
        yield case(metric, "dummy_data", "quadrants", 0, small)
    yield case("mig", "identity_data", "with_constant", 0, TRAIN)
    pruned = {"prune_dims.threshold": 0.05}
    yield case("factor_vae_score", "identity_data", "with_constant", 0, PARAMETERS["factor_vae_score"], pruned)
    continuous = {**TRAIN_TEST, "continuous_factors": True}
    yield case("sap_score", "identity_data", "mixed", 0, continuous)
    yield case("sap_score", "identity_data", "with_constant", 0, continuous)
    points = {"num_points": 400, "batch_size": 100}
    yield case("mig_validation", "identity_data", "mixed", 0, points)
    split = {**points, "train_percentage": 0.9}
    yield case("sap_score_validation", "identity_data", "mixed", 0, {**split, "continuous_factors": False})
    yield case("sap_score_validation", "identity_data", "mixed", 0, {**split, "continuous_factors": True})


def case(
    metric: str,
    data: str,
    encoder: str,
    seed: int,
    parameters: dict[str, Any],
    bindings: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """One case without its scores."""
    return {
        "metric": metric,
        "data": data,
        "encoder": encoder,
        "seed": seed,
        "parameters": parameters,
        "bindings": bindings or {},
    }


def scored(peer: Peer, one: dict[str, Any]) -> dict[str, Any]:
    """The case with the original's scores."""
    with peer.bound({**BINS, **one["bindings"]}):
        scores = dlib_reference.recomputed(one, getattr(peer, one["metric"]))
    return {**one, "scores": {name: np.asarray(score).item() for name, score in scores.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="folder that holds the unpacked wheel")
    peer = load_peer(parser.parse_args().peer)
    # The pictures themselves here; the tests' stand-in must give the same scores.
    dlib_reference.DATA["candle_mini"] = lambda: get_dataset("candle_mini")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the original divides by zero here and there
        results = [scored(peer, one) for one in cases()]
    write_cases(dlib_reference.PATH, results, bins=BINS)


if __name__ == "__main__":
    main()
