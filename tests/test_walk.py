"""Who follows a run from file to file never has to turn back."""

import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = str(ROOT / "docs/walk.py")
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text()
WALK = runpy.run_path(SCRIPT)


@pytest.mark.slow
@pytest.mark.parametrize("command", WALK["COMMANDS"])
def test_no_two_files_call_each_other(command):
    if command == "dlib_train" and find_spec("causal_disent_torch") is None:
        pytest.skip("training needs a backend")
    # In a process of its own, as the page on the house has it: there, nothing is imported or loaded yet.
    walked = subprocess.run([sys.executable, SCRIPT, command], capture_output=True, text=True, check=False)
    assert walked.returncode == 0 and "crossed" not in walked.stdout, walked.stdout + walked.stderr
    assert len(walked.stdout.splitlines()) > 30
    told = ARCHITECTURE.partition(f"\n`{command}`\n")[2].partition("\n\n`")[0].partition("\n\nA study")[0]
    names = [
        name if name.startswith("plugins/") else f"causal_disent/{name}"
        for name in re.findall(r"`([\w/]+\.py)`", told)
    ]
    places = [walked.stdout.find(f" {name}: ") for name in names]
    assert len(places) > 10 and min(places) > 0 and places == sorted(places), (
        "docs/architecture.md tells another way"
    )


def test_every_room_is_on_the_map():
    package = ROOT / "causal_disent"
    rooms = [path.name for path in package.glob("[!_]*.py")]
    rooms += [f"{path.parent.relative_to(package)}/" for path in package.glob("[!_]*/__init__.py")]
    rooms += [f"runs/{path.parent.name}/" for path in package.glob("runs/*/__init__.py")]
    rooms += [path.parent.name for path in ROOT.glob("plugins/*/setup.cfg")]
    named = ARCHITECTURE.partition("## One vocabulary")[0]
    assert [room for room in rooms if f"`{room}`" not in named] == []
    files = re.findall(r"`((?:\w+/)*\w+\.py)`", ARCHITECTURE)
    assert [name for name in files if not (package / name).is_file() and not (ROOT / name).is_file()] == []


def test_two_files_that_call_each_other_are_found():
    assert WALK["crossed"]({("a.py", "b.py"): "f", ("b.py", "c.py"): "g", ("b.py", "a.py"): "h"}) == [
        ("a.py", "b.py")
    ]
