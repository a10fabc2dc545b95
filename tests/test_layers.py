"""The architecture: what may import what, and what must stay out of a plain import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import causal_disent

PACKAGE = Path(causal_disent.__file__).parent
#: Left to right; a module imports only from its own place and from those to its left.
ORDER = [
    ("_version", "text", "errors", "progress", "protocols"),
    ("files", "arguments", "isolation", "table_files", "tables"),
    ("entries", "figures"),
    ("registry",),
    ("data",),
    ("graphs",),
    ("representation",),
    ("metrics",),
    ("hookspecs", "first_party", "plugins", "builtin"),
    ("config_files", "config"),
    ("compat",),
    ("runs",),
    ("report",),
    ("api",),
    ("testing",),
    ("cli",),
    ("__init__",),
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
HEAVY = ("torch", "tensorflow", "ray", "bpy")
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def top_level(path):
    """The top-level part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def part(module):
    """The top-level part of a dotted name inside the package."""
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def wrong_imports(name, source):
    own = RANK[name]
    for imported in imports(source):
        if imported.startswith("causal_disent.") and part(imported) in RANK and RANK[part(imported)] > own:
            yield imported


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_left(path):
    name = top_level(path)
    assert name in RANK, f"give {name} a place in ORDER"
    assert list(wrong_imports(name, path.read_text())) == []


def test_an_import_to_the_right_is_found():
    assert list(wrong_imports("metrics", "from causal_disent.cli import main"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_names_a_heavy_package(path):
    assert {name.split(".")[0] for name in imports(path.read_text())}.isdisjoint(HEAVY)


def test_only_config_and_compat_touch_gin():
    users = [path for path in MODULES if any(n.split(".")[0] == "gin" for n in imports(path.read_text()))]
    assert {top_level(path) for path in users} <= {"config", "compat"}


def loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


NOT_LOADED = {*HEAVY, "sklearn", "scipy", "pandas", "networkx", "matplotlib"}


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
