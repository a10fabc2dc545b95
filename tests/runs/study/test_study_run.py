"""Running a study: going on, adding to it, failing, and being shared."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from causal_disent import Study, errors, run_study
from causal_disent.runs.study import STUDY_FILE, kept_study, read_study
from causal_disent.runs.study_plan import INDEX, Found, make_plan

SCORES = ["model", "metric", "score", "value"]


def scores(ended):
    return ended.table[SCORES].sort_values(SCORES).values.tolist()


def results(trial):
    """The result files that are in place, with their times."""
    found = trial.output.glob("*/metrics/*/[!.]*/results/json/evaluation_results.json")
    return {path: path.stat().st_mtime_ns for path in found}


def failure(trial, number, place):
    return json.loads((trial.output / str(number) / "failures" / f"{place}.json").read_text())


def test_folders_are_measured_and_nothing_is_done_twice(trial):
    study = trial.study("spread", "sleepy", bindings=["sleepy.seconds = 0"])
    ended = trial.run(study)
    assert ended.counts == {"done": 4} and not ended.full
    assert sorted(path.name for path in (trial.output / "0/metrics/mean").iterdir()) == ["sleepy", "spread"]
    assert json.loads((trial.output / "1/run.json").read_text())["folder"].endswith("perfect_oracle/mean")
    assert not list(trial.output.rglob("*.lease*")) and not (trial.output / ".owners").exists()
    before = results(trial)
    again = trial.run(study)
    assert again.counts == {"done": 4} and results(trial) == before and scores(again) == scores(ended)


def test_what_is_new_is_done_and_numbers_stay(trial):
    trial.run(trial.study("spread"))
    before = results(trial)
    trial.representations("mixed_oracle")  # between the others, by name
    ended = trial.run(trial.study("spread", trial.metric("sleepy", "sleepy.seconds = 0")))
    assert ended.counts == {"done": 6}
    assert before.items() <= results(trial).items()
    whats = [json.loads((trial.output / f"{n}/run.json").read_text())["folder"].split("/")[-2] for n in range(3)]
    assert whats == ["noise_oracle", "perfect_oracle", "mixed_oracle"]


def test_without_index_and_settings_it_goes_on(trial):
    study = trial.study("spread")
    trial.run(study)
    before = results(trial)
    for name in (INDEX, STUDY_FILE):
        (trial.output / name).unlink(missing_ok=True)
    shutil.rmtree(trial.output / "0/logs")
    shutil.rmtree(trial.output / "1/metrics/mean/spread")
    assert trial.run(study).counts == {"done": 2}
    kept = [path for path in before if path.is_relative_to(trial.output / "0")]
    assert all(results(trial)[path] == before[path] for path in kept) and len(kept) == 1


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        ("spread.num_train = 10", "spread.num_train = 20", "spread.num_train was 10, is 20"),
        ("spread.num_train = 10", "", "a binding was added or removed"),
        ("", "spread.num_train = 30", "spread.num_train was 20, is 30"),
    ],
)
def test_a_changed_config_of_a_done_run_is_an_error(trial, first, then, message):
    trial.run(trial.study(trial.metric("spread", first)))
    before = results(trial)
    with pytest.raises(errors.ConfigError, match=message) as raised:
        trial.run(trial.study(trial.metric("spread", then)))
    place = trial.output / "0/metrics/mean/spread"
    assert f"remove {place} to have it done again" in raised.value.message and results(trial) == before
    shutil.rmtree(place)
    shutil.rmtree(trial.output / "1/metrics")
    assert trial.run(trial.study(trial.metric("spread", then))).counts == {"done": 2}


def test_a_folder_that_was_made_by_hand_is_compared_by_what_it_records(trial):
    study = trial.study(trial.metric("spread", "spread.num_train = 10"))
    trial.run(study)
    for file in trial.output.rglob("evaluation_config.json"):
        content = json.loads(file.read_text())
        del content["study_task.config"]
        file.write_text(json.dumps(content))
        os.utime(file.parents[3])
    assert trial.run(study).counts == {"done": 2}
    with pytest.raises(errors.ConfigError, match="spread.num_train was 10, is 11"):
        trial.run(trial.study(trial.metric("spread", "spread.num_train = 11")))


def test_a_folder_without_results_is_in_the_way(trial):
    study = trial.study("spread")
    trial.run(study)
    shutil.rmtree(trial.output / "0/metrics/mean/spread/results")
    os.utime(trial.output / "0/metrics/mean")
    with pytest.raises(errors.ConfigError, match="is there and holds no results. Move it away"):
        trial.run(study)


def test_mistakes_are_found_before_anything_starts(trial):
    for config, message in (
        (trial.metric("spread-1", "spread.num_trian = 10"), "spread-1.gin, line 3: 'spread' has no"),
        (trial.metric("spreat"), "spreat.gin, line 1: Unknown name 'spreat'. Did you mean 'spread'?"),
    ):
        with pytest.raises(errors.ConfigError, match=message):
            trial.run(trial.study("spread", config))
    assert not trial.output.exists()


def test_failures_are_recorded_and_do_not_stop_the_others(trial):
    flaky = trial.metric("flaky", f"flaky.file = '{trial.folder}/tries'", "flaky.times = 9")
    study = trial.study("deadly", flaky, "spread", names=("perfect_oracle",))
    ended = trial.run(study)
    assert ended.counts == {"done": 1, "failed": 2}
    dead = failure(trial, 0, "metrics/mean/deadly")
    assert dead["message"].startswith("Its process was ended by SIGKILL") and dead["attempts"] == 1
    assert dead["last_lines"] == ["last words"] and dead["log"] == "logs/evaluate_mean.log"
    raised = failure(trial, 0, "metrics/mean/flaky")
    assert raised["message"] == "ValueError: failure number 1"
    assert any("raise ValueError" in line for line in raised["last_lines"])
    assert trial.run(study).counts == {"done": 1, "failed": 2}  # not tried again by itself
    assert (trial.folder / "tries").read_text() == "x"


def test_failures_are_tried_again_as_often_as_asked(trial):
    flaky = trial.metric("flaky", f"flaky.file = '{trial.folder}/tries'", "flaky.times = 2")
    study = trial.study(flaky, names=("perfect_oracle",), retries=1)
    assert trial.run(study).counts == {"failed": 1}
    assert (trial.folder / "tries").read_text() == "xx"
    assert failure(trial, 0, "metrics/mean/flaky")["attempts"] == 2
    more = trial.study(flaky, retries=2)
    assert trial.run(more).counts == {"done": 1}
    assert not list((trial.output / "0/failures").rglob("*.json"))


@pytest.mark.slow
def test_time_and_memory_are_limited(trial):
    study = trial.study(
        trial.metric("sleepy", "sleepy.seconds = 60"),
        "greedy",
        "spread",
        names=("perfect_oracle",),
        time_limit=10,
    )
    assert trial.run(study, memory="350 MB").counts == {"done": 1, "failed": 2}
    assert failure(trial, 0, "metrics/mean/sleepy")["message"] == "It took more than its 10 seconds."
    assert "bytes of memory; 350,000,000 are allowed" in failure(trial, 0, "metrics/mean/greedy")["message"]


def test_bindings_follow_a_study_that_is_given_as_such():
    study = Study(models=["models/beta_vae.gin"], vary={"vae.beta": [1, 2]}, time_limit=0.1)
    found, engine = read_study(study, ["study.time_limit = None", "study.seeds = 3", "local.workers = 7"])
    assert found == replace(study, time_limit=None, seeds=3, options={"workers": 7}) and engine.workers == 7
    assert read_study(study)[0] == study


def test_the_engines_options_are_kept_with_the_study(trial):
    study = trial.study("spread", names=("perfect_oracle",))
    run_study(study, trial.output, gin_bindings=["local.workers = 1", "local.memory = '2 GB'"])
    kept = kept_study(trial.output)
    assert kept.options == {"workers": 1, "memory": "2 GB"}
    assert read_study(kept)[1].workers == 1
    assert read_study(kept, ["local.workers = 3"])[0].options == {"workers": 3, "memory": "2 GB"}
    with pytest.raises(errors.InvalidInput, match="study.options"):
        replace(study, options=[1])


@pytest.mark.slow
def test_what_does_not_look_at_its_time_is_ended(trial):
    study = trial.study("spread", "endless", names=("perfect_oracle",), time_limit={"evaluate": 4})
    assert trial.run(study).counts == {"done": 1, "failed": 1}
    recorded = failure(trial, 0, "metrics/mean/endless")
    assert recorded["message"] == "It took more than its 4 seconds and did not end by itself."
    assert "on and on" in recorded["last_lines"] and any("Timeout" in line for line in recorded["last_lines"])


def test_nothing_is_to_be_done_with_a_model_that_failed(tmp_path):
    study = Study(models=["models/beta_vae.gin"], datasets=["candle_mini"], metrics=["metrics/mig.gin"])
    (planned,) = make_plan(study, tmp_path).runs
    plan = make_plan(study, tmp_path)
    failed = {"attempts": 1, "message": "no"}
    for place, missing in (
        ("model", []),
        ("postprocessed/mean", ["model"]),
        ("metrics/mean/mig", ["model", "postprocessed/mean"]),
    ):
        planned.found = Found(failed={place: failed})
        assert plan.missing(planned) == missing
        assert [task.place for work in plan.units(planned) for task in work.tasks] == missing
    planned.found = Found(done={"postprocessed/mean": ""}, failed={"model": failed})
    assert plan.missing(planned) == ["metrics/mean/mig"]  # what it is made of is there


def test_a_full_disk_stops_it_and_is_no_failure_of_the_task(trial):
    study = trial.study("full", names=tuple(f"perfect_oracle-{n}" for n in range(5)))
    ended = trial.run(study, workers=1)
    assert ended.full and ended.counts == {"waiting": 5}
    assert not list(trial.output.rglob("failures/*"))


DRIVER = """
import sys
from causal_disent import run_study
ended = run_study(sys.argv[1], sys.argv[2], gin_bindings=["local.workers = 2"])
print(dict(ended.counts))
"""


def driver(trial, study):
    file = trial.folder / "s.gin"
    file.write_text(study.as_config())
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(file), str(trial.output)],
        env=trial.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_after_kills_it_goes_on(trial):
    names = tuple(f"perfect_oracle-{n}" for n in range(8))
    study = trial.study("spread", trial.metric("sleepy", "sleepy.seconds = 0.3"), names=names)
    for _ in range(3):
        process = driver(trial, study)
        before = len(results(trial))
        while len(results(trial)) < before + 2 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = results(trial)
    assert len(kept) >= 4
    ended = trial.run(study)
    assert ended.counts == {"done": 16} and kept.items() <= results(trial).items()
    assert not list(trial.output.rglob("*.partial")) and not list(trial.output.rglob("*.lease*"))


def test_two_processes_share_it(trial):
    trial.environment["TRIAL_LOG"] = str(trial.folder / "log")
    names = tuple(f"perfect_oracle-{n}" for n in range(10))
    study = trial.study("spread", trial.metric("sleepy", "sleepy.seconds = 0.2"), names=names)
    processes = [driver(trial, study) for _ in range(2)]
    for process in processes:
        output, error = process.communicate(timeout=120)
        assert output == "{'done': 20}\n", error
    lines = (trial.folder / "log").read_text().split("\n")[:-1]
    assert len(lines) == 10  # none twice
    assert len({line.split()[0] for line in lines}) >= 3  # and workers of both took part


def test_an_interrupt_ends_it_cleanly(trial):
    study = trial.study(trial.metric("sleepy", "sleepy.seconds = 30"))
    process = driver(trial, study)
    while not list(trial.output.rglob("evaluate_mean.log")):
        time.sleep(0.05)
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert not list(trial.output.rglob("*.lease*")) and not list(trial.output.rglob("*.partial"))
    assert {name.name for name in (trial.output / "0").iterdir()} <= {"run.json", "logs", "metrics"}


def test_the_plan_tells_time_and_space(trial):
    from causal_disent.runs.study import plan_text, run_text, state_text

    sleepy = trial.metric("sleepy", "sleepy.seconds = 0")
    names = ("perfect_oracle-0",)
    trial.run(trial.study(sleepy, names=names))
    (file,) = results(trial)
    file.write_text(json.dumps({**json.loads(file.read_text()), "elapsed_time": 100.0}))
    trial.representations("perfect_oracle-1", "perfect_oracle-2", "perfect_oracle-3", "perfect_oracle-4")
    plan = make_plan(trial.study(sleepy), trial.output)
    text = plan_text(plan, workers=2)
    assert "5 runs of 5 folders\n" in text and "5 tasks: 1 done, 0 running, 0 failed, 4 waiting" in text
    assert "to do: 4 x evaluation" in text and "time: 3 min, on 2 workers" in text
    assert "KB" in text.split("space: ")[1]
    assert "1 done, 0 running, 0 failed, 4 waiting" in state_text(plan)
    assert "metrics/mean/sleepy  done" in run_text(plan, 0)
    with pytest.raises(errors.UnknownName, match="Unknown run '7'"):
        run_text(plan, 7)
    empty = plan_text(make_plan(trial.study(sleepy), trial.folder / "elsewhere"), workers=2)
    assert "time: not known before some are done" in empty


torch = pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", "import causal_disent_torch"], capture_output=True).returncode != 0,
    reason="models are trained by causal_disent_torch",
)
SMALL = [
    "model.training_steps = 2",
    "model.eval_steps = 1",
    "model.batch_size = 4",
    "mig.num_train = 50",
]


def small_study(**more):
    settings = {
        "models": ["models/beta_vae.gin", "models/s2_vae.gin"],
        "datasets": [{"name": "candle_mini", "confounding": "candle_color"}],
        "metrics": ["metrics/mig.gin"],
        "bindings": SMALL,
        **more,
    }
    return Study(**settings)


@torch
@pytest.mark.slow
def test_models_are_trained_and_measured_in_the_known_layout(tmp_path):
    from causal_disent.runs.aggregate import aggregate_results

    study = small_study(vary={"vae.beta": [1, 4]}, postprocess=["postprocess/mean.gin", "postprocess/sampled.gin"])
    ended = run_study(study, tmp_path / "study", gin_bindings=[])
    assert ended.counts == {"done": 3 * (1 + 2 + 2)}
    place = tmp_path / "study/0"
    assert {"model", "postprocessed", "metrics"} <= {path.name for path in place.iterdir()}
    assert {path.name for path in (place / "metrics").iterdir()} == {"mean", "sampled"}
    table, left_out = aggregate_results(f"{tmp_path}/study/*/metrics/*/*/results/aggregate/evaluation.json")
    assert len(table) == 6 and not left_out
    assert set(table["train_config.model.model_num"]) == {"0", "1", "2"}
    assert set(table["train_config.vae.beta"].dropna()) == {"1", "4"}
    tidy = ended.table
    assert set(tidy["model"]) == {"beta_vae", "s2_vae"} and set(tidy["confounding"]) == {"candle_color"}
    assert set(tidy["varied"]) == {"vae.beta=1", "vae.beta=4", ""}
    assert len(tidy.pivot_table("value", ["model", "varied"], "representation")) == 3
    with pytest.raises(errors.ConfigError, match=r"Run 0 \(beta_vae on .*model.batch_size was 4, is 5"):
        run_study(
            small_study(vary={"vae.beta": [1, 4]}, bindings=[*SMALL, "model.batch_size = 5"]), tmp_path / "study"
        )


@torch
@pytest.mark.slow
def test_a_loss_that_is_no_number_is_a_failure(tmp_path):
    wild = {
        "config": "models/beta_vae.gin",
        "name": "wild",
        "bindings": ["vae/AdamOptimizer.learning_rate = 1e30"],
    }
    study = small_study(models=["models/beta_vae.gin", wild], bindings=[*SMALL[1:], "model.training_steps = 5"])
    ended = run_study(study, tmp_path / "study")
    assert ended.counts == {"done": 3, "failed": 1, "waiting": 2}
    message = json.loads((tmp_path / "study/1/failures/model.json").read_text())["message"]
    assert "diverged" in message or "of the loss is" in message
    assert list(ended.table["model"].unique()) == ["beta_vae"]
