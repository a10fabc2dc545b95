"""``causal-disent check``."""

import json

import pytest

from causal_disent.cli.main import main
from causal_disent.plugins import LoadedPlugin, loaded_plugins
from causal_disent.registry import Entry, registry


def run(capsys, *arguments):
    code = main([*arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def registered(request):
    """A function that registers an entry for one test."""

    def register(kind, name, factory, **details):
        entry = Entry(kind, name, "tests", factory, "a summary", details)
        request.addfinalizer(registry.replace(entry))

    return register


def silent(ground_truth_data, representation_function, random_state, artifact_dir=None):
    """Returns no score."""
    return {}


def test_a_line_for_each_check(capsys):
    code, out, _ = run(capsys, "check", "uc")
    title, *lines = out.splitlines()
    assert code == 0
    assert title == "metric uc, of the plugin builtin"
    assert len(lines) == 18 and all(line.startswith("ok       ") for line in lines)
    assert "ok       perfect_beats_noise" in lines


def test_a_failed_check_has_its_reason(capsys, registered):
    registered("metrics", "silent", silent, assumes="nothing")
    code, out, _ = run(capsys, "check", "silent")
    assert code == 1
    reason = "a metric returns at least one score; it returned an empty dict."
    assert f"failed   scores_are_plain_and_finite: {reason}" in out
    assert "skipped  invariances_hold: no invariances are declared" in out


def test_debug_shows_the_traceback(capsys, registered):
    registered("metrics", "silent", silent, assumes="nothing")
    assert "Traceback" not in run(capsys, "check", "silent")[2]
    assert "Traceback" in run(capsys, "--debug", "check", "silent")[2]


def test_json(capsys):
    code, out, _ = run(capsys, "check", "--json", "identity_data")
    results = {result["check"]: result for result in json.loads(out)}
    assert code == 0
    assert results["factors_within_range"] == {
        "kind": "datasets",
        "check": "factors_within_range",
        "status": "skipped",
        "reason": "known failure: they are 1 to 10, as in disentanglement_lib",
    }


def test_unknown_names(capsys):
    code, out, err = run(capsys, "check", "perfect_orakel")
    assert code == 2 and not out
    assert err.startswith(
        "error: Unknown metric, data set or model 'perfect_orakel'. Did you mean 'perfect_oracle'? There are: "
    )


def test_the_plugin_that_failed_is_named(capsys, monkeypatch):
    mine = LoadedPlugin("mine", "1.2", "failed", "ImportError: no such thing")
    monkeypatch.setattr("causal_disent.plugins._loaded", [*loaded_plugins(), mine])
    code, _, err = run(capsys, "check", "my_metric")
    assert code == 2 and "failed to load: mine 1.2 (ImportError: no such thing)." in err
