import json

import pandas as pd
import pytest

from causal_disent import errors
from causal_disent.cli.dlib import dlib_aggregate_results as main
from causal_disent.runs.aggregate import aggregate_results

RUNS = {
    "a": {"evaluation_results.IRS": 0.5, "train_config.vae.beta": "4", "evaluation_results.sets": [[0], [1]]},
    "b": {"evaluation_results.IRS": 1, "evaluation_results.backend": "torch"},
}


def written(path):
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_json(path, orient="columns")


@pytest.fixture
def runs(tmp_path):
    for name, content in RUNS.items():
        folder = tmp_path / "runs" / name / "results/aggregate"
        folder.mkdir(parents=True)
        (folder / "evaluation.json").write_text(json.dumps(content))
    return str(tmp_path / "runs/*/results/aggregate/evaluation.json")


def test_one_row_per_run_with_its_path(runs):
    table, left_out = aggregate_results(runs)
    assert left_out == []
    assert table["evaluation_results.IRS"].tolist() == [0.5, 1]
    assert table["train_config.vae.beta"].tolist()[0] == "4" and pd.isna(table["train_config.vae.beta"][1])
    assert [path.split("/")[-4] for path in table["path"]] == ["a", "b"]


@pytest.mark.parametrize("name", ["all.json", "all.parquet"])
def test_what_is_written_can_be_read(runs, tmp_path, capsys, name):
    assert main(["--result_file_pattern", runs, "--output_path", str(tmp_path / name)]) == 0
    assert "2 results, 5 columns" in capsys.readouterr().out
    table = written(tmp_path / name)
    assert sorted(table["evaluation_results.IRS"]) == [0.5, 1]
    assert set(table.columns) == {*RUNS["a"], *RUNS["b"], "path"}


def test_every_digit_is_kept(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"x": 0.12345678901234, "n": 2**63 - 1}))
    main(["--result_file_pattern", str(tmp_path / "a.json"), "--output_path", str(tmp_path / "all.json")])
    content = json.loads((tmp_path / "all.json").read_text())
    assert content["x"]["0"] == 0.12345678901234 and content["n"]["0"] == 2**63 - 1


def test_the_json_is_what_disentanglement_lib_writes(runs, tmp_path):
    main(["--result_file_pattern", runs, "--output_path", str(tmp_path / "all.json")])
    content = json.loads((tmp_path / "all.json").read_text())
    assert content["evaluation_results.IRS"] == {"0": 0.5, "1": 1.0}


def test_a_column_of_several_types_in_parquet(runs, tmp_path):
    folder = tmp_path / "runs/c/results/aggregate"
    folder.mkdir(parents=True)
    (folder / "evaluation.json").write_text(json.dumps({"evaluation_results.IRS": "none"}))
    assert main(["--result_file_pattern", runs, "--output_path", str(tmp_path / "all.parquet")]) == 0
    column = written(tmp_path / "all.parquet")["evaluation_results.IRS"]
    assert [json.loads(value) for value in column] == [0.5, 1, "none"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"evaluation_results.IRS": 0.', "not JSON, or cut off"),
        ("[1, 2]", "does not hold a JSON object"),
        ("{}", "does not hold a JSON object"),
        ('{"a": {"b": 1}}', "its entry 'a' is not a number"),
        ("[" * 100_000, "not JSON, or cut off"),
        ('{"a": 1000000000000000000000000000000}', "its entry 'a' has a whole number of more than 64 bits"),
        ('{"a": [[9223372036854775808]]}', "more than 64 bits"),
        ("\udcff", "not JSON, or cut off"),
    ],
)
def test_torn_and_foreign_files_are_named_and_left_out(runs, tmp_path, capsys, text, reason):
    folder = tmp_path / "runs/torn/results/aggregate"
    folder.mkdir(parents=True)
    (folder / "evaluation.json").write_text(text, errors="surrogateescape")
    assert main(["--result_file_pattern", runs, "--output_path", str(tmp_path / "all.json")]) == 0
    printed = capsys.readouterr()
    assert reason in printed.err and "torn" in printed.err
    assert len(written(tmp_path / "all.json")) == 2


def test_nothing_to_gather(tmp_path, capsys):
    assert main(["--result_file_pattern", str(tmp_path / "*"), "--output_path", str(tmp_path / "x.json")]) == 2
    assert "No file matches" in capsys.readouterr().err
    (tmp_path / "torn.json").write_text("{")
    with pytest.raises(errors.InvalidInput, match="None of the 1 files that match holds results.*torn.json"):
        from causal_disent.runs.aggregate import aggregate_results_to_json

        aggregate_results_to_json(str(tmp_path / "*.json"), tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


def test_a_list_of_an_empty_object_in_parquet(tmp_path):
    for name, value in (("a", 1.0), ("b", [{}])):
        folder = tmp_path / name / "results" / "aggregate"
        folder.mkdir(parents=True)
        (folder / "evaluation.json").write_text(json.dumps({"score": 0.5, "extra": value, name: [{}]}))
    pattern = str(tmp_path / "*/results/aggregate/evaluation.json")
    assert main(["--result_file_pattern", pattern, "--output_path", str(tmp_path / "all.parquet")]) == 0
    table = written(tmp_path / "all.parquet")
    assert table["score"].tolist() == [0.5, 0.5] and table["a"].dropna().tolist() == ["[{}]"]
