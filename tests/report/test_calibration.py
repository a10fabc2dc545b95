import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from causal_disent.registry import registry
from causal_disent.report.calibration import MARK, _shades, calibration_text, update_page, write_calibration
from causal_disent.runs.calibrate import CASES, Row, Sure

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "calibration.md").read_text()
CASES_HERE = CASES[:3]
ROWS = [
    Row("irs", "IRS", (1.0, 0.5, "It needs a decoder.\nMore.")),
    Row("irs", "other", (0.25, "It needs a decoder.", "Another reason.")),
    Row("tc", "TC", (0.0, 2.0, float("inf")), lower_is_better=True),
]
UNSURE = Row("uc", "UC", (1.0, 0.5), sure=(Sure(0.9, 1.0, 0.4, 0.0), Sure(0.1, 0.9, 0.45, 0.3, True)))


def test_missing_scores_are_explained_once():
    text = calibration_text(ROWS, CASES_HERE)
    assert "[1] irs: It needs a decoder.\n[2] irs: Another reason." in text
    assert "More" not in text and text.count("needs a decoder") == 1
    assert "TC (lower is better)" in text


def test_long_reasons_are_cut():
    assert calibration_text([Row("a", "b", ("x" * 1000,))], CASES[:1]).endswith("xxx...")


def test_shades_run_from_worst_to_best():
    assert _shades(Row("", "", (0.0, 0.25, 1.0, -3.0))) == [0, 0.25, 1, 0]
    assert _shades(ROWS[2]) == [1, 0, 0]
    np.testing.assert_array_equal(_shades(Row("", "", (0.5, 2.0, "why"))), [0.25, 1, np.nan])
    assert _shades(Row("", "", (0.5, 2.0), range=(0, 1))) == [0.5, 1]


@pytest.fixture
def results(tmp_path):
    write_calibration(tmp_path / "results", ROWS, CASES_HERE, num_train=10, random_seed=1)
    return tmp_path / "results"


def test_files(results):
    assert (results / "calibration.csv").read_text().splitlines()[1] == 'irs,IRS,1.0,0.5,"It needs a decoder.'
    saved = json.loads((results / "calibration.json").read_text())
    assert saved["scores"][2]["cells"] == {"perfect": 0.0, "mixed 0.1": 2.0, "mixed 0.25": "inf"}
    text = (results / "calibration.md").read_text()
    assert "- **perfect**: one code per factor: its value\n" in text
    assert "| `irs` | IRS | 1.000 | 0.500 | [1] |" in text
    assert "- [1] irs: It needs a decoder.\n" in text


def test_how_sure_scores_are(tmp_path):
    text = calibration_text([UNSURE], CASES[:2])
    assert "1.000 " in text and "0.500*" in text and "\n* within its chance level" in text
    assert "within" not in calibration_text(ROWS, CASES_HERE)
    write_calibration(tmp_path, [UNSURE], CASES[:2], num_train=10, random_seed=1)
    assert "| `uc` | UC | 0.90 to 1.00; 0.40 | 0.10 to 0.90; 0.45* |" in (tmp_path / "calibration.md").read_text()
    saved = json.loads((tmp_path / "calibration.json").read_text())["scores"][0]["sure"]
    assert saved["mixed 0.1"] == {
        "low": 0.1,
        "high": 0.9,
        "chance": 0.45,
        "chance_share": 0.3,
        "within_chance": True,
    }


def test_the_page_keeps_what_is_written_by_hand(results, tmp_path):
    page = tmp_path / "docs" / "calibration.md"
    page.parent.mkdir()
    page.write_text(f"# By hand\n\n{MARK}\n\nold\n")
    update_page(results, page.parent)
    text = page.read_text()
    assert text.startswith(f"# By hand\n\n{MARK}\n\n- **perfect**") and "old" not in text
    assert Image.open(page.parent / "images" / "calibration.png").width > 300


def documented():
    """(metric, score) -> case -> what the page's table shows."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.splitlines()]
    head = next(line for line in lines if line[0] == "metric")
    rows = (line for line in lines if line[0].startswith("`") and len(line) == len(head))
    found = {}
    for row in rows:  # a second table says how sure they are
        found.setdefault((row[0].strip("`"), row[1].split()[0]), dict(zip(head, row, strict=True)))
    return found


def quoted():
    """(case, name of a metric or of its score, number) wherever the text by hand quotes the table."""
    by_hand = PAGE.split(MARK)[0]
    for case, text in re.findall(r"^- \*\*(.*?)\*\*:(.*?)(?=^- |^$)", by_hand, flags=re.M | re.S):
        for name, number in re.findall(r"`(\w+)`\s+(-?\d\.\d+)", text):
            yield case, name, number


def test_the_page_covers_every_metric_and_case():
    table = documented()
    built_in = {
        entry.name
        for entry in registry.entries("metrics")
        if entry.owner == "builtin" and not entry.facts["needs"].causal
    }
    assert {metric for metric, _ in table} >= built_in, "run the two commands that docs/calibration.md names"
    assert all({case.name for case in CASES} <= set(row) for row in table.values())


def test_the_numbers_in_the_text_are_those_of_the_table():
    table = documented()
    assert len({case for case, _, _ in quoted()}) >= 6
    for case, name, number in quoted():
        # A metric's own name stands for its first score.
        found = [row[case] for (metric, score), row in table.items() if name in (metric, score)][0]
        assert float(found) == pytest.approx(float(number), abs=0.0051), (case, name, number)


def test_the_picture_of_the_page_is_small():
    assert (DOCS / "images" / "calibration.png").stat().st_size < 200_000
