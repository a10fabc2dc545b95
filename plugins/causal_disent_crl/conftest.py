"""What several tests share, and what pytest must not import in its search for doctests."""

import os
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

import pytest

# The tests run in a checkout, whether or not the plugins are installed.
for plugin in ("causal_disent_crl", "causal_disent_candle", "causal_disent_datasets", "causal_disent_torch"):
    sys.path.insert(0, str(Path(__file__).parents[1] / plugin))

# These run in processes of their own, the first inside Blender.
collect_ignore_glob = ["causal_disent_crl/shadow/picture_in_blender.py", "tests/fake_*.py"]
if find_spec("torch") is None:  # which the data sets do without
    collect_ignore_glob += ["causal_disent_crl/models/*.py", "tests/small_models.py"]

#: Names a folder with ``data/causalvae_samples.tar.gz``: 120 published images of Pendulum and as many of Flow.
SHARED = "CAUSAL_DISENT_SHARED"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """The user's cache folder: drawn images are kept there for the other tests."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture
def samples():
    """A few of the published images, in the published layout."""
    return Path(__file__).parent / "tests" / "samples"


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    """The unpacked archive of published images."""
    path = Path(os.environ.get(SHARED) or "") / "data/causalvae_samples.tar.gz"
    if not os.environ.get(SHARED) or not path.is_file():
        pytest.skip(f"{SHARED} names no folder with data/causalvae_samples.tar.gz: 240 images are not compared")
    folder = tmp_path_factory.mktemp("archive")
    with tarfile.open(path) as file:
        file.extractall(folder, filter="data")
    return folder
