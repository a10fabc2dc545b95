import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.metrics import cg
from causal_disent.metrics.cg import make_baseline
from causal_disent.report.model_sheets import (
    make_counterfactuals,
    make_reconstructions,
    make_samples,
    make_traversal,
)


class Waves:
    """A smooth decoder of any number of codes."""

    def __init__(self, num_codes, seed=0):
        self.weights = np.random.RandomState(seed).normal(size=(num_codes, 12))

    def __call__(self, images):
        return images.reshape(len(images), -1) @ self.weights.T

    def decode(self, codes):
        return (1 / (1 + np.exp(-np.asarray(codes) @ self.weights))).reshape(-1, 2, 3, 2)


def softmax_reader(seed, num_values=(3, 2)):
    """A classifier with weights of its own."""
    random_state = np.random.RandomState(seed)
    weights = [random_state.normal(size=(12, size)) for size in num_values]

    def predict_proba(images):
        logits = [4 * images.reshape(len(images), -1) @ table for table in weights]
        return [np.exp(a) / np.exp(a).sum(axis=1, keepdims=True) for a in logits]

    return predict_proba


def test_reconstructions_and_samples():
    model = Waves(4)
    images = np.random.RandomState(0).random_sample((5, 2, 3, 2))
    np.testing.assert_array_equal(make_reconstructions(model, images), model.decode(model(images)))
    samples = make_samples(model, 4, 6, np.random.RandomState(1))
    codes = np.random.RandomState(1).normal(size=(6, 4)).astype(np.float32)
    np.testing.assert_array_equal(samples, model.decode(codes))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5), st.integers(2, 6), st.data())
def test_a_traversal_moves_one_code(num_codes, num_steps, data):
    model, random_state = Waves(num_codes), np.random.RandomState(0)
    point, low, high = random_state.normal(size=(3, num_codes))
    moved = data.draw(st.none() | st.lists(st.integers(0, num_codes - 1), min_size=1, unique=True))
    images = make_traversal(model, point, low, high, num_steps=num_steps, codes=moved)
    chosen = range(num_codes) if moved is None else moved
    assert images.shape == (len(chosen), num_steps, 2, 3, 2)
    for row, code in enumerate(chosen):
        for step in range(num_steps):
            changed = point.copy()
            changed[code] = low[code] + (high[code] - low[code]) * step / (num_steps - 1)
            np.testing.assert_allclose(images[row, step], model.decode(changed[None])[0], atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 4), st.sampled_from(["max_deviation", "zero", "mean"]), st.data())
def test_the_counterfactuals_are_those_of_cg(seed, num_codes, baseline, data):
    random_state = np.random.RandomState(seed)
    codes, model, read = random_state.normal(size=(15, num_codes)), Waves(num_codes, seed), softmax_reader(seed)
    factors = np.stack([np.arange(15) % 3, np.arange(15) % 2], axis=1)
    sets = [data.draw(st.lists(st.integers(0, num_codes - 1), min_size=1, unique=True)) for _ in range(2)]
    found = make_counterfactuals(codes, factors, sets, make_baseline(codes, baseline), model.decode, read)
    expected = cg(codes, factors, model.decode, read, attribution=sets, baseline=baseline)
    effects = np.abs(found.probabilities[:, :, :1] - found.probabilities[:, :, 1:])
    np.testing.assert_allclose(effects[:, :, 0].mean(axis=0), expected.ice_inside, atol=1e-12)
    np.testing.assert_allclose(effects[:, :, 1].mean(axis=0), expected.ice_outside, atol=1e-12)
    # The pictures are those that the probabilities speak of.
    for side, images in ((1, found.inside), (2, found.outside)):
        for i in range(2):
            again = read(images[:, i])[i][np.arange(15), factors[:, i]]
            np.testing.assert_allclose(again, found.probabilities[:, i, side], atol=1e-12)
    np.testing.assert_array_equal(found.base, model.decode(codes))


def test_what_cannot_be_drawn():
    with pytest.raises(errors.MissingPart, match="the representation has none"):
        make_reconstructions(lambda images: images, np.zeros((1, 2, 3, 2)))
    with pytest.raises(errors.InvalidInput, match="at least 2 steps; given: 1"):
        make_traversal(Waves(2), np.zeros(2), np.zeros(2), np.ones(2), num_steps=1)
