"""What is shipped."""

import configparser
import re
import subprocess
import sys
import zipfile
from importlib.metadata import version
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
    kinds = ("*.json", "*.html", "*.css", "*.js")
    data = {str(path.relative_to(source)) for kind in kinds for path in (source / "causal_disent").rglob(kind)}
    assert modules <= shipped and configs <= shipped and configs and data <= shipped and data
    assert "causal_disent/py.typed" in shipped


def test_the_core_depends_on_nothing_heavy():
    required = {line.split(">=")[0] for line in setup_of(ROOT)["options"]["install_requires"].split()}
    allowed = (
        "absl-py gin-config matplotlib networkx numpy pandas pillow pluggy safetensors scikit-learn scipy tqdm"
    )
    assert required == set(allowed.split())


def test_the_version_is_one():
    assert causal_disent.__version__ == version("causal-disent")
    assert f"\nversion: {causal_disent.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {causal_disent.__version__} " in (ROOT / "CHANGELOG.md").read_text()


def setup_of(folder):
    setup = configparser.ConfigParser()
    setup.read(folder / "setup.cfg")
    return setup


PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/setup.cfg"))


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_plugins_require_a_core_that_matches(plugin):
    setup = setup_of(plugin)
    major, minor = map(int, causal_disent.__version__.split(".")[:2])
    matching = f">={major}.{minor},<{major}.{minor + 1}"
    ours = [line for line in setup["options"]["install_requires"].split() if line.startswith("causal-disent")]
    assert setup["metadata"]["version"] == causal_disent.__version__
    assert f"causal-disent{matching}" in ours and all(line.endswith(matching) for line in ours), ours
    assert setup["options"]["python_requires"] == setup_of(ROOT)["options"]["python_requires"]


@pytest.mark.parametrize(
    "package",
    [ROOT / "causal_disent", *(plugin / plugin.name for plugin in PLUGINS if plugin.name.startswith("causal"))],
    ids=lambda path: path.name,
)
def test_types_are_shipped(package):
    shipped = setup_of(package.parent)["options.package_data"][package.name].split()
    assert (package / "py.typed").is_file() and "py.typed" in shipped


def test_only_versions_of_python_that_are_required_are_claimed():
    metadata, options = setup_of(ROOT)["metadata"], setup_of(ROOT)["options"]
    claimed = re.findall(r"Python :: (3\.\d+)", metadata["classifiers"])
    assert options["python_requires"] == f">={claimed[0]}"
    assert f"Python {claimed[0]}+" in (ROOT / "README.md").read_text()


def test_ci_calls_make_test():
    assert "make test" in (ROOT / ".ci/run").read_text()
