"""``plugins/example_model``: a third party's model, installed, trained, measured, checked, missed elsewhere."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from causal_disent.registry import ROLES, Register, registry
from causal_disent.testing import check_model

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "plugins" / "example_model"
SHORT = [
    "dataset.name = 'candle_mini'",
    "model.training_steps = 3",
    "model.batch_size = 4",
    "model.eval_steps = 1",
]


@pytest.fixture
def installed(tmp_path):
    """The plugin in a folder of its own, and a way to run commands that see it, or do not."""
    shutil.copytree(EXAMPLE, tmp_path / "source", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    place = ["--no-build-isolation", "--target", str(tmp_path / "site"), str(tmp_path / "source")]
    subprocess.run([*pip, *place], check=True, capture_output=True)

    def run(*command, plugin=True):
        paths = [str(tmp_path / "site")] if plugin else []
        paths += [str(ROOT), str(ROOT / "plugins" / "causal_disent_torch")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", *map(str, command)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.slow
def test_installed_trained_measured_and_missed(installed, tmp_path):
    model, scores = tmp_path / "model", tmp_path / "scores"
    bindings = [part for line in [*SHORT, "model.eval_steps = 1"] for part in ("--gin_bindings", line)]
    trained = installed("causal_disent.cli.dlib", "dlib_train", "--model_dir", model, "--device", "cpu",
                        "--gin_config", "models/mmd_vae.gin", *bindings)  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    results = json.loads((model / "results" / "json" / "train_results.json").read_text())
    assert results["global_step"] == 3 and results["weighted_mmd"] > 0
    described = json.loads((model / "model" / "model.json").read_text())
    assert described["encoder"] == "patch_encoder"
    assert described["owners"] == {"encoder": "example_model", "decoder": "causal_disent_torch"}
    evaluate = ["causal_disent.cli.dlib", "dlib_evaluate", "--input_dir", model, "--output_dir", scores,
                "--overwrite",
                "--gin_config", "metrics/mig.gin", "--gin_bindings", "mig.num_train = 100"]  # fmt: skip
    measured = installed(*evaluate)
    assert measured.returncode == 0, measured.stderr
    assert "discrete_mig" in json.loads((scores / "results" / "json" / "evaluation_results.json").read_text())
    missed = installed(*evaluate, plugin=False)
    assert missed.returncode == 2 and "Traceback" not in missed.stderr
    assert "Unknown encoder 'patch_encoder'" in missed.stderr
    assert "comes from 'example_model', a plugin that is not installed here" in missed.stderr
    checked = installed("causal_disent.cli.main", "check", "mmd_vae")
    assert checked.returncode == 0, checked.stdout
    assert [line.split()[0] for line in checked.stdout.splitlines()[1:]] == ["ok"] * 7


def test_the_discrepancy_is_that_of_draws(monkeypatch):
    """Its expectations under the prior are exact; many draws come near them."""
    monkeypatch.syspath_prepend(EXAMPLE)
    from example_model.model import mmd

    random_state = np.random.RandomState(0)
    codes, draws = random_state.normal(1, 0.5, size=(50, 3)), random_state.normal(size=(20_000, 3))

    def kernel(one, other):
        return np.exp(-((one[:, None] - other) ** 2).sum(2) / 6).mean()

    expected = kernel(codes, codes) - 2 * kernel(codes, draws) + kernel(draws[:2000], draws[2000:4000])
    assert mmd(torch.from_numpy(codes)).item() == pytest.approx(expected, abs=0.01)
    assert mmd(torch.from_numpy(draws[:3000])).item() == pytest.approx(0, abs=1e-3)


def test_the_model_of_the_docs(tmp_path, monkeypatch):
    """As printed in docs/write_a_plugin.md."""
    text = (ROOT / "docs" / "write_a_plugin.md").read_text().partition("## A model")[2].partition("## Hooks")[0]
    for block in re.findall(r"```python\n# (\S+)\n(.*?)```", text, flags=re.S):
        (tmp_path / block[0]).write_text(block[1])
    monkeypatch.syspath_prepend(tmp_path)
    import my_model_plugin

    entries = []
    my_model_plugin.register_models(Register("models", "my_model_plugin", entries.append))
    my_model_plugin.register_parts(Register("parts", "my_model_plugin", entries.append))
    restores = [registry.replace(entry) for entry in entries]
    try:
        more = ["encoder.encoder_fn = @my_encoder", "my_encoder.width = 16", "my_vae.weight = 3."]
        assert len(check_model("my_vae", bindings=more)) == 7
    finally:
        for restore in restores:
            restore()
    roles = re.findall(r'^\| `"(\w+)"` \| `(.*?)` \|', text, flags=re.M)
    assert {role: tuple(given.split(", ")) for role, given in roles} == ROLES
