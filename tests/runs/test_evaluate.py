import json
import os
import signal
import subprocess
import sys
import time
import warnings

import gin
import numpy as np
import pytest

from causal_disent import config, errors, evaluate_with_gin
from causal_disent.runs.evaluate import run_metric

BINDINGS = [
    "evaluation.evaluation_fn = @irs",
    "evaluation.random_seed = 3",
    "dataset.name = 'candle_mini'",
    "irs.num_train = 100",
    "irs.batch_size = 16",
]


def read(path):
    return json.loads(path.read_text())


def test_result_folder(oracle_folder, tmp_path):
    scores = evaluate_with_gin(oracle_folder(), tmp_path / "out", gin_bindings=BINDINGS)
    assert scores["IRS"] >= 0.999
    results = tmp_path / "out" / "results"
    saved = read(results / "json/evaluation_results.json")
    assert saved["IRS"] == scores["IRS"] and saved["elapsed_time"] > 0
    flat = read(results / "json/evaluation_config.json")
    assert flat["dataset.name"] == "'candle_mini'" and flat["irs.num_train"] == "100"
    assert flat["evaluation.evaluation_fn"] == "@irs" and flat["representation.name"] == "'perfect_oracle'"
    assert read(results / "aggregate/evaluation.json")["evaluation_results.IRS"] == scores["IRS"]
    # The saved config runs again, to the same score.
    again = evaluate_with_gin(
        tmp_path / "model", tmp_path / "again", gin_config_files=[results / "gin/evaluation.gin"]
    )
    assert again["IRS"] == scores["IRS"]


def test_the_seed_decides(oracle_folder, tmp_path):
    folder = oracle_folder("representation.name = 'mixed_oracle'\n")
    runs = [
        evaluate_with_gin(folder, tmp_path / f"{i}", gin_bindings=[*BINDINGS, f"evaluation.random_seed = {seed}"])
        for i, seed in enumerate((1, 1, 2))
    ]
    assert runs[0]["IRS"] == runs[1]["IRS"] != runs[2]["IRS"]


def test_the_data_set_may_come_from_the_folder(oracle_folder, tmp_path):
    folder = oracle_folder(
        "representation.name = 'perfect_oracle'\ndataset.name = 'candle_mini'\n"
        "dataset.factors = ['object', 'color']\ndataset.confounding = 'candle_one_to_one'\n"
    )
    without = [binding for binding in BINDINGS if not binding.startswith("dataset")]
    for i, extra in enumerate(([], ["dataset.name = 'auto'"])):
        scores = evaluate_with_gin(folder, tmp_path / f"out{i}", gin_bindings=[*without, *extra])
        assert scores["num_active_dims"] == 2
        saved = read(tmp_path / f"out{i}/results/json/evaluation_config.json")
        assert saved["dataset.name"] == "'candle_mini'" and saved["dataset.confounding"] == "'candle_one_to_one'"


def test_auto_reads_the_postprocessing_config(oracle_folder, tmp_path):
    folder = oracle_folder("representation.name = 'perfect_oracle'\n")
    (folder / "results/gin").mkdir(parents=True)
    (folder / "results/gin/postprocess.gin").write_text("dataset.name = 'candle_mini'\n")
    evaluate_with_gin(folder, tmp_path / "out", gin_bindings=[*BINDINGS, "dataset.name = 'auto'"])
    assert (tmp_path / "out/results/gin/postprocess.gin").is_file()
    (folder / "results/gin/postprocess.gin").unlink()
    with pytest.raises(errors.ConfigError, match="The config names no data set, and the input folder does not"):
        evaluate_with_gin(folder, tmp_path / "out2", gin_bindings=[*BINDINGS, "dataset.name = 'auto'"])


