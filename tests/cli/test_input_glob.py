"""``dlib_evaluate --input_glob``: whole trees of models."""

import json

import pytest

from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.cli.dlib import find_folders

FLAGS = ["--gin_config=metrics/irs.gin", "--gin_bindings=irs.num_train = 100"]


@pytest.fixture
def tree(tmp_path):
    for name in ("perfect_oracle", "noise_oracle", "no_such_oracle"):
        folder = tmp_path / "models" / name / "representation"
        folder.mkdir(parents=True)
        (folder / "representation.gin").write_text(
            f"representation.name = '{name}'\ndataset.name = 'candle_mini'\n"
        )
    return tmp_path


def run(tree, *more):
    pattern = f"--input_glob={tree}/models/*/representation"
    return main([pattern, f"--output_dir={tree}/out", *FLAGS, *more])


def test_a_failing_folder_does_not_stop_the_others(tree, capsys):
    assert run(tree) == 1
    printed = capsys.readouterr().out
    assert "Unknown model 'no_such_oracle'" in printed or "no_such_oracle" in printed.split("failed")[1]
    for name in ("perfect_oracle", "noise_oracle"):
        file = tree / "out" / name / "representation/results/json/evaluation_results.json"
        assert "IRS" in json.loads(file.read_text())
    assert not (tree / "out/no_such_oracle").exists()


def test_what_is_done_is_skipped(tree, capsys):
    run(tree)
    done = tree / "out/perfect_oracle/representation/results/json/evaluation_results.json"
    before = done.stat().st_mtime_ns
    (tree / "models/no_such_oracle/representation/representation.gin").unlink()
    (tree / "models/no_such_oracle/representation").rmdir()
    capsys.readouterr()
    assert run(tree) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "done before" in line]
    assert len(rows) == 2 and "IRS 1.0000" in rows[1] and "IRS" in rows[0]
    assert done.stat().st_mtime_ns == before
    assert run(tree, "--overwrite") == 0
    assert done.stat().st_mtime_ns > before


def test_with_several_configs(tree):
    for name in ("first", "second"):
        (tree / f"{name}.gin").write_text("include 'metrics/irs.gin'\n")
    flags = [f"--gin_evaluation_config_glob={tree}/*.gin", "--gin_bindings=irs.num_train = 100"]
    pattern = f"--input_glob={tree}/models/perfect*/representation"
    assert main([pattern, f"--output_dir={tree}/out", *flags]) == 0
    folders = {path.name for path in (tree / "out/perfect_oracle/representation").iterdir()}
    assert folders == {"first", "second"}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--input_glob=nowhere/*"], "No folder matches --input_glob nowhere/*"),
        (["--input_glob=a*", "--input_dir=b"], "One of --input_dir and --input_glob is needed"),
        ([], "One of --input_dir and --input_glob is needed"),
    ],
)
def test_wrong_flags(flags, message, tmp_path, capsys):
    assert main([*flags, f"--output_dir={tmp_path}/out", *FLAGS]) == 2
    assert message in capsys.readouterr().err


def test_places(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("models/1/x", "models/2/x", "models/2/y"):
        (tmp_path / name).mkdir(parents=True)
    assert [str(place) for _, place in find_folders("models/*/*")] == ["1/x", "2/x", "2/y"]
    assert [str(place) for _, place in find_folders("models/2/x")] == ["x"]
    assert [str(place) for _, place in find_folders(f"{tmp_path}/models/**/y")] == ["2/y"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--backend=no_such_backend"], "Unknown backend 'no_such_backend'"),
        (["--gin_config=metrics/no_such.gin"], "metrics/no_such.gin"),
        (["--gin_bindings=irs.num_tran = 3"], "Did you mean 'num_train'"),
        (["--gin_bindings=evaluation.evaluation_fn = 'isr'"], "Unknown metric 'isr'"),
        (["--model_dir=nowhere"], "nowhere given by --model_dir does not exist"),
    ],
)
def test_a_mistake_that_concerns_every_folder_is_reported_once(tree, capsys, flags, message):
    assert run(tree, *flags) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ") and message in printed.err and printed.out == ""
    assert not (tree / "out").exists()


@pytest.mark.parametrize("pattern", ["models/*/representation", "models/perfect*", "models/**"])
def test_the_models_are_never_replaced(tree, capsys, pattern):
    before = sorted(tree.rglob("*"))
    flags = [f"--input_glob={tree}/{pattern}", f"--output_dir={tree}/models", "--overwrite", *FLAGS]
    assert main(flags) == 2
    assert "would be lost" in capsys.readouterr().err
    assert sorted(tree.rglob("*")) == before


def test_a_result_that_was_damaged_since_is_reported(tree, capsys):
    pattern = f"--input_glob={tree}/models/perfect*/representation"
    flags = [pattern, f"--output_dir={tree}/out", *FLAGS]
    assert main(flags) == 0
    (tree / "out/perfect_oracle/representation/results/json/evaluation_results.json").write_text("{")
    assert main(flags) == 1
    assert "evaluation_results.json cannot be read" in capsys.readouterr().out.replace("\n", "")


def test_an_empty_folder_holds_no_model(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main([f"--input_dir={tmp_path}/empty", f"--output_dir={tmp_path}/out", *FLAGS]) == 2
    assert "empty holds no model" in capsys.readouterr().err


UC = ["--gin_config=metrics/uc.gin", "--gin_bindings=uc.num_train = 100"]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (FLAGS, "evaluation.evaluation_fn was @uc, is '@irs'"),
        ([*UC, "--gin_bindings=uc.rho = 2"], "uc.rho was 1, is 2"),
        ([*UC, "--gin_bindings=dataset.name = 'synthetic_mini'"], "is 'synthetic_mini'"),
    ],
)
def test_what_was_done_with_other_settings_is_not_taken_for_done(tree, capsys, other, named):
    command = [f"--input_glob={tree}/models/*e_oracle/*", f"--output_dir={tree}/out"]
    assert main([*command, *UC]) == 0
    capsys.readouterr()
    before = sorted(path.stat().st_mtime_ns for path in tree.rglob("*"))
    assert main([*command, *other]) == 2
    error = capsys.readouterr().err
    assert named in error and "--overwrite" in error
    assert sorted(path.stat().st_mtime_ns for path in tree.rglob("*")) == before
    assert main([*command, *UC]) == 0 and "done before" in capsys.readouterr().out
    assert main([*command, *other, "--overwrite"]) == 0


def test_a_binding_that_is_left_out_the_second_time_is_a_difference(tree, capsys):
    command = [f"--input_glob={tree}/models/*e_oracle/*", f"--output_dir={tree}/out", *UC]
    assert main([*command, "--gin_bindings=uc.rho = 2"]) == 0
    assert main(command) == 2 and "uc.rho was 2, is 1" in capsys.readouterr().err
