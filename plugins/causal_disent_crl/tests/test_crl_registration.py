"""What is registered, and the checks that every data set must pass."""

import subprocess
import sys

import numpy as np
import pytest
from causal_disent_crl import plugin

from causal_disent.cli.main import main
from causal_disent.registry import Register, registry
from causal_disent.testing import parametrize_checks

ENTRIES = {}
plugin.register_datasets(Register("datasets", "causal_disent_crl", lambda e: ENTRIES.__setitem__(e.name, e)))


@pytest.fixture
def registered():
    """The data sets are registered, whether or not the plugin is installed."""
    restores = [registry.replace(entry) for entry in ENTRIES.values()]
    yield
    for restore in restores:
        restore()


@parametrize_checks("datasets", [entry for name, entry in ENTRIES.items() if name not in plugin.FROM_FILES])
def test_every_data_set_passes_the_checks(check):
    check()


def test_registering_imports_nothing_heavy():
    code = f"import sys\nsys.path[:0] = {sys.path!r}\nimport causal_disent_crl.plugin\nprint(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"torch", "matplotlib", "PIL", "pandas", "networkx", "scipy", "bpy"}.isdisjoint(loaded)
    assert "causal_disent_crl.plugin" in loaded


def test_drawing_leaves_pyplot_alone():
    code = (
        f"import sys\nsys.path[:0] = {sys.path!r}\nimport numpy as np\n"
        "from causal_disent_crl.pendulum import Pendulum\nPendulum().counterfactual(np.array([0]), {})\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "matplotlib.figure" in loaded and "matplotlib.pyplot" not in loaded


def test_options_through_gin(registered):
    from causal_disent.config import gin_config
    from causal_disent.runs.dataset import dataset

    bindings = ["dataset.name = 'pendulum'", "pendulum.channels = 'rgb'", "pendulum.split = 'test'"]
    with gin_config(bindings=bindings):
        data = dataset()
    assert data.observation_shape == (96, 96, 3) and len(data.factor_table) == 1826


@pytest.mark.parametrize("name", ["pendulum", "flow", "light_tunnel"])
def test_the_graph_command(registered, name, capsys):
    assert main(["datasets", "graph", name, "--num_points", "300"]) == 0
    assert "independences" in capsys.readouterr().out


def test_the_independence_of_the_causes_holds(registered, capsys):
    assert main(["datasets", "graph", "pendulum"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.split()[:3] == ["angle,", "light", "-"]]
    assert len(lines) == 1
    assert lines[0].split()[3] == "0.000" and lines[0].endswith("holds")  # each pair is there once


def test_verify_tells_what_a_folder_holds(registered, samples, capsys):
    assert main(["datasets", "verify", "flow", "--options", f"folder={samples / 'flow'}"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "flow: incomplete: 7 of 6,874 images"
    assert main(["datasets", "verify", "pendulum", "--options", f"folder={samples / 'flow'}"]) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_draws_are_the_images_of_their_factors():
    data = ENTRIES["pendulum"].load()(labels="published")
    factors, images = data.sample(20, np.random.RandomState(3))
    shown = data.observations(data.sample_indices(factors, np.random.RandomState(0)))
    # One image for each angle and light: nothing is left to chance.
    np.testing.assert_array_equal(images, shown)
