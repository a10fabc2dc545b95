"""Everything that comes with the project passes the common checks."""

import functools
import importlib.util
import re
import tempfile
import types
from pathlib import Path

import pytest
from PIL import Image

from causal_disent import get_dataset
from causal_disent.metrics import fitting
from causal_disent.metrics.concepts import gae_discovery
from causal_disent.registry import Entry, Register, registry
from causal_disent.testing import check_metric, parametrize_checks

ROOT = Path(__file__).parents[2]
QUICK = functools.partial(gae_discovery, steps=30, rounds=2)
#: Arguments that make metrics faster. The settings of disentanglement_lib are tested with the metrics.
FASTER = {
    **dict.fromkeys(("crl_scores", "graph_recovery"), {"discovery": QUICK}),
    "dci": {"estimator_fn": "histogram_boosting"},
    "unified_scores": {"matrix_fns": ("mutual_information_matrix",)},
}


@pytest.fixture(autouse=True)
def faster_trees(monkeypatch):
    for name in ("gradient_boosting", "gradient_boosting_classifier"):
        monkeypatch.setitem(fitting.ESTIMATORS, name, fitting.histogram_boosting)


def built_in(kind):
    return [entry for entry in registry.entries(kind) if entry.owner == "builtin"]


def confounded_candle():
    """Part of candle_mini, with rules."""
    return get_dataset("candle_mini", factors=["object", "color", "light"], confounding="candle_color")


VIEW = Entry("datasets", "confounded_candle", "tests", confounded_candle, "part of candle_mini, with rules")


def folder_of_images():
    """A `FolderDataset` of four images, in a folder that is removed when the tests end."""
    folder = Path(OWN_FOLDER.name)
    for i in range(4):
        Image.new("RGB", (8, 8), (60 * i, 0, 0)).save(folder / f"{i}.png")
    lines = ["file,object,angle", "0.png,cube,1", "1.png,ball,2", "2.png,cube,2", "3.png,ball,1"]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    return get_dataset("folder", path=str(folder))


OWN_FOLDER = tempfile.TemporaryDirectory()
FOLDER = Entry("datasets", "folder_of_images", "tests", folder_of_images, "four images")
WITHOUT_FILES = [entry for entry in built_in("datasets") if entry.name != "folder"]


@parametrize_checks("datasets", [*WITHOUT_FILES, FOLDER, VIEW])
def test_data_sets(check):
    check()


@parametrize_checks("representations", built_in("representations"))
def test_models(check):
    check()


@parametrize_checks("metrics", built_in("metrics"), FASTER)
def test_metrics(check):
    check()


def test_every_built_in_metric_has_a_headline():
    assert [entry.name for entry in built_in("metrics") if "headline" not in entry.facts] == []


def registered_by(module):
    """The only metric that a plugin's module registers."""
    entries = []
    module.register_metrics(Register("metrics", "plugin", entries.append))
    assert len(entries) == 1
    return entries[0]


def test_the_example_plugin():
    path = ROOT / "plugins/example_metric/example_metric.py"
    spec = importlib.util.spec_from_file_location("example_metric", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    outcomes = check_metric(registered_by(module))
    assert {outcome.status for outcome in outcomes} == {"ok"}


def test_the_plugin_of_the_docs():
    source = re.search(
        r"my_plugin/my_plugin.py -->\n```python\n(.*?)```", (ROOT / "docs/write_a_plugin.md").read_text(), re.S
    )[1]
    module = types.ModuleType("my_plugin")
    exec(compile(source, "my_plugin.py", "exec"), module.__dict__)
    check_metric(registered_by(module))
