"""What is measured while a model is trained, and that the training does not notice."""
# ruff: noqa: NPY002  # trainers use the global random state, which must be kept

import json
import os
import pickle
import random
import time
from dataclasses import replace

import numpy as np
import pytest

import causal_disent
from causal_disent import Monitor, errors, monitor
from causal_disent.runs.score import STOPPED

FACTORS = np.indices((4, 4, 4)).reshape(3, -1).T
#: A metric that is measured at once, without intervals.
FAST = {"metrics": "mig", "bootstrap": 0, "chance": 0}
R2 = {**FAST, "metrics": "r2"}


def turned(angle):
    """Codes that are the factors, two of them turned by an angle."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return lambda inputs: inputs @ np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])


def follow(watched, angles):
    for step, angle in enumerate(angles):
        watched(turned(angle), step)
    return watched.finish()


def scores_of(table, metric="mig"):
    chosen = table[table["metric"] == metric]
    return dict(zip(chosen["step"], chosen["score"], strict=True))


# --- What is measured ---


@pytest.mark.parametrize("worker", [True, False])
def test_scores_are_those_of_score(worker):
    watched = Monitor(
        FACTORS, FACTORS, every=2, metrics=["mig", "r2"], random_state=3, worker=worker, busy="queue"
    )
    table = follow(watched, [0.0, 0.1, 0.3, 0.5, 0.8])
    for step, angle in ((0, 0.0), (2, 0.3), (4, 0.8)):
        expected = causal_disent.score(turned(angle)(FACTORS), FACTORS, ["mig", "r2"], 3, progress=False).table
        found = table[table["step"] == step].set_index("metric")
        for column in ("score", "low", "high", "chance"):
            assert found[column].to_dict() == pytest.approx(expected[column].to_dict(), nan_ok=True)
    assert set(table["step"]) == {0, 2, 4} and not watched.dropped and not watched.failures


def test_steps_that_jump_are_measured_once_each_interval():
    watched = Monitor(FACTORS, FACTORS, every=10, worker=False, **FAST)
    for step in (3, 9, 12, 12, 15, 29, 31, 40):
        watched(turned(0), step)
    assert sorted(scores_of(watched.finish())) == [12, 29, 31, 40]


def test_points_of_a_data_set():
    data = causal_disent.get_dataset("candle_mini", factors=["object", "color"])
    seen = []
    watched = Monitor(data, every=1, num_points=60, batch_size=25, random_state=1, worker=False, **FAST)
    watched(lambda images: seen.append(images) or images.reshape(len(images), -1)[:, :5].astype(float), 0)
    watched.finish()
    factors, images = data.sample(60, np.random.RandomState(1))
    assert [len(batch) for batch in seen] == [25, 25, 10] and (np.concatenate(seen) == images).all()
    codes = images.reshape(60, -1)[:, :5].astype(float)
    assert (
        scores_of(watched.table)[0]
        == causal_disent.score(codes, factors, random_state=1, **FAST).table["score"]["mig"]
    )


def test_points_of_a_loader_and_of_a_mapping():
    batches = [(FACTORS[i : i + 10], FACTORS[i : i + 10]) for i in range(0, 64, 10)]
    scores = [
        scores_of(follow(Monitor(points, factors, every=1, worker=False, num_points=45, **FAST), [0.2]))
        for points, factors in ((batches, None), (iter(batches), None), (FACTORS[:45], FACTORS[:45]))
    ]
    assert scores[0] == scores[1] == scores[2]
    named = Monitor({"a": FACTORS, "b": -FACTORS}, FACTORS, every=1, worker=False, **FAST)
    named(lambda inputs: inputs["a"] - inputs["b"], 0)
    assert scores_of(named.finish()) == {0: pytest.approx(1.0)}


def test_tensors_of_torch_reach_the_worker_as_arrays():
    torch = pytest.importorskip("torch")
    for factors in (torch.tensor(FACTORS), {"a": torch.tensor(FACTORS[:, 0]), "b": torch.tensor(FACTORS[:, 1])}):
        watched = Monitor(torch.tensor(FACTORS), factors, every=100, **FAST)
        watched(lambda inputs: inputs, 0)
        wait_for(watched, lambda watched=watched: len(watched.table) or watched.failures)
        assert scores_of(watched.finish())[0] == pytest.approx(1.0)


def test_fewer_points_are_drawn_in_pairs():
    watched = Monitor(FACTORS * 2.0, FACTORS, every=1, num_points=30, worker=False, **R2)
    watched(lambda inputs: inputs, 0)
    assert scores_of(watched.finish(), "r2")[0] == pytest.approx(1.0)


# --- Trackers, stopping, checkpoints ---


def test_trackers_follow(tmp_path):
    watched = Monitor(FACTORS, FACTORS, every=1, metrics="mig", folder=tmp_path, trackers=["curves"], worker=False)
    follow(watched, [0.1, 0.2])
    lines = (tmp_path / "curves/curves.csv").read_text().splitlines()
    assert [line.rpartition(",")[0] for line in lines[1:]] == [
        f"{step},mig{end}" for step in (0, 1) for end in ("", "/low", "/high", "/chance")
    ]
    follow(watched, [0.3])  # it starts over
    assert len((tmp_path / "curves/curves.csv").read_text().splitlines()) == 5


def save_angle(place):
    (place / "angle").write_text(place.name)


def test_the_checkpoint_of_the_best_score_is_kept(tmp_path):
    watched = Monitor(
        FACTORS, FACTORS, every=1, folder=tmp_path, best="mig", save=save_angle, worker=False, **FAST
    )
    follow(watched, [0.3, 0.1, 0.2, 0.0, 0.4])
    assert watched.best["step"] == 3 and watched.best["checkpoint"] == "checkpoints/3"
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["3"]
    assert (tmp_path / "checkpoints/3/angle").is_file()
    assert json.loads((tmp_path / "best.json").read_text())["score"] == pytest.approx(1.0)


def test_the_best_of_a_run_that_goes_on_is_kept(tmp_path):
    def begin():
        return Monitor(
            FACTORS, FACTORS, every=1, folder=tmp_path, best="mig", save=save_angle, worker=False, **FAST
        )

    follow(begin(), [0.3, 0.0])
    (tmp_path / "checkpoints/7").mkdir()  # of a run that was killed
    going_on = begin()
    going_on(turned(0.2), 2)
    going_on.finish()
    assert going_on.best["step"] == 1
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["1"]
    follow(begin(), [0.4])
    assert json.loads((tmp_path / "best.json").read_text())["step"] == 0


def test_alike_are_the_steps_within_the_interval():
    watched = Monitor(FACTORS, FACTORS, every=1, metrics="mig", best="mig", worker=False, bootstrap=30, chance=0)
    table = follow(watched, [0.8, 0.1, 0.105, 0.8])
    best = watched.best
    within = table[(table["score"] >= best["low"]) & (table["score"] <= best["high"])]["step"]
    assert best["step"] in set(within) and {*best["alike"], best["step"]} == set(within) and 0 not in best["alike"]


def test_stopping_counts_measurements_outside_the_interval_alone():
    noise = np.random.RandomState(0).normal(size=FACTORS.shape)
    watched = Monitor(FACTORS, FACTORS, every=1, best="r2", patience=2, worker=False, **R2)
    stopped = []
    for step, level in enumerate([0.5, 0.3, 0.35, 0.1, 0.2, 0.2]):
        watched(lambda inputs, level=level: inputs + level * noise, step)
        stopped.append(watched.should_stop)
    assert stopped == [False, False, False, False, False, True] and watched.best["step"] == 3
    sure = Monitor(FACTORS, FACTORS, every=1, metrics="r2", best="r2", patience=2, worker=False, bootstrap=30)
    for step in range(3):  # a little better each time, and never outside the interval of the first
        sure(lambda inputs, level=0.5 - 0.001 * step: inputs + level * noise, step)
    assert sure.should_stop and sure.best["step"] == 2


def test_a_metric_whose_lower_scores_are_better():
    lower = next(
        name
        for name in ("gaussian_total_correlation", "unsupervised_metrics", "mutual_information")
        if name in causal_disent.registry.registry.names("metrics")
        and causal_disent.registry.registry.get("metrics", name).facts["better"] == "lower"
    )
    watched = Monitor(FACTORS, FACTORS, every=1, metrics=lower, best=lower, worker=False, bootstrap=0, chance=0)
    table = follow(watched, [0.4, 0.0, 0.2])
    best = min(scores_of(table, lower).items(), key=lambda pair: pair[1])
    assert watched.best["step"] == best[0]


# --- What the trainer does not notice ---


class Slow(int):
    """A 0 that a worker process reads for as many seconds."""

    seconds = 1.0

    def __reduce__(self):
        return _sleep, (self.seconds,)


def _sleep(seconds):
    time.sleep(seconds)
    return 0


def test_a_measurement_that_is_due_while_one_is_at_work_is_dropped_or_queued():
    for busy, measured in (("drop", 1), ("queue", 4)):
        watched = Monitor(FACTORS, FACTORS, every=1, metrics="mig", busy=busy, bootstrap=Slow(), chance=0)
        for step in range(4):
            watched(turned(0.1), step)
        assert len(watched.finish()) == measured and watched.dropped == 4 - measured


def wait_for(watched, holds):
    """Call a monitor until its worker has answered; no step of these is due."""
    while not holds():
        time.sleep(0.05)
        watched(turned(0.1), 1)


def test_results_are_taken_while_the_training_goes_on():
    watched = Monitor(FACTORS, FACTORS, every=100, **FAST)
    watched(turned(0.0), 0)
    wait_for(watched, lambda: len(watched.table))
    assert scores_of(watched.finish()) == {0: pytest.approx(1.0)}


def test_codes_that_cannot_be_measured_do_not_stop_the_training(tmp_path, capfd):
    watched = Monitor(
        FACTORS, FACTORS, every=1, folder=tmp_path, best="mig", save=save_angle, busy="queue", **FAST
    )
    watched(turned(0.1), 0)
    watched(lambda inputs: inputs * np.nan, 1)
    watched(turned(0.2), 2)
    assert sorted(scores_of(watched.finish())) == [0, 2] and set(watched.failures) == {1}
    assert "Traceback" not in capfd.readouterr().err
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["0"]


class Fatal(int):
    """A 0 that kills the process that reads it first."""

    def __new__(cls, mark):
        made = super().__new__(cls, 0)
        made.mark = mark
        return made

    def __reduce__(self):
        return _die_once, (str(self.mark),)


def _die_once(mark):
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), 9)
    return 0


def test_a_worker_that_dies_is_replaced(tmp_path):
    options = {"metrics": "mig", "bootstrap": Fatal(tmp_path / "died"), "chance": 0}
    watched = Monitor(FACTORS, FACTORS, every=100, **options)
    watched(turned(0.1), 0)
    wait_for(watched, lambda: watched.failures)
    watched(turned(0.1), 100)
    wait_for(watched, lambda: len(watched.table))
    assert list(scores_of(watched.finish())) == [100] and "KILL" in watched.failures[0]


def test_the_worker_has_a_low_priority():
    if not hasattr(os, "sched_getscheduler"):
        pytest.skip("this system has no classes of processes")
    from causal_disent.runs.engine import Worker, end

    worker = Worker(threads=1)
    try:
        worker.begin(monitor._score_idly, (0, FACTORS * 1.0, FACTORS, ["mig"], 0, {"bootstrap": 0, "chance": 0}))
        rows, failure = worker.finished().result
        assert rows[0]["score"] == pytest.approx(1.0) and not failure
        assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) == 19
        assert os.sched_getscheduler(worker.process.pid) == os.SCHED_IDLE
    finally:
        end([worker])


def test_random_state_of_python_and_numpy_is_kept():
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)

    def draw(inputs):
        return inputs + np.random.normal(size=inputs.shape) + random.random()

    def loader():
        np.random.normal(size=5)
        yield FACTORS, FACTORS

    watched = Monitor(loader(), every=1, worker=False, **FAST)
    watched(draw, 0)
    watched.finish()
    assert (random.random(), np.random.random()) == expected


def make_torch_model(torch):
    torch.manual_seed(0)
    layers = torch.nn.Linear(3, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2)
    model = torch.nn.Sequential(*layers)
    layers[2].eval()
    return model


def train(torch, watched=None, encode=None):
    """The weights after some steps with dropout, normalisation and drawn batches, and the modes of all parts."""
    model = make_torch_model(torch)
    inputs = torch.tensor(FACTORS, dtype=torch.float32)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(6):
        chosen = torch.randperm(64)[:32]
        noise = torch.tensor(np.random.normal(size=(32, 2)), dtype=torch.float32)
        loss = ((model(inputs[chosen] + torch.randn(32, 3)) - noise) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if watched is not None:
            watched(encode(model) if encode else model, step, model=model)
    modes = [part.training for part in model.modules()]
    gradients = [weights.grad.clone() for weights in model.parameters()]
    return [*model.state_dict().values(), *gradients], modes


def draw(model, inputs):
    """Codes that are random, whatever the mode of the model is."""
    model[2].train()
    return model(inputs) + 1


@pytest.mark.parametrize("encode", [None, lambda model: lambda inputs: draw(model, inputs), "forward"])
def test_the_training_is_the_same_bit_for_bit(encode):
    torch = pytest.importorskip("torch")
    if encode == "forward":
        encode = lambda model: model.forward  # noqa: E731
    np.random.seed(0)
    without, modes = train(torch)
    np.random.seed(0)
    inputs = FACTORS.astype(np.float64)
    watched = Monitor(inputs, FACTORS, every=2, worker=False, metrics="r2", best="r2", bootstrap=0, chance=0)
    found, found_modes = train(torch, watched, encode)
    assert all(torch.equal(one, other) for one, other in zip(without, found, strict=True))
    assert found_modes == modes and modes.count(False) == 1
    assert len(watched.finish()) == 3


def test_a_torch_module_is_saved_and_gets_tensors(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_model

    seen = []

    class Encoder(torch.nn.Linear):
        def forward(self, inputs):
            seen.append((inputs.dtype, inputs.requires_grad, torch.is_grad_enabled(), self.training))
            return super().forward(inputs)

    model = Encoder(3, 3)
    watched = Monitor(FACTORS * 1.0, FACTORS, every=1, folder=tmp_path, best="r2", worker=False, **R2)
    watched(model, 0)
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        model.weight.zero_()
    watched(model, 1)
    watched.finish()
    assert seen == [(torch.float32, False, False, False)] * 2 and model.training
    other = Encoder(3, 3)
    load_model(other, tmp_path / watched.best["checkpoint"] / "model.safetensors")
    assert all(torch.equal(value, kept[name]) for name, value in other.state_dict().items())


def test_images_of_a_data_set_are_channels_first_for_torch():
    torch = pytest.importorskip("torch")

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution = torch.nn.Conv2d(3, 2, 8, 8)

        def forward(self, images):
            return self.convolution(images).mean((2, 3))

    watched = Monitor(causal_disent.get_dataset("candle_mini"), every=1, num_points=50, worker=False, **FAST)
    watched(Encoder(), 0)
    assert len(watched.finish()) == 1


def test_a_monitor_that_has_not_begun_can_be_sent(tmp_path):
    sent = pickle.loads(pickle.dumps(Monitor(FACTORS, FACTORS, every=1, **FAST)))
    sent(turned(0.0), 0)
    with pytest.raises(errors.InvalidInput):
        pickle.dumps(sent)
    assert scores_of(sent.finish())[0] == pytest.approx(1.0)


def test_no_framework_is_loaded():
    import subprocess
    import sys

    code = (
        "import sys, numpy as np, causal_disent\n"
        "m = causal_disent.Monitor(np.eye(4), np.eye(4, dtype=int)[:, :2], every=1, worker=False, metrics='r2')\n"
        "m(lambda x: x, 0); m.finish()\nprint(sorted({'torch', 'tensorflow', 'keras'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


# --- Mistakes ---


@pytest.mark.parametrize(
    "options",
    [
        {"every": 0},
        {"every": 1.5},
        {"metrics": "migg"},
        {"metrics": []},
        {"best": "migg"},
        {"patience": 3},
        {"save": save_angle},
        {"best": "mig", "save": save_angle},
        {"trackers": ["curves"]},
        {"busy": "wait"},
        {"bootstraps": 3},
        {"bootstrap": "many"},
        {"progress": True},
        {"bins": 1},
        {"num_points": 0},
        {"random_state": -1},
        {"metrics": "cg"},
    ],
)
def test_a_mistake_is_told_before_the_training(options):
    with pytest.raises(errors.CausalDisentError):
        Monitor(FACTORS, FACTORS, **options)


@pytest.mark.parametrize(
    "points",
    [
        (FACTORS, FACTORS[:-1]),
        (FACTORS,),
        (7,),
        ("points.npy",),
        ([],),
        ([{"image": FACTORS}],),
        ({"a": FACTORS, "b": FACTORS[1:]}, FACTORS),
        (FACTORS, FACTORS * 0),
        (FACTORS, FACTORS * np.nan),
        ([(FACTORS, FACTORS[:8])],),
        ([(FACTORS, {"angle": FACTORS[:, 0]})],),
        ([(FACTORS, 3)],),
        ([(FACTORS, FACTORS), (FACTORS[:, :1], FACTORS)],),
        ([(FACTORS, FACTORS), (FACTORS, FACTORS[:, 0])],),
        ([({"a": FACTORS}, FACTORS), ({"b": FACTORS}, FACTORS)],),
        ({"a": FACTORS, "flag": True}, FACTORS),
    ],
)
def test_points_that_cannot_be_used(points):
    with pytest.raises(errors.InvalidInput):
        Monitor(*points)


@pytest.mark.parametrize("codes", [lambda x: (x, x), lambda x: x[:, 0], lambda x: x[1:], lambda x: "codes"])
def test_codes_of_another_shape(codes):
    with pytest.raises(errors.InvalidInput):
        Monitor(FACTORS, FACTORS, every=1, worker=False, **FAST)(codes, 0)


def test_batches_of_codes_of_different_numbers():
    numbers = iter([2, 3])
    watched = Monitor(FACTORS, FACTORS, every=1, worker=False, batch_size=32, **FAST)
    with pytest.raises(errors.InvalidInput):
        watched(lambda inputs: inputs[:, : next(numbers)], 0)


def test_a_model_that_is_none():
    with pytest.raises(errors.InvalidInput):
        Monitor(FACTORS, FACTORS, every=1, **FAST)(turned(0), 0, model="vae")


def test_an_encoder_that_raises_leaves_all_as_it_was():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(3, 2)
    watched = Monitor(FACTORS, FACTORS, every=1, **FAST)

    def fail(inputs):
        torch.rand(1)
        raise KeyError("mean")

    state = torch.get_rng_state()
    with pytest.raises(KeyError):
        watched(fail, 0, model=model)
    assert model.training and torch.equal(torch.get_rng_state(), state) and torch.is_grad_enabled()


def test_a_spoiled_record_of_the_best(tmp_path):
    (tmp_path / "best.json").write_text("{")
    watched = Monitor(FACTORS, FACTORS, every=1, folder=tmp_path, best="mig", worker=False, **FAST)
    with pytest.raises(errors.InvalidInput):
        watched(turned(0), 5)


def test_a_record_of_the_best_without_numbers_counts_as_none(tmp_path):
    record = {"step": 0, "metric": "mig", "score": 0.5, "low": "a", "high": "b"}
    (tmp_path / "best.json").write_text(json.dumps(record))
    watched = Monitor(FACTORS, FACTORS, every=1, folder=tmp_path, best="mig", worker=False, **FAST)
    watched(turned(0.3), 5)
    assert watched.best["step"] == 5


def test_steps_may_be_integers_of_numpy(tmp_path):
    with Monitor(FACTORS, FACTORS, every=1, folder=tmp_path, best="mig", worker=False, **FAST) as watched:
        for step in np.arange(2):
            watched(turned(0), step)
    assert json.loads((tmp_path / "best.json").read_text())["step"] == 0


@pytest.mark.parametrize("step", ["1", 1.0, None])
def test_a_step_that_is_no_whole_number(step):
    with pytest.raises(errors.InvalidInput):
        Monitor(FACTORS, FACTORS, every=1, worker=False, **FAST)(turned(0), step)


def test_an_interrupt_while_scores_are_computed_ends_the_training(monkeypatch):
    def interrupted(*given, **options):
        return replace(causal_disent.score(*given, **options), stopped=STOPPED)

    monkeypatch.setattr(monitor, "score", interrupted)
    watched = Monitor(FACTORS, FACTORS, every=1, worker=False, **FAST)
    with pytest.raises(KeyboardInterrupt):
        watched(turned(0), 0)
    assert watched.finish().empty
