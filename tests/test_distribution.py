"""What is shipped."""

import configparser
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import causal_disent

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_config(tmp_path):
    source = tmp_path / "source"
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    wanted = ("causal_disent/", "gin_configs/", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
    for name in tracked.split("\0"):
        # A copy, because building writes into the source folder.
        if name.startswith(wanted) and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(tmp_path), str(source)], check=True)
    shipped = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    modules = {str(path.relative_to(source)) for path in (source / "causal_disent").rglob("*.py")}
    configs = {f"causal_disent/{path.relative_to(source)}" for path in (source / "gin_configs").rglob("*.gin")}
    data = {str(path.relative_to(source)) for path in (source / "causal_disent").rglob("*.json")}
    assert modules <= shipped and configs <= shipped and configs and data <= shipped and data


def test_the_core_depends_on_nothing_heavy():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    required = {line.split(">=")[0] for line in setup["options"]["install_requires"].split()}
    allowed = "absl-py gin-config matplotlib networkx numpy pandas pillow pluggy scikit-learn scipy tqdm"
    assert required == set(allowed.split())


def test_the_version_is_one():
    from importlib.metadata import version

    assert causal_disent.__version__ == version("causal-disent")


def test_ci_calls_make_test():
    assert "make test" in (ROOT / ".ci/run").read_text()
