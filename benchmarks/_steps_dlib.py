"""Steps of disentanglement_lib's own training in turns, for ``bench_torch.py --dlib``."""

from __future__ import annotations

import os
import queue
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gin.tf.external_configurables  # noqa: F401
import tensorflow.compat.v1 as tf
from _turns import take_turns
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
asked: queue.Queue[int] = queue.Queue()
done: queue.Queue[int] = queue.Queue()


class Turns(tf.train.SessionRunHook):
    """Lets the steps wait until some are asked for."""

    left = 0

    def before_run(self, run_context):
        if not self.left:
            self.left = asked.get()

    def after_run(self, run_context, run_values):
        self.left -= 1
        if not self.left:
            done.put(0)


def work(number: int) -> None:
    """So many steps."""
    asked.put(number)
    done.get()


usual = TPUEstimator.train
TPUEstimator.train = lambda self, *given, **named: usual(self, *given, **{**named, "hooks": [Turns()]})
folder = tempfile.mkdtemp()
threading.Thread(target=lambda: train.train_with_gin(folder, True, [CONFIG], BINDINGS), daemon=True).start()
take_turns(work)
os._exit(0)  # what trains in the other thread cannot be ended otherwise
