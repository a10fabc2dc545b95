"""Write tests/reference/dlib_scores_fitted.json: scores of disentanglement_lib 1.5's metrics that fit classifiers.

    python benchmarks/reference_scores_fitted.py [--peer FOLDER]

FOLDER holds the unpacked wheel; see `_peer.load_peer` for the default.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
from _peer import BINS, METRICS, Peer, load_peer
from _reference_file import write_cases

from causal_disent.metrics.draw import fork_generator

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "metrics"))
import dlib_reference  # noqa: E402  the tests' encoders, found through the line above
import dlib_reference_fitted  # noqa: E402
from dlib_reference_fitted import CONVERGED  # noqa: E402

#: Of metrics with boosted trees, which the original leaves without a seed.
NUM_RUNS = 5
REGRESSION = {"predictor.predictor_fn": "logistic_regression_cv"}
TREES = {"predictor.predictor_fn": "gradient_boosting_classifier"}
IMPORTANCE = {"reduced_representation.correlation_measure": "factorwise_dci"}
POINTS = {"num_train": 200, "num_test": 150, "batch_size": 16}
#: The third, the importance in boosted trees, differs from run to run in each of its entries; see `dci`.
MATRICES = ("mutual_information_matrix", "accuracy_svm_matrix")
#: What the modules import for pictures and files, neither of which is wanted here.
UNUSED = ("matplotlib", "matplotlib.pyplot", "seaborn", "tensorflow", "tensorflow.compat", "tensorflow.compat.v1")


def cases() -> Iterator[dict[str, Any]]:
    """Everything to be scored."""
    yield case("dci", "trees", POINTS)
    yield case("dci", "trees", {**POINTS, "num_train": 100}, data="candle_mini", encoder="mixed_oracle")
    validation = {"num_points": 300, "train_percentage": 0.7}
    yield case("dci_validation", "trees", validation)
    sizes = {**POINTS, "num_train": [50, 100]}
    yield case("downstream_task", "trees", sizes, TREES)
    parameters = {**POINTS, "num_train": [100], "num_factors_to_remove": 2}
    shifts = {"num_train": [100], "num_test": 100, "n_experiment": 1}
    per_class = {"num_train": 100, "num_test_points_per_class": 40, "batch_size": 16}
    for label in ("regression", CONVERGED):
        yield case("downstream_task", label, sizes, REGRESSION)
        yield case("reduced_downstream_task", label, parameters, {**REGRESSION, **IMPORTANCE})
        yield case("strong_downstream_task", label, shifts, REGRESSION)
        yield case("fairness", label, per_class, REGRESSION)
    for matrix in MATRICES:
        yield case("unified_scores", matrix, {**POINTS, "matrix_fns": [matrix]})
    yield case(
        "unified_scores",
        MATRICES[0],
        {**POINTS, "matrix_fns": [MATRICES[0]]},
        data="candle_mini",
        encoder="extra_noise_oracle",
    )
    yield case("unified_score_validation", MATRICES[0], {**validation, "matrix_fns": [MATRICES[0]]})


def case(
    metric: str,
    label: str,
    parameters: dict[str, Any],
    bindings: dict[str, Any] | None = None,
    data: str = "noisy_mixture",
    encoder: str = "identity",
) -> dict[str, Any]:
    """One case without its scores."""
    return {
        "metric": metric,
        "data": data,
        "encoder": encoder,
        "label": label,
        "seed": 0,
        "parameters": parameters,
        "bindings": bindings or {},
        "is_deterministic": label != "trees",
    }


def scored(peer: Peer, one: dict[str, Any]) -> dict[str, Any]:
    """The case with the original's scores, and the spread of those that differ from run to run."""
    parameters = dict(one["parameters"])
    if "matrix_fns" in parameters:
        parameters["matrix_fns"] = [getattr(peer, name) for name in parameters["matrix_fns"]]
    runs = []
    for run in range(1 if one["is_deterministic"] else NUM_RUNS):
        _seed_global_generator(one, run)
        with peer.bound({**BINS, **one["bindings"]}), _converging(peer, one.get("label") == CONVERGED):
            runs.append(dlib_reference.recomputed({**one, "parameters": parameters}, getattr(peer, one["metric"])))
    values = {name: np.array([float(scores[name]) for scores in runs]) for name in runs[0]}
    return {
        **one,
        "scores": {name: float(value.mean()) for name, value in values.items()},
        "spreads": {name: float(np.ptp(value)) for name, value in values.items() if np.ptp(value)},
    }


@contextmanager
def _converging(peer: Peer, wanted: bool) -> Iterator[None]:
    """The original's regressions, solved to the optimum if that is wanted; it leaves no choice of the solver."""
    utils = peer.modules["utils"]
    before = utils.linear_model  # type: ignore[attr-defined]
    if wanted:
        exact = partial(before.LogisticRegressionCV, solver="newton-cholesky")
        utils.linear_model = SimpleNamespace(LogisticRegressionCV=exact)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        utils.linear_model = before  # type: ignore[attr-defined]


def _seed_global_generator(one: dict[str, Any], run: int) -> None:
    """The original takes trees' seeds, and the shifts of its strong downstream task, from there."""
    if one["metric"] == "strong_downstream_task":
        np.random.set_state(fork_generator(np.random.RandomState(one["seed"])).get_state())  # noqa: NPY002
    else:
        np.random.seed(run)  # noqa: NPY002


def stand_in_for_unused() -> None:
    sys.modules.update({name: MagicMock(name=name) for name in UNUSED})
    sys.modules["simplejson"] = json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="folder that holds the unpacked wheel")
    stand_in_for_unused()
    peer = load_peer(parser.parse_args().peer, (*METRICS, "unified_scores"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's about options that the original leaves out
        results = [scored(peer, one) for one in cases()]
    write_cases(dlib_reference_fitted.PATH, results)


if __name__ == "__main__":
    main()
