"""What all tests share."""

import sys
from importlib.util import find_spec
from pathlib import Path

import gin
import pytest

# The tests run in a checkout, whether or not the plugins are installed.
for plugin in ("disentanglement_lib", "causal_disent_datasets"):
    sys.path.insert(0, str(Path(__file__).parents[1] / plugin))

collect_ignore_glob = ["disentanglement_lib/__main__.py"]
if find_spec("tensorflow") is None:
    collect_ignore_glob.append("tests/test_tensorflow.py")


@pytest.fixture(autouse=True)
def cleared():
    """Bindings of one test are not those of another."""
    yield
    gin.clear_config()
