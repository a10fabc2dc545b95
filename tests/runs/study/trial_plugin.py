"""A plugin for the tests of studies: a tiny data set, and metrics that take time, memory or lives."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from causal_disent.data.array_data import ArrayDataset
from causal_disent.hookspecs import hookimpl


def tiny(levels=2):
    """Images of 2 x 2 pixels that show two factors of a few levels each."""
    factors = np.stack(np.meshgrid(np.arange(levels), np.arange(levels), indexing="ij"), -1).reshape(-1, 2)
    images = np.repeat(factors[:, :, None, None], 2, 2).astype(np.float32) / levels
    return ArrayDataset(images, factors, factor_names=("rows", "columns"))


def _codes(data, represent, random_state, num_train):
    return represent(data.sample_observations(num_train, random_state))


def spread(ground_truth_data, representation_function, random_state, artifact_dir=None, num_train=20):
    """The standard deviation of the codes, and a line in a file that `TRIAL_LOG` names."""
    if "TRIAL_LOG" in os.environ:
        with Path(os.environ["TRIAL_LOG"]).open("a") as file:
            file.write(f"{os.getpid()} {artifact_dir}\n")
    return {"spread": float(_codes(ground_truth_data, representation_function, random_state, num_train).std())}


def sleepy(ground_truth_data, representation_function, random_state, artifact_dir=None, seconds=0.5):
    """Sleeps."""
    time.sleep(seconds)
    return {"slept": float(seconds)}


def endless(ground_truth_data, representation_function, random_state, artifact_dir=None):
    """Never gives the interpreter back: signals are not looked at."""
    print("on and on", flush=True)
    max(iter(int, 1))


def deadly(ground_truth_data, representation_function, random_state, artifact_dir=None):
    """Kills its process."""
    print("last words", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def greedy(ground_truth_data, representation_function, random_state, artifact_dir=None, megabytes=400):
    """Takes memory, and holds it."""
    held = np.ones(megabytes * 125_000)
    time.sleep(20)
    return {"held": float(held.sum())}


def flaky(ground_truth_data, representation_function, random_state, artifact_dir=None, file="", times=1):
    """Fails so many times; it counts in a file."""
    path = Path(file)
    path.write_text((path.read_text() if path.exists() else "") + "x")
    if path.stat().st_size <= times:
        raise ValueError(f"failure number {path.stat().st_size}")
    return {"tries": float(path.stat().st_size)}


def full(ground_truth_data, representation_function, random_state, artifact_dir=None):
    """Finds no space."""
    raise OSError(28, "No space left on device")


@hookimpl
def register_datasets(register):
    register("tiny", tiny, summary="2 x 2 pixels")


@hookimpl
def register_metrics(register):
    for metric in (spread, sleepy, endless, deadly, greedy, flaky, full):
        register(metric.__name__, metric, summary=metric.__doc__)
