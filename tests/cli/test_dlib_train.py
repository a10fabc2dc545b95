"""The training commands of the core: which backend does the work, and what is said where none can."""

import pytest

from causal_disent.cli.dlib import dlib_postprocess, dlib_train, dlib_train_semi_supervised
from causal_disent.registry import Entry, registry
from causal_disent.runs.representation import training_backend

PIP = "or in a checkout: pip install plugins/causal_disent_torch"
TRAINING = [dlib_train, dlib_train_semi_supervised]


class Recording:
    """A backend that trains nothing, and says what it was given."""

    made = None

    def __init__(self, trust=False, device="auto"):
        Recording.made, self.device = self, device

    def train(self, plan, keeping):
        self.plan, self.keeping = plan, keeping
        return "the model", {"loss": 1.5, "elapsed_time": 0.25}

    def write(self, folder, model, codes="mean", seed=0):
        folder.mkdir()
        (folder / "model.txt").write_text(f"{model} {codes} {seed}")


@pytest.fixture
def recording(alone):
    """That, with one backend that trains and one that reads."""
    restores = [
        registry.replace(Entry("backends", "recording", "tests", Recording, facts={"rank": 5, "trains": True})),
        registry.replace(Entry("backends", "reading", "tests", Recording, facts={"rank": 1})),
        registry.replace(Entry("models", "plain", "tests", "causal_disent.training.objective:Objective")),
    ]
    yield
    for restore in restores:
        restore()


BINDINGS = ["dataset.name = 'tiny'", "model.model = @plain()", "model.random_seed = 7", "model.batch_size = 4",
            "model.training_steps = 6"]  # fmt: skip


def arguments(folder, *more):
    return [f"--model_dir={folder}", *(f"--gin_bindings={line}" for line in BINDINGS), *more]


@pytest.mark.parametrize("command", TRAINING)
def test_without_a_backend_that_trains(command, alone, tmp_path, capsys):
    assert command([f"--model_dir={tmp_path / 'm'}", "--gin_config=models/beta_vae.gin"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: There is no backend that trains models. 'torch' is a backend of the plugin")
    assert PIP in said and not list(tmp_path.iterdir())


def test_a_backend_that_is_not_installed(alone, tmp_path, capsys):
    assert dlib_train([f"--model_dir={tmp_path / 'm'}", "--backend=torch"]) == 2
    assert PIP in capsys.readouterr().err


def test_postprocessing_without_a_backend(alone, oracle_folder, tmp_path, capsys):
    places = [f"--model_dir={oracle_folder()}", f"--output_dir={tmp_path / 'r'}"]
    assert dlib_postprocess([*places, "--gin_config=postprocess/mean.gin"]) == 2
    assert PIP in capsys.readouterr().err


def test_the_first_that_trains_does_the_work(recording, tiny, tmp_path, capsys):
    assert training_backend().name == "recording"
    assert dlib_train(arguments(tmp_path / "m", "--device=moon", "--checkpoint_every=3", "--noresume")) == 0
    made = Recording.made
    assert made.device == "moon" and made.plan.chosen.training_steps == 6 and made.plan.model_seed == 7
    assert made.plan.data is tiny and made.plan.labelled == (None, None)
    assert (made.keeping.every, made.keeping.resume, made.keeping.restart) == (3, False, False)
    assert made.keeping.folder == tmp_path / "m.partial"
    assert (tmp_path / "m" / "model" / "model.txt").read_text() == "the model mean 0"
    assert "model.random_seed = 7" in (tmp_path / "m" / "results" / "gin" / "train.gin").read_text()
    assert "loss 1.5000, elapsed_time 0.2500" in capsys.readouterr().out


def test_a_backend_that_only_reads(recording, tmp_path, capsys):
    assert dlib_train(arguments(tmp_path / "m", "--backend=reading")) == 2
    said = capsys.readouterr().err
    assert "The backend 'reading' reads models and does not train them. Those that do: recording." in said


def test_a_model_that_needs_no_framework_but_is_no_model(recording, tiny, tmp_path, capsys):
    assert dlib_train(arguments(tmp_path / "m", "--gin_bindings=model.model = @perfect_oracle")) == 2
    assert "model.model must be a model, such as @vae(); given: @perfect_oracle" in capsys.readouterr().err


def test_names_are_those_of_the_backend_in_use(recording, tiny, tmp_path):
    """Of two variants of a name the one is taken that the backend can use."""
    from causal_disent.training.objective import Objective

    class Theirs(Objective):
        pass

    class Ours(Objective):
        pass

    before = registry.replace(Entry("models", "plain", "one", Theirs, facts={"backend": "reading"}))
    registry.add(Entry("models", "plain", "other", Ours, facts={"backend": "recording"}))
    try:
        assert dlib_train(arguments(tmp_path / "m")) == 0
    finally:
        before()
    assert isinstance(Recording.made.plan.objective, Ours) and registry.backend is None


def test_a_model_of_another_backend(recording, tiny, tmp_path, capsys):
    target = "causal_disent.training.objective:Objective"
    restore = registry.replace(Entry("models", "plain", "tests", target, facts={"backend": "reading"}))
    try:
        assert dlib_train(arguments(tmp_path / "m")) == 2
    finally:
        restore()
    assert "'plain' is trained by the backend reading, not by 'recording'" in capsys.readouterr().err


@pytest.mark.parametrize("command", [*TRAINING, dlib_postprocess])
def test_help(command, capsys):
    assert command(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "--backend" in shown and command.args[0] in shown
