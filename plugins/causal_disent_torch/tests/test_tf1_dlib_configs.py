"""Configs as disentanglement_lib's evaluate tests have them, each metric on a checkpoint without TensorFlow."""

import json

import numpy as np
import pytest
from google_crc32c import value as crc32c
from tf1_writer import Folder

from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.registry import Entry, registry

SHAPE, NUM_LATENT = (64, 64, 1), 4
COMMON = "dataset.name = 'auto'\nevaluation.random_seed = 0\n"
BINS = "discretizer.discretizer_fn = @histogram_discretizer\ndiscretizer.num_bins = 20\n"
PREDICTOR = "predictor.predictor_fn = @logistic_regression_cv\n"
#: Metric -> what its config binds.
CONFIGS = {
    "beta_vae_sklearn": "beta_vae_sklearn.batch_size = 8\nbeta_vae_sklearn.num_train = 100\n"
    "beta_vae_sklearn.num_eval = 50\n",
    "dci": "dci.num_train = 40\ndci.num_test = 20\n",
    "downstream_task": "downstream_task.num_train = [50]\ndownstream_task.num_test = 50\n" + PREDICTOR,
    "factor_vae_score": "factor_vae_score.num_variance_estimate = 100\nfactor_vae_score.num_train = 50\n"
    "factor_vae_score.num_eval = 50\nfactor_vae_score.batch_size = 8\n",
    "irs": "irs.num_train = 100\nirs.batch_size = 16\n" + BINS,
    "mig": "mig.num_train = 200\n" + BINS,
    "modularity_explicitness": "modularity_explicitness.num_train = 100\n"
    "modularity_explicitness.num_test = 50\n" + BINS,
    "sap_score": "sap_score.num_train = 100\nsap_score.num_test = 50\nsap_score.batch_size = 16\n"
    "sap_score.continuous_factors = False\n",
    "unsupervised_metrics": "unsupervised_metrics.num_train = 200\nunsupervised_metrics.batch_size = 16\n" + BINS,
}  # fmt: skip


@pytest.fixture(scope="module")
def arrays():
    generator = np.random.RandomState(0)
    pixels = int(np.prod(SHAPE))
    found = {}
    for name in ("encoder/e1", "encoder/e2"):
        found[f"{name}/kernel"] = generator.normal(scale=0.1, size=(pixels, NUM_LATENT)).astype(np.float32)
        found[f"{name}/bias"] = generator.normal(size=NUM_LATENT).astype(np.float32)
    return found | {
        "decoder/d1/kernel": generator.normal(size=(NUM_LATENT, pixels)).astype(np.float32),
        "decoder/d1/bias": np.zeros(pixels, np.float32),
    }


@pytest.fixture
def same_by_hand(arrays, tmp_path):
    """A folder that names a model which computes the same codes by numpy."""
    kernel, bias = arrays["encoder/e1/kernel"], arrays["encoder/e1/bias"]

    def model(data):
        return lambda images: images.reshape(len(images), -1) @ kernel + bias

    folder = tmp_path / "by_hand"
    folder.mkdir()
    (folder / "representation.gin").write_text("representation.name = 'by_hand'\ndataset.name = 'dummy_data'\n")
    restore = registry.replace(Entry("representations", "by_hand", "tests", model, "for tests"))
    yield folder
    restore()


def run(folder, configs, output):
    pattern = f"--gin_evaluation_config_glob={configs}/*.gin"
    assert main([f"--input_dir={folder}", f"--output_dir={output}", pattern]) == 0
    return {
        name: json.loads((output / name / "results/json/evaluation_results.json").read_text()) for name in CONFIGS
    }


@pytest.mark.slow
def test_every_metric_runs_on_a_mean_representation(arrays, same_by_hand, tmp_path):
    made = Folder("test_encoder", "test_decoder", SHAPE, NUM_LATENT, arrays, "mean")
    checkpoint = made.write(tmp_path / "mean", crc=crc32c)
    (tmp_path / "configs").mkdir()
    for name, text in CONFIGS.items():
        config = f"evaluation.evaluation_fn = @{name}\n{COMMON}{text}"
        (tmp_path / f"configs/{name}.gin").write_text(config)
    found, expected = (
        run(folder, tmp_path / "configs", tmp_path / f"out_{folder.name}") for folder in (checkpoint, same_by_hand)
    )
    for name in CONFIGS:
        assert found[name]["backend"] == "tf_free"
        scores = {key: value for key, value in expected[name].items() if isinstance(value, float)}
        scores.pop("elapsed_time")
        assert scores, name
        for key, value in scores.items():
            # A code on the edge of a bin may fall to either side; nothing else differs.
            assert found[name][key] == pytest.approx(value, abs=1e-3), (name, key)
