"""What makes a step fast changes nothing of it: convolutions, parts, precision, denormals, looks at the loss."""

import numpy as np
import pytest
import torch
from causal_disent_torch import training
from causal_disent_torch.devices import DENORMAL, flush_denormals
from causal_disent_torch.networks import MOST_CHANNELS, DeconvDecoder, FewChannels, convolution
from causal_disent_torch.training import make_trainer as trainer_of
from small_trainers import make_trainer
from torch.nn.functional import conv2d, conv_transpose2d
from training_configs import unsupervised

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.registry import registry
from causal_disent.runs.train import train_with_gin
from causal_disent.training.loop import Diverged
from causal_disent.training.objective import OwnLoss
from causal_disent.training.plan import Plan, check_precision
from causal_disent.training.settings import model_settings

pytestmark = pytest.mark.usefixtures("global_generators")


@pytest.mark.parametrize(("transposed", "kernel"), [(False, 2), (False, 4), (True, 4)])
@pytest.mark.parametrize("outputs", [1, 4, 5])  # of which transposed the first two are few
@pytest.mark.parametrize("shape", [(3, 5, 4, 6), (1, 2, 2, 2), (2, 1, 2, 4), (0, 3, 2, 2)])
def test_convolutions_are_the_usual_ones(transposed, outputs, kernel, shape):
    draw = torch.Generator().manual_seed(outputs)
    images = torch.randn(shape, generator=draw, dtype=torch.float64)
    sizes = (shape[1], outputs) if transposed else (outputs, shape[1])
    weight = torch.randn((*sizes, kernel, kernel), generator=draw, dtype=torch.float64)
    bias = torch.randn(outputs, generator=draw, dtype=torch.float64)
    given = [tensor.requires_grad_() for tensor in (images, weight, bias)]
    found = convolution(*given, transposed=transposed)
    usual = (conv_transpose2d if transposed else conv2d)(*given, stride=2, padding=(kernel - 2) // 2)
    torch.testing.assert_close(found, usual)
    torch.testing.assert_close(
        torch.autograd.grad(found.square().sum(), given), torch.autograd.grad(usual.square().sum(), given)
    )


@pytest.mark.parametrize("channels", [1, 3, 5])
def test_a_decoder_takes_a_way_of_its_own_for_few_channels(channels, monkeypatch):
    taken = []
    apply = FewChannels.apply
    monkeypatch.setattr(FewChannels, "apply", lambda *given: taken.append(given[1].shape[1]) or apply(*given))
    decoder, codes = DeconvDecoder((32, 32, channels), 4), torch.eye(4)
    found = decoder(codes)
    assert taken == ([channels] if channels <= MOST_CHANNELS else [])
    monkeypatch.setattr("causal_disent_torch.networks.MOST_CHANNELS", 0)
    torch.testing.assert_close(found, decoder(codes))


@pytest.fixture
def able(monkeypatch):
    """A processor that computes in bfloat16; others do so as well, slowly."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True}, raising=False)


@pytest.fixture
def three_threads(monkeypatch):
    """A batch of any size goes in parts."""
    monkeypatch.setattr(training, "LEAST_IMAGES", 1)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    assert torch.get_num_threads() == 3
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", ["vae", "factor_vae", "s2_factor_vae", "dip_vae"])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_batch_in_parts_learns_as_a_whole_one(able, three_threads, tiny, name, bfloat16):
    more = [
        "encoder.encoder_fn = @conv_encoder",
        "decoder.decoder_fn = @deconv_decoder",
        *(["model.precision = 'bfloat16'"] if bfloat16 else []),
    ]
    parts, whole = make_trainer(name, tiny, *more), make_trainer(name, tiny, *more)
    whole.learning = {
        name: training.in_bfloat16(network, whole.device) if bfloat16 and name != "supervision" else network
        for name, network in whole.networks.items()
    }
    found, expected = parts.step(), whole.step()
    # The sum over a batch is made of three; in bfloat16 each has three digits.
    close = {"rtol": 0.05, "atol": 0.02} if bfloat16 else {"rtol": 1e-3, "atol": 1e-4}
    for term, value in expected.items():
        torch.testing.assert_close(found[term], value, **close)
    pairs = zip(parts.networks.named_parameters(), whole.networks.parameters(), strict=True)
    for (weight, some), other in pairs:
        difference = (some.grad - other.grad).norm()
        assert difference <= close["rtol"] * other.grad.norm() + 1e-6, weight


def test_in_parts_a_mistake_is_told_and_the_threads_are_given_back(three_threads):
    decoder = DeconvDecoder((32, 32, 1), 4)
    led = training.side_by_side(decoder, decoder)
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        led(torch.ones(6, 5))


def test_a_decoder_in_bfloat16_learns_in_float32():
    decoder, codes = DeconvDecoder((32, 32, 1), 4), torch.eye(4)
    expected = decoder(codes)
    usual = torch.autograd.grad(expected.square().sum(), list(decoder.parameters()))
    found = training.in_bfloat16(decoder, torch.device("cpu"))(codes)
    gradients = torch.autograd.grad(found.square().sum(), list(decoder.parameters()))
    assert found.dtype == torch.float32 and {gradient.dtype for gradient in gradients} == {torch.float32}
    assert (found - expected).norm() < 0.02 * expected.norm()
    for gradient, whole in zip(gradients, usual, strict=True):
        assert (gradient - whole).norm() < 0.05 * whole.norm() + 1e-6


def test_a_device_is_asked_now_and_then_and_the_right_step_is_named(tiny):
    trainer = make_trainer("vae", tiny)
    trainer.look_every = 3
    trainer.step()
    with torch.no_grad():
        trainer.networks["encoder"].e2.bias.fill_(float("inf"))
    trainer.step()
    with pytest.raises(Diverged, match="at step 1 the term 'reconstruction_loss' is nan"):
        trainer.step()
    trainer.step()
    with pytest.raises(Diverged, match="at step 2 "):  # nothing that was not looked at goes into a checkpoint
        trainer.check_weights()


def test_denormals_are_flushed_inside_alone():
    def product():
        return torch.full((), DENORMAL).mul(1.0).item()

    assert product() > 0
    with flush_denormals():
        inside = product()
        with flush_denormals():
            pass
        assert product() == inside  # of the two blocks the outer one goes on
    assert product() > 0
    assert inside == 0 or not torch.set_flush_denormal(False)


@pytest.mark.parametrize("name", ["vae", "factor_vae", "s2_vae"])
def test_a_step_in_bfloat16_is_near_one_in_float32(able, tiny, name):
    whole = make_trainer(name, tiny)
    half = make_trainer(name, tiny, "model.precision = 'bfloat16'")
    expected, found = whole.step(), half.step()
    for term, value in expected.items():
        assert found[term].dtype == torch.float32
        assert found[term].item() == pytest.approx(value.item(), rel=0.05, abs=0.05), term
    assert any(found[term] != value for term, value in expected.items())
    assert {tensor.dtype for tensor in half.networks.state_dict().values()} == {torch.float32}


def test_a_model_trained_in_bfloat16_is_saved_and_evaluated_in_float32(able, tiny, tmp_path):
    bindings = unsupervised("vae", "model.precision = 'bfloat16'")
    scores = train_with_gin(tmp_path / "half", gin_bindings=bindings, backend="torch", device="cpu")
    assert np.isfinite(scores["loss"])
    assert "model.precision = 'bfloat16'" in (tmp_path / "half/results/gin/train.gin").read_text()


@pytest.mark.parametrize("found", [{}, {"avx512_bf16": False, "avx2": True}])
def test_a_processor_without_bfloat16(monkeypatch, found):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)
    with pytest.raises(errors.InvalidInput, match="'bfloat16', which the device 'cpu' of this machine does not"):
        training.check_bfloat16(torch.device("cpu"))


def test_a_precision_that_is_none(tiny, tmp_path):
    with pytest.raises(errors.UnknownName, match="model.precision.*'bfloat61'.*bfloat16"):
        train_with_gin(tmp_path / "m", gin_bindings=unsupervised("vae", "model.precision = 'bfloat61'"))


@pytest.mark.parametrize("pays", [True, False])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_the_faster_of_plain_and_compiled_steps_are_kept(able, tiny, monkeypatch, capsys, pays, bfloat16):
    monkeypatch.setattr(training, "BACKEND", "eager")  # no compiler is needed, and nothing becomes faster
    monkeypatch.setattr(training, "COMPARED", 2)
    # Two plain steps, one that compiles, two compiled ones, as a clock tells them.
    lengths = [5.0, 4.0, 31.0, 1.0 if pays else 6.0, 2.0 if pays else 7.0]
    clock = iter(np.cumsum([time for length in lengths for time in (0.0, length)]))
    monkeypatch.setattr(training, "perf_counter", lambda: next(clock))
    more = ["model.precision = 'bfloat16'"] if bfloat16 else []
    plain, faster = make_trainer("vae", tiny, *more), make_trainer("vae", tiny, *more, compiled=True)
    for _ in range(7):
        expected, found = plain.step(), faster.step()
        assert found["loss"].item() == pytest.approx(expected["loss"].item(), rel=1e-5)
    assert (faster.learning is faster._plain) is not pays
    shown = capsys.readouterr().err
    if pays:
        assert "1e+03 ms compiled and 4e+03 ms plain; compiling took 30 s, which 10 steps make up for" in shown
    else:
        assert "compiling took 25 s and does not pay here: plain ones follow" in shown


def test_what_cannot_be_compiled(tiny, monkeypatch):
    def broken(network, backend):
        def called(*given):
            raise RuntimeError("no compiler")

        return called

    monkeypatch.setattr(training, "COMPARED", 1)
    monkeypatch.setattr(torch, "compile", broken)
    trainer = make_trainer("vae", tiny, compiled=True)
    trainer.step()
    with pytest.raises(errors.InvalidInput, match="--compile: torch cannot compile .*no compiler"):
        trainer.step()


@pytest.mark.parametrize(
    ("fact", "bindings", "options", "message"),
    [
        ("precisions", ["model.precision = 'bfloat16'"], {}, "the backend 'torch' knows float32"),
        ("compiles", [], {"compiled": True}, "--compile: the backend 'torch' does not do so"),
    ],
)
def test_a_backend_that_has_it_not(able, tiny, tmp_path, monkeypatch, fact, bindings, options, message):
    monkeypatch.delitem(registry.get("backends", "torch").facts, fact)
    with pytest.raises(errors.InvalidInput, match=message):
        train_with_gin(
            tmp_path / "m", gin_bindings=unsupervised("vae", *bindings), backend="torch", device="cpu", **options
        )
    assert not (tmp_path / "m").exists()


def test_a_model_with_a_loss_of_its_own_is_trained_as_it_is(able, tiny):
    with registry.using("torch"), gin_config(bindings=unsupervised("vae", "model.precision = 'bfloat16'")):
        own = Plan(model_settings(), OwnLoss(), tiny, 0, (0, 0))
        with pytest.raises(errors.InvalidInput, match="a model with a loss of its own is trained in float32"):
            check_precision(own)
        with pytest.raises(errors.InvalidInput, match="--compile: a model with a loss of its own"):
            trainer_of(own, torch.device("cpu"), compiled=True)
