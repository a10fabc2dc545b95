"""Names of this repository's plugins, where these are not installed."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from causal_disent import errors, plugins
from causal_disent.cli.dlib import dlib_evaluate as evaluate
from causal_disent.cli.main import main
from causal_disent.registry import Entry, first_party, registry

ROOT = Path(__file__).parents[1]
PIP = "or in a checkout: pip install plugins/"


def test_the_file_says_what_the_plugins_register():
    """``python plugins/list_names.py`` writes it anew."""
    assert runpy.run_path(str(ROOT / "plugins/list_names.py"))["plugins"]() == first_party()


def test_installed_plugins_offer_what_the_file_says():
    installed = [plugin for plugin in plugins.loaded_plugins() if plugin.name in first_party()]
    assert installed and all(plugin.status == "ok" for plugin in installed)
    for plugin in installed:
        offers = {
            kind: sorted(entry.name for entry in entries) for kind, entries in plugin.offers.items() if entries
        }
        assert offers == first_party()[plugin.name]["offers"]


def test_the_folders_are_there_and_in_order():
    for name, plugin in first_party().items():
        assert plugin["install"][-1] == f"plugins/{name}"
        assert all((ROOT / folder / "setup.cfg").is_file() for folder in plugin["install"])
    assert first_party()["causal_disent_candle"]["install"][0] == "plugins/causal_disent_datasets"


def is_in(plugin, thing, name, folders=()):
    folders = " plugins/".join([*folders, plugin])
    extra = {"causal_disent_tf": "tensorflow"}.get(plugin, plugin.removeprefix("causal_disent_"))
    install = f"Install it: pip install 'causal-disent[{extra}]', {PIP}{folders}"
    return f"'{name}' is a {thing} of the plugin {plugin}, which is not installed. {install}"


IN_CANDLE = is_in("causal_disent_candle", "data set", "candle", ["causal_disent_datasets"])
IN_DATASETS = is_in("causal_disent_datasets", "data set", "dsprites_full")
OWN = "There are: candle_mini, dummy_data, folder, identity_data, synthetic_mini."


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("datasets", "dsprites_full", f"Unknown data set 'dsprites_full'. {IN_DATASETS}"),
        (
            "datasets",
            "dsprites_ful",
            f"Unknown data set 'dsprites_ful'. {OWN} Did you mean 'dsprites_full'? {IN_DATASETS}",
        ),
        ("datasets", "candle", f"Unknown data set 'candle'. {IN_CANDLE}"),
        ("datasets", "candle_mimi", f"Unknown data set 'candle_mimi'. Did you mean 'candle_mini'? {OWN}"),
        ("models", "vae", f"Unknown model 'vae'. {is_in('causal_disent_torch', 'model', 'vae')}"),
        ("classifiers", "conv_classifier", is_in("causal_disent_torch", "classifier", "conv_classifier")),
        ("backends", "tf", f"Unknown backend 'tf'. {is_in('causal_disent_tf', 'backend', 'tf')}"),
        ("commands", "demo_model", is_in("causal_disent_torch", "command", "demo_model")),
    ],
)
def test_a_name_of_a_plugin_that_is_not_installed(alone, kind, name, message):
    with pytest.raises(errors.UnknownName) as raised:
        registry.get(kind, name)
    assert raised.value.message.endswith(message)


def test_an_engine_is_one_of_them(alone):
    with pytest.raises(errors.UnknownName, match="'ray' is an engine of the plugin causal_disent_ray"):
        registry.get("engines", "ray")


def test_what_imports_such_a_plugin(monkeypatch):
    def fails(module):
        raise ModuleNotFoundError("No module named 'causal_disent_tf'", name="causal_disent_tf")

    monkeypatch.setattr("causal_disent.registry.import_module", fails)
    with pytest.raises(errors.BrokenPlugin) as raised:
        Entry("models", "mine", "my_plugin", "my_models:mine").load()
    assert "needs the plugin causal_disent_tf, which is not installed" in raised.value.message
    assert "causal-disent[tensorflow]" in raised.value.message


def test_a_plugin_by_its_name(alone, capsys):
    assert main(["plugins", "causal_disent_tf"]) == 2
    assert "of this repository, which is not installed. Install it" in capsys.readouterr().err
    assert main(["plugins", "causal_disent_torhc"]) == 2
    assert "Unknown plugin 'causal_disent_torhc'." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["render", "demo_model"])
def test_a_command_of_such_a_plugin(alone, command, capsys):
    assert main([command, "--help"]) == 2
    err = capsys.readouterr().err
    assert (
        err.startswith(f"error: Unknown command '{command}'.") and "which is not installed." in err and PIP in err
    )


@pytest.mark.parametrize(
    ("binding", "name"),
    [
        ("vae.beta = 4", "vae"),
        ("cg.classifier = @conv_classifier", "conv_classifier"),
        ("encoder.encoder_fn = @conv_encoder", "conv_encoder"),
    ],
)
def test_a_config_that_names_such_a_thing(binding, name):
    """In a process of its own: what gin has been told of once, it knows."""
    code = (
        "from causal_disent import config, plugins\n"
        "plugins.entry_points = lambda group: []\n"
        f"with config.gin_config([], [{binding!r}]): pass"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    text = done.stderr.splitlines()[-1].partition("ConfigError: ")[2]
    assert text.startswith(f"--gin_bindings, line 1: Unknown name '{name}'. '{name}' is a ") and PIP in text


def test_runs_say_so_too(alone, oracle_folder, tmp_path, capsys):
    flags = [f"--input_dir={oracle_folder()}", f"--output_dir={tmp_path / 'out'}", "--gin_config=metrics/uc.gin"]
    assert evaluate([*flags, "--gin_bindings=dataset.name = 'shapes3d'"]) == 2
    assert "'shapes3d' is a data set of the plugin causal_disent_datasets, which is not" in capsys.readouterr().err
    assert evaluate([*flags, "--backend=tf"]) == 2
    assert "'tf' is a backend of the plugin causal_disent_tf, which is not installed." in capsys.readouterr().err
    assert main(["check", "cars3d"]) == 2
    assert "'cars3d' is a data set of the plugin causal_disent_datasets" in capsys.readouterr().err


def test_a_plugin_that_the_variable_leaves_out(monkeypatch):
    installed = {plugin.name for plugin in plugins.loaded_plugins()}
    if "causal_disent_datasets" not in installed:
        pytest.skip("the plugin is not installed here")
    monkeypatch.setenv(plugins.VARIABLE, "")
    plugins.load()
    try:
        with pytest.raises(errors.UnknownName, match="which CAUSAL_DISENT_PLUGINS leaves out"):
            registry.get("datasets", "cars3d")
    finally:
        monkeypatch.undo()
        plugins.load()


def test_a_plugin_that_failed(alone, monkeypatch):
    failed = plugins.LoadedPlugin("causal_disent_datasets", "0.1", "failed", "ImportError: no h5py")
    with monkeypatch.context() as patched:
        patched.setattr(plugins, "_loaded", [*plugins.loaded_plugins(), failed])
        with pytest.raises(errors.UnknownName, match="which failed to load: ImportError: no h5py"):
            registry.get("datasets", "cars3d")
