"""Architectures: shapes, TensorFlow's arithmetic, initial weights, checkpoints' variables."""

import numpy as np
import pytest
import torch
from causal_disent_torch import architecture
from causal_disent_torch.networks import (
    ConvEncoder,
    DeconvDecoder,
    FcDecoder,
    FcDiscriminator,
    FcEncoder,
    LinearDecoder,
    LinearEncoder,
)
from causal_disent_torch.tf1.backend import load_tf_variables, tf_shapes, tf_variables
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.training.networks import make_saved

pytestmark = pytest.mark.usefixtures("global_generators")

PAIRS = [(ConvEncoder, DeconvDecoder), (FcEncoder, FcDecoder), (LinearEncoder, LinearDecoder)]


@settings(max_examples=15, deadline=None)
@given(
    pair=st.sampled_from(PAIRS),
    height=st.integers(1, 3),
    width=st.integers(1, 3),
    channels=st.sampled_from([1, 3]),
    num_latent=st.integers(1, 12),
    num=st.integers(0, 3),
)
def test_shapes(pair, height, width, channels, num_latent, num):
    shape = (16 * height, 16 * width, channels)
    encoder, decoder = (part(shape, num_latent) for part in pair)
    mean, log_var = encoder(torch.rand((num, *shape), generator=torch.Generator().manual_seed(0)))
    assert mean.shape == log_var.shape == (num, num_latent)
    assert decoder(mean).shape == (num, *shape)


@pytest.mark.parametrize("side", [64, 128])
@pytest.mark.parametrize("channels", [1, 3])
def test_the_convolutional_pair_takes_the_published_sizes(side, channels):
    encoder, decoder = ConvEncoder((side, side, channels), 10), DeconvDecoder((side, side, channels), 10)
    assert decoder(encoder(torch.zeros(1, side, side, channels))[0]).shape == (1, side, side, channels)
    assert encoder.e5.in_features == (side // 16) ** 2 * 64


@pytest.mark.parametrize("network", [ConvEncoder, DeconvDecoder])
@pytest.mark.parametrize("shape", [(15, 16, 1), (16, 40, 3), (8, 8, 1)])
def test_a_size_that_cannot_be_halved_is_refused(network, shape):
    with pytest.raises(errors.InvalidInput, match=f"divided by 16; these are {shape[0]}x{shape[1]}"):
        network(shape, 4)


@pytest.mark.parametrize("shape", [(10,), (16, 16), (16, 16, 0)])
def test_what_is_not_an_image_is_refused(shape):
    with pytest.raises(errors.InvalidInput, match="height, width, channels"):
        LinearEncoder(shape, 4)


def same_convolution(images, kernel, bias):
    """TensorFlow's conv2d, stride 2, padding "same", from its documentation: images NHWC, kernel HWIO."""
    size = kernel.shape[0]
    low = (size - 2) // 2
    padded = np.pad(images, ((0, 0), (low, size - 2 - low), (low, size - 2 - low), (0, 0)))
    rows, columns = images.shape[1] // 2, images.shape[2] // 2
    result = np.zeros((len(images), rows, columns, kernel.shape[3]))
    for row in range(rows):
        for column in range(columns):
            patch = padded[:, 2 * row : 2 * row + size, 2 * column : 2 * column + size]
            result[:, row, column] = np.tensordot(patch, kernel, axes=3) + bias
    return result


def same_transposed_convolution(images, kernel, bias):
    """Its transpose: each input pixel adds a 4x4 patch; kernel HWOI; one row and column are cut on each side."""
    num, height, width, _ = images.shape
    result = np.zeros((num, 2 * height + 2, 2 * width + 2, kernel.shape[2]))
    for row in range(height):
        for column in range(width):
            patch = np.tensordot(images[:, row, column], kernel, axes=(1, 3))
            result[:, 2 * row : 2 * row + 4, 2 * column : 2 * column + 4] += patch
    return result[:, 1:-1, 1:-1] + bias


def relu(array):
    return np.maximum(array, 0)


def random_variables(module, seed):
    random_state = np.random.RandomState(seed)
    return {
        name: random_state.normal(0, 0.2, shape).astype("f4")
        for name, shape in tf_shapes(module, "module/").items()
    }


def test_the_encoder_computes_what_tensorflow_does_with_its_variables():
    encoder = ConvEncoder((16, 32, 3), 5)
    names = random_variables(encoder, 0)
    load_tf_variables(encoder, {**names, "module/decoder/dense/kernel": np.zeros(1)}, prefix="module/")
    variables = {name.removeprefix("module/encoder/"): value for name, value in names.items()}
    images = np.random.RandomState(1).rand(2, 16, 32, 3).astype("f4")
    hidden = images
    for layer in ("e1", "e2", "e3", "e4"):
        hidden = relu(same_convolution(hidden, variables[f"{layer}/kernel"], variables[f"{layer}/bias"]))
    hidden = relu(hidden.reshape(2, -1) @ variables["e5/kernel"] + variables["e5/bias"])
    mean, log_var = encoder(torch.from_numpy(images))
    for found, layer in ((mean, "means"), (log_var, "log_var")):
        expected = hidden @ variables[f"{layer}/kernel"] + variables[f"{layer}/bias"]
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-4, atol=1e-5)


