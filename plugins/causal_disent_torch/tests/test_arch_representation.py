"""Torch modules as representations: batches, activations, sampling, devices, a user's own modules."""

import numpy as np
import pytest
import torch
from causal_disent_torch import TorchRepresentation, choose_device, from_module
from causal_disent_torch.networks import LinearDecoder, LinearEncoder
from rounding import assert_same_outputs
from torch import nn

from causal_disent import errors

pytestmark = pytest.mark.usefixtures("global_generators")

SHAPE = (4, 4, 1)
IMAGES = np.random.RandomState(0).rand(7, *SHAPE).astype("f4")


def parts():
    return LinearEncoder(SHAPE, 3), LinearDecoder(SHAPE, 3)


def matrix(layer):
    return layer.weight.detach().numpy().T, layer.bias.detach().numpy()


def test_codes_are_means_whatever_the_batch():
    encoder, _ = parts()
    weight, bias = matrix(encoder.e1)
    expected = IMAGES.reshape(7, -1) @ weight + bias
    for batch_size in (1, 3, 7, 100):
        codes = TorchRepresentation(encoder, batch_size=batch_size)(IMAGES)
        assert codes.dtype == np.float32
        np.testing.assert_allclose(codes, expected, rtol=1e-5, atol=1e-6)


def test_no_images_give_no_codes():
    model = TorchRepresentation(*parts())
    assert model(IMAGES[:0]).shape == (0, 3)
    assert model.decode(np.zeros((0, 3))).shape == (0, *SHAPE)


def test_mean_and_log_variance():
    encoder, _ = parts()
    weight, bias = matrix(encoder.e2)
    mean, log_var = TorchRepresentation(encoder, batch_size=2).gaussian_encoder(IMAGES)
    np.testing.assert_allclose(log_var, IMAGES.reshape(7, -1) @ weight + bias, rtol=1e-5, atol=1e-6)
    assert_same_outputs(mean, TorchRepresentation(encoder, batch_size=2)(IMAGES))


@pytest.mark.parametrize(
    ("activation", "function"),
    [("logits", lambda x: 1 / (1 + np.exp(-x))), ("tanh", lambda x: np.tanh(x) / 2 + 0.5)],
)
def test_decoded_images_are_pixels(activation, function):
    encoder, decoder = parts()
    weight, bias = matrix(decoder.d1)
    codes = np.random.RandomState(1).normal(size=(7, 3)) * 3
    model = TorchRepresentation(encoder, decoder, activation=activation, batch_size=2)
    expected = function(codes @ weight + bias).reshape(7, *SHAPE)
    np.testing.assert_allclose(model.decode(codes), expected, rtol=1e-4, atol=1e-6)
    on_device = model.decode_tensor(codes)
    assert isinstance(on_device, torch.Tensor) and on_device.device == model.device
    np.testing.assert_allclose(on_device.numpy(), expected, rtol=1e-4, atol=1e-6)


def test_parts_that_are_missing_have_no_attribute():
    model = TorchRepresentation(parts()[0])
    assert not hasattr(model, "decode") and not hasattr(model, "decode_tensor")
    assert hasattr(model, "gaussian_encoder") and model.num_codes == 3
    own = from_module(lambda images: images.flatten(1), device="cpu")
    assert not hasattr(own, "gaussian_encoder") and own.num_codes is None


def test_sampled_codes_follow_the_gaussian_and_the_seed():
    encoder, _ = parts()
    with torch.no_grad():
        encoder.e2.weight.zero_()
        encoder.e2.bias.fill_(2 * np.log(0.5))
    mean = TorchRepresentation(encoder)(IMAGES)
    many = np.repeat(IMAGES[:1], 4000, axis=0)
    drawn = TorchRepresentation(encoder, sample_seed=1)(many)
    np.testing.assert_allclose(drawn.mean(0), mean[0], atol=0.05)
    np.testing.assert_allclose(drawn.std(0), 0.5, atol=0.03)
    again = TorchRepresentation(encoder, sample_seed=1)
    np.testing.assert_array_equal(again(many), drawn)
    assert not np.array_equal(again(many), drawn), "the generator must go on"
    assert not np.array_equal(TorchRepresentation(encoder, sample_seed=2)(many), drawn)


