"""A metric that sleeps, a plugin for any process that has the folder of `make_site` on its path; its studies."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register


def sleepy(
    ground_truth_data: Any,
    representation_function: Any,
    random_state: Any,
    artifact_dir: str | None = None,
    seconds: float = 0.5,
) -> dict[str, float]:
    """Sleeps, then draws a number."""
    time.sleep(seconds)
    return {"drawn": float(random_state.rand())}


@hookimpl
def register_metrics(register: Register) -> None:
    register("sleepy", sleepy, summary="sleeps")


def make_site(folder: Path) -> str:
    """A folder that makes this module a plugin."""
    info = folder / "study_trial-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: study-trial\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[causal_disent]\nstudy_trial = _study_trial\n")
    return str(folder)


def sleeping_study(folder: Path, num_folders: int, num_metrics: int, seconds: float) -> Path:
    """The config of a study that measures so many folders by so many metrics, each of which sleeps."""
    for number in range(num_folders):
        place = folder / "old" / str(number) / "mean"
        place.mkdir(parents=True, exist_ok=True)
        (place / "representation.gin").write_text(
            "representation.name = 'perfect_oracle'\ndataset.name = 'synthetic_mini'\n"
        )
    configs = []
    for number in range(num_metrics):
        configs.append(folder / f"sleepy_{number}.gin")
        configs[-1].write_text(
            f"evaluation.evaluation_fn = @sleepy\nevaluation.random_seed = {number}\nsleepy.seconds = {seconds}\n"
        )
    config = folder / "study.gin"
    names = [str(one) for one in configs]
    config.write_text(f"study.folders = '{folder}/old/*/mean'\nstudy.metrics = {names!r}\nlocal.workers = 2\n")
    return config
