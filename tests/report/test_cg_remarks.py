import json

import numpy as np
import pytest

from causal_disent import get_dataset, get_metric, get_representation
from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.report.remarks import certainty_cells, chance_remarks, remarks

JUDGE = {"classifier": "nearest_image", "classifier_accuracy_factor_hue": 0.97}


def test_no_cg_no_remark():
    assert remarks({"UC": 1.0, "IRS": 0.3}) == []


def test_who_judged_and_how_well():
    (line,) = remarks({"CG": 0.4, **JUDGE, "classifier_accuracy_factor_size": 0.7})
    assert line == (
        "CG is judged by nearest_image; of images that it has not seen it tells: hue 97 %, size 70 % (below 90 %)"
    )
    assert remarks({"CG": 0.4, "classifier": "own"}) == [
        "CG is judged by own, which does not say how accurate it is"
    ]


def test_factors_that_are_not_judged():
    weak = {**JUDGE, "classifier_accuracy_factor_size": 0.3, "not_judged_factors": ["size"]}
    lines = remarks({"CG": 0.4, "CG_judged": 0.5, **weak})
    assert lines[0].endswith("size 30 % (hardly above chance: not judged)")
    assert lines[1] == "CG over the factors that are judged: CG 0.500"
    assert remarks({"CG": 0.4, **weak})[1].endswith("no factor is judged")


def test_each_metric_and_each_rho_has_its_own():
    scores = {f"cg:{key}": value for key, value in JUDGE.items()} | {
        "cg:dead_codes": [1, 4],
        "cg:rho=1:CG": 0.1,
        "cg:rho=1:factors_of_dead_codes": ["hue"],
        "cg:rho=2:CG": 0.2,
        "uc:UC": 1.0,
    }
    assert remarks(scores)[1:] == [
        "dead codes, which change nothing that one sees: 1, 4",
        "rho=1:factors that are attributed to dead codes alone, which cannot control them: hue",
    ]


@pytest.mark.parametrize(
    ("oracle", "verdict"), [("perfect_oracle", "better than chance;"), ("noise_oracle", "within chance (")]
)
def test_noise_is_not_taken_for_success(oracle, verdict):
    data = get_dataset("candle_mini", factors=["object", "light"])
    scores = get_metric("cg")(
        data,
        get_representation(oracle, data),
        np.random.RandomState(0),
        num_train=500,
        classifier="nearest_image",
        chance=20,
    )
    absolute, signed = chance_remarks(scores)
    assert absolute.startswith(f"CG {scores['CG']:.3f} is {verdict}")
    assert signed.startswith(f"CG_signed {scores['CG_signed']:.3f} is {verdict}")


def test_spoiled_files_are_passed_over():
    spoiled = {"UC": "high", "UC_chance": 0.3, "UC_chance_share": 0.9, "UC_within_chance": True}
    assert not [*chance_remarks(spoiled)] and not [*chance_remarks({"UC_chance_share": 1})]
    assert certainty_cells({"UC_low": [], "UC_high": 1, "UC_within_chance": "yes"}, "UC") == ["", "", ""]


def test_dlib_evaluate_prints_them(oracle_folder, tmp_path, capsys):
    folder = oracle_folder("representation.name = 'extra_noise_oracle'\ndataset.name = 'candle_mini'\n")
    bindings = ["cg.num_train = 400", "cg.classifier = 'nearest_image'", "cg.tolerance = 0.1", "cg.chance = 5"]
    flags = [part for line in bindings for part in ("--gin_bindings", line)]
    out = tmp_path / "out"
    assert (
        main(["--input_dir", str(folder), "--output_dir", str(out), "--gin_config", "metrics/cg.gin", *flags]) == 0
    )
    printed = capsys.readouterr().out
    assert "CG is judged by nearest_image; of images that it has not seen it tells: object 5" in printed
    assert "rotation 23 % (hardly above chance: not judged)" in printed
    assert "dead codes, which change nothing that one sees: 6, 7" in printed
    scores = json.loads((out / "results/json/evaluation_results.json").read_text())
    assert f"CG took {scores['CG_points']} points for a 95 % interval" in printed
    assert scores["CG_low"] <= scores["CG"] <= scores["CG_high"]