class Own(nn.Module):
    """Takes (n, c, h, w); dropout and a running mean show whether it is in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.normalise = nn.BatchNorm2d(1)
        self.dropout = nn.Dropout(0.5)

    def forward(self, images):
        assert images.shape[1:] == (1, 4, 4)
        return self.dropout(self.normalise(images)).flatten(1)


def test_own_modules_are_evaluated_and_left_as_they_were():
    module = Own()
    module.normalise.eval()
    model = from_module(module, lambda codes: codes.unflatten(1, (1, 4, 4)), "cpu", channels_first=True)
    codes = model(IMAGES)
    np.testing.assert_allclose(codes, IMAGES.reshape(7, -1), rtol=1e-4)  # nothing was dropped
    np.testing.assert_allclose(model.decode(codes), IMAGES, rtol=1e-4)
    assert module.training and module.dropout.training and not module.normalise.training
    assert not torch.is_inference_mode_enabled()


def test_a_failing_module_leaves_the_modes_alone():
    module = Own()
    model = from_module(module, device="cpu")
    with pytest.raises(AssertionError):
        model(IMAGES)  # channels last, which it does not take
    assert module.dropout.training and not torch.is_inference_mode_enabled()


def test_own_encoders_may_give_a_variance():
    model = from_module(lambda images: (images.flatten(1), images.flatten(1) * 0), device="cpu", gaussian=True)
    mean, log_var = model.gaussian_encoder(IMAGES)
    np.testing.assert_array_equal(mean, model(IMAGES))
    assert not log_var.any()


@pytest.mark.parametrize("value", [1.2, -0.2])
def test_a_decoder_that_promises_pixels_must_give_them(value):
    model = from_module(
        lambda images: images.flatten(1), lambda codes: torch.full((len(codes), 4, 4, 1), value), "cpu"
    )
    with pytest.raises(errors.InvalidInput, match="activation='logits'"):
        model.decode(np.zeros((2, 16)))


def test_wrong_arguments():
    encoder, decoder = parts()
    with pytest.raises(errors.UnknownName, match="Did you mean 'logits'"):
        TorchRepresentation(encoder, decoder, activation="logit")
    for batch_size in (0, 2.5):
        with pytest.raises(errors.InvalidInput, match="a whole number"):
            TorchRepresentation(encoder, batch_size=batch_size)
    with pytest.raises(errors.InvalidInput, match="mean and log variance"):
        TorchRepresentation(encoder, sample_seed=0, gaussian=False)


def test_a_device_that_is_not_there():
    with pytest.raises(errors.UnknownName, match="There are: auto, cuda, mps, cpu"):
        TorchRepresentation(parts()[0], device="gpu")
    absent = next(name for name in ("mps", "cuda") if not _available(name))
    with pytest.raises(errors.InvalidInput, match=f"no device '{absent}' on this machine; there is .*cpu"):
        from_module(parts()[0], device=absent)
    assert choose_device("auto").type in ("cpu", "cuda", "mps")


@pytest.mark.parametrize("name", [5, None, "cpu:", "cpu:x", "cuda:\u00b2", "cpu:-1"])
def test_what_is_no_device(name):
    with pytest.raises(errors.UnknownName, match="There are: auto, cuda, mps, cpu"):
        choose_device(name)


def test_there_is_one_cpu():
    assert choose_device("cpu:0").type == "cpu"
    with pytest.raises(errors.InvalidInput, match="There is no device 'cpu:5': torch sees 1 of cpu"):
        choose_device("cpu:5")


def _available(name):
    return torch.cuda.is_available() if name == "cuda" else torch.backends.mps.is_available()
