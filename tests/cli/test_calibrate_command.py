import csv
import json

import pytest
from PIL import Image

from causal_disent.cli.main import main
from causal_disent.runs.calibrate import CASES


@pytest.mark.slow
def test_the_table_is_printed_and_saved(capsys, tmp_path):
    folder = tmp_path / "results"
    code = main(["calibrate", "--metrics", "irs", "uc", "--num_train", "300", "--output", str(folder)])
    out = capsys.readouterr().out
    assert code == 0
    assert all(case.name in out for case in CASES)
    assert {path.name for path in folder.iterdir()} == {
        f"calibration.{end}" for end in ("csv", "json", "md", "png")
    }
    rows = {row["score"]: row for row in csv.DictReader((folder / "calibration.csv").open())}
    assert float(rows["IRS"]["confounded"]) >= 0.999 and float(rows["UC"]["confounded"]) == 0
    saved = json.loads((folder / "calibration.json").read_text())
    assert saved["num_train"] == 300 and saved["random_seed"] == 0
    assert saved["scores"][0]["cells"]["perfect"] == pytest.approx(float(rows["IRS"]["perfect"]))
    assert "| `irs` | IRS | 1.000 |" in (folder / "calibration.md").read_text()
    assert Image.open(folder / "calibration.png").width > 1000


def test_a_metric_that_does_not_exist(capsys, tmp_path):
    assert main(["calibrate", "--metrics", "irs", "mgi", "--output", str(tmp_path / "x")]) == 2
    assert "Unknown metric 'mgi'. Did you mean 'mig'?" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_too_few_points(capsys, tmp_path):
    assert main(["calibrate", "--num_train", "1", "--output", str(tmp_path / "x")]) == 2
    assert "`num_train` must be at least 2; given: 1" in capsys.readouterr().err


def test_a_seed_that_numpy_does_not_take(tmp_path, capsys):
    assert main(["calibrate", "--seed", "-1", "--output", str(tmp_path / "out")]) == 2
    assert "--seed must be a whole number from 0 to 2**32 - 1; given: -1" in capsys.readouterr().err
