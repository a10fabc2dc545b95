"""What is wrong with the settings is said before training starts, in one message, with exit code 2."""

import pytest
import torch
from causal_disent_torch.cli import dlib_postprocess, dlib_train, dlib_train_semi_supervised
from causal_disent_torch.training.trainer import Trainer
from training_configs import supervised, unsupervised

pytestmark = pytest.mark.usefixtures("global_generators", "tiny")


@pytest.fixture(autouse=True)
def no_step(monkeypatch):
    """Fails if training starts."""

    def step(self):
        raise AssertionError("training has started")

    monkeypatch.setattr(Trainer, "step", step)


def said(command, folder, bindings, capsys, *more):
    """What the command prints when it refuses."""
    arguments = [part for line in bindings for part in ("--gin_bindings", line)]
    code = command.main(["--model_dir", str(folder), "--device", "cpu", *arguments, *more])
    printed = capsys.readouterr()
    assert code == 2 and printed.out == ""
    assert printed.err.startswith("error: ") and "Traceback" not in printed.err
    assert not folder.exists() and not folder.with_name(f"{folder.name}.partial").exists()
    return printed.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["encoder.encoder_fn = @conv_encoder", "dataset.name = 'odd'"], "divided by 16; these are 15x15"),
        (["dataset.name = 'identity_data'"], "(height, width, channels); given: [10]"),
        (["model.model = @s2_vae()", "s2_vae.beta = 1", "s2_vae.gamma_sup = 1"], "needs labels"),
        (["model.model = 4"], "model.model must be a model, such as @vae(); given: 4"),
        (["model.random_seed = -1"], "model.random_seed must be a whole number from 0"),
        (["model.batch_size = 0"], "model.batch_size must be a whole number of at least 1; given: 0"),
        (["model.training_steps = 1.5"], "model.training_steps must be a whole number"),
        (["encoder.num_latent = 0"], "encoder.num_latent must be a whole number of at least 1"),
        (["encoder.encoder_fn = @test_decoder"], "must be a registered encoder"),
        (["vae/AdamOptimizer.learning_rate = 0"], "learning_rate must be greater than 0"),
        (["reconstruction_loss.activation = 'sigmoid'"], "Unknown activation 'sigmoid'"),
        (["model.model = @dip_vae()", "dip_vae.lambda_od = 1", "dip_vae.lambda_d_factor = 1",
          "dip_vae.dip_type = 'iii'"], "Unknown dip_type 'iii'"),
        (["vae.gamma = 1"], "'vae' has no parameter 'gamma'"),
        (["model.modle = 1"], "Did you mean 'model'"),
    ],
)  # fmt: skip
def test_unsupervised(more, message, tmp_path, capsys):
    assert message in said(dlib_train, tmp_path / "m", unsupervised("vae", *more), capsys)


def test_a_binding_that_is_missing(tmp_path, capsys):
    bindings = [line for line in unsupervised("vae") if "random_seed" not in line]
    assert "must bind model.random_seed" in said(dlib_train, tmp_path / "m", bindings, capsys)
    bindings = [line for line in unsupervised("vae") if "vae.beta" not in line]
    assert "must bind vae.beta" in said(dlib_train, tmp_path / "m", bindings, capsys)


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("s2_vae", ["model.train_percentage = 0"], "model.train_percentage must be more than 0 and at most 1"),
        ("s2_vae", ["model.train_percentage = 1.1"], "at most 1; given: 1.1"),
        ("s2_vae", ["model.num_labelled_samples = 0"], "num_labelled_samples must be a whole number"),
        ("s2_vae", ["model.labelled_fraction = 0.5"], "and not both"),
        ("s2_vae", ["model.num_labelled_samples = None"], "num_labelled_samples or model.labelled_fraction"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = 0"], "more than 0"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = 2"], "at most 1; given: 2"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = 0.1",
                    "dataset.name = 'dummy_data'"], "known number of images"),
        ("s2_vae", ["encoder.num_latent = 1"], "a code for each of the 2 labelled factors"),
        ("s2_vae", ["s2_vae.factor_sizes = [3, 4]", "model.model = @s2_vae()"], "the labeller gives 3, 3"),
        ("s2_vae", ["annealer.iteration_threshold = 0"], "annealer.iteration_threshold"),
        ("s2_vae", ["model.model_seed = None"], "must bind model.model_seed"),
        ("s2_factor_vae_bb", ["dataset.name = 'boxless'"], "needs bounding boxes"),
        ("s2_factor_vae_bb", ["dataset.name = 'dummy_data'"], "needs bounding boxes"),
    ],
)  # fmt: skip
def test_semi_supervised(name, more, message, tmp_path, capsys):
    assert message in said(dlib_train_semi_supervised, tmp_path / "m", supervised(name, *more), capsys)


def test_devices(tmp_path, capsys):
    bindings = unsupervised("vae")
    found = said(dlib_train, tmp_path / "m", bindings, capsys, "--device", "gpu")
    assert "Unknown device 'gpu'" in found
    if not torch.cuda.is_available():
        found = said(dlib_train, tmp_path / "m", bindings, capsys, "--device", "cuda")
        assert "no device 'cuda' on this machine" in found


def test_flags(tmp_path, capsys):
    found = said(dlib_train, tmp_path / "m", unsupervised("vae"), capsys, "--checkpoint_every", "-1")
    assert "--checkpoint_every must be at least 0" in found
    assert dlib_train.main([]) == 2 and "--model_dir is needed" in capsys.readouterr().err
    assert dlib_postprocess.main([]) == 2 and "--model_dir is needed" in capsys.readouterr().err
    for command in (dlib_train, dlib_train_semi_supervised, dlib_postprocess):
        assert command.main(["--help"]) == 0
        assert command.__name__.rpartition(".")[2] in capsys.readouterr().out


def test_postprocessing_what_is_not_there(tmp_path, capsys):
    bindings = ["postprocess.postprocess_fn = @mean_representation", "postprocess.random_seed = 0",
                "dataset.name = 'tiny'"]  # fmt: skip
    arguments = [part for line in bindings for part in ("--gin_bindings", line)]
    places = ["--model_dir", str(tmp_path / "none"), "--output_dir", str(tmp_path / "r")]
    assert dlib_postprocess.main([*places, *arguments]) == 2
    assert "given by --model_dir does not exist" in capsys.readouterr().err
    (tmp_path / "none").mkdir()
    assert dlib_postprocess.main([*places, *arguments]) == 2
    assert "holds no model" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()
