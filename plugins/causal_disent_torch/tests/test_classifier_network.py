import numpy as np
import pytest
import torch
from causal_disent_torch.classifier import ConvClassifier
from causal_disent_torch.classifier_training import FactorNetwork
from hypothesis import given, settings
from hypothesis import strategies as st
from rounding import assert_same_outputs

from causal_disent import errors

CPU = torch.device("cpu")


def randomized(network, seed):
    """Statistics of the normalisation as training would leave them: not 0 and 1."""
    generator = torch.Generator().manual_seed(seed)
    for tensor in network.state_dict().values():
        if tensor.ndim == 1 and tensor.is_floating_point():
            tensor.copy_(torch.rand(tensor.shape, generator=generator) + 0.5)
    return network.eval()


def by_hand(network, image):
    """The logits of one image (h, w, c), with loops."""
    state = {name: tensor.numpy().astype(np.float64) for name, tensor in network.state_dict().items()}
    features = image.astype(np.float64).transpose(2, 0, 1)
    for layer in (0, 3, 6):
        kernel = state[f"convolutions.{layer}.weight"]
        height, width = (-(-size // 2) for size in features.shape[1:])
        padded = np.pad(features, ((0, 0), (2, 2), (2, 2)))
        result = np.empty((len(kernel), height, width))
        for y in range(height):
            for x in range(width):
                patch = padded[:, 2 * y : 2 * y + 5, 2 * x : 2 * x + 5]
                result[:, y, x] = (kernel * patch).sum(axis=(1, 2, 3))
        mean, var, scale, shift = (
            state[f"convolutions.{layer + 1}.{name}"][:, None, None]
            for name in ("running_mean", "running_var", "weight", "bias")
        )
        features = np.maximum((result - mean) / np.sqrt(var + 1e-5) * scale + shift, 0)
    _, height, width = features.shape
    # A single row or column stands at -1, as linspace has it.
    rows = np.linspace(-1, 1, height)[:, None]
    columns = np.linspace(-1, 1, width)
    total = features.sum(axis=(1, 2)) + 1e-3
    seen = [
        features.max(axis=(1, 2)),
        features.mean(axis=(1, 2)),
        (features * columns).sum(axis=(1, 2)) / total,
        (features * rows).sum(axis=(1, 2)) / total,
    ]
    return state["output.weight"] @ np.concatenate(seen) + state["output.bias"]


shapes = st.tuples(st.integers(1, 20), st.integers(1, 20), st.sampled_from([1, 3]))


@settings(max_examples=15, deadline=None)
@given(shapes, st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(0, 1000))
def test_the_network_is_what_it_says(shape, num_values, seed):
    network = randomized(FactorNetwork(shape, num_values, (3, 2, 4), seed), seed)
    image = np.random.RandomState(seed).random_sample(shape).astype(np.float32)
    with torch.inference_mode():
        logits = network(torch.from_numpy(image[None]))
    assert [tuple(table.shape) for table in logits] == [(1, size) for size in num_values]
    np.testing.assert_allclose(torch.cat(logits, dim=1)[0], by_hand(network, image), rtol=1e-3, atol=1e-4)


def test_the_seed_decides_the_weights():
    first, same, other = (FactorNetwork((16, 16, 3), [2, 3], (4, 4, 8), seed) for seed in (1, 1, 2))
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, same.state_dict()[name])
    assert not torch.equal(first.output.weight, other.output.weight)


@pytest.fixture
def classifier():
    return ConvClassifier(FactorNetwork((9, 7, 3), [2, 5, 3], (4, 4, 8), 0), (9, 7, 3), [0.9, 0.8, 0.7], CPU)


def test_what_it_says_of_itself(classifier):
    text = "ConvClassifier(images 9x7x3; 2 values at 0.900, 5 values at 0.800, 3 values at 0.700)"
    assert repr(classifier) == text


def test_probabilities(classifier):
    images = np.random.RandomState(0).random_sample((300, 9, 7, 3))
    tables = classifier.predict_proba(images)
    assert [table.shape for table in tables] == [(300, 2), (300, 5), (300, 3)]
    for table in tables:
        assert isinstance(table, np.ndarray) and (table >= 0).all()
        np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-6)
    # A batch does not depend on what else is in it, as it would if the normalisation still learned.
    for alone, together in zip(classifier.predict_proba(images[7:8]), tables, strict=True):
        np.testing.assert_allclose(alone[0], together[7], atol=1e-6)


def test_tensors_and_arrays_are_judged_alike(classifier):
    images = np.random.RandomState(0).random_sample((20, 9, 7, 3)).astype(np.float32)
    for one, other in zip(
        classifier.predict_proba(images), classifier.predict_proba_tensor(torch.from_numpy(images)), strict=True
    ):
        assert_same_outputs(one, other)


@pytest.mark.filterwarnings("error")
def test_read_only_images(classifier):
    images = np.zeros((2, 9, 7, 3), dtype=np.float32)
    images.flags.writeable = False
    assert len(classifier.predict_proba(images)) == 3


def test_images_of_another_shape(classifier):
    with pytest.raises(errors.InvalidInput, match=r"shape \(9, 7, 3\); given: \(9, 8, 3\)"):
        classifier.predict_proba(np.zeros((1, 9, 8, 3)))
