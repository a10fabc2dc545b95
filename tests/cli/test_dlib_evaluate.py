import json
import subprocess
import sys
from pathlib import Path

import pytest

from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.registry import Entry, registry

FAST = ["--gin_bindings", "irs.num_train = 100", "--gin_bindings", "uc.num_train = 100"]


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def test_a_run(oracle_folder, tmp_path, capsys):
    code, out, err = run(
        capsys,
        "--input_dir",
        oracle_folder(),
        "--output_dir",
        tmp_path / "out",
        "--gin_config",
        "metrics/irs.gin",
        *FAST,
    )
    # On a busy machine a line may tell how far it is.
    assert code == 0 and all(line.startswith("encoding: ") for line in err.splitlines())
    assert "IRS 1.0000" in out and str(tmp_path / "out") in out
    assert (tmp_path / "out/results/aggregate/evaluation.json").is_file()


def test_a_glob_of_configs(oracle_folder, tmp_path, capsys):
    for name in ("b_irs", "a_uc"):
        (tmp_path / f"{name}.gin").write_text(f"include 'metrics/{name[2:]}.gin'\n")
    arguments = ["--input_dir", oracle_folder(), "--output_dir", tmp_path / "out"]
    code, out, _ = run(capsys, *arguments, "--gin_evaluation_config_glob", tmp_path / "*.gin", *FAST)
    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")] == ["a_uc", "b_irs"]
    config = json.loads((tmp_path / "out/a_uc/results/json/evaluation_config.json").read_text())
    assert config["evaluation.name"] == "'a_uc'"
    code, _, err = run(capsys, *arguments, "--gin_evaluation_config_glob", tmp_path / "*.nothing")
    assert code == 2 and "No file matches --gin_evaluation_config_glob" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output_dir", "x"], "error: One of --input_dir and --input_glob is needed"),
        (["--inptu_dir", "x"], "unknown argument 'inptu_dir'. Did you mean '--input_dir'?"),
        (["stray"], "unknown argument 'stray'"),
        (["--overwrite=maybe"], "flag --overwrite=maybe"),
        (["--input_dir", "nowhere", "--output_dir", "x", "--gin_config", "metrics/irs.gin"], "nowhere"),
        (["--input_dir", "a", "--output_dir", "x", "--gin_config", "metrics/isr.gin"], "metrics/isr.gin"),
        (
            ["--input_dir", "a", "--output_dir", "x", "--gin_bindings", "irs.num_tran = 1"],
            "Did you mean 'num_train'?",
        ),
    ],
)
def test_mistakes_exit_with_2_and_one_message(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert code == 2 and message in err and err.startswith("error: ") and out == ""
    assert "Traceback" not in err and list(tmp_path.iterdir()) == []


def test_an_existing_output_needs_overwrite(oracle_folder, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    arguments = [
        "--input_dir",
        oracle_folder(),
        "--output_dir",
        tmp_path / "out",
        "--gin_config",
        "metrics/irs.gin",
    ]
    code, _, err = run(capsys, *arguments, *FAST)
    assert code == 2 and "--overwrite" in err
    assert run(capsys, *arguments, *FAST, "--overwrite")[0] == 0
    assert run(capsys, *arguments, *FAST, "--nooverwrite")[0] == 2


def test_debug_shows_the_traceback(capsys):
    code, _, err = run(capsys, "--debug")
    assert code == 2 and "Traceback" in err and err.rstrip().endswith("--help shows an example.")


def test_help_and_version(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0 and "--gin_bindings" in out and "dlib_evaluate --input_dir MODEL" in out
    code, out, _ = run(capsys, "--version")
    assert code == 0 and out.startswith("causal_disent ")


def test_a_failing_metric_exits_with_1(oracle_folder, tmp_path, capsys, request):
    def irs(ground_truth_data, representation_function, random_state, artifact_dir=None, **bound):
        return 1 / 0

    request.addfinalizer(registry.replace(Entry("metrics", "irs", "tests", irs, "for a test")))
    code, _, err = run(
        capsys,
        "--input_dir",
        oracle_folder(),
        "--output_dir",
        tmp_path / "out",
        "--gin_config",
        "metrics/irs.gin",
        *FAST,
    )
    assert code == 1 and "The metric 'irs' failed: ZeroDivisionError" in err and "Nothing was written" in err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


def test_the_console_script_is_installed():
    script = Path(sys.executable).with_name("dlib_evaluate")
    done = subprocess.run([script, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--input_dir" in done.stdout


@pytest.mark.parametrize("output", ["model", ".", "model/../model"])
def test_the_input_is_never_replaced(oracle_folder, tmp_path, capsys, output):
    folder = oracle_folder()
    before = sorted(tmp_path.rglob("*"))
    arguments = ["--input_dir", folder, "--output_dir", tmp_path / output, "--gin_config", "metrics/irs.gin"]
    code, _, err = run(capsys, *arguments, "--overwrite", *FAST)
    assert code == 2 and "would be lost" in err and sorted(tmp_path.rglob("*")) == before


def test_the_folder_of_the_decoder_is_never_replaced(oracle_folder, tmp_path, capsys):
    (tmp_path / "decoder").mkdir()
    arguments = ["--input_dir", oracle_folder(), "--model_dir", tmp_path / "decoder", "--output_dir"]
    code, _, err = run(capsys, *arguments, tmp_path / "decoder", "--overwrite", "--gin_config", "metrics/irs.gin")
    assert code == 2 and "would be lost" in err and (tmp_path / "decoder").is_dir()


def test_a_torn_earlier_result_is_reported_before_the_metric_runs(oracle_folder, tmp_path, capsys):
    folder = oracle_folder()
    (folder / "results/json").mkdir(parents=True)
    (folder / "results/json/train_results.json").write_text('{"a": ' + "[" * 100 + "]" * 100 + "}")
    arguments = ["--input_dir", folder, "--output_dir", tmp_path / "out", "--gin_config", "metrics/irs.gin"]
    # A metric that ran would fail.
    code, _, err = run(capsys, *arguments, "--gin_bindings", "irs.num_train = -1")
    assert code == 2 and f"{folder}/results/json/train_results.json cannot be read" in err


def test_a_line_of_scores_is_not_endless(capsys):
    from causal_disent.cli.dlib import score_line as _line

    line = _line({f"score{i}": i / 7 for i in range(200)})
    assert line.startswith("score0 0.0000, ") and line.endswith("score11 1.5714, and 188 more in the result file")
    assert _line({"IRS": 1, "elapsed_time": 3.0}) == "IRS 1.0000"
