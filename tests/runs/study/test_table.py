"""Tidy tables of trees of result folders."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from causal_disent import errors, evaluate_with_gin
from causal_disent.report.published import published
from causal_disent.report.table import WIDTH
from causal_disent.runs.study_table import (
    BESIDE,
    COLUMNS,
    best_text,
    chosen_scores,
    results_table,
    results_text,
    summary,
    write_results,
    write_table,
)

FEW = ["irs.num_train = 100", "mig.num_train = 100", "uc.num_train = 100"]


def write(folder, scores, config=None, train=None, results="evaluation_results"):
    """A result folder as a run writes it, with these scores."""
    content = {f"{results}.{key}": value for key, value in scores.items()}
    content |= {f"evaluation_config.{key}": value for key, value in (config or {}).items()}
    content |= {f"train_config.{key}": value for key, value in (train or {}).items()}
    place = folder / "results/aggregate"
    place.mkdir(parents=True)
    (place / "evaluation.json").write_text(json.dumps(content))


def trained(beta, seed, **more):
    return {
        "model.model": "@vae()",
        "model.name": "'beta_vae'",
        "model.random_seed": str(seed),
        "model.model_seed": "None",
        "vae.beta": str(beta),
        "dataset.name": "'candle_mini'",
        **more,
    }


def measured(metric="mig", **more):
    return {
        "evaluation.evaluation_fn": f"@{metric}",
        "evaluation.random_seed": "0",
        "dataset.name": "'candle_mini'",
        "dataset.confounding": "None",
        **more,
    }


@pytest.fixture
def tree(tmp_path):
    """Two values of beta with two seeds each, measured by mig, and by uc with two values of rho."""
    for number, (beta, seed) in enumerate([(1, 0), (1, 1), (4, 0), (4, 1)]):
        place, train = tmp_path / str(number) / "metrics/mean", trained(beta, seed)
        write(place / "mig", {"discrete_mig": beta / 10 + seed / 100, "uuid": "x"}, measured(), train)
        for rho in (1, 5):
            config = measured("uc", **{"uc.rho": str(rho)})
            write(place / f"uc_rho={rho}", {"UC": rho / 10, "elapsed_time": 3.0}, config, train)
    return tmp_path


def test_values_are_plain_and_what_differs_is_told(tree):
    table = results_table(tree)
    assert list(table.columns) == [*COLUMNS, "vae.beta", "uc.rho"]
    assert len(table) == 12 and not table[[c for c in COLUMNS if c not in BESIDE]].isna().any().any()
    first = table.iloc[0].to_dict()
    whole = {"run": "0", "model": "beta_vae", "trained_as": "vae", "dataset": "candle_mini", "confounding": "none"}
    whole["original"] = "candle"
    assert whole.items() <= first.items() and first["seed"] == 0
    assert first["varied"] == "vae.beta=1" and first["vae.beta"] == 1 and first["representation"] == "mean"
    uc = table[table["metric"] == "uc"]
    assert set(uc["setting"]) == {"rho=1", "rho=5"} and set(uc["rho"]) == {1, 5}
    assert set(table[table["metric"] == "mig"]["setting"]) == {""} and table["first"].all()
    assert table["path"].iloc[0] == "0/metrics/mean/mig"


def test_no_row_is_lost_in_a_pivot_table(tree):
    write(tree / "oracle/mig", {"discrete_mig": 1.0}, measured(**{"representation.name": "'perfect_oracle'"}))
    table = results_table(tree)
    pivot = table.pivot_table("value", ["model", "varied", "seed"], ["metric", "setting"])
    assert int(pivot.notna().sum().sum()) == len(table) == 13
    assert pivot.loc["perfect_oracle", ("mig", "")].tolist() == [1.0]


def test_the_summary_is_over_seeds(tree):
    found = summary(results_table(tree))
    row = found[(found["metric"] == "mig") & (found["varied"] == "vae.beta=4")].iloc[0]
    assert row["mean"] == pytest.approx(0.405) and row["seeds"] == 2
    assert row["spread"] == pytest.approx(np.std([0.40, 0.41], ddof=1))
    assert len(found) == 2 * 3


def test_copies_of_a_run_are_no_other_seeds(tree):
    table = results_table(tree)
    twice = pd.concat([table, table])
    row = summary(twice).query("metric == 'mig' and varied == 'vae.beta=4'").iloc[0]
    assert (row["runs"], row["seeds"]) == (4, 2)
    assert "copies" in results_text(twice)


def test_the_keys_of_a_list_of_one_metric(tree):
    listed = measured(**{"representation.name": "'perfect_oracle'", "evaluation.evaluation_fn": "[@mig]"})
    write(tree / "one", {"mig:discrete_mig": 0.75}, listed)
    table = results_table(tree)
    assert table[table["path"] == "one"][["metric", "score", "value"]].values.tolist() == [
        ["mig", "discrete_mig", 0.75]
    ]


def test_text_has_a_row_for_each_model_and_a_column_for_each_score(tree):
    lines = [line.split() for line in results_text(results_table(tree)).splitlines()]
    assert lines[0] == ["data", "set", "candle_mini"]
    assert lines[1] == ["model", "varied", "discrete_mig", "UC", "rho=1", "UC", "rho=5"]
    assert lines[3][:4] == ["beta_vae", "vae.beta=1", "0.105", "±"] and lines[5:] == [
        [],
        ["mean", "±", "standard", "deviation", "over", "2", "seeds"],
    ]


def test_wide_tables_are_cut_and_scores_chosen(tree, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    for number in range(9):
        write(tree / f"0/metrics/mean/other_{number}", {f"score_{number}": 1.0}, measured(f"other_{number}"))
    table = results_table(tree)
    lines = results_text(table).splitlines()
    assert max(map(len, lines)) <= WIDTH and sum(line.startswith("model ") for line in lines) == 2
    assert all(f"score_{number}" in "".join(lines) for number in range(9))
    chosen = chosen_scores(table, ["uc", "discrete_mig"])
    assert set(chosen["score"]) == {"UC", "discrete_mig"} and len(chosen) == 12
    with pytest.raises(errors.UnknownName, match="Did you mean 'discrete_mig'"):
        chosen_scores(table, ["discrete_mik"])
    write_results(table, tmp_path / "t.md", "aaai_1")
    header = (tmp_path / "t.md").read_text().splitlines()[2]
    assert header.count("|") == 2 + 2 + 3 + 9 - 1


def test_published_numbers_stand_beside(tree):
    text = results_text(results_table(tree), "aaai_1")
    header, row = text.splitlines()[1], text.splitlines()[3]
    assert header.split()[-4:] == ["UC", "rho=1", "UC", "rho=5"]
    rows = published("aaai_1", metric="UC", model="beta-VAE")
    (printed,) = rows[rows["rho"] == 5]["printed"]
    assert row.endswith(f" ({printed})") and row.count("(") == 1  # none for rho 1
    assert "in brackets: " in text and "table 1" in text
    assert "nothing of these runs is in: " in results_text(results_table(tree), "aaai_2")  # of another data set
    with pytest.raises(errors.UnknownName, match="Did you mean 'aaai_1'"):
        results_text(results_table(tree), "aai_1")


def test_published_per_cents_stand_beside_ours_on_our_scale(tmp_path):
    train = trained(4, 0, **{"dataset.name": "'pendulum'"})
    config = measured("crl_scores", **{"dataset.name": "'pendulum'"})
    write(tmp_path / "0/metrics/mean/crl", {"F1_MIC": 0.5, "PosMIC": 0.25}, config, train)
    text = results_text(results_table(tmp_path), "shadow_9")
    assert text.splitlines()[3].endswith("0.500 (0.332 ± 0.033)  0.250 (0.212 ± 0.027)")
    assert "causal-disent published shadow_9" in text


def test_the_best_comes_first_in_the_metrics_own_direction(tree):
    lines = best_text(results_table(tree), "mig").splitlines()
    assert [line.split()[1] for line in lines[3:]] == ["vae.beta=4", "vae.beta=1"]
    for number, (seed, value) in enumerate([(0, 3.0), (0, 2.0)]):
        config = measured("unsupervised_metrics")
        train = trained(number, seed)
        write(tree / f"9{number}/metrics/mean/u", {"gaussian_total_correlation": value}, config, train)
    lines = best_text(results_table(tree), "gaussian_total_correlation").splitlines()
    assert "lower is better" in lines[1] and [line.split()[1] for line in lines[3:]] == [
        "vae.beta=1",
        "vae.beta=0",
    ]
    with pytest.raises(errors.UnknownName, match="Unknown metric or score 'mgi'. Did you mean 'mig'?"):
        best_text(results_table(tree), "mgi")


def test_real_result_folders(tmp_path, oracle_folder):
    """What `dlib_evaluate` writes, of a list of metrics and of a list of rho, at any depth."""
    oracle = oracle_folder()
    several = ["evaluation.evaluation_fn = [@irs, @mig]", "evaluation.random_seed = 7", *FEW]
    bins = ["discretizer.discretizer_fn = @histogram_discretizer", "discretizer.num_bins = 5"]
    both = evaluate_with_gin(oracle, tmp_path / "tree/a/b/both", gin_bindings=[*several, *bins])
    rhos = evaluate_with_gin(
        oracle, tmp_path / "tree/uc", gin_config_files=["metrics/uc.gin"], gin_bindings=["uc.rho = [1, 2]", *FEW]
    )
    table = results_table(tmp_path / "tree").set_index(["metric", "rho"])
    assert set(table["model"]) == {"perfect_oracle"} and set(table["seed"]) == {0, 7}
    assert table.loc[("irs", 0), "value"] == both["irs:IRS"]
    assert table.loc[("mig", 0), "value"] == both["mig:discrete_mig"]
    assert table.loc[("uc", 2), "value"] == rhos["rho=2:UC"] and table.loc[("uc", 2), "setting"] == "rho=2"
    assert table.loc[("uc", 2), "score"] == "UC"


def test_a_metric_that_nobody_knows_has_all_its_numbers(tmp_path):
    scores = {"one": 1.0, "text": "x", "list": [1], "elapsed_time": 2.0, "10:two": 2.0, "nothing": None}
    write(tmp_path / "x", scores, measured("strange"))
    table = results_table(tmp_path)
    assert dict(zip(table["score"], table["value"], strict=True)) == {"one": 1.0, "10:two": 2.0}


def test_scores_of_two_metrics_that_are_called_alike_are_told_apart(tmp_path):
    for metric in ("beta_vae_sklearn", "factor_vae_score"):
        write(tmp_path / metric, {"eval_accuracy": 0.5}, measured(metric))
    text = results_text(results_table(tmp_path))
    assert "beta_vae_sklearn:eval_accuracy" in text and "factor_vae_score:eval_accuracy" in text


def test_files_that_cannot_be_read_are_left_out(tree):
    file = tree / "0/metrics/mean/mig/results/aggregate/evaluation.json"
    file.write_text("{")
    table = results_table(tree)
    assert len(table) == 11 and table.attrs["left_out"] == [(str(file), "it is not JSON, or cut off.")]


@pytest.mark.parametrize("name", ["9", "0_backup", "backup/0"])
def test_a_copy_of_a_run_is_no_other_seed(tree, name):
    before = results_table(tree)
    shutil.copytree(tree / "0/metrics/mean/mig", tree / name / "metrics/mean/mig")
    table = results_table(tree)
    pd.testing.assert_frame_equal(table, before)
    [(path, reason)] = table.attrs["left_out"]
    assert (
        path.startswith(str(tree / name)) and reason == f"it is a copy of the result in {tree}/0/metrics/mean/mig"
    )


def test_a_folder_without_results(tmp_path):
    with pytest.raises(errors.InvalidInput, match="There are no results below"):
        results_table(tmp_path)


@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet"])
def test_tables_are_written(tree, tmp_path, name):
    table = results_table(tree)
    write_table(table, tmp_path / name)
    read = pd.read_csv if name.endswith("csv") else pd.read_parquet
    again = read(tmp_path / name, **({"keep_default_na": False} if name.endswith("csv") else {}))
    assert again["value"].tolist() == table["value"].tolist() and list(again.columns) == list(table.columns)
    with pytest.raises(errors.InvalidInput, match="written as .csv or .parquet"):
        write_table(table, tmp_path / "scores.xls")


def test_published_numbers_are_all_kept_in_a_pivot_table():
    table = published("aaai_1")
    pivot = table.pivot_table("value", "model", ["metric", "rho"])
    assert int(pivot.notna().sum().sum()) == len(table) == 54
