"""What a person sees: no character steers the terminal, no name forges a line."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.report.table import markdown_table, text_table
from causal_disent.text import Shown, complain, printable, say, say_json, shown

HOSTILE = "\x1b[2J\x1b]0;title\x07\r\x08\x7f\x9b31m\u202e\u2028\ud800\nmig: 1.0000"


class Unspeakable:
    def __str__(self):
        raise SystemExit(0)


def is_harmless(text):
    return all(character.isprintable() or character == "\n" for character in text)


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text):
    assert is_harmless(printable(text)) and printable(text).count("\n") == text.count("\n")
    assert shown(text, most=50).isprintable()
    if text.isprintable():
        assert printable(text) == text


@given(st.text(), st.integers(1, 20))
def test_names_are_cut(text, most):
    cut = shown(text, most)
    assert cut == shown(text) if len(text) <= most else cut.endswith("...")
    # A character takes at most ten when it is escaped.
    assert len(cut) <= 10 * most + 3


def test_control_characters_are_shown():
    assert shown(HOSTILE) == (r"\x1b[2J\x1b]0;title\x07\r\x08\x7f\x9b31m\u202e\u2028\ud800\nmig: 1.0000")
    assert printable("R² of β") == "R² of β"


def test_what_cannot_be_shown_is_named():
    assert shown(Unspeakable()) == "(Unspeakable, which cannot be shown)"


def test_say(capsys):
    say(f"a {HOSTILE}")
    say("b\x1b", error=True)
    printed = capsys.readouterr()
    assert is_harmless(printed.out) and printed.out.startswith(r"a \x1b[2J") and printed.err == "b\\x1b\n"


def test_a_complaint_cannot_forge_a_line(capsys):
    complain("error", f"There is no file {HOSTILE}.")
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(r"error: There is no file \x1b[2J") and second == "  mig: 1.0000."


def test_json_stays_json(capsys):
    say_json({"name": HOSTILE})
    text = capsys.readouterr().out
    assert is_harmless(text) and json.loads(text) == {"name": HOSTILE}


@pytest.mark.parametrize("table", [text_table, markdown_table])
def test_cells_are_one_line_and_harmless(table):
    text = table(["name", "score"], [[HOSTILE, 1.0], ["good", 0.5]])
    assert is_harmless(text) and len(text.splitlines()) == 4 and r"\nmig: 1.0000" in text


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_table_fits(width):
    rows = [["a_name", "many words in a cell " * 10, "x" * 90], ["b", "", "two words"]]
    text = text_table(["name", "what it does in words", "path"], rows, width)
    assert max(map(len, text.splitlines())) <= width
    assert text.replace("\n", " ").count("words") == 12 and text.count("x") == 90
    assert text_table(["name"], [["a_name"]], width) == "name\n------\na_name"


def test_errors_show_names_harmlessly():
    assert is_harmless(errors.listing([HOSTILE]))
    for error in (
        errors.unknown("metric", HOSTILE, [HOSTILE[1:]]),
        errors.unknown_parameter(HOSTILE, HOSTILE, [HOSTILE]),
        errors.unknown("metric", "a" * 10_000, ["b" * 10_000]),
    ):
        assert error.message.isprintable() and len(error.message) < 1000


def test_an_error_whose_text_fails_is_described():
    class Mute(Exception):
        def __str__(self):
            raise KeyboardInterrupt

    assert errors.described(Mute()) == "Mute: its text cannot be shown"
    assert errors.described(ValueError(HOSTILE)).isprintable()


def test_a_repr_names_the_class_and_its_facts():
    class Thing(Shown):
        def _shows(self):
            return ["3 codes", "with a decoder"]

    assert repr(Thing()) == str(Thing()) == "Thing(3 codes; with a decoder)"


ROOT = Path(__file__).parents[1]
#: What prints by itself: the one place that may, pages that are made for files, and what Blender runs.
PRINTING = ("causal_disent/text.py", "causal_disent/report/metric_docs.py", "/in_blender/", "/shipped/", "/tests/")
SOURCES = [*(ROOT / "causal_disent").rglob("*.py"), *ROOT.glob("plugins/causal_disent_*/**/*.py")]


def prints(source):
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(isinstance(function, ast.Name) and function.id == "print" for function in calls)


def test_everything_is_printed_through_one_function():
    assert prints("if True:\n    print('a')") and not prints("say('a')  # print")
    others = [path for path in SOURCES if not any(part in path.as_posix() for part in PRINTING)]
    assert len(others) > 200 and [path for path in others if prints(path.read_text())] == []
