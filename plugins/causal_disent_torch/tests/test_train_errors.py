"""What is wrong with the settings is said before training starts, in one message, with exit code 2."""

import pytest
import torch
from causal_disent_torch.training import Trainer
from training_configs import SUPERVISED, supervised, unsupervised

from causal_disent.cli.dlib import dlib_postprocess, dlib_train, dlib_train_semi_supervised
from causal_disent.training import plan

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
    code = command(["--model_dir", str(folder), "--device", "cpu", *arguments, *more])
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
        (["model.batch_size = 0"], "model.batch_size must be a whole number, at least 1; given: 0"),
        (["model.training_steps = 1.5"], "model.training_steps must be a whole number"),
        (["encoder.num_latent = 0"], "encoder.num_latent must be a whole number, at least 1"),
        (["encoder.encoder_fn = @test_decoder"], "must be a registered encoder"),
        (["vae/AdamOptimizer.learning_rate = 0"], "learning_rate must be a finite number, greater than 0"),
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
        ("s2_vae", ["model.train_percentage = 0"], "must be a finite number, greater than 0 and at most 1"),
        ("s2_vae", ["model.train_percentage = 1.1"], "at most 1; given: 1.1"),
        ("s2_vae", ["model.num_labelled_samples = 0"], "num_labelled_samples must be a whole number"),
        ("s2_vae", ["model.labelled_fraction = 0.5"], "and not both"),
        ("s2_vae", ["model.num_labelled_samples = None"], "num_labelled_samples or model.labelled_fraction"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = 0"], "greater than 0"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = 2"], "at most 1; given: 2"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = 0.1",
                    "dataset.name = 'dummy_data'"], "known number of images"),
        ("s2_vae", ["encoder.num_latent = 1"], "a code for each of the 2 labelled factors"),
        ("s2_vae", ["s2_vae.factor_sizes = [3, 4]", "model.model = @s2_vae()"], "the labeller gives 3, 3"),
        ("s2_vae", ["s2_vae.factor_sizes = 5", "model.model = @s2_vae()"],
         "factor_sizes must be a list of whole numbers; given: 5."),
        ("s2_vae", ["s2_vae.factor_sizes = 'abc'", "model.model = @s2_vae()"],
         "a list of whole numbers; given: 'abc'."),
        ("s2_vae", ["s2_vae.factor_sizes = [3, 0]", "model.model = @s2_vae()"], "given: [3, 0]. Leave it out"),
        ("s2_vae", ["model.num_labelled_samples = 1000000000000"],
         "at most 10,000,000; given: 1000000000000"),
        ("s2_vae", ["annealer.iteration_threshold = 0"], "annealer.iteration_threshold"),
        ("s2_vae", ["model.model_seed = None"], "must bind model.model_seed"),
        ("s2_factor_vae_bb", ["dataset.name = 'boxless'"], "needs bounding boxes"),
        ("s2_factor_vae_bb", ["dataset.name = 'dummy_data'"], "needs bounding boxes"),
    ],
)  # fmt: skip
def test_semi_supervised(name, more, message, tmp_path, capsys):
    assert message in said(dlib_train_semi_supervised, tmp_path / "m", supervised(name, *more), capsys)


NUMBERS = {
    "vae": ["vae.beta"],
    "annealed_vae": ["annealed_vae.gamma", "annealed_vae.c_max", "annealed_vae.iteration_threshold"],
    "factor_vae": ["factor_vae.gamma", "discriminator/AdamOptimizer.beta1"],
    "dip_vae": ["dip_vae.lambda_od", "dip_vae.lambda_d_factor"],
    "beta_tc_vae": ["beta_tc_vae.beta", "vae/AdamOptimizer.beta2", "vae/AdamOptimizer.epsilon"],
    "s2_vae": ["s2_vae.beta", "s2_vae.gamma_sup", "annealer.iteration_threshold", "model.train_percentage"],
    "s2_factor_vae": ["s2_factor_vae.gamma", "s2_factor_vae.gamma_sup", "vae/AdamOptimizer.learning_rate"],
    "s2_dip_vae": ["s2_dip_vae.lambda_od", "s2_dip_vae.lambda_d_factor", "s2_dip_vae.gamma_sup"],
    "s2_beta_tc_vae": ["s2_beta_tc_vae.beta", "s2_beta_tc_vae.gamma_sup", "vae_optimizer.learning_rate"],
    "s2_factor_vae_bb": [f"s2_factor_vae_bb.{weight}" for weight in ("gamma", "gamma_sup", "lambda_bb")],
}


def refusal(name, more, folder, capsys):
    """What is said when the model called `name` is to be trained with `more` bindings."""
    if name in SUPERVISED:
        return said(dlib_train_semi_supervised, folder, supervised(name, *more), capsys)
    return said(dlib_train, folder, unsupervised(name, *more), capsys)


