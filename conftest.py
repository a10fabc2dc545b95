"""What the tests of the core and of all plugins share: none asserts a time, since a machine may be busy."""

import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

with suppress(ImportError):  # an environment for one framework alone may be without it
    from hypothesis import HealthCheck, settings

    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")
if find_spec("tensorflow") is None:
    os.environ.setdefault("KERAS_BACKEND", "torch")  # Keras looks for TensorFlow otherwise

#: Adapters for packages that are not installed; each module is called after its package.
collect_ignore = [
    str(path)
    for path in (Path(__file__).parent / "causal_disent/integrations").glob("*.py")
    if path.stem != "__init__" and find_spec(path.stem) is None
]
#: Modules whose examples need a package of an extra.
for module, package in (("graphs/distances.py", "gadjid"), ("metrics/discovery.py", "castle")):
    if find_spec(package) is None:
        collect_ignore.append(str(Path(__file__).parent / "causal_disent" / module))


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty root folder of data sets; what cannot be kept there goes to a cache folder of the test."""
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(tmp_path / "root"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "root").mkdir()
    return tmp_path / "root"
