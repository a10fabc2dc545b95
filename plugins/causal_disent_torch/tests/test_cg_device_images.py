"""CG of a torch model and the torch classifier: images stay tensors, and the scores are those of arrays."""

import numpy as np
import pytest
import torch
from causal_disent_torch import from_module
from causal_disent_torch.classifier import ConvClassifier
from causal_disent_torch.classifier_training import FactorNetwork
from squares import SIDE, squares
from torch import nn

from causal_disent import errors, get_metric
from causal_disent.adapter import classifier_name
from causal_disent.metrics.cg import image_exchange

NUM_CODES = 5
OPTIONS = {"num_train": 150, "decode_batch_size": 64, "rho": [1, 2]}


class Pixels(nn.Module):
    """Codes to images, with a weight for each; the generator makes the weights."""

    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.weight = nn.Parameter(torch.randn(NUM_CODES, SIDE * SIDE, generator=generator))

    def encode(self, images):
        return images.flatten(1) @ self.weight.T / SIDE

    def forward(self, codes):
        return torch.sigmoid(codes @ self.weight).reshape(-1, SIDE, SIDE, 1)


@pytest.fixture
def model():
    pixels = Pixels()
    return from_module(pixels.encode, pixels, "cpu")


@pytest.fixture
def classifier():
    network = FactorNetwork((SIDE, SIDE, 1), [4, 3], (8, 8, 16), 0)
    with torch.no_grad():
        network.output.weight *= 20  # so that the probabilities differ from image to image
    return ConvClassifier(network, (SIDE, SIDE, 1), [1.0, 1.0], torch.device("cpu"))


class Arrays:
    """The same parts without tensors."""

    def __init__(self, part):
        self._part = part
        for name in ("decode", "predict_proba", "accuracy"):
            if hasattr(part, name):
                setattr(self, name, getattr(part, name))

    def __call__(self, images):
        return self._part(images)


def test_the_trained_classifier_is_the_default():
    assert classifier_name("best") == "conv_classifier"


@pytest.mark.parametrize("metric", ["cg", "causal_disentanglement"])
def test_the_scores_are_those_of_arrays(model, classifier, metric):
    def scores(representation, judge):
        return get_metric(metric)(squares(), representation, np.random.RandomState(0), classifier=judge, **OPTIONS)

    on_device = scores(model, classifier)
    assert on_device["rho=1:CG"] > 0.01
    for other in (scores(Arrays(model), Arrays(classifier)), scores(Arrays(model), classifier)):
        for key, value in on_device.items():
            if key != "classifier":
                assert value == pytest.approx(other[key], abs=1e-6), key


def test_no_image_becomes_an_array(model, classifier, monkeypatch):
    def refuse(*args):
        raise AssertionError("an array of images was made")

    seen = []
    judge = classifier.predict_proba_tensor

    def watch(images):
        seen.append((type(images), images.requires_grad, len(images)))
        assert images.is_inference()
        return judge(images)

    monkeypatch.setattr(model, "decode", refuse)
    monkeypatch.setattr(classifier, "predict_proba", refuse)
    monkeypatch.setattr(classifier, "predict_proba_tensor", watch)
    get_metric("cg")(squares(), model, np.random.RandomState(0), classifier=classifier, **OPTIONS)
    assert {kind for kind, *_ in seen} == {torch.Tensor} and not any(grad for _, grad, _ in seen)
    assert {size for *_, size in seen} == {64, 150 % 64}
    # Both rho: once as they are and once per distinct set of codes, at most 1 + 2 * 2 times for each batch.
    assert len(seen) <= 2 * 5 * 3


def test_a_pair_speaks_what_both_know(model, classifier):
    assert image_exchange(model, classifier) == (model.decode_tensor, classifier.predict_proba_tensor)
    arrays = Arrays(classifier)
    assert image_exchange(model, arrays) == (model.decode, arrays.predict_proba)
    arrays = Arrays(model)
    assert image_exchange(arrays, classifier) == (arrays.decode, classifier.predict_proba)


@pytest.mark.parametrize(("value", "shown"), [(7.0, "from 7"), (float("nan"), "from nan")])
def test_tensors_are_checked_as_arrays_are(model, classifier, monkeypatch, value, shown):
    monkeypatch.setattr(model, "decode_tensor", lambda codes: torch.full((len(codes), SIDE, SIDE, 1), value))
    with pytest.raises(errors.InvalidInput, match=rf"pixels in \[0, 1\]; it returned values {shown}"):
        get_metric("cg")(squares(), model, np.random.RandomState(0), classifier=classifier, **OPTIONS)
    monkeypatch.setattr(model, "decode_tensor", lambda codes: torch.zeros(len(codes), SIDE, SIDE))
    with pytest.raises(errors.InvalidInput, match=r"it returned shape \(64, 12, 12\)"):
        get_metric("cg")(squares(), model, np.random.RandomState(0), classifier=classifier, **OPTIONS)


def test_a_model_without_a_decoder(classifier):
    with pytest.raises(errors.MissingPart, match="needs a decoder"):
        get_metric("cg")(
            squares(), from_module(Pixels().encode, device="cpu"), np.random.RandomState(0), classifier=classifier
        )
