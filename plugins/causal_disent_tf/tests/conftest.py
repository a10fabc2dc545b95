"""What several tests share. Those that run TensorFlow are skipped where it is not installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# The tests run in a checkout, whether or not the plugin is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

#: Scripts, which import TensorFlow.
collect_ignore = ["write_tf1_folders.py", "tf_side.py"]


@pytest.fixture(scope="session")
def tf():
    """TensorFlow; what asks for it is skipped without it."""
    return pytest.importorskip("tensorflow")


@pytest.fixture(scope="session")
def tf1_folders(tf, tmp_path_factory):
    """Folders that TensorFlow's v1 API wrote, in a process of its own because it changes how TensorFlow runs."""
    target = tmp_path_factory.mktemp("tf1")
    script = Path(__file__).with_name("write_tf1_folders.py")
    subprocess.run([sys.executable, str(script), str(target)], check=True, capture_output=True)
    return target
