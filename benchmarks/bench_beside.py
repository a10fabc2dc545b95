"""Two evaluations side by side over one alone: seconds until the last of them has ended.

    python benchmarks/bench_beside.py [--repeats 3]

dlib_evaluate reads a convolutional model that torch has trained for two steps, encodes candle_mini with it, and
measures DCI by histogram boosting. Alone it takes all cores, so that two at once take twice as long on a machine
that they share well. Either is a command of its own, with the threads and processes that it chooses. The machine
has to be quiet: wall time is what counts.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time

#: The most that is promised.
PROMISED = 2.2
TRAINING = ["dataset.name = 'candle_mini'", "model.training_steps = 2", "model.eval_steps = 1"]


def command(name: str, config: str, bindings: list[str], **folders: str) -> list[str]:
    """The words of a command of disentanglement_lib's."""
    words = [sys.executable, "-m", "causal_disent.cli.dlib", name, "--overwrite", f"--gin_config={config}"]
    words += [f"--gin_bindings={binding}" for binding in bindings]
    return [*words, *(f"--{flag}={folder}" for flag, folder in folders.items())]


def seconds(commands: list[list[str]]) -> float:
    """Until all have ended that are started at once."""
    began = time.perf_counter()
    running = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for words in commands]
    if any(process.wait() for process in running):
        raise RuntimeError(f"One of these failed: {commands}.")
    return time.perf_counter() - began


def main() -> int:
    """Run, print, and return 1 if the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/model"
        seconds([command("dlib_train", "models/beta_vae.gin", TRAINING, model_dir=model)])
        fast = ["dci.estimator_fn = @histogram_boosting"]
        one, other = (
            command("dlib_evaluate", "metrics/dci.gin", fast, input_dir=model, output_dir=f"{folder}/{name}")
            for name in ("one", "other")
        )
        seconds([one])  # what is compiled once
        turns = [(seconds([one]), seconds([one, other])) for _ in range(repeats)]
    alone, both = (statistics.median(turn) for turn in zip(*turns, strict=True))
    ratio = statistics.median(both / alone for alone, both in turns)
    print(f"one evaluation {alone:.1f} s, two at once {both:.1f} s: {ratio:.2f}, promised {PROMISED}")
    return int(ratio > PROMISED)


if __name__ == "__main__":
    sys.exit(main())
