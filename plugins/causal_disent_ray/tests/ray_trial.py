"""What the tests run on Ray: functions and metrics that leave a line for each time they end."""

import os
import signal
import time
from pathlib import Path

import ray

from causal_disent.hookspecs import hookimpl


def double(number):
    if number < 0:
        raise ValueError("a negative number")
    return 2 * number


def deadly(file):
    with Path(file).open("a") as log:
        log.write("x")
    os.kill(os.getpid(), signal.SIGKILL)


def gpus(_):
    return ray.get_gpu_ids()


def told(ground_truth_data, representation_function, random_state, artifact_dir=None, seconds=0.5, file=""):
    """Sleeps, and says that it has."""
    time.sleep(seconds)
    with Path(file).open("a") as log:
        log.write(f"{os.getpid()} {artifact_dir}\n")
    return {"slept": float(seconds)}


@hookimpl
def register_metrics(register):
    register("told", told, summary="sleeps")
