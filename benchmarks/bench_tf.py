"""Training and encoding with TensorFlow beside bare loops with the same layers, in one run.

    .venv-tf/bin/python benchmarks/bench_tf.py [--steps 20] [--repeats 7]

Convolutional beta-VAE, 64x64x3 images, batch 64, one thread. The bare loop is a `tf.function` that trains on one
batch in memory; ours draws its images from candle_mini, watches the loss, writes curves, and has its share of a
checkpoint every 1000 steps. The two take turns, and the fastest turn of each counts, in processor time.
`bench_torch.py` prints the same step of torch, for the choice between the two.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _timing import pin_threads, processor_time

pin_threads()

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from causal_disent_tf.losses import bernoulli_loss  # noqa: E402
from causal_disent_tf.networks.conv import ConvEncoder, DeconvDecoder  # noqa: E402
from causal_disent_tf.saved_networks import NetworkRepresentation  # noqa: E402
from causal_disent_tf.train.optimizers import Adam  # noqa: E402
from causal_disent_tf.train.trainer import Trainer  # noqa: E402

from causal_disent import get_dataset  # noqa: E402
from causal_disent.registry import registry  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402
from causal_disent.training import checkpoint  # noqa: E402
from causal_disent.training.batches import Batches  # noqa: E402
from causal_disent.training.loop import Keeping, train  # noqa: E402
from causal_disent.training.objectives.unsupervised import BetaVae  # noqa: E402
from causal_disent.training.parts import reconstruction_loss  # noqa: E402

SHAPE, NUM_LATENT, BATCH, BETA, LEARNING_RATE = (64, 64, 3), 10, 64, 4.0, 1e-4
CHECKPOINT_EVERY, ENCODED = 1000, 1024
#: What is promised of a step of training, and of encoding.
MOST_OVER_BARE = {"training step": 1.15, "encoding": 1.05}


def bare_training(images: Any) -> Callable[[int], None]:
    """What anybody would write: no data set, no checks, nothing kept."""
    encoder, decoder = ConvEncoder(SHAPE, NUM_LATENT), DeconvDecoder(SHAPE, NUM_LATENT)
    weights = [*encoder.trainable_variables, *decoder.trainable_variables]
    optimizer = Adam(learning_rate=LEARNING_RATE, epsilon=1e-8)
    optimizer.build(weights)

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            mean, log_var = encoder(images)
            output = decoder(mean + tf.exp(log_var / 2) * tf.random.normal(mean.shape))
            error = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(images, output)) / BATCH
            kl = tf.reduce_mean(0.5 * tf.reduce_sum(tf.square(mean) + tf.exp(log_var) - log_var - 1, 1))
            loss = error + BETA * kl
        optimizer.apply(tape.gradient(loss, [weight.value for weight in weights]), weights)

    def run(num_steps: int) -> None:
        for _ in range(num_steps):
            step()

    return run


def our_training(data: Any, folder: Path) -> tuple[Trainer, Callable[[int], None]]:
    """The loop of ``dlib_train --backend tf``."""
    trainer = Trainer(
        {"encoder": ConvEncoder(SHAPE, NUM_LATENT), "decoder": DeconvDecoder(SHAPE, NUM_LATENT)},
        BetaVae(BETA),
        reconstruction_loss(bernoulli_loss),
        {"vae": Adam(learning_rate=LEARNING_RATE, epsilon=1e-8)},
        Batches(data, BATCH, 0),
        0,
    )
    keeping = Keeping(folder, every=0, resume=False)
    return trainer, lambda num_steps: train(trainer, trainer.num_steps + num_steps, {}, keeping) and None


def compared(
    ours: Callable[[int], Any], bare: Callable[[int], Any], number: int, repeats: int
) -> dict[str, float]:
    """Seconds for one of `number`, of each."""
    both = {"ours": ours, "bare": bare}
    for function in both.values():
        function(1)
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(repeats):
        for name, function in both.items():
            times[name].append(processor_time(lambda function=function: function(number)))
    return {name: min(found) / number for name, found in times.items()}


def main() -> int:
    """Run, print, and return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    data = get_dataset("candle_mini", scenes=1)
    data.observations(np.arange(len(data.factor_table)))  # drawn before the clock starts
    images = Batches(data, ENCODED, 0).draw()[0]
    found = {}
    with tempfile.TemporaryDirectory() as folder, registry.using("tf"):
        trainer, ours = our_training(data, Path(folder) / "run")
        bare = bare_training(tf.constant(images[:BATCH]))
        found["training step"] = compared(ours, bare, arguments.steps, arguments.repeats)
        path = Path(folder) / "checkpoint"
        saving = processor_time(lambda: checkpoint.save(path, trainer, {}, 0.0))
    found["training step"]["ours"] += saving / CHECKPOINT_EVERY
    encoder = ConvEncoder(SHAPE, NUM_LATENT)
    model = NetworkRepresentation(encoder, DeconvDecoder(SHAPE, NUM_LATENT), "logits")
    plain, size = tf.function(encoder), model.batch_size

    def encode_bare(times: int) -> None:
        for start in [*range(0, ENCODED, size)] * times:
            plain(tf.constant(images[start : start + size]))[0].numpy()

    def encode(times: int) -> None:
        for _ in range(times):
            model(images)

    found["encoding"] = compared(encode, encode_bare, 2, arguments.repeats)
    ratios = {name: times["ours"] / times["bare"] for name, times in found.items()}
    rows = [
        [name, f"{times['bare'] * 1000:.1f}", f"{times['ours'] * 1000:.1f}", f"{ratios[name]:.2f}"]
        for name, times in found.items()
    ]
    print(text_table(["conv beta-VAE, TensorFlow", "bare ms", "ours ms", "ratio"], rows))
    print(f"a checkpoint takes {saving * 1000:.0f} ms; promised: ratios of at most {MOST_OVER_BARE}")
    return int(any(ratio > MOST_OVER_BARE[name] for name, ratio in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
