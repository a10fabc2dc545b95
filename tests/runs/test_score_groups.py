"""`score` with columns that are one factor, and codes that are one concept."""

import json

import numpy as np
import pandas as pd
import pytest

from causal_disent import score
from causal_disent.cli.main import main
from causal_disent.errors import InvalidInput, UnknownName
from causal_disent.registry import registry

RNG = np.random.RandomState(0)
TABLE = pd.DataFrame(RNG.randint([3, 4, 2], size=(400, 3)), columns=["x", "y", "shape"])
PLACE = (TABLE.x * 4 + TABLE.y).to_numpy()
CODES = np.column_stack([PLACE, TABLE["shape"]]) + 0.05 * RNG.normal(size=(400, 2))
QUICK = {"bootstrap": 0, "chance": 0}


def test_columns_that_are_one_factor():
    found = score(CODES, TABLE, ["mig", "uc", "irs"], factor_groups={"position": ["x", "y"]}, **QUICK)
    by_hand = score(CODES, np.column_stack([PLACE, TABLE["shape"]]), ["mig", "uc", "irs"], **QUICK)
    np.testing.assert_allclose(found.table.score, by_hand.table.score)
    assert found.points.factors.names == ("position", "shape")
    assert found.record()["factors"]["position"][1] == "0, 1"
    assert "one factor: position (x, y)" in str(found)
    # Grouped by numbers of columns, wherever they stand.
    other = score(CODES, TABLE[["x", "shape", "y"]], ["mig"], factor_groups={"position": [2, 0]}, **QUICK)
    assert other.table.score["mig"] == pytest.approx(found.table.score["mig"])


def test_metrics_that_calculate_with_factors_leave_groups_out():
    found = score(CODES, TABLE, ["mig", "mcc"], factor_groups={"position": ["x", "y"]}, **QUICK)
    assert "no order: position" in found.left_out["mcc"]


def test_continuous_columns_of_a_group_are_in_bins():
    factors = {"x": RNG.rand(400), "y": RNG.rand(400), "shape": TABLE["shape"]}
    found = score(CODES, factors, ["mig"], factor_groups={"position": ["x", "y"]}, bins=3, **QUICK)
    assert len(found.record()["factors"]["position"]) == 9 and "x, y in 3 equally filled bins" in str(found)
    # With as many combinations as points there is no factor, and that is said.
    with pytest.raises(InvalidInput, match="no factor to measure by; .*position"):
        score(CODES, {"x": factors["x"], "y": factors["y"]}, factor_groups={"position": ["x", "y"]}, bins=40)


def test_dci_takes_groups_beside_a_continuous_factor():
    factors = {"x": TABLE.x, "y": TABLE.y, "size": RNG.rand(400)}
    found = score(CODES, factors, ["dci"], factor_groups={"position": ["x", "y"]}, fast=True, **QUICK)
    assert list(found.results) == ["dci"]


def test_codes_that_are_one_concept():
    codes = np.column_stack([TABLE.x, TABLE.y, TABLE["shape"]]) + 0.05 * RNG.normal(size=(400, 3))
    groups = {"factor_groups": {"position": ["x", "y"]}, "code_groups": [[0, 1]]}
    names = ["mig", "uc", "r2", "factor_vae_score", "unsupervised_metrics"]
    found = score(codes, TABLE, names, bootstrap=5, chance=5, **groups)
    alone = score(codes, TABLE, names[:2], factor_groups=groups["factor_groups"], **QUICK)
    assert found.table.score["mig"] > alone.table.score["mig"] + 0.2 and found.results["uc"].sets == [(0,), (1,)]
    assert np.isfinite(found.table.low["mig"]) and np.isfinite(found.table.chance["uc"])
    takers = [e.name for e in registry.entries("metrics") if "code_groups" in e.facts.get("takes", ())]
    for name in ("factor_vae_score", "unsupervised_metrics"):
        said = found.left_out[name]
        assert said.startswith("takes codes one by one; groups are taken by ")
        assert all(one in said for one in takers)
    frame = pd.DataFrame(codes, columns=list("abc"))
    named, placed = (score(frame, TABLE, ["uc"], code_groups=[group], **QUICK) for group in (["a", "b"], [0, 1]))
    assert named.results["uc"].sets == placed.results["uc"].sets


@pytest.mark.parametrize(
    ("groups", "kind", "said"),
    [
        ({"factor_groups": [["x", "y"]]}, InvalidInput, "factor_groups.*must be a dict"),
        ({"factor_groups": {"position": "xy"}}, InvalidInput, "a group is a list of columns"),
        ({"factor_groups": {" ": ["x", "y"]}}, InvalidInput, "factor_groups.*empty name"),
        ({"factor_groups": {"position": []}}, InvalidInput, "a group is a list of columns"),
        ({"factor_groups": {"position": ["x", "shap"]}}, UnknownName, "shap.*shape"),
        ({"factor_groups": {"position": ["x", 3]}}, UnknownName, "3"),
        ({"factor_groups": {"position": ["x", "y"], "other": ["y"]}}, InvalidInput, "'y' is there twice"),
        ({"factor_groups": {"shape": ["x", "y"]}}, InvalidInput, "'shape' is the name of another factor"),
        ({"code_groups": {"a": [0, 1]}}, InvalidInput, "code_groups.*a list of lists"),
        ({"code_groups": [[0, 7]]}, UnknownName, "7"),
        ({"code_groups": [[0, 0]]}, InvalidInput, "0 is there twice"),
    ],
)
def test_strange_groups(groups, kind, said):
    with pytest.raises(kind, match=said):
        score(CODES, TABLE, ["mig"], **groups)


def test_groups_on_the_command_line(tmp_path, capsys):
    np.save(tmp_path / "codes.npy", CODES)
    TABLE.to_csv(tmp_path / "factors.csv", index=False)
    files = [str(tmp_path / "codes.npy"), str(tmp_path / "factors.csv")]
    options = ["--metrics", "uc", "--bootstrap", "0", "--chance", "0", "--json"]
    groups = ["--factor_groups", "position=x,y", "--code_groups", "0", "code_1"]
    assert main(["score", *files, *options, *groups]) == 0
    assert list(json.loads(capsys.readouterr().out)["factors"]) == ["position", "shape"]
    assert main(["score", *files, "--factor_groups", "x,y"]) == 2
    assert "--factor_groups takes NAME=COLUMN,COLUMN; given: x,y." in capsys.readouterr().err
