"""The loader of the original's code, on a small package that is written like it."""

import importlib.util
import sys
from pathlib import Path

import gin
import pytest

ROOT = Path(__file__).resolve().parent.parent

TOY = """
from six.moves import range
import gin.tf


@gin.configurable("bins", blacklist=["target"])
def _bins(target, num_bins=gin.REQUIRED):
  return [target] * num_bins


@gin.configurable("toy")
def compute_toy(data, num_train=gin.REQUIRED, bins_fn=None):
  return {"toy": num_train, "bins": (bins_fn or _bins)(data)}
"""


@pytest.fixture
def loader():
    spec = importlib.util.spec_from_file_location("peer_loader", ROOT / "benchmarks" / "_peer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def toy(tmp_path):
    folder = tmp_path / "disentanglement_lib" / "evaluation" / "metrics"
    folder.mkdir(parents=True)
    for parent in (folder, folder.parent, folder.parent.parent):
        (parent / "__init__.py").write_text("")
    (folder / "toy.py").write_text(TOY)
    return tmp_path


def test_functions_take_bindings(loader, toy):
    peer = loader.load_peer(toy, modules=("toy",))
    with peer.bound({"bins.num_bins": 2, "toy.num_train": 5, "toy.bins_fn": "bins"}):
        assert peer.toy("x") == {"toy": 5, "bins": ["x", "x"]}
        assert peer.toy("x", num_train=6)["toy"] == 6
    with pytest.raises(AttributeError, match="The peer has no 'tyo'"):
        peer.tyo  # noqa: B018


def test_everything_else_stays_as_it_was(loader, toy):
    modules, path = dict(sys.modules), list(sys.path)
    loader.load_peer(toy, modules=("toy",))
    assert sys.modules == modules and sys.path == path
    assert sys.modules["gin"] is gin
    with pytest.raises(ValueError):
        gin.query_parameter("toy.num_train")


def test_a_missing_package_is_named(loader, tmp_path):
    with pytest.raises(FileNotFoundError, match="No package disentanglement_lib in"):
        loader.load_peer(tmp_path)
