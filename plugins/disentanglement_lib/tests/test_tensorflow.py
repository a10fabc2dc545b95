"""Programs that bring TensorFlow: their terms are TensorFlow's, and TensorFlow trains."""

import json
import os
import subprocess
import sys

import gin
import numpy as np
import pytest
import tensorflow as tf
from disentanglement_lib.data.ground_truth import dummy_data, util
from disentanglement_lib.methods.unsupervised import train, vae
from disentanglement_lib.utils import resources

SMALL = resources.get_file("config/tests/methods/unsupervised/train_test.gin")


@gin.configurable("TfBottleneck", denylist=[])
class TfBottleneck(vae.BaseVAE):
    """A program's own model."""

    def __init__(self, target=gin.REQUIRED):
        self.target = target

    def regularizer(self, kl_loss, z_mean, z_logvar, z_sampled):
        return tf.math.abs(kl_loss - self.target)


def test_a_model_with_a_term_of_tensorflow(tmp_path):
    bindings = ["model.model = @TfBottleneck()", "TfBottleneck.target = 10."]
    train.train_with_gin(str(tmp_path), True, [SMALL], bindings)
    found = json.loads((tmp_path / "results/json/train_results.json").read_text())
    assert found["regularizer"] == pytest.approx(abs(found["kl_loss"] - 10), abs=0.5)


def test_sessions_of_tensorflow_1_are_refused_with_what_to_do(tmp_path):
    """In a process of its own: what is turned off stays off."""
    code = (
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"
        "from disentanglement_lib.methods.unsupervised import train\n"
        f"train.train_with_gin({str(tmp_path / 'model')!r}, True, [{SMALL!r}])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # conftest.py has found the packages
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "NeedsTensorFlow1" in done.stderr and "disable_v2_behavior" in done.stderr


def test_terms_of_losses():
    mean, log_var = tf.ones((10, 10)), tf.zeros((10, 10))
    assert float(vae.compute_gaussian_kl(mean, log_var)) == pytest.approx(5)
    assert float(vae.regularize_diag_off_diag_dip(mean, 1, 1)) == 90
    assert float(vae.anneal(100.0, 10, 100)) == 10
    assert vae.shuffle_codes(tf.random.normal((4, 3))).shape == (4, 3)
    assert float(vae.gaussian_log_density(tf.ones(1), 0.0, 0.0)[0]) == pytest.approx(-1.4189, abs=1e-4)


def test_observations_as_a_data_set():
    data = util.tf_data_set_from_ground_truth_data(dummy_data.DummyData(), 0)
    first = next(iter(data.batch(2)))
    expected = dummy_data.DummyData().sample_observations(1, np.random.RandomState(0))
    assert first.shape == (2, 64, 64, 1) and np.allclose(first[0], expected[0])
