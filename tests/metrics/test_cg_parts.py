"""Which decoder and which classifier CG is given, and what is told of those that do not fit."""

import numpy as np
import pytest
from small_decoder import read_pixels, square

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.adapter import classifier_name, make_classifier
from causal_disent.registry import Entry, registry


def test_no_decoder_says_which_flag(candle):
    for name in ("cg", "causal_disentanglement"):
        with pytest.raises(errors.MissingPart, match=f"'{name}' needs a decoder.*saved model.*--model_dir"):
            get_metric(name)(candle, lambda images: images[:, 0, 0, :], np.random.RandomState(0), num_train=10)


def test_classifiers_by_name_by_factory_and_as_they_are(candle):
    class Own:
        def predict_proba(self, images):
            return []

    own = Own()
    assert make_classifier(own, candle) is own
    assert isinstance(make_classifier(lambda data: Own(), candle), Own)
    assert make_classifier("nearest_image", candle).name == "nearest_image"
    with pytest.raises(errors.UnknownName, match="Unknown classifier 'nearest'"):
        make_classifier("nearest", candle)
    with pytest.raises(errors.InvalidInput, match="`classifier` is a registered name"):
        make_classifier(3, candle)


@pytest.fixture
def without(request):
    """A function that takes a classifier out of the registry."""

    def hide(*names):
        hidden = [entry for entry in registry.ranked("classifiers") if entry.name not in names]
        request.getfixturevalue("monkeypatch").setattr(registry, "ranked", lambda kind: hidden)

    return hide


def test_the_best_classifier_is_the_one_of_lowest_rank(without, request):
    own = Entry("classifiers", "sees_all", "tests", lambda data: None, "for a test", {"rank": 1})
    request.addfinalizer(registry.replace(own))
    unranked = Entry("classifiers", "needs_a_path", "tests", lambda data, path: None, "for a test")
    request.addfinalizer(registry.replace(unranked))
    assert classifier_name("best") == "sees_all" and classifier_name("nearest_image") == "nearest_image"
    without("sees_all", "conv_classifier")
    assert classifier_name("best") == "nearest_image"


@pytest.mark.parametrize("metric", ["cg", "causal_disentanglement"])
def test_data_that_is_not_finite_says_what_to_bind(metric, without):
    without("conv_classifier")
    data = get_dataset("dummy_data")

    class Model:
        def __call__(self, images):
            return images[:, 0, :2, 0]

        def decode(self, codes):
            return np.zeros((len(codes), *data.observation_shape))

    with pytest.raises(
        errors.InvalidInput, match=f"DummyData is not one.*'conv_classifier'.*{metric}.classifier says which"
    ):
        get_metric(metric)(data, Model(), np.random.RandomState(0), num_train=50)


class OnDevice:
    """Images that only their own classifier can read, as tensors on a device are."""

    def __init__(self, images):
        self._images = images
        self.shape = images.shape

    def __len__(self):
        return len(self._images)

    def __getitem__(self, part):
        return OnDevice(self._images[part])

    def __sub__(self, other):
        return OnDevice(self._images - other._images)

    def __abs__(self):
        return OnDevice(abs(self._images))

    def min(self):
        return self._images.min()

    def max(self):
        return self._images.max()

    def __array__(self, *args, **kwargs):
        raise TypeError("it would have to be copied")


def painted(codes):
    """Images of candle_mini's size whose first numbers are the codes."""
    images = np.zeros((len(codes), 64, 64, 3))
    images.reshape(len(codes), -1)[:, : codes.shape[1]] = np.clip(codes, 0, 1)
    return images


def test_a_pair_may_exchange_images_on_a_device():
    class Model:
        decode = staticmethod(painted)

        def __call__(self, images):
            return get_representation("noise_oracle", data, num_codes=2)(images)

        def decode_tensor(self, codes):
            return OnDevice(painted(codes))

    class Judge:
        accuracy = (1.0, 1.0)

        def predict_proba(self, images):
            return [np.pad(table, ((0, 0), (0, 3))) for table in read_pixels()(images)]

        def predict_proba_tensor(self, images):
            assert isinstance(images, OnDevice)
            return self.predict_proba(images._images)

    class ArraysOnly:
        accuracy = (1.0, 1.0)
        predict_proba = Judge().predict_proba

    data = get_dataset("candle_mini", factors=["object", "color"], confounding="only object=cube|cone: color=red")
    scores = [
        get_metric("cg")(data, Model(), np.random.RandomState(0), num_train=40, classifier=judge)
        for judge in (Judge(), ArraysOnly())
    ]
    assert scores[0]["CG"] > 0
    assert {**scores[0], "classifier": ""} == {**scores[1], "classifier": ""}


def not_trained(data):
    raise AssertionError("the classifier must not be made")


@pytest.mark.parametrize("metric", ["cg", "causal_disentanglement"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rho": 3}, "whole number from 1 to 2"),
        ({"rho": [1, 3]}, "whole number from 1 to 2"),
        ({"rho": []}, "an empty list"),
        ({"selection": "best"}, "Unknown `selection` 'best'"),
        ({"baseline": "zeros"}, "Unknown `baseline` 'zeros'. Did you mean 'zero'"),
        ({"decode_batch_size": 0}, "`decode_batch_size` must be a whole number, at least 1"),
    ],
)
def test_what_is_wrong_is_told_before_a_classifier_is_trained(metric, wrong, message):
    data = get_dataset("candle_mini", factors=["object", "color"])
    model = get_representation("perfect_oracle", data)
    with pytest.raises(errors.CausalDisentError, match=message):
        get_metric(metric)(data, model, np.random.RandomState(0), num_train=50, classifier=not_trained, **wrong)


@pytest.mark.parametrize("metric", ["uc", "causal_disentanglement"])
def test_too_few_factors_are_told_before_anything_is_encoded(metric):
    def not_called(images):
        raise AssertionError("nothing must be encoded")

    not_called.decode = square
    data = get_dataset("candle_mini", factors=["object"])
    with pytest.raises(errors.InvalidInput, match="needs at least two; given: 1"):
        get_metric(metric)(data, not_called, np.random.RandomState(0))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda images: images.transpose(0, 3, 1, 2),
            r"\(64, 64, 3\); given: \(3, 64, 64\). The channels come first",
        ),
        (lambda images: images[:, ::2, ::2], r"\(64, 64, 3\); given: \(32, 32, 3\)\."),
    ],
)
def test_images_of_another_shape_are_refused_whatever_the_classifier(candle, wrong, message):
    class Model:
        oracle = get_representation("perfect_oracle", candle)

        def __call__(self, images):
            return self.oracle(images)

        def decode(self, codes):
            return wrong(self.oracle.decode(codes))

    class Judge:
        def predict_proba(self, images):
            raise AssertionError("the images must not come here")

    for judge in ("nearest_image", Judge()):
        with pytest.raises(errors.InvalidInput, match=f"What `decode` returns .*{message}"):
            get_metric("cg")(candle, Model(), np.random.RandomState(0), num_train=20, classifier=judge)
