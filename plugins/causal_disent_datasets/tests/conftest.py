"""What several tests share."""

import sys
from pathlib import Path

import pytest

# The tests run in a checkout, whether or not the plugin is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An empty root folder; unpacked files that cannot go there go to a cache folder of the test."""
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(tmp_path / "root"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "root").mkdir()
    return tmp_path / "root"