def test_options_of_the_model_and_of_the_data_set(oracle_folder, tmp_path):
    folder = oracle_folder("representation.name = 'mixed_oracle'\nmixed_oracle.strength = 0.5\n")
    half = evaluate_with_gin(folder, tmp_path / "a", gin_bindings=BINDINGS)
    none = evaluate_with_gin(folder, tmp_path / "b", gin_bindings=[*BINDINGS, "mixed_oracle.strength = 0.0"])
    assert none["IRS"] >= 0.999 > half["IRS"]
    assert read(tmp_path / "a/results/json/evaluation_config.json")["mixed_oracle.strength"] == "0.5"
    with pytest.raises(errors.InvalidInput, match="1 to 16 scenes"):
        evaluate_with_gin(folder, tmp_path / "c", gin_bindings=[*BINDINGS, "candle_mini.scenes = 99"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset.name = 'candle_mini'\n", "must name a representation"),
        (
            "representation.name = 'perfekt_oracle'\n",
            "Unknown representation 'perfekt_oracle'. Did you mean 'perfect_oracle'",
        ),
        ("import os\nrepresentation.name = 'perfect_oracle'\n", "line 1: only bindings"),
        (
            "representation.name = 'mixed_oracle'\nmixed_oracle.strenth = 1\n",
            "'mixed_oracle' has no parameter 'strenth'",
        ),
        ("representation.name = 'perfect_oracle'\nuc.rho = 2\n", "'uc.rho' cannot be bound here"),
    ],
)
def test_bad_representation_files(text, message, oracle_folder, tmp_path):
    with pytest.raises(errors.CausalDisentError) as raised:
        evaluate_with_gin(oracle_folder(text), tmp_path / "out", gin_bindings=BINDINGS)
    assert message in raised.value.message
    assert not (tmp_path / "out").exists()


def test_missing_folders(tmp_path):
    with pytest.raises(errors.InvalidInput, match="given by --input_dir does not exist"):
        evaluate_with_gin(tmp_path / "nothing", tmp_path / "out", gin_bindings=BINDINGS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.InvalidInput, match=r"no representation.gin in it(.|\n)*perfect_oracle"):
        evaluate_with_gin(tmp_path / "empty", tmp_path / "out", gin_bindings=BINDINGS)


