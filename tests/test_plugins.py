"""Plugins from outside, each in a folder that looks like an installed distribution."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from causal_disent import hookspecs
from causal_disent.metrics.contract import Configurable
from causal_disent.registry import KINDS, declared_in, registry

ROOT = Path(__file__).parents[1]
METRIC = """
from causal_disent.hookspecs import hookimpl

def metric(ground_truth_data, representation_function, random_state, artifact_dir=None, size=1):
    return {{"score": size}}

@hookimpl
def register_metrics(register):
    register({name!r}, metric, summary="for a test")
"""


def test_a_plugin_is_found(site):
    site.add("nice-plugin", METRIC.format(name="nice"))
    plugin = site.plugins()["nice_plugin"]
    assert (plugin["version"], plugin["status"], plugin["reason"]) == ("1.2", "ok", "")
    assert plugin["offers"]["metrics"] == [
        {"name": "nice", "plugin": "nice_plugin", "summary": "for a test", "facts": {}}
    ]


def test_what_a_plugin_prints_at_import_is_no_output_of_a_command(site):
    site.add("loud-plugin", "print('hello')\n" + METRIC.format(name="loud"))
    assert site.plugins()["loud_plugin"]["status"] == "ok"  # which reads the output as JSON


def test_a_broken_plugin_is_reported_and_the_rest_goes_on(site):
    site.add("broken-plugin", "raise ImportError('no such thing')")
    site.add("nice-plugin", METRIC.format(name="nice"))
    plugins = site.plugins()
    assert plugins["broken_plugin"]["status"] == "failed"
    assert plugins["broken_plugin"]["reason"] == "ImportError: no such thing"
    assert plugins["nice_plugin"]["status"] == plugins["builtin"]["status"] == "ok"
    table = site.run("causal_disent.cli.main", "plugins").stdout
    assert "broken_plugin: ImportError: no such thing" in table


def test_asking_for_what_a_broken_plugin_may_offer_says_so(site):
    site.add("broken-plugin", "raise ImportError('no such thing')")
    code = "import causal_disent; causal_disent.get_metric('wonderful')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site.folder), str(ROOT)])},
        capture_output=True,
        text=True,
    )
    assert "BrokenPlugin: Unknown metric 'wonderful'." in done.stderr
    assert "failed to load: broken_plugin 1.2 (ImportError: no such thing)" in done.stderr


def test_a_hook_that_fails_half_way_leaves_nothing(site):
    site.add("half-plugin", METRIC.format(name="half") + "    raise ValueError('late')\n")
    plugin = site.plugins()["half_plugin"]
    assert plugin["status"] == "failed" and plugin["offers"]["metrics"] == []


def test_a_misspelt_hook_is_caught(site):
    site.add("typo-plugin", METRIC.format(name="typo").replace("def register_metrics", "def register_metric"))
    plugin = site.plugins()["typo_plugin"]
    assert plugin["status"] == "failed" and "unknown hook 'register_metric'" in plugin["reason"]


def test_a_wrong_name_or_factory_is_refused(site):
    site.add("wrong-name", METRIC.format(name="not a name"))
    site.add(
        "wrong-thing",
        METRIC.format(name="thing")
        .replace('"thing", metric', '"thing", 3')
        .replace("'thing', metric", "'thing', 3"),
    )
    plugins = site.plugins()
    assert "registers a metric under 'not a name'; a name is letters" in plugins["wrong_name"]["reason"]
    assert "'thing' with 3, which cannot be called" in plugins["wrong_thing"]["reason"]


def test_two_plugins_with_one_metric_name_both_are_named(site):
    for distribution in ("first-plugin", "second-plugin"):
        site.add(distribution, METRIC.format(name="same"))
    plugins = site.plugins()
    reason = "The name 'same' is used by the metric of first_plugin and by the metric of second_plugin."
    assert reason in plugins["first_plugin"]["reason"] and reason in plugins["second_plugin"]["reason"]
    done = site.run("causal_disent.cli.main", "metrics")
    assert "same" not in done.stdout and "uc" in done.stdout
    assert site.plugins(CAUSAL_DISENT_PLUGINS="second_plugin")["second_plugin"]["reason"] == ""


def test_every_name_that_a_plugin_shares_is_told_also_to_configs(site, oracle_folder, tmp_path):
    hooks = """
from causal_disent.hookspecs import hookimpl

@hookimpl
def register_datasets(register):
    register("uc", dict, summary="called as a metric")

@hookimpl
def register_parts(register):
    register("predictor", dict, summary="a second one")
    register("twice", dict, summary="one")
    register("twice", dict, summary="another")
    register("mig_tool", "dict_of:nothing", summary="alone")

