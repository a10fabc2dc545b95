"""disentanglement_lib's own metric files, where there is a copy of it."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from left_behind import BINS, state

from causal_disent import config
from causal_disent.compat import metric_files
from causal_disent.registry import registry

ROOT = Path(__file__).parents[2]

SMALL = {"num_train": 200, "num_test": 150, "batch_size": 16}
#: File, metric, parameters, and keys that are meant to differ.
PEER_CASES = [
    ("irs", "irs", {"num_train": 200, "batch_size": 16}, {"num_active_dims"}),
    ("mig", "mig", {"num_train": 200}, set()),
    ("sap_score", "sap_score", {**SMALL, "continuous_factors": False}, set()),
    ("beta_vae", "beta_vae_sklearn", {"num_train": 60, "num_eval": 40, "batch_size": 16}, set()),
    (
        "factor_vae",
        "factor_vae_score",
        {"num_train": 60, "num_eval": 40, "batch_size": 16, "num_variance_estimate": 100},
        {"num_active_dims"},
    ),
    ("modularity_explicitness", "modularity_explicitness", SMALL, set()),
    ("unsupervised_metrics", "unsupervised_metrics", {"num_train": 200}, set()),
]
#: Of those with metrics that fit unseeded trees, or draw from numpy's global generator.
LOADED_ONLY = ["dci", "downstream_task", "strong_downstream_task", "reduced_downstream_task", "unified_scores"]


@pytest.fixture
def peer_metrics():
    """The folder of the original's metric files."""
    spec = importlib.util.spec_from_file_location("peer_loader", ROOT / "benchmarks" / "_peer.py")
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    try:
        return loader._folder(None) / "disentanglement_lib" / "evaluation" / "metrics"
    except FileNotFoundError as error:
        pytest.skip(str(error))


def as_they_are(images):
    return np.asarray(images, dtype=np.float64).reshape(len(images), -1)


@pytest.mark.parametrize(("file", "metric", "parameters", "differ"), PEER_CASES, ids=lambda value: str(value)[:30])
def test_the_original_s_files_give_our_numbers(file, metric, parameters, differ, peer_metrics):
    from causal_disent import get_dataset

    data = get_dataset("identity_data")
    bindings = [*BINS, *(f"{metric}.{name} = {value}" for name, value in parameters.items())]

    def scores():
        with config.gin_config([], bindings):
            return registry.function("metrics", metric)(data, as_they_are, np.random.RandomState(0))

    with metric_files([peer_metrics / f"{file}.py"]) as [loaded]:
        assert metric in loaded.names
        theirs = scores()
    ours = scores()
    assert {k: v for k, v in theirs.items() if k not in differ} == pytest.approx(
        {k: v for k, v in ours.items() if k not in differ}, abs=1e-6
    )


@pytest.mark.parametrize("file", LOADED_ONLY)
def test_the_original_s_files_load(file, peer_metrics):
    before = state()
    with metric_files([peer_metrics / f"{file}.py"]) as [loaded]:
        assert file in loaded.names
    assert state() == before
