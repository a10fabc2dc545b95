"""Scores and result folders stay as they are: every metric, every shipped config, one study.

``python tests/test_frozen.py`` writes the reference anew, for a change that is meant to change numbers;
``CAUSAL_DISENT_FROZEN_EXACT=1`` compares to the last bit, on the processor that wrote it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import causal_disent
from causal_disent.cli.dlib import dlib_evaluate
from causal_disent.cli.main import main

REFERENCE = Path(__file__).parent / "reference" / "frozen.json"
EXACT = os.environ.get("CAUSAL_DISENT_FROZEN_EXACT") == "1"
#: Iterative and boosted fits depend on the last bit of sums, which differs between processors.
FITTED = 0.02
ROUNDING = 1e-6
#: Metrics whose scores hang on a fit.
FITTED_METRICS = (
    "dci", "dci_es", "downstream_task", "reduced_downstream_task", "strong_downstream_task", "fairness",
    "unified_scores", "sap_score", "infomec", "modularity_explicitness", "tmex", "crl", "r2", "beta_vae_sklearn",
)  # fmt: skip
#: What differs from run to run, or from version to version.
VOLATILE = ("seconds", "version", "time", "elapsed", "host", "platform", "commit", "date", "uuid", "folder_of_")
#: Sizes that keep a config quick; each is bound where the config's metric has the parameter.
SMALL = {
    "num_train": 200, "num_test": 100, "num_points": 20, "num_test_points_per_class": 20, "num_eval": 50,
    "num_variance_estimate": 50, "bootstrap": 5, "chance": 3, "n_experiment": 1, "resamples": 2, "floor_draws": 1,
    "num_data_points": 100,
}  # fmt: skip
LISTED = ("downstream_task", "reduced_downstream_task", "strong_downstream_task")
TREES = (
    "dci.estimator_fn = 'histogram_boosting'",
    "factorwise_dci.estimator_fn = 'histogram_boosting'",
    "importance_gbt_matrix.estimator_fn = 'histogram_boosting'",
    "predictor.predictor_fn = 'histogram_boosting'",
    "discretizer.num_bins = 8",
)
ORACLE = "representation.name = 'mixed_oracle'\nmixed_oracle.strength = 0.4\ndataset.name = 'candle_mini'\n"
CAUSAL = "representation.name = 'linear_causal_oracle'\ndataset.name = 'pendulum'\n"


def metric_configs() -> list[str]:
    from causal_disent.plugins import shipped_configs

    return [name for name in shipped_configs() if name.startswith("metrics/") and name != "metrics/udr.gin"]


def points() -> tuple[np.ndarray, np.ndarray]:
    """Codes that mix three factors a little, and one code of noise."""
    random = np.random.RandomState(7)
    factors = random.randint(0, [3, 4, 5], size=(300, 3))
    codes = factors @ np.array([[1.0, 0.3, 0.0], [0.0, 1.0, 0.2], [0.4, 0.0, 1.0]]) + 0.3 * random.randn(300, 3)
    return np.column_stack([codes, random.randn(300)]), factors


def numbers(value: object, path: str = "") -> dict[str, object]:
    """All leaves of a result, by their path."""
    if isinstance(value, dict):
        items = [(str(key), entry) for key, entry in value.items()]
    elif isinstance(value, (list, tuple)):
        items = [(str(i), entry) for i, entry in enumerate(value)]
    elif isinstance(value, np.ndarray):
        return numbers(value.tolist(), path)
    else:
        return {path: value.item() if isinstance(value, np.generic) else value}
    return {
        leaf: found
        for key, entry in items
        if not any(word in key.lower() for word in VOLATILE)
        for leaf, found in numbers(entry, f"{path}/{key}").items()
    }


def scored() -> dict[str, object]:
    """Every metric of two matrices, with intervals and chance levels where they come by default."""
    codes, factors = points()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = causal_disent.score(codes, factors, "all", fast=True).table
    columns = [name for name in ("score", "low", "high", "chance") if name in table]
    return {f"{name}/{column}": float(table[column][name]) for name in table.index for column in columns}


def small_bindings(name: str) -> list[str]:
    """Bindings that make a metric config quick."""
    import gin

    from causal_disent.config import gin_config

    with gin_config([name], ["dataset.name = 'candle_mini'"]):
        bound = {key[1]: dict(values) for key, values in gin.config._CONFIG.items()}
    found = [f"{key.rsplit('.', 1)[-1]}.{option} = {SMALL[option]}"
             for key, values in bound.items() for option in values if option in SMALL]  # fmt: skip
    lists = [f"{metric}.num_train = [10, 100]" for metric in LISTED]
    found = [one for one in found if one.split(".num_train")[0] not in LISTED or "num_train" not in one]
    here = {key.rsplit(".", 1)[-1] for key in bound}
    return found + [one for one in (*lists, *TREES) if one.split(".")[0] in here | {"discretizer"}]


def folder_content(folder: Path) -> dict[str, object]:
    """The names of all files below a folder, and what their JSON holds."""
    found: dict[str, object] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            name = re.sub(r"tfevents.*", "tfevents", file.relative_to(folder).as_posix())
            content = json.loads(file.read_text()) if name.endswith("evaluation_results.json") else None
            found |= {f"{name}:{leaf}": value for leaf, value in numbers(content).items()}
    return found


def run(main: Callable[[list[str]], int], *arguments: object) -> None:
    command = [str(argument) for argument in arguments]
    assert main(command) == 0, command


def evaluated(name: str, folder: Path) -> dict[str, object]:
    """What `dlib_evaluate` writes with a shipped config."""
    (folder / "model").mkdir()
    (folder / "model" / "representation.gin").write_text(CAUSAL if name == "metrics/crl.gin" else ORACLE)
    bindings = small_bindings(name)
    if name in ("metrics/cg.gin", "metrics/causal_disentanglement.gin"):
        bindings.append(f"{Path(name).stem}.classifier = 'nearest_image'")
    flags = [word for binding in bindings for word in ("--gin_bindings", binding)]
    run(
        dlib_evaluate,
        "--gin_config",
        name,
        "--input_dir",
        folder / "model",
        "--output_dir",
        folder / "out",
        *flags,
    )
    return folder_content(folder / "out")


def studied(folder: Path) -> dict[str, object]:
    """A study of one model and a page, with few steps."""
    bindings = [
        "study.models = ['models/beta_vae.gin']",
        "study.datasets = ['candle_mini']",
        "study.seeds = 1",
        "study.metrics = ['metrics/mig.gin', 'metrics/irs.gin']",
        "study.bindings = ['model.training_steps = 2', 'model.batch_size = 4', 'model.eval_steps = 1', "
        "'encoder.num_latent = 3', 'irs.num_train = 100', 'mig.num_train = 100']",
    ]
    flags = [word for binding in bindings for word in ("--gin_bindings", binding)]
    run(main, "study", "studies/quick.gin", "--output_dir", folder / "study", *flags)
    return folder_content(folder / "study")


def compare(found: dict[str, object], name: str) -> None:
    """Raise unless `found` is what is stored: all keys, and values up to what processors differ by."""
    stored = json.loads(REFERENCE.read_text())[name]
    assert sorted(found) == sorted(stored)
    for key, value in stored.items():
        fitted = any(metric in f"{name}:{key}" for metric in FITTED_METRICS) or name == "study"
        tolerance = 0 if EXACT else FITTED if fitted else ROUNDING
        if isinstance(value, float):
            assert found[key] == pytest.approx(value, rel=tolerance, abs=tolerance, nan_ok=True), key
        else:
            assert found[key] == value, key


def test_scores_of_two_matrices():
    compare(scored(), "score")


@pytest.mark.parametrize("name", metric_configs())
def test_result_folder_of_each_metric_config(name, tmp_path):
    if name == "metrics/crl.gin":
        pytest.importorskip("causal_disent_crl")
    compare(evaluated(name, tmp_path), name)


def test_folder_of_a_study(tmp_path):
    pytest.importorskip("causal_disent_torch")
    pytest.importorskip("altair")
    compare(studied(tmp_path), "study")


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    reference: dict[str, object] = {"score": scored()}
    for config in metric_configs():
        with TemporaryDirectory() as temporary:
            reference[config] = evaluated(config, Path(temporary))
    with TemporaryDirectory() as temporary:
        reference["study"] = studied(Path(temporary))
    REFERENCE.write_text(json.dumps(reference, indent=1) + "\n")
    sys.exit(0)
