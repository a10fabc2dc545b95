"""The architecture: what may import what, and what must stay out of a plain import."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import causal_disent

PACKAGE = Path(causal_disent.__file__).parent
#: Left to right; a module imports only from its own place and from those to its left.
ORDER = [
    ("_version", "text", "errors", "progress", "protocols"),
    ("checks", "files", "processes"),
    ("tables", "figures"),
    ("data",),
    ("graphs",),
    ("representation",),
    ("metrics",),
    ("registry",),
    ("adapter",),
    ("hookspecs", "plugins", "builtin"),
    ("config",),
    ("compat",),
    ("training",),
    ("report", "runs"),
    ("api",),
    ("monitor",),
    ("integrations",),
    ("testing",),
    ("cli",),
    ("__init__",),
]
HEAVY = ("torch", "tensorflow", "ray", "bpy")
MODULES = sorted(PACKAGE.rglob("*.py"))
#: Every other distribution of this repository: a package, or a module alone.
PLUGINS = sorted(
    {path.parent for path in (PACKAGE.parent / "plugins").glob("*/*/__init__.py")}
    | {path for path in (PACKAGE.parent / "plugins").glob("*/*.py") if path.name != "conftest.py"}
)


def imports(source):
    """What is imported when it runs; what is imported for types alone is not."""
    nodes = [ast.parse(source)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            nodes.extend(ast.iter_child_nodes(node))


def modules_of(package):
    """The modules of a distribution."""
    return sorted(package.rglob("*.py")) if package.is_dir() else [package]


def dotted(path, package):
    """What comes after the package in the name of a module; the name itself of a module alone."""
    return ".".join(path.with_suffix("").relative_to(package.with_suffix("")).parts) or path.stem


def wrong_imports(name, source):
    rank = {part: number for number, parts in enumerate(ORDER) for part in parts}
    for imported in imports(source):
        outer, _, inner = imported.partition(".")
        if outer == PACKAGE.name and rank.get(inner.split(".")[0], 0) > rank[name.split(".")[0]]:
            yield imported


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(path):
    name = dotted(path, PACKAGE)
    assert any(name.split(".")[0] in parts for parts in ORDER), f"give {name} a place"
    assert list(wrong_imports(name, path.read_text())) == []


def test_an_import_to_the_right_is_found():
    assert list(wrong_imports("metrics.mig", "from causal_disent.cli import main"))
    assert not list(wrong_imports("cli.main", "from causal_disent.metrics.mig import mig"))


#: What metrics import of ours besides each other: they are arithmetic, and know no registry and no config.
INSIDE = {"checks", "errors", "progress", "processes", "protocols", "tables", "text"}
#: The files of metrics that draw points of data sets, work on them, or compare graphs.
DRAWING = {"draw", "cg", "concepts", "counterfactual", "crl", "discovery", "fixed_factor", "contract"}


@pytest.mark.parametrize("path", sorted((PACKAGE / "metrics").glob("*.py")), ids=lambda path: path.stem)
def test_metrics_are_arithmetic(path):
    parts = [name.split(".") for name in imports(path.read_text()) if name.startswith("causal_disent.")]
    allowed = INSIDE | {"metrics"} | ({"data", "graphs", "representation"} if path.stem in DRAWING else set())
    assert {part[1] for part in parts} <= allowed


def uses(package):
    """Module -> the modules of its package that it imports; ``__init__``, which re-exports, is left out."""
    names = {dotted(path, package): path for path in modules_of(package) if path.name != "__init__.py"}
    found = {}
    for own, path in names.items():
        inside = [
            name.partition(".")[2] for name in imports(path.read_text()) if name.startswith(f"{package.stem}.")
        ]
        modules = {name for one in inside for name in (one, one.rpartition(".")[0])}
        found[own] = {name for name in modules if name in names and name != own}
    return found


@pytest.mark.parametrize("package", [PACKAGE, *PLUGINS], ids=lambda path: path.name)
def test_no_modules_form_a_knot(package):
    assert list(graphlib.TopologicalSorter(uses(package)).static_order())


def test_a_knot_is_found(tmp_path):
    (tmp_path / "knot").mkdir()
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / "knot" / f"{name}.py").write_text(f"from knot.{other} import something")
    with pytest.raises(graphlib.CycleError):
        test_no_modules_form_a_knot(tmp_path / "knot")


def private(source):
    """What a plugin imports of the core that is not for others."""
    own = (name for name in imports(source) if name.partition(".")[0] == "causal_disent")
    return [name for name in own if any(part.startswith("_") for part in name.split("."))]


@pytest.mark.parametrize("package", PLUGINS, ids=lambda path: path.name)
def test_plugins_use_public_names_alone(package):
    assert [name for path in modules_of(package) for name in private(path.read_text())] == []


def test_a_private_name_is_found():
    assert private("from causal_disent.cli._run import run") and private("from causal_disent.config import _know")


def test_every_plugin_is_looked_at():
    folders = {path.relative_to(PACKAGE.parent / "plugins").parts[0] for path in PLUGINS}
    assert folders == {path.parent.name for path in (PACKAGE.parent / "plugins").glob("*/setup.cfg")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_names_a_heavy_package(path):
    assert {name.split(".")[0] for name in imports(path.read_text())}.isdisjoint(HEAVY)


def test_only_config_and_compat_touch_gin():
    users = [path for path in MODULES if any(n.split(".")[0] == "gin" for n in imports(path.read_text()))]
    assert {dotted(path, PACKAGE).partition(".")[0] for path in users} <= {"config", "compat"}


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


NOT_LOADED = {*HEAVY, "sklearn", "scipy", "pandas", "networkx", "matplotlib", "altair", "jinja2"}


def test_a_plain_import_is_light():
    assert loaded_after("import causal_disent").isdisjoint(NOT_LOADED)


def test_the_light_import_test_can_fail():
    assert not loaded_after("import causal_disent, scipy").isdisjoint(NOT_LOADED)


def after_command(*arguments):
    """The statements that run ``causal-disent`` with these arguments."""
    return f"from causal_disent.cli.main import main\nassert main({list(map(str, arguments))}) == 0"


@pytest.mark.parametrize("arguments", [("datasets", "graph", "candle_mini"), ("metrics",)])
def test_a_command_that_draws_nothing_does_not_load_matplotlib(arguments):
    assert "matplotlib" not in loaded_after(after_command(*arguments))


def test_a_drawing_loads_matplotlib_without_pyplot(tmp_path):
    path = tmp_path / "graph.svg"
    drawing = after_command("datasets", "graph", "candle_mini", "--output", path)
    assert "matplotlib" in loaded_after(f"{drawing}\nimport sys\nassert 'matplotlib.pyplot' not in sys.modules")
    assert path.exists()
