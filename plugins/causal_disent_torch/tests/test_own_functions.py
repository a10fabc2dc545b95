"""A user's own modules, methods and functions: how they are run, and what is said where they give wrong things."""

import functools

import numpy as np
import pytest
import torch
from causal_disent_torch import from_module
from torch import nn

from causal_disent import errors

SHAPE = (4, 4, 1)
IMAGES = np.random.RandomState(0).rand(7, *SHAPE).astype("f4")


class Net(nn.Module):
    """Takes (n, c, h, w); dropout and a running mean show whether it is in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.normalise = nn.BatchNorm2d(1)
        self.dropout = nn.Dropout(0.5)
        self.function = torch.relu  # a name that a wrapper of the plugin also has

    def forward(self, images):
        return self.dropout(self.normalise(images)).flatten(1)

    def encode(self, images):
        return self(images)

    def decode(self, codes):
        return self.dropout(codes).unflatten(1, (1, 4, 4))


@pytest.mark.parametrize(
    "part",
    [
        lambda module, name: getattr(module, name),
        lambda module, name: functools.partial(getattr(module, name)),
        lambda module, name: module if name == "encode" else module.decode,
    ],
    ids=["method", "partial", "module"],
)
def test_methods_of_a_module_are_evaluated_too(part):
    module = Net()
    model = from_module(part(module, "encode"), part(module, "decode"), "cpu", channels_first=True)
    codes = model(IMAGES)
    np.testing.assert_allclose(codes, IMAGES.reshape(7, -1), rtol=1e-4)
    np.testing.assert_allclose(model.decode(codes), IMAGES, rtol=1e-4)
    np.testing.assert_allclose(model.decode_tensor(codes), IMAGES, rtol=1e-4)
    assert module.dropout.training and not module.normalise.num_batches_tracked


def test_the_module_of_a_method_is_moved():
    module = nn.Linear(16, 3)
    model = from_module(module.forward, device=torch.device("meta"))
    assert model.device == module.weight.device == torch.device("meta")


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_modules_with_another_type_of_weights(dtype):
    encoder = nn.Sequential(nn.Flatten(), nn.Linear(16, 3)).to(dtype)
    decoder = nn.Sequential(nn.Linear(3, 16), nn.Sigmoid(), nn.Unflatten(1, SHAPE)).to(dtype)
    model = from_module(encoder, decoder, "cpu")
    codes = model(IMAGES)
    assert codes.shape == (7, 3) and codes.dtype == model.decode(codes).dtype == np.float32
    assert model.decode_tensor(codes).dtype == torch.float32
    with torch.no_grad():
        expected = encoder.float()(torch.from_numpy(IMAGES)).numpy()
    np.testing.assert_allclose(codes, expected, atol=0.02)


def test_a_module_with_some_float32_weights_is_given_float32():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3, dtype=torch.float64))
            self.layer = nn.Linear(16, 3)

        def forward(self, images):
            return self.layer(images.flatten(1)) * self.scale

    assert from_module(Mixed(), device="cpu")(IMAGES).dtype == np.float32


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (lambda x: [], r"it gave a list of 0"),
        (lambda x: {"codes": x}, "it gave a value of type dict"),
        (lambda x: None, "it gave None"),
        (lambda x: x.numpy(), "it gave a value of type ndarray"),
        (lambda x: torch.complex(x, x), "type torch.complex64"),
    ],
    ids=["empty", "dict", "none", "numpy", "complex"],
)
@pytest.mark.parametrize("channels_first", [False, True])
def test_what_is_not_a_tensor_is_refused(wrong, shown, channels_first):
    encode, decode = (lambda images: images.flatten(1)), (lambda codes: codes.unflatten(1, (4, 4, 1)))
    model = from_module(
        lambda x: wrong(encode(x)), lambda z: wrong(decode(z)), "cpu", channels_first=channels_first
    )
    with pytest.raises(errors.InvalidInput, match=f"encoder must give codes.*{shown}"):
        model(IMAGES)
    for decoder in (model.decode, model.decode_tensor):
        with pytest.raises(errors.InvalidInput, match=f"decoder must give images.*{shown}"):
            decoder(np.zeros((2, 16)))


@pytest.mark.parametrize("kind", [tuple, list])
def test_codes_come_first_of_several_and_images_alone(kind):
    model = from_module(lambda x: kind([x.flatten(1), 1]), lambda z: kind([z.unflatten(1, SHAPE), 1]), "cpu")
    np.testing.assert_array_equal(model(IMAGES), IMAGES.reshape(7, -1))
    shown = rf"it gave a {kind.__name__} of 2 \(a tensor of shape \(2, 4, 4, 1\)"
    with pytest.raises(errors.InvalidInput, match=shown):
        model.decode(np.zeros((2, 16)))


@pytest.mark.parametrize("images", [IMAGES[:2], IMAGES[:3]])
@pytest.mark.parametrize("shape", ["alone", "pair of unequal shapes"])
def test_an_encoder_that_promises_a_variance_must_give_it(images, shape):
    def encode(batch):
        return batch.flatten(1) if shape == "alone" else (batch.flatten(1), batch.flatten(1)[:1])

    model = from_module(encode, device="cpu", gaussian=True)
    for function in (model, model.gaussian_encoder):
        with pytest.raises(errors.InvalidInput, match="mean and log variance, a tuple of two tensors"):
            function(images)


@pytest.mark.parametrize("part", [None, "x", Net])
def test_what_cannot_be_called(part):
    with pytest.raises(errors.InvalidInput, match="`encode` must be"):
        from_module(part, device="cpu")
    if part is not None:
        with pytest.raises(errors.InvalidInput, match="`decode` must be"):
            from_module(Net(), part, device="cpu")


def test_channels_first_needs_images():
    model = from_module(lambda x: x.flatten(1), lambda codes: codes, "cpu", channels_first=True)
    with pytest.raises(errors.InvalidInput, match=r"channels_first is for images, .*shape \(2, 16\)"):
        model.decode(np.zeros((2, 16)))


def test_no_codes_give_no_images():
    model = from_module(lambda x: x.flatten(1), lambda codes: codes.unflatten(1, SHAPE), "cpu")
    assert model.decode(np.zeros((0, 16))).shape == (0, *SHAPE)


@pytest.mark.parametrize("activation", ["none", "logits", "tanh"])
def test_a_decoder_that_gives_no_numbers(activation):
    model = from_module(
        lambda images: images.flatten(1),
        lambda codes: torch.full((len(codes), 4, 4, 1), torch.nan),
        "cpu",
        activation=activation,
    )
    for decode in (model.decode, model.decode_tensor):
        with pytest.raises(errors.InvalidInput, match=r"decoder gives values that are not numbers \(nan\)"):
            decode(np.zeros((2, 16)))
