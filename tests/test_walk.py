"""Who follows a run from file to file never has to turn back."""

import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

WALK = runpy.run_path(str(Path(__file__).parents[1] / "docs/walk.py"))


@pytest.mark.slow
@pytest.mark.parametrize("command", WALK["COMMANDS"])
def test_no_two_files_call_each_other(command):
    if command == "dlib_train" and find_spec("causal_disent_torch") is None:
        pytest.skip("training needs a backend")
    calls = WALK["walk"](command)
    assert len(calls) > 30 and WALK["crossed"](calls) == []


def test_two_files_that_call_each_other_are_found():
    assert WALK["crossed"]({("a.py", "b.py"): "f", ("b.py", "c.py"): "g", ("b.py", "a.py"): "h"}) == [
        ("a.py", "b.py")
    ]
