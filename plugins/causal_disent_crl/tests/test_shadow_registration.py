"""What is registered, and the checks that every data set must pass."""

import argparse

import pytest
from causal_disent_crl import plugin
from causal_disent_crl.shadow.render import shadow_plan
from causal_disent_crl.shadow.scene import LIGHTS
from test_shadow_folder import write

from causal_disent.cli.main import main
from causal_disent.registry import Register, registry
from causal_disent.testing import parametrize_checks

ENTRIES, COMMANDS = {}, {}
plugin.register_datasets(Register("datasets", "causal_disent_crl", lambda e: ENTRIES.__setitem__(e.name, e)))
plugin.register_commands(Register("commands", "causal_disent_crl", lambda e: COMMANDS.__setitem__(e.name, e)))
SHADOW = {name: entry for name, entry in ENTRIES.items() if name.startswith("shadow")}


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory):
    """Small folders of both lights."""
    root = tmp_path_factory.mktemp("root")
    for light in LIGHTS:
        write(root / f"shadow_{light}light", light, shadow_plan(LIGHTS[light], 3, limit=30))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISENTANGLEMENT_LIB_DATA", str(root))
        yield root


@pytest.fixture
def registered():
    """The data sets are registered, whether or not the plugin is installed."""
    restores = [registry.replace(entry) for entry in (*ENTRIES.values(), *COMMANDS.values())]
    yield
    for restore in restores:
        restore()


def test_the_names():
    assert set(SHADOW) == {"shadow_sunlight", "shadow_pointlight", "shadow_mini"}
    parser = argparse.ArgumentParser()
    COMMANDS["render_shadow"].load()(parser)
    assert "--positions" in parser.format_help()


@parametrize_checks("datasets", [entry for name, entry in SHADOW.items() if name in plugin.FROM_FILES])
def test_every_data_set_passes_the_checks(check):
    check()


@pytest.mark.parametrize("name", SHADOW)
def test_the_commands(registered, files, name, capsys):
    assert main(["datasets", "graph", name]) == 0
    assert "0 of" in capsys.readouterr().out.splitlines()[-1]
    assert main(["datasets", "verify", name]) == 0
    assert "no files to check" in capsys.readouterr().out or name != "shadow_mini"
    assert main(["render", "--help"]) == 0
    assert "shadow" in capsys.readouterr().out


def test_options_through_gin(registered):
    from causal_disent.config import gin_config
    from causal_disent.runs.dataset import dataset

    with gin_config(
        bindings=["dataset.name = 'shadow_mini'", "shadow_mini.light = 'point'", "shadow_mini.positions = 3"]
    ):
        data = dataset()
    assert len(data.factor_table) == 7 * 7 * 7 * 3 * 6 and data.num_factors == 8