def test_an_existing_output_is_kept(oracle_folder, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(errors.OutputExists):
        evaluate_with_gin(oracle_folder(), tmp_path / "out", gin_bindings=BINDINGS)
    evaluate_with_gin(tmp_path / "model", tmp_path / "out", overwrite=True, gin_bindings=BINDINGS)
    assert (tmp_path / "out/results").is_dir()


def test_a_failing_metric_leaves_nothing_and_clears_gin(oracle_folder, tmp_path):
    @gin.configurable("failing_metric", module="test_evaluate")
    def failing(ground_truth_data, representation_function, random_state, artifact_dir=None):
        os.makedirs(artifact_dir)
        raise ZeroDivisionError("oops")

    with pytest.raises(errors.MetricFailed, match="The metric 'failing' failed: ZeroDivisionError: oops"):
        evaluate_with_gin(
            oracle_folder(),
            tmp_path / "out",
            gin_bindings=[*BINDINGS, "evaluation.evaluation_fn = @failing_metric"],
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]
    assert config.query("dataset.name") is None


def test_artifacts_are_part_of_the_result(oracle_folder, tmp_path):
    @gin.configurable("drawing_metric", module="test_evaluate")
    def drawing(ground_truth_data, representation_function, random_state, artifact_dir=None):
        os.makedirs(artifact_dir)
        with open(os.path.join(artifact_dir, "picture.txt"), "w") as file:
            file.write("x")
        return {"score": 1}

    evaluate_with_gin(
        oracle_folder(), tmp_path / "out", gin_bindings=[*BINDINGS, "evaluation.evaluation_fn = @drawing_metric"]
    )
    assert (tmp_path / "out/artifacts/drawing/picture.txt").is_file()


def test_a_metric_can_be_named_by_text(oracle_folder, tmp_path):
    bindings = [*BINDINGS, "evaluation.evaluation_fn = 'irs'"]
    assert evaluate_with_gin(oracle_folder(), tmp_path / "out", gin_bindings=bindings)["IRS"] >= 0.999
    with pytest.raises(errors.UnknownName, match="Unknown metric 'isr'. Did you mean 'irs'"):
        evaluate_with_gin(
            tmp_path / "model", tmp_path / "out2", gin_bindings=[*BINDINGS, "evaluation.evaluation_fn = 'isr'"]
        )


def test_several_metrics_of_one_run(oracle_folder, tmp_path):
    bindings = [*BINDINGS, "evaluation.evaluation_fn = [@irs, 'uc']", "uc.num_train = 100"]
    scores = evaluate_with_gin(oracle_folder(), tmp_path / "out", gin_bindings=bindings)
    assert scores["irs:IRS"] >= 0.999 and scores["uc:UC"] == 1.0
    alone = evaluate_with_gin(tmp_path / "model", tmp_path / "alone", gin_bindings=BINDINGS)
    assert alone["IRS"] == scores["irs:IRS"]


def test_runs_share_what_was_encoded(oracle_folder, tmp_path, monkeypatch):
    from causal_disent.representation.oracles import Oracle

    seen = []
    encode = Oracle.__call__
    monkeypatch.setattr(Oracle, "__call__", lambda self, images: seen.append(len(images)) or encode(self, images))
    folder, tables = oracle_folder("representation.name = 'mixed_oracle'\n"), {}
    first = evaluate_with_gin(folder, tmp_path / "a", gin_bindings=BINDINGS, code_tables=tables)
    distinct = sum(seen)
    assert 0 < distinct <= 100
    again = evaluate_with_gin(folder, tmp_path / "b", gin_bindings=BINDINGS, code_tables=tables)
    assert sum(seen) == distinct and again["IRS"] == first["IRS"]
    saved = read(tmp_path / "b/results/json/evaluation_config.json")
    assert saved["candle_mini.scenes"] == "3" and saved["mixed_oracle.strength"] == "1.0"
    other = evaluate_with_gin(
        folder, tmp_path / "c", gin_bindings=[*BINDINGS, "mixed_oracle.strength = 0.1"], code_tables=tables
    )
    assert other["IRS"] != first["IRS"]  # another representation: nothing is shared


def test_missing_bindings_of_a_metric_are_named(oracle_folder, tmp_path):
    @gin.configurable("demanding_metric", module="test_evaluate")
    def demanding(ground_truth_data, representation_function, random_state, artifact_dir=None, size=gin.REQUIRED):
        return {}

    with pytest.raises(errors.ConfigError, match="must bind demanding_metric.size. Add a line such as"):
        evaluate_with_gin(
            oracle_folder(),
            tmp_path / "out",
            gin_bindings=[*BINDINGS, "evaluation.evaluation_fn = @demanding_metric"],
        )


def test_missing_bindings_are_named(oracle_folder, tmp_path):
    with pytest.raises(errors.ConfigError, match="evaluation.*random_seed"):
        evaluate_with_gin(oracle_folder(), tmp_path / "out", gin_bindings=["evaluation.evaluation_fn = @irs"])


def test_older_metrics_work_with_a_warning(small_data, tmp_path):
    def old(ground_truth_data, representation_function, random_state):
        return {"score": float(random_state.randint(10))}

    with pytest.warns(DeprecationWarning, match="'old' takes no `artifact_dir`"):
        scores = run_metric(old, "old", small_data, lambda images: images, 0, tmp_path)
    assert scores == {"score": float(np.random.RandomState(0).randint(10))}

    def new(*args, **kwargs):
        return {"artifact_dir": kwargs["artifact_dir"]}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run_metric(new, "new", small_data, lambda images: images, 0, tmp_path)["artifact_dir"]


def test_a_metric_must_return_a_dict(small_data, tmp_path):
    def wrong(ground_truth_data, representation_function, random_state, artifact_dir=None):
        return 3.0

    with pytest.raises(errors.MetricFailed, match="'wrong' failed: TypeError: it returned float, not a dict"):
        run_metric(wrong, "wrong", small_data, lambda images: images, 0, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_nothing(sent, oracle_folder, tmp_path):
    code = (
        "import sys, time, gin\n"
        "@gin.configurable\n"
        "def sleeper(ground_truth_data, representation_function, random_state, artifact_dir=None):\n"
        "    print('sleeping', flush=True); time.sleep(60)\n"
        "from causal_disent.cli.dlib import dlib_evaluate as main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    arguments = ["--input_dir", str(oracle_folder()), "--output_dir", str(tmp_path / "out")]
    for binding in ("evaluation.evaluation_fn = @sleeper", "evaluation.random_seed = 0"):
        arguments += ["--gin_bindings", binding]
    process = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "sleeping\n"
    time.sleep(0.2)
    process.send_signal(sent)
    assert process.wait(30) == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]


def test_a_later_config_does_not_open_the_data_set_again(oracle_folder, tmp_path):
    """Every config of a metric says 'auto'."""
    own = tmp_path / "own.gin"
    own.write_text("dataset.name = 'candle_mini'\nirs.num_train = 100\n")
    folder = oracle_folder("representation.name = 'perfect_oracle'\ndataset.name = 'dummy_data'\n")
    evaluate_with_gin(folder, tmp_path / "out", gin_config_files=[own, "metrics/irs.gin"])
    saved = read(tmp_path / "out/results/json/evaluation_config.json")
    assert saved["dataset.name"] == "'candle_mini'"
    with config.gin_config([own, "metrics/irs.gin"], ["dataset.name = 'auto'"]):
        assert config.query("dataset.name") == "auto"  # a binding is the last word
