"""What the tests of the core and of all plugins share: none asserts a time, since a machine may be busy."""

from contextlib import suppress

import pytest

with suppress(ImportError):  # an environment for one framework alone may be without it
    from hypothesis import HealthCheck, settings

    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty root folder of data sets; what cannot be kept there goes to a cache folder of the test."""
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(tmp_path / "root"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "root").mkdir()
    return tmp_path / "root"
