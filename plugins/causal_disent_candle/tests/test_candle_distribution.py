"""What is shipped."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_wheel_holds_every_file(tmp_path):
    # A copy, because building writes into the source folder.
    source = shutil.copytree(
        PLUGIN, tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(source)], check=True)
    shipped = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    package = source / "causal_disent_candle"
    files = {str(path.relative_to(source)) for path in package.rglob("*") if path.is_file()}
    assert files <= shipped and any(name.endswith("/scenes.py") for name in files)
