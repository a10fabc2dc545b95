"""Whole runs: folders, repeatability, kill and resume, divergence, postprocessing, evaluation."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.representation import open_tensors, write_tensors
from causal_disent_torch.training import NOISE, Trainer
from numpy.testing import assert_array_equal
from rounding import assert_same_outputs
from safetensors.torch import load_file
from small_trainers import interrupt_at
from training_configs import SUPERVISED, UNSUPERVISED, supervised, unsupervised

from causal_disent import errors, evaluate_with_gin
from causal_disent.cli.dlib import dlib_postprocess, dlib_train, dlib_train_semi_supervised
from causal_disent.config import gin_config
from causal_disent.runs.dataset import dataset
from causal_disent.runs.postprocess import postprocess_with_gin
from causal_disent.runs.train import train_with_gin
from causal_disent.training.checkpoint import CHECKPOINT, partial_folder
from causal_disent.training.plan import make_plan

pytestmark = pytest.mark.usefixtures("global_generators")

CASES = [*UNSUPERVISED, *SUPERVISED]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def train(name, folder, *more, overwrite=False, **options):
    """A run of the model called `name`."""
    options = {"device": "cpu", **options}
    if name in SUPERVISED:
        bindings = supervised(name, *more)
        return train_with_gin(folder, overwrite, gin_bindings=bindings, with_labels=True, **options)
    return train_with_gin(folder, overwrite, gin_bindings=unsupervised(name, *more), **options)


def weights(folder):
    return {name: value.numpy() for name, value in load_file(folder / "model" / "weights.safetensors").items()}


def assert_same(first, second):
    first, second = weights(first), weights(second)
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


@pytest.fixture
def kill(monkeypatch):
    """`kill(step)` makes the run that follows end after that many of its steps; `kill(None)` lets it live."""
    step = Trainer.step

    def at(number):
        def counting(self):
            if number is not None and self.num_steps == number:
                raise Killed
            return step(self)

        monkeypatch.setattr(Trainer, "step", counting)

    return at


@pytest.mark.parametrize("name", CASES)
def test_train_kill_resume_equals_train(name, tiny, tmp_path, kill):
    whole = train(name, tmp_path / "whole")
    kill(5)
    with pytest.raises(Killed):
        train(name, tmp_path / "killed", checkpoint_every=2)
    assert not (tmp_path / "killed").exists()
    kill(None)
    resumed = train(name, tmp_path / "killed", checkpoint_every=2)
    assert not partial_folder(tmp_path / "killed").exists()
    assert_same(tmp_path / "whole", tmp_path / "killed")
    changing = {"elapsed_time", "uuid"}
    assert {k: v for k, v in whole.items() if k not in changing} == {
        k: v for k, v in resumed.items() if k not in changing
    }


def test_a_resumed_run_starts_where_it_was(tiny, tmp_path, kill):
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(3)  # a run that began anew would come past this step
    train("vae", tmp_path / "m", checkpoint_every=2)
    assert (tmp_path / "m").is_dir()


def test_the_seed_decides(tiny, tmp_path):
    train("vae", tmp_path / "a")
    train("vae", tmp_path / "b", checkpoint_every=0)
    train("vae", tmp_path / "c", "model.random_seed = 1")
    assert_same(tmp_path / "a", tmp_path / "b")
    with pytest.raises(AssertionError):
        assert_same(tmp_path / "a", tmp_path / "c")


def test_a_checkpoint_of_other_settings(tiny, tmp_path, kill):
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(None)
    with pytest.raises(errors.InvalidInput, match=r"other settings \(vae.beta: 4 before, 8 now\).*--noresume"):
        train("vae", tmp_path / "m", "vae.beta = 8")
    loss = "bernoulli_loss.subtract_true_image_entropy = True"
    with pytest.raises(errors.InvalidInput, match="subtract_true_image_entropy: not bound before, True now"):
        train("vae", tmp_path / "m", loss)
    train("vae", tmp_path / "m", "vae.beta = 8", resume=False)
    train("vae", tmp_path / "other", "vae.beta = 8")
    assert_same(tmp_path / "m", tmp_path / "other")


def test_a_run_may_be_made_longer(tiny, tmp_path, kill):
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(None)
    train("vae", tmp_path / "m", "model.training_steps = 9")
    train("vae", tmp_path / "long", "model.training_steps = 9")
    assert_same(tmp_path / "m", tmp_path / "long")


def damaged(path, how):
    """Break a checkpoint in one way."""
    content = path.read_bytes()
    if how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "pickle":
        torch.save({"step": 1}, path)
    elif how == "text":
        path.write_text("not a checkpoint at all, but long enough to be one")
    elif how == "link":
        path.rename(path.parent.with_name("elsewhere"))
        path.symlink_to("../elsewhere")
    else:
        with open_tensors(path) as file:
            tensors, metadata = {name: file.read(name) for name in file.shapes}, dict(file.metadata)
        described = json.loads(metadata["run"])
        if how == "shape":
            tensors["networks.encoder.e1.bias"] = torch.zeros(7)
        elif how == "optimizer":
            tensors["optimizer.vae.0.exp_avg"] = torch.zeros(2, 2)
        elif how == "slot":
            for name in [name for name in tensors if name.endswith(".exp_avg_sq")]:
                del tensors[name]
            described["tensors"] = sorted(tensors)
        elif how == "no optimizer":
            tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("optimizer.")}
        elif how == "missing":
            del tensors["networks.encoder.e1.bias"]
            described["tensors"] = sorted(tensors)
        elif how == "generator":
            tensors[NOISE] = torch.zeros_like(tensors[NOISE])
        elif how == "position":
            described["position"] = 10**6
        elif how == "types":
            described["settings"] = {"vae.beta": 4}
        metadata["run"] = json.dumps(described) if how != "no description" else "[]"
        write_tensors(path, tensors, metadata)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("cut", "cut off"),
        ("empty", "cut off"),
        ("text", "not a safetensors file"),
        ("pickle", "is a pickle"),
        ("link", "symbolic link"),
        ("shape", r"e1.bias' has shape \(7,\); \(3,\) is needed"),
        ("optimizer", "optimizer.vae.0.exp_avg"),
        ("missing", "missing are networks.encoder.e1.bias"),
        ("generator", "cannot be used"),
        ("position", "not a checkpoint of this program"),
        ("types", "not a checkpoint of this program"),
        ("slot", "an optimizer has exp_avg, step, and exp_avg, exp_avg_sq, step are needed"),
        ("no optimizer", "not a checkpoint of this program"),
        ("no description", "not a checkpoint of this program"),
    ],
)
def test_a_damaged_checkpoint_is_refused(how, reason, tiny, tmp_path, kill):
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(None)
    path = partial_folder(tmp_path / "m") / CHECKPOINT
    damaged(path, how)
    before = path.read_bytes()
    with pytest.raises(errors.InvalidInput, match=f"{reason}.*--noresume starts over"):
        train("vae", tmp_path / "m")
    assert path.read_bytes() == before and not (tmp_path / "m").exists()
    train("vae", tmp_path / "m", resume=False)
    train("vae", tmp_path / "whole")
    assert_same(tmp_path / "m", tmp_path / "whole")


def test_divergence_names_step_and_term_and_keeps_the_checkpoint(tiny, tmp_path, monkeypatch):
    step = Trainer.step

    def poisoned(self):
        if self.num_steps == 4:
            with torch.no_grad():
                self.networks["encoder"].e2.bias.fill_(float("inf"))
        return step(self)

    monkeypatch.setattr(Trainer, "step", poisoned)
    with pytest.raises(errors.InvalidInput, match="at step 4 the term 'reconstruction_loss' is nan") as caught:
        train("vae", tmp_path / "m", checkpoint_every=2)
    path = partial_folder(tmp_path / "m") / CHECKPOINT
    assert f"The checkpoint of step 4 is kept in {path}" in caught.value.message
    assert not (tmp_path / "m").exists()
    monkeypatch.undo()
    train("vae", tmp_path / "m")  # the checkpoint is good: the run ends as if nothing had happened
    train("vae", tmp_path / "whole")
    assert_same(tmp_path / "m", tmp_path / "whole")


def test_a_real_divergence(tiny, tmp_path):
    with pytest.raises(errors.InvalidInput, match="Training diverged: at step .* the term '.*' is (nan|inf)"):
        train("vae", tmp_path / "m", "vae/AdamOptimizer.learning_rate = 1e30", checkpoint_every=1)


def test_weights_that_are_not_finite_are_not_saved(tiny, tmp_path, monkeypatch):
    step = Trainer.step

    def poisoned(self):
        terms = step(self)
        if self.num_steps == 4:
            with torch.no_grad():
                self.networks["decoder"].d1.bias[0] = float("nan")
        return terms

    monkeypatch.setattr(Trainer, "step", poisoned)
    with pytest.raises(errors.InvalidInput, match="after step 3 the weights 'decoder.d1.bias' are not finite"):
        train("vae", tmp_path / "m", checkpoint_every=2)
    path = partial_folder(tmp_path / "m") / CHECKPOINT
    with open_tensors(path) as file:
        assert json.loads(file.metadata["run"])["step"] == 2


def test_the_folder_of_a_model(tiny, tmp_path):
    scores = train("vae", tmp_path / "m")
    results = tmp_path / "m" / "results"
    stored = json.loads((results / "json" / "train_results.json").read_text())
    assert stored.pop("uuid") and stored == scores
    assert scores["global_step"] == 6 and scores["elapsed_time"] > 0
    names = {"loss", "reconstruction_loss", "elbo", "regularizer", "kl_loss"}
    assert names <= scores.keys()
    assert "vae.beta = 4" in (results / "gin" / "train.gin").read_text()
    bindings = json.loads((results / "json" / "train_config.json").read_text())
    assert bindings["vae/AdamOptimizer.learning_rate"] == "0.01" and bindings["dataset.name"] == "'tiny'"
    merged = json.loads((results / "aggregate" / "train.json").read_text())
    assert merged["train_results.loss"] == scores["loss"] and merged["train_config.vae.beta"] == "4"
    described = json.loads((tmp_path / "m" / "model" / "model.json").read_text())
    assert described["encoder"] == "test_encoder" and described["image_shape"] == [16, 16, 1]


def test_an_existing_folder_is_left_alone(tiny, tmp_path):
    train("vae", tmp_path / "m")
    before = weights(tmp_path / "m")
    with pytest.raises(errors.OutputExists):
        train("vae", tmp_path / "m", "vae.beta = 1")
    np.testing.assert_array_equal(weights(tmp_path / "m")["encoder.e1.weight"], before["encoder.e1.weight"])
    train("vae", tmp_path / "m", "vae.beta = 1", overwrite=True)
    assert not np.array_equal(weights(tmp_path / "m")["encoder.e1.weight"], before["encoder.e1.weight"])


def test_curves(tiny, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train("vae", tmp_path / "m")
    events = EventAccumulator(str(tmp_path / "m" / "tensorboard"))
    events.Reload()
    assert {"loss", "reconstruction_loss", "kl_loss"} <= set(events.Tags()["scalars"])
    assert events.Scalars("loss")[-1].step == 6


def test_a_run_that_goes_on_has_each_step_once_in_its_curves(tiny, tmp_path, kill, monkeypatch):
    monkeypatch.setattr("causal_disent.training.loop.LOG_EVERY", 1)
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(None)
    train("vae", tmp_path / "m", checkpoint_every=2)
    lines = (tmp_path / "m" / "curves" / "curves.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines if ",loss," in line] == ["1", "2", "3", "4", "5", "6"]


def test_curves_without_tensorboard(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    monkeypatch.setattr(Trainer, "step", lambda self: pytest.fail("training has started"))
    with pytest.raises(errors.InvalidInput, match="needs the package tensorboard: pip install"):
        train("vae", tmp_path / "m", tensorboard=True)


def test_without_tensorboard_there_are_no_curves_unless_they_are_asked_for(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    train("vae", tmp_path / "m")
    assert (tmp_path / "m" / "model").is_dir() and not (tmp_path / "m" / "tensorboard").exists()


def test_curves_that_are_not_wanted(tiny, tmp_path):
    pytest.importorskip("tensorboard")
    train("vae", tmp_path / "m", tensorboard=False)
    assert not (tmp_path / "m" / "tensorboard").exists()


def test_mean_and_sampled_representations_stand_alone(tiny, tmp_path):
    train("vae", tmp_path / "m")
    images = tiny.observations(np.arange(9))
    model = TorchBackend(device="cpu").read(tmp_path / "m", tiny)
    for kind in ("mean", "sampled"):
        bindings = [
            f"postprocess.postprocess_fn = @{kind}_representation",
            "postprocess.random_seed = 3",
            "dataset.name = 'auto'",
        ]
        postprocess_with_gin(tmp_path / "m", tmp_path / kind, gin_bindings=bindings)
    for part in (tmp_path / "m").rglob("*"):
        if part.is_file():
            part.unlink()
    assert not TorchBackend().recognises(tmp_path / "m")
    mean, sampled = (TorchBackend(device="cpu").read(tmp_path / kind, tiny) for kind in ("mean", "sampled"))
    assert_same_outputs(mean(images), model(images))
    assert not np.allclose(sampled(images), model(images))
    assert_same_outputs(mean.decode(model(images)), model.decode(model(images)))
    again = TorchBackend(device="cpu").read(tmp_path / "sampled", tiny)
    assert_same_outputs(again(images), TorchBackend(device="cpu").read(tmp_path / "sampled", tiny)(images))
    merged = json.loads((tmp_path / "mean" / "results" / "aggregate" / "postprocess.json").read_text())
    assert {"train_results.loss", "train_config.vae.beta", "postprocess_results.elapsed_time"} <= merged.keys()
    assert merged["postprocess_config.dataset.name"] == "'tiny'"


@pytest.mark.parametrize("part", ["num_observed_factors = 1", "factors = ['shade']"])
def test_labels_of_a_part(tiny, tmp_path, part):
    scores = train("s2_vae", tmp_path / "m", "labeller.labeller_fn = @partial_labeller",
                   f"partial_labeller.{part}", "supervised_loss.loss_fn = @xent")  # fmt: skip
    assert scores["supervised_loss"] > 0
    names = [name for name in weights(tmp_path / "m") if "supervision" in name]
    assert names == []  # the model alone is stored


def test_a_model_without_labels_may_be_trained_with_them(tiny, tmp_path):
    bindings = supervised("s2_vae", "model.model = @vae", "vae.beta = 4")
    with pytest.warns(UserWarning, match="the labelled images are not used.*dlib_train"):
        scores = train_with_gin(tmp_path / "m", gin_bindings=bindings, with_labels=True, device="cpu")
    assert "supervised_loss" not in scores


def test_a_fraction_of_the_images_may_have_labels(tiny, tmp_path):
    bindings = [line for line in supervised("s2_vae") if "num_labelled" not in line]
    bindings.append("model.labelled_fraction = 1.0")
    scores = train_with_gin(tmp_path / "m", gin_bindings=bindings, with_labels=True, device="cpu")
    assert scores["supervised_loss"] > 0


def test_a_fraction_has_no_image_twice(tiny):
    bindings = [line for line in supervised("s2_vae") if "num_labelled" not in line]
    with gin_config(bindings=[*bindings, "model.labelled_fraction = 1.0", "model.train_percentage = 0.75"]):
        plan = make_plan(dataset(), with_labels=True)
    images = [part.images_of(np.arange(len(part.labels))) for part in plan.labelled]
    everything = tiny.observations(tiny.factor_table.index.to_numpy())
    assert len(images[0]) == np.ceil(0.75 * len(everything)) and images[1].size
    assert_array_equal(*(np.unique(rows.reshape(len(rows), -1), axis=0, return_counts=True)[1]
                         for rows in (np.concatenate(images), everything)))  # fmt: skip


PEER = Path(__file__).parents[3] / ".venv-peer"


@pytest.mark.parametrize("kind", ["unsupervised", "semi_supervised"])
def test_configs_of_disentanglement_lib_run_unchanged(kind, tmp_path):
    found = sorted(PEER.glob(f"**/disentanglement_lib/config/tests/methods/{kind}/train_test.gin"))
    if not found:
        pytest.skip("disentanglement_lib is not installed in .venv-peer (make bench installs it)")
    options = {"with_labels": kind == "semi_supervised", "device": "cpu"}
    scores = train_with_gin(
        tmp_path / "m", gin_config_files=found, gin_bindings=["model.eval_steps = 2"], **options
    )
    assert scores["global_step"] == 2
    shared = sorted(PEER.glob("**/unsupervised_study_v1/model_configs/shared.gin"))
    small = ["dataset.name = 'dummy_data'", "model.training_steps = 1", "model.eval_steps = 1"]
    scores = train_with_gin(tmp_path / "s", gin_config_files=shared, gin_bindings=small, device="cpu")
    assert scores["global_step"] == 1


@pytest.mark.slow
def test_a_killed_process_is_resumed(tmp_path):
    """The same with a real process and a real SIGKILL."""
    bindings = [line for line in unsupervised("vae") if "tiny" not in line]
    bindings += ["dataset.name = 'dummy_data'", "model.training_steps = 4000"]
    arguments = [part for line in bindings for part in ("--gin_bindings", line)]
    command = [sys.executable, "-m", "causal_disent.cli.dlib", "dlib_train", "--device", "cpu",
               "--checkpoint_every", "20", "--model_dir"]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([*command, str(tmp_path / "m"), *arguments], env=environment)
    path = partial_folder(tmp_path / "m") / CHECKPOINT
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert path.exists() and not (tmp_path / "m").exists()
    with open_tensors(path) as file:
        steps = json.loads(file.metadata["run"])["step"]
    assert 0 < steps < 4000, "the process must have been killed in the middle"
    shorter = [*arguments, "--gin_bindings", f"model.training_steps = {steps + 30}"]
    subprocess.run([*command, str(tmp_path / "m"), *shorter], env=environment, check=True)
    subprocess.run([*command, str(tmp_path / "whole"), *shorter], env=environment, check=True)
    assert_same(tmp_path / "m", tmp_path / "whole")


def test_the_ideal_model_is_found_ideal(tmp_path):
    """Weights set so that one code is one pixel: UC is 1 and CG near 1."""
    from causal_disent_torch.networks import LinearDecoder, LinearEncoder
    from causal_disent_torch.saved import save_model

    from causal_disent.data.array_data import ArrayDataset
    from causal_disent.registry import Entry, registry

    levels, shape = np.float32([0.1, 0.5, 0.9]), (1, 3, 1)
    factors = np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)])
    images = levels[factors].reshape(-1, *shape)
    encoder, decoder = LinearEncoder(shape, 3), LinearDecoder(shape, 3)
    steepness = np.log(9) / 0.4  # the sigmoid of this, times a pixel less a half, is the pixel again
    with torch.no_grad():
        encoder.e1.weight.copy_(torch.eye(3))
        decoder.d1.weight.copy_(torch.eye(3) * steepness)
        decoder.d1.bias.fill_(-0.5 * steepness)
    save_model(tmp_path / "m" / "model", encoder, decoder)
    model = TorchBackend(device="cpu").read(tmp_path / "m")
    np.testing.assert_allclose(model.decode(model(images)), images, atol=1e-6)
    restore = registry.replace(
        Entry("datasets", "levels", "tests", lambda: ArrayDataset(images, factors), "for tests")
    )
    try:
        scores = evaluate_with_gin(
            tmp_path / "m",
            tmp_path / "e",
            gin_config_files=["metrics/causal_disentanglement.gin"],
            gin_bindings=[
                "dataset.name = 'levels'",
                "causal_disentanglement.num_train = 500",
                "causal_disentanglement.classifier = 'nearest_image'",
            ],
        )
    finally:
        restore()
    assert scores["UC"] == 1 and scores["CG"] > 0.95


def test_the_commands(tiny, tmp_path, capsys):
    def flags(bindings):
        return [part for line in bindings for part in ("--gin_bindings", line)]

    for command, bindings in (
        (dlib_train, unsupervised("vae")),
        (dlib_train_semi_supervised, supervised("s2_vae")),
    ):
        folder = tmp_path / command.args[0]
        assert command(["--model_dir", str(folder), "--device", "cpu", *flags(bindings)]) == 0
        printed = capsys.readouterr().out
        assert "reconstruction_loss" in printed and str(folder) in printed
        bindings = ["postprocess.postprocess_fn = @mean_representation", "postprocess.random_seed = 0"]
        target = folder / "mean"
        code = dlib_postprocess(["--model_dir", str(folder), "--output_dir", str(target), *flags(bindings)])
        assert code == 0 and TorchBackend().recognises(target)


def test_an_interrupted_command_says_how_to_go_on(tiny, tmp_path, capsys, monkeypatch):
    interrupt_at(5, monkeypatch)
    arguments = [part for line in unsupervised("vae") for part in ("--gin_bindings", line)]
    command = ["--model_dir", str(tmp_path / "m"), "--device", "cpu", "--checkpoint_every", "2", *arguments]
    assert dlib_train(command) == 130
    assert "the same command goes on from the checkpoint" in capsys.readouterr().err
    monkeypatch.undo()
    assert dlib_train(command) == 0


def test_files_of_others_beside_the_checkpoint_stay(tiny, tmp_path, kill):
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(None)
    kept = partial_folder(tmp_path / "m")
    (kept / "notes.txt").write_text("mine")
    train("vae", tmp_path / "m", resume=False)
    assert [file.name for file in kept.iterdir()] == ["notes.txt"]


def test_a_checkpoint_of_more_steps_than_are_wanted(tiny, tmp_path, kill):
    kill(5)
    with pytest.raises(Killed):
        train("vae", tmp_path / "m", checkpoint_every=2)
    kill(None)
    with pytest.raises(errors.InvalidInput, match="is of step 4, and model.training_steps is 3.*--noresume"):
        train("vae", tmp_path / "m", "model.training_steps = 3")
    assert (partial_folder(tmp_path / "m") / CHECKPOINT).is_file()


def test_a_checkpoint_that_was_half_written_does_not_stay(tiny, tmp_path):
    folder = partial_folder(tmp_path / "m")
    folder.mkdir()
    (folder / f".{CHECKPOINT}.0123abcd.partial").write_bytes(b"half")
    (folder / f".{CHECKPOINT}.lock").touch()
    train("vae", tmp_path / "m")
    assert not folder.exists()


def test_something_else_in_the_place_of_the_checkpoint(tiny, tmp_path):
    partial_folder(tmp_path / "m").write_text("mine")
    (partial_folder(tmp_path / "n") / CHECKPOINT).mkdir(parents=True)
    for name in ("m", "n"):
        with pytest.raises(errors.InvalidInput, match="something else is there"):
            train("vae", tmp_path / name, resume=False)
    assert partial_folder(tmp_path / "m").read_text() == "mine"


def test_an_interrupt_without_a_checkpoint_leaves_nothing(tiny, tmp_path, monkeypatch, capsys):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "step", interrupted)
    arguments = [part for line in unsupervised("vae") for part in ("--gin_bindings", line)]
    assert dlib_train(["--model_dir", str(tmp_path / "m"), "--device", "cpu", *arguments]) == 130
    assert "nothing was kept" in capsys.readouterr().err and not list(tmp_path.iterdir())
