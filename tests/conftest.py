"""What several tests share."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from causal_disent import get_dataset, plugins
from causal_disent.cli.dlib import dlib_evaluate
from causal_disent.data.array_data import ArrayDataset
from causal_disent.registry import Entry, registry

ROOT = Path(__file__).parents[1]

# A shell starts what runs in its background with Ctrl-C ignored, and the commands under test would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def random_state():
    return np.random.RandomState(0)


class SmallData:
    """A finite data set of 2 x 3 x 2 tiny images that show their factors as grey levels."""

    factor_names = ("shape", "color", "light")
    value_names = (("cube", "ball"), ("red", "green", "blue"), ("left", "right"))
    num_factors = 3
    factors_num_values = [2, 3, 2]
    observation_shape = (1, 3, 1)

    def __init__(self):
        from causal_disent.data.state_space import StateSpace

        self.space = StateSpace.of(self)
        self.num_observed = 0

    def sample_factors(self, num, random_state):
        return self.space.sample(num, random_state)

    def sample_indices(self, factors, random_state):
        return self.space.to_index(factors)

    def observations(self, indices):
        self.num_observed += len(indices)
        return (self.space.to_factors(indices) / 3.0).astype(np.float32).reshape(-1, 1, 3, 1)

    def sample_observations_from_factors(self, factors, random_state):
        return self.observations(self.sample_indices(factors, random_state))

    def sample(self, num, random_state):
        factors = self.sample_factors(num, random_state)
        return factors, self.sample_observations_from_factors(factors, random_state)

    def sample_observations(self, num, random_state):
        return self.sample(num, random_state)[1]

    @property
    def factor_table(self):
        import pandas as pd

        rows = self.space.to_factors(np.arange(self.space.num_combinations))
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(rows[:, i], list(self.value_names[i]))
                for i, name in enumerate(self.factor_names)
            }
        )


@pytest.fixture
def small_data():
    return SmallData()


@pytest.fixture
def candle():
    return get_dataset("candle_mini")


@pytest.fixture
def oracle_folder(tmp_path):
    """A function that writes an input folder for a registered representation."""

    def write(text="representation.name = 'perfect_oracle'\ndataset.name = 'candle_mini'\n", name="model"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "representation.gin").write_text(text)
        return folder

    return write


@pytest.fixture
def alone(monkeypatch):
    """The core without any plugin."""
    with monkeypatch.context() as patched:
        patched.setattr(plugins, "entry_points", lambda group: [])
        patched.delenv(plugins.VARIABLE, raising=False)
        plugins.load()
        yield
    plugins.load()


@pytest.fixture
def site(tmp_path):
    """A folder of distributions, and a way to run commands that see it."""
    return Site(tmp_path / "site")


class Site:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()

    def add(self, distribution, source, point=None):
        module = distribution.replace("-", "_")
        (self.folder / f"{module}.py").write_text(source)
        info = self.folder / f"{module}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[causal_disent]\n{point or module} = {module}\n")

    def run(self, *command, **environment):
        paths = os.pathsep.join([str(self.folder), str(ROOT)])
        return subprocess.run(
            [sys.executable, "-m", *command],
            env={**os.environ, "PYTHONPATH": paths, **environment},
            capture_output=True,
            text=True,
        )

    def plugins(self, **environment):
        done = self.run("causal_disent.cli.main", "plugins", "--json", **environment)
        assert done.returncode == 0, done.stderr
        return {plugin["name"]: plugin for plugin in json.loads(done.stdout)}


@pytest.fixture
def tiny():
    """Nine images of a grey square that moves and changes its shade; configs call the data set ``'tiny'``."""
    images, factors = np.zeros((9, 16, 16, 1), np.uint8), np.array([[i, j] for i in range(3) for j in range(3)])
    for image, (place, shade) in zip(images, factors, strict=True):
        image[5 * place : 5 * place + 5, 2:9] = 85 * (shade + 1)
    data = ArrayDataset(images, factors, factor_names=["place", "shade"])
    restore = registry.replace(Entry("datasets", "tiny", "tests", lambda: data, "for tests"))
    yield data
    restore()


@pytest.fixture
def old_file(tmp_path):
    """A function that writes a file as for disentanglement_lib."""

    def write(text, name="old.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def evaluate_old(oracle_folder, tmp_path, capsys):
    """A function that runs dlib_evaluate with metric files and bindings."""
    folder = oracle_folder()

    def evaluate(files, *bindings, output="out"):
        arguments = ["--input_dir", folder, "--output_dir", tmp_path / output, "--overwrite"]
        for file in files:
            arguments += ["--metric_file", file]
        for binding in ("evaluation.random_seed = 0", *bindings):
            arguments += ["--gin_bindings", binding]
        code = dlib_evaluate([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return evaluate