def test_the_decoder_computes_what_tensorflow_does_with_its_variables():
    decoder = DeconvDecoder((32, 16, 1), 3)
    names = random_variables(decoder, 2)
    load_tf_variables(decoder, names, prefix="module/")
    variables = {name.removeprefix("module/decoder/"): value for name, value in names.items()}
    codes = np.random.RandomState(3).normal(size=(2, 3)).astype("f4")
    hidden = codes
    for layer in ("dense", "dense_1"):
        hidden = relu(hidden @ variables[f"{layer}/kernel"] + variables[f"{layer}/bias"])
    hidden = hidden.reshape(2, 2, 1, 64)
    for layer in ("conv2d_transpose", "conv2d_transpose_1", "conv2d_transpose_2", "conv2d_transpose_3"):
        last = layer.endswith("_3")
        hidden = same_transposed_convolution(hidden, variables[f"{layer}/kernel"], variables[f"{layer}/bias"])
        hidden = hidden if last else relu(hidden)
    found = decoder(torch.from_numpy(codes)).detach().numpy()
    np.testing.assert_allclose(found, hidden, rtol=1e-4, atol=1e-5)


def test_the_fully_connected_pair_computes_what_tensorflow_does():
    shape = (2, 2, 1)
    encoder, decoder = FcEncoder(shape, 2), FcDecoder(shape, 2)
    for part, seed in ((encoder, 0), (decoder, 1)):
        load_tf_variables(part, random_variables(part, seed), "module/")
    enc, dec = tf_variables(encoder), tf_variables(decoder)

    def dense(variables, scope, layer, inputs):
        return inputs @ variables[f"{scope}/{layer}/kernel"] + variables[f"{scope}/{layer}/bias"]

    images = np.random.RandomState(0).rand(3, *shape).astype("f4")
    hidden = relu(dense(enc, "encoder", "e1", images.reshape(3, -1)))
    hidden = relu(dense(enc, "encoder", "e2", hidden))
    mean = dense(enc, "encoder", "dense", hidden)
    found = encoder(torch.from_numpy(images))
    np.testing.assert_allclose(found[0].detach().numpy(), mean, rtol=1e-3, atol=1e-3)
    log_var = dense(enc, "encoder", "dense_1", hidden)
    np.testing.assert_allclose(found[1].detach().numpy(), log_var, rtol=1e-3, atol=1e-3)
    hidden = np.float32([[0.1, -0.2]])
    codes = hidden
    for layer in ("dense", "dense_1", "dense_2"):
        hidden = np.tanh(dense(dec, "decoder", layer, hidden))
    expected = dense(dec, "decoder", "dense_3", hidden).reshape(1, *shape)
    np.testing.assert_allclose(decoder(torch.from_numpy(codes)).detach().numpy(), expected, rtol=1e-3, atol=1e-3)


def test_the_discriminator_has_tensorflows_slope():
    discriminator = FcDiscriminator(1)
    with torch.no_grad():
        for layer in discriminator.children():
            layer.weight.zero_()
            layer.weight[0, 0] = -1
    # Six layers turn the sign six times; every other one is leaky, with slope 0.2.
    assert discriminator(torch.ones(1, 1))[0].tolist() == pytest.approx([-(0.2**3), 0])


@pytest.mark.parametrize("pair", PAIRS)
def test_initial_weights(pair):
    encoder = pair[0]((16, 16, 1), 4, torch.Generator().manual_seed(3))
    again = pair[0]((16, 16, 1), 4, torch.Generator().manual_seed(3))
    other = pair[0]((16, 16, 1), 4, torch.Generator().manual_seed(4))
    for name, kernel in tf_variables(encoder).items():
        if name.endswith("bias"):
            assert not kernel.any()
            continue
        area = int(np.prod(kernel.shape[:-2]))
        limit = np.sqrt(6 / (area * (kernel.shape[-1] + kernel.shape[-2])))
        assert np.abs(kernel).max() <= limit * (1 + 1e-6)  # in single precision
        assert kernel.std() == pytest.approx(limit / np.sqrt(3), rel=0.1)
        np.testing.assert_array_equal(kernel, tf_variables(again)[name])
        assert not np.array_equal(kernel, tf_variables(other)[name])


def test_variables_that_are_missing_or_of_another_shape_are_refused():
    decoder = LinearDecoder((2, 2, 1), 3)
    variables = tf_variables(decoder)
    before = decoder.d1.weight.clone()
    with pytest.raises(errors.InvalidInput, match="no decoder/d1/bias"):
        load_tf_variables(decoder, {"decoder/d1/kernel": variables["decoder/d1/kernel"]})
    with pytest.raises(errors.InvalidInput, match=r"needs floats of shape \(3, 4\)"):
        load_tf_variables(decoder, {**variables, "decoder/d1/kernel": np.zeros((4, 3))})
    with pytest.raises(errors.InvalidInput, match="int64"):
        load_tf_variables(decoder, {**variables, "decoder/d1/bias": np.zeros(4, np.int64)})
    assert torch.equal(decoder.d1.weight, before)


def test_architectures_have_names():
    module = make_saved("encoder", "conv_encoder", "torch", image_shape=(16, 16, 1), num_latent=2)
    assert isinstance(module, ConvEncoder) and module.name == "conv_encoder"
    with pytest.raises(errors.UnknownName, match="Did you mean 'conv_encoder'"):
        make_saved("encoder", "conv_encode", "torch")
    with pytest.raises(errors.UnknownName, match="role of a network"):
        architecture("mine", "encode")
