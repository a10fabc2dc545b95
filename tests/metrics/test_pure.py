"""A metric of arrays is arithmetic: no gin, no registry and no plugin is loaded, and few functions are called."""

import json
import subprocess
import sys

import numpy as np
import pytest

from causal_disent.metrics import mig
from causal_disent.registry import registry

OUTER = ("gin", "pluggy", *(f"causal_disent.{part}" for part in ("registry", "config", "plugins", "adapter")))
METRICS = [
    entry
    for entry in registry.entries("metrics")
    if entry.owner == "builtin" and entry.facts["needs"].arrays_suffice
]
#: Prints, for each metric, what its call has loaded of the layers outside.
SCRIPT = """
import json, sys, warnings
import numpy as np
import causal_disent.metrics as metrics
warnings.simplefilter("ignore")
factors = np.random.RandomState(0).randint(3, size=(120, 2))
codes = factors + 0.1 * np.random.RandomState(1).randn(120, 2)
loaded, found = set(), {}
for name, options in json.loads(sys.argv[1]).items():
    getattr(metrics, name)(codes, factors, **options)
    found[name] = sorted({module for module in sys.modules if module in OUTER} - loaded)
    loaded.update(found[name])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def loaded_by():
    fast = {"estimator": "histogram_boosting", "matrices": ["mutual_information_matrix"]}
    options = {
        entry.name: {key: fast[key] for key in entry.facts["fast"] or () if key in fast} for entry in METRICS
    }
    script = f"OUTER = {OUTER!r}\n{SCRIPT}"
    command = [sys.executable, "-c", script, json.dumps(options)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("name", [entry.name for entry in METRICS])
def test_a_metric_loads_no_outer_layer(name, loaded_by):
    assert loaded_by[name] == []


def test_an_outer_layer_would_be_seen():
    script = f"import causal_disent.config, sys\nassert set({OUTER!r}) & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_one_metric_makes_few_calls():
    factors = np.random.RandomState(0).randint(4, size=(500, 3))
    codes = factors + 0.3 * np.random.RandomState(1).randn(500, 3)
    calls = []

    def note(frame, event, _):
        if event == "call" and "causal_disent" in frame.f_globals.get("__name__", ""):
            calls.append(frame.f_code.co_qualname)

    mig(codes, factors)
    sys.setprofile(note)
    try:
        mig(codes, factors)
    finally:
        sys.setprofile(None)
    assert len(calls) <= 60, calls