@pytest.mark.parametrize(("name", "parameter"), [(name, each) for name in NUMBERS for each in NUMBERS[name]])
def test_what_is_no_number(name, parameter, tmp_path, capsys):
    for value in ("'x'", "True", "1e400"):
        expected = f"{parameter.rpartition('/')[2]} must be a finite number"
        assert expected in refusal(name, [f"{parameter} = {value}"], tmp_path / "m", capsys)


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("vae", ["vae.beta = None"], "vae.beta must be a finite number; given: None"),
        ("vae", ["vae/AdamOptimizer.beta1 = 2."], "beta1 must be a finite number, at least 0 and less than 1"),
        ("vae", ["vae/AdamOptimizer.epsilon = -1."], "AdamOptimizer.epsilon must be a finite number, at least 0"),
        ("vae", ["encoder.num_latent = True"], "num_latent must be a whole number"),
        ("vae", ["model.training_steps = True"], "model.training_steps must be a whole number"),
        ("vae", ["model.random_seed = True"], "model.random_seed must be a whole number"),
        ("s2_vae", ["model.num_labelled_samples = True"], "num_labelled_samples must be a whole number"),
        ("s2_vae", ["model.num_labelled_samples = None", "model.labelled_fraction = True"],
         "model.labelled_fraction must be a finite number"),
        ("s2_vae", ["labeller.labeller_fn = @noisy_labeller", "noisy_labeller.prob_random = 'x'"],
         "noisy_labeller.prob_random must be a finite number"),
        ("s2_vae", ["labeller.labeller_fn = @bin_labeller", "bin_labeller.num_bins = 2.5"],
         "bin_labeller.num_bins must be a whole number"),
        ("s2_vae", ["embed.sigma = True"], "embed.sigma must be"),
        ("s2_vae", ["embed.use_order = 'no'"], "embed.use_order must be True or False; given: 'no'"),
        ("s2_vae", ["supervised_loss.loss_fn = @l2", "l2.learn_scale = 0"],
         "l2.learn_scale must be True or False; given: 0"),
        ("s2_factor_vae_bb", ["s2_factor_vae_bb.boxes_from_bottom = 3"],
         "s2_factor_vae_bb.boxes_from_bottom must be True or False; given: 3"),
        ("vae", ["model.model = @irs"], "model.model must be a model, such as @vae(); given: @irs"),
        ("factor_vae", ["discriminator.discriminator_fn = @conv_encoder"],
         "must be a registered discriminator, written @its_name without brackets: fc_discriminator"),
        ("vae", ["reconstruction_loss.loss_fn = @vae"],
         "a function of images, output, activation, written @its_name without brackets; given: @vae"),
        ("vae", ["vae_optimizer.optimizer_fn = @vae"], "optimizer_fn must be a function of parameters"),
        ("s2_vae", ["supervised_loss.loss_fn = @l2_loss"], "must be a function of num_latent, factor_sizes, gen"),
    ],
)  # fmt: skip
def test_values_of_another_kind(name, more, message, tmp_path, capsys):
    assert message in refusal(name, more, tmp_path / "m", capsys)


def test_labelled_images_that_do_not_fit_into_memory(tmp_path, capsys, monkeypatch):
    def full(*given):
        raise MemoryError

    monkeypatch.setattr(plan, "_draw_labelled", full)
    found = refusal("s2_vae", ["model.num_labelled_samples = 10000"], tmp_path / "m", capsys)
    assert "10,000 labelled images do not fit into memory. Bind a smaller model.num_labelled_samples." in found


FUNCTIONS = {
    "encoder.encoder_fn": "@conv_encoder",
    "decoder.decoder_fn": "@deconv_decoder",
    "discriminator.discriminator_fn": "@fc_discriminator",
    "reconstruction_loss.loss_fn": "@bernoulli_loss",
    "vae_optimizer.optimizer_fn": "@vae/AdamOptimizer",
    "discriminator_optimizer.optimizer_fn": "@causal_disent.AdamOptimizer",
    "labeller.labeller_fn": "@perfect_labeller",
    "supervised_loss.loss_fn": "@xent",
    "annealer.anneal_fn": "@fixed",
}


@pytest.mark.parametrize("parameter", FUNCTIONS)
def test_what_is_no_function(parameter, tmp_path, capsys):
    called = f"{FUNCTIONS[parameter]}()"
    for value in ("'text'", "None", called):
        found = refusal("s2_factor_vae", [f"{parameter} = {value}"], tmp_path / "m", capsys)
        assert ("without brackets" if value == called else parameter) in found


@pytest.mark.parametrize("value", ["'mean'", "None", "@vae", "@mean_representation()"])
def test_what_is_no_postprocessing(value, tmp_path, capsys):
    bindings = [f"postprocess.postprocess_fn = {value}", "postprocess.random_seed = 0"]
    arguments = [part for line in bindings for part in ("--gin_bindings", line)]
    places = ["--model_dir", str(tmp_path), "--output_dir", str(tmp_path / "r")]
    assert dlib_postprocess([*places, *arguments]) == 2
    assert "postprocess_fn must be" in capsys.readouterr().err


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
    assert dlib_train([]) == 2 and "--model_dir is needed" in capsys.readouterr().err
    assert dlib_postprocess([]) == 2 and "--model_dir is needed" in capsys.readouterr().err
    for command in (dlib_train, dlib_train_semi_supervised, dlib_postprocess):
        assert command(["--help"]) == 0
        assert command.args[0] in capsys.readouterr().out


def test_postprocessing_what_is_not_there(tmp_path, capsys):
    bindings = ["postprocess.postprocess_fn = @mean_representation", "postprocess.random_seed = 0",
                "dataset.name = 'tiny'"]  # fmt: skip
    arguments = [part for line in bindings for part in ("--gin_bindings", line)]
    places = ["--model_dir", str(tmp_path / "none"), "--output_dir", str(tmp_path / "r")]
    assert dlib_postprocess([*places, *arguments]) == 2
    assert "given by --model_dir does not exist" in capsys.readouterr().err
    (tmp_path / "none").mkdir()
    assert dlib_postprocess([*places, *arguments]) == 2
    assert "holds no model" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()