@hookimpl
def register_backends(register):
    register("mig", dict, summary="called as a metric, which no config can say")
    register("mig", dict, summary="again")
"""
    site.add("greedy", hooks)
    reason = site.plugins()["greedy"]["reason"]
    out = "Uninstall greedy, or leave it out: CAUSAL_DISENT_PLUGINS names what is loaded."
    both = f"The name 'uc' is used by the data set of greedy and by the metric of builtin. {out}"
    for told in (
        both,
        f"The name 'predictor' is used by the part of builtin and by the part of greedy. {out}",
        "The name 'twice' is used by the part of greedy and by the part of greedy. greedy must give one of them "
        "another name.",
        "The name 'mig' is used by the backend of greedy and by the backend of greedy.",
    ):
        assert told in reason
    assert both in site.plugins()["builtin"]["reason"]
    # What no config can say takes nothing from configs.
    assert "\nmig " in site.run("causal_disent.cli.main", "metrics").stdout
    run = [
        "causal_disent.cli.dlib",
        "dlib_evaluate",
        f"--input_dir={oracle_folder()}",
        f"--output_dir={tmp_path / 'out'}",
    ]
    done = site.run(*run, "--gin_config=metrics/uc.gin")
    assert done.returncode == 2 and both in done.stderr and "Unknown name" not in done.stderr


def test_a_target_that_cannot_be_called_is_named(site):
    source = METRIC.format(name="nice").replace("metric, summary", "'nice_plugin:NUMBER', summary")
    site.add("nice-plugin", source + "\nNUMBER = 3\n")
    done = site.run("causal_disent.cli.main", "metrics", "nice")
    assert done.returncode == 2 and "TypeError: nice_plugin:NUMBER is 3, which cannot be called." in done.stderr


def test_two_distributions_with_one_plugin_name(site):
    site.add("first-plugin", METRIC.format(name="one"), point="twin")
    site.add("second-plugin", METRIC.format(name="two"), point="twin")
    plugin = site.plugins()["twin"]
    assert plugin["status"] == "failed"
    assert "'twin' is used by first-plugin 1.2 and by second-plugin 1.2" in plugin["reason"]


def test_the_variable_chooses(site):
    site.add("first-plugin", METRIC.format(name="one"))
    site.add("second-plugin", METRIC.format(name="two"))
    assert "first_plugin" in site.plugins() and "second_plugin" in site.plugins()
    assert set(site.plugins(CAUSAL_DISENT_PLUGINS="second_plugin")) == {"builtin", "second_plugin"}
    assert set(site.plugins(CAUSAL_DISENT_PLUGINS="")) == {"builtin"}
    done = site.run("causal_disent.cli.main", "plugins", CAUSAL_DISENT_PLUGINS="secnd_plugin")
    assert done.returncode == 2
    assert "Unknown plugin in CAUSAL_DISENT_PLUGINS 'secnd_plugin'. Did you mean 'second_plugin'?" in done.stderr


@pytest.mark.slow
def test_the_example_runs_after_one_pip_install(tmp_path, oracle_folder):
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    source = tmp_path / "source"
    source.mkdir()
    for name in ("setup.cfg", "pyproject.toml", "example_metric.py", "README.md"):
        (source / name).write_bytes((ROOT / "plugins/example_metric" / name).read_bytes())
    subprocess.run([*install, "--target", str(target), str(source)], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "causal_disent.cli.dlib", "dlib_evaluate", "--input_dir", str(oracle_folder()),
         "--output_dir", str(tmp_path / "out"), "--gin_bindings", "evaluation.evaluation_fn = @explained_variance",
         "--gin_bindings", "evaluation.random_seed = 0", "--gin_bindings", "explained_variance.num_train = 200"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "explained_variance 1.0000" in done.stdout
    scores = json.loads((tmp_path / "out/results/json/evaluation_results.json").read_text())
    assert scores["explained_variance"] == pytest.approx(1)


def test_every_kind_has_a_hook_with_one_sentence():
    for kind in KINDS:
        hook = getattr(hookspecs, f"register_{kind}")
        assert hook.__doc__.count("\n") == 0


def test_every_function_of_metrics_that_configs_bind_is_registered():
    declared = declared_in("causal_disent.metrics", without=("boosting", "trees"))
    parts = [function for function in declared if isinstance(function.declaration, Configurable)]
    assert len(parts) > 10
    for function in parts:
        assert registry.get("parts", function.declaration.name).load() is function


def test_every_hook_is_documented():
    text = (ROOT / "docs/write_a_plugin.md").read_text()
    for kind in KINDS:
        assert f"register_{kind}" in text
