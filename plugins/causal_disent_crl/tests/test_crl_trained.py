"""Trained models are measured as causal models: by name or matched, with their layer or a discovered one."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from causal_disent_torch.backend import TorchBackend  # noqa: E402

from causal_disent import adapter  # noqa: E402
from causal_disent.metrics import (  # noqa: E402
    composition,
    crl_scores,
    effectiveness,
    graph_recovery,
    minimality,
    reconstruction,
    reversibility,
)
from causal_disent.metrics.concepts import gae_discovery  # noqa: E402
from causal_disent.registry import Entry, registry  # noqa: E402
from causal_disent.runs.train import train_with_gin  # noqa: E402
from causal_disent.testing.stage import CausalStage  # noqa: E402

SHORT = [
    "dataset.name = 'stage'",
    "model.training_steps = 2",
    "model.batch_size = 8",
    "model.eval_steps = 1",
    "causal_decoder.hidden = [8]",
    "crl_encoder.hidden = [8]",
    "causal_decoder.concepts = 3",
    "encoder.num_latent = 6",
]


def stage():
    return CausalStage((3, 4), width=16)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Name -> model, trained for a moment."""
    restore = registry.replace(Entry("datasets", "stage", "tests", stage, "small", {}))
    found = {}
    for name in ("causal_vae", "do_vae", "ladder_vae"):
        folder = tmp_path_factory.mktemp("models") / name
        bindings = SHORT if name != "ladder_vae" else SHORT[:4]
        train_with_gin(folder, gin_config_files=[f"models/{name}.gin"], gin_bindings=bindings)
        found[name] = TorchBackend(device="cpu").read(folder, stage())
    restore()
    return found


def of(metric, model, **options):
    return adapter.on_data(metric)(stage(), model, np.random.RandomState(0), num_points=40, **options)


QUICK = {"floor_draws": 0, "num_jobs": 1}


@pytest.mark.parametrize("name", ["causal_vae", "do_vae", "ladder_vae"])
def test_every_direction(models, name):
    model = models[name]
    quick = gae_discovery
    scores = of(crl_scores, model, **QUICK, discovery=lambda v, r: quick(v, r, steps=5, rounds=1))
    how = {
        "causal_vae": "concepts by name",
        "do_vae": "concepts matched by spearman",
        "ladder_vae": "codes matched by spearman, layer discovered afterwards",
    }
    assert scores["convention_concepts"] == how[name] and 0 <= scores["F1_MIC"] <= 1
    for metric in (reconstruction, composition, reversibility, effectiveness):
        options = {"times": (1, 2)} if metric is composition else {}
        assert all(np.isfinite(v) for v in of(metric, model, **options).values() if isinstance(v, float))
    assert 0 <= of(minimality, model, neighbours=5)["minimality_CLD"] <= 1
    if name != "ladder_vae":
        assert 0 <= of(graph_recovery, model, threshold=0.01)["edge_F1"] <= 1


@pytest.mark.parametrize("name", ["causal_vae", "do_vae"])
def test_weak_edges_are_cut_in_the_layer(models, name):
    model = models[name]
    noise = np.random.RandomState(0).normal(size=(5, 6)).astype(np.float32)
    np.testing.assert_allclose(
        model.causal_layer(noise, adjacency=model.adjacency), model.causal_layer(noise), atol=1e-5
    )
    before = model.adjacency.copy()
    scores = of(crl_scores, model, **QUICK, threshold=10.0)  # more than any weight: no effect hears its causes
    assert scores["convention_edges_cut"] == np.count_nonzero(before) and scores["edges"] == []
    assert scores["PosMIC"] == scores["NegMIC"] == 0
    np.testing.assert_array_equal(model.adjacency, before)


def test_behind_the_masks(models):
    z, w = (of(crl_scores, models["causal_vae"], **QUICK, tap=tap) for tap in ("z", "w"))
    assert w["convention_tap"] == "w" and w["PosMIC"] != z["PosMIC"]
