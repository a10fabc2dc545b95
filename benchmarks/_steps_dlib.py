"""Steps of disentanglement_lib's own training in turns, for ``bench_torch.py --dlib``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gin.tf.external_configurables  # noqa: F401
import tensorflow.compat.v1 as tf
from _turns import Turns
from disentanglement_lib.methods.unsupervised import train
from disentanglement_lib.utils import resources
from tensorflow_estimator.python.estimator.tpu.tpu_estimator import TPUEstimator

CONFIG = resources.get_file("config/tests/methods/unsupervised/train_test.gin")
BINDINGS = [
    "encoder.encoder_fn = @conv_encoder",
    "decoder.decoder_fn = @deconv_decoder",
    "AdamOptimizer.learning_rate = 0.0001",
    "vae.beta = 4.",
    "model.training_steps = 1000000",
    "model.batch_size = 64",
]
turns = Turns()


class InTurns(tf.train.SessionRunHook):
    """Lets a step wait until it is asked for."""

    def before_run(self, run_context):
        turns.wait()


usual = TPUEstimator.train
TPUEstimator.train = lambda self, *given, **named: usual(self, *given, **{**named, "hooks": [InTurns()]})
train.train_with_gin(tempfile.mkdtemp(), True, [CONFIG], BINDINGS)
