"""Initial weights: uniform within Glorot's limit, biases 0; and the shapes of the layers."""

import numpy as np
import pytest
import torch
from causal_disent_torch.networks import (
    ConvEncoder,
    DeconvDecoder,
    FcDecoder,
    FcDiscriminator,
    FcEncoder,
    LinearDecoder,
)

pytestmark = pytest.mark.usefixtures("global_generators")

NETWORKS = {
    "conv_encoder": lambda generator: ConvEncoder((16, 16, 3), 4, generator),
    "deconv_decoder": lambda generator: DeconvDecoder((16, 16, 3), 4, generator),
    "fc_encoder": lambda generator: FcEncoder((16, 16, 1), 4, generator),
    "fc_decoder": lambda generator: FcDecoder((16, 16, 1), 4, generator),
    "test_decoder": lambda generator: LinearDecoder((16, 16, 1), 4, generator),
    "fc_discriminator": lambda generator: FcDiscriminator(4, generator),
}


def arrays(name, seed):
    return {key: value.numpy() for key, value in NETWORKS[name](generator_of(seed)).state_dict().items()}


def generator_of(seed):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", NETWORKS)
def test_initial_weights(name):
    first, again, other = arrays(name, 3), arrays(name, 3), arrays(name, 4)
    for key, weight in first.items():
        if key.endswith("bias"):
            assert not weight.any()
            continue
        # Transposed kernels are (in, out, height, width), others (out, in, ...): the sum of the fans is the same.
        limit = np.sqrt(6 / (np.prod(weight.shape[2:]) * (weight.shape[0] + weight.shape[1])))
        assert 0.97 * limit < np.abs(weight).max() <= limit * (1 + 1e-6)  # in single precision
        assert weight.std() == pytest.approx(limit / np.sqrt(3), rel=0.1)
        assert abs(weight.mean()) < 0.1 * limit
        np.testing.assert_array_equal(weight, again[key])
        assert not np.array_equal(weight, other[key])


#: The weights of each layer, in order, of four codes; images are 16x16, so that convolutions end at one pixel.
SHAPES = {
    "conv_encoder": [(32, 3, 4, 4), (32, 32, 4, 4), (64, 32, 2, 2), (64, 64, 2, 2), (256, 64), (4, 256), (4, 256)],
    "deconv_decoder": [(256, 4), (64, 256), (64, 64, 4, 4), (64, 32, 4, 4), (32, 32, 4, 4), (32, 3, 4, 4)],
    "fc_encoder": [(1200, 256), (1200, 1200), (4, 1200), (4, 1200)],
    "fc_decoder": [(1200, 4), (1200, 1200), (1200, 1200), (256, 1200)],
    "fc_discriminator": [(1000, 4), *[(1000, 1000)] * 5, (2, 1000)],
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_layers_have_disentanglement_libs_shapes(name):
    assert [weight.shape for key, weight in arrays(name, 0).items() if key.endswith("weight")] == SHAPES[name]
