import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.metrics import cg, uc
from causal_disent.metrics.tools.decoded import make_classifier


def square(codes):
    """A decoder whose pixels are the codes."""
    return np.clip(codes, 0, 1).reshape(-1, 1, codes.shape[1], 1)


def read_pixels(num_factors=2):
    """A classifier of two-valued factors: the probability of 1 is the pixel."""

    def predict_proba(images):
        pixels = images.reshape(len(images), -1)[:, :num_factors]
        return [np.stack([1 - p, p], axis=1) for p in pixels.T]

    return predict_proba


CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_ideal_pair():
    result = cg(CORNERS, CORNERS, square, read_pixels())
    assert result.score == result.average == 1
    np.testing.assert_array_equal(result.ice_inside, 1)
    np.testing.assert_array_equal(result.ice_outside, 0)
    assert result.skipped_factors == () and result.sets == [(0,), (1,)]


def test_a_decoder_that_ignores_its_input():
    result = cg(CORNERS, CORNERS, lambda codes: np.full((len(codes), 1, 2, 1), 0.3), read_pixels())
    assert result.score == result.average == 0


def by_definition(codes, factors, decode, predict_proba, sets):
    """The formula, one point and factor at a time, with the pairwise search for the maximal deviation."""
    inside, outside = np.zeros(factors.shape), np.zeros(factors.shape)
    for x in range(len(codes)):
        for i, own in enumerate(sets):
            base = predict_proba(decode(codes[x : x + 1]))[i][0, factors[x, i]]
            for target, chosen in ((inside, own), (outside, sorted(set(range(codes.shape[1])) - set(own)))):
                changed = codes[x : x + 1].copy()
                for j in chosen:
                    changed[0, j] = codes[np.abs(codes[:, j] - codes[x, j]).argmax(), j]
                target[x, i] = abs(base - predict_proba(decode(changed))[i][0, factors[x, i]])
    gaps = inside - outside
    return np.abs(gaps).mean(), np.abs(gaps.mean(axis=0)).mean()


def random_case(seed, num_codes):
    """A smooth decoder and classifier with weights of their own."""
    generator = np.random.RandomState(seed)
    codes, factors = generator.normal(size=(20, num_codes)), generator.randint(3, size=(20, 2))
    first, second = generator.normal(size=(num_codes, 6)), generator.normal(size=(2, 6, 3))

    def decode(z):
        return 1 / (1 + np.exp(-(z @ first))).reshape(-1, 2, 3, 1)

    def predict_proba(images):
        logits = [3 * images.reshape(-1, 6) @ weights for weights in second]
        return [np.exp(a) / np.exp(a).sum(axis=1, keepdims=True) for a in logits]

    return codes, factors, decode, predict_proba


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.data())
def test_equals_the_definition_and_stays_in_range(seed, num_codes, data):
    codes, factors, decode, predict_proba = random_case(seed, num_codes)
    rho = data.draw(st.integers(1, num_codes))
    result = cg(codes, factors, decode, predict_proba, rho=rho, decode_batch_size=7)
    assert result.sets == uc(codes, factors, rho=rho).sets
    score, average = by_definition(codes, factors, decode, predict_proba, result.sets)
    assert result.score == pytest.approx(score) and result.average == pytest.approx(average)
    assert 0 <= result.average <= result.score + 1e-12 <= 1 + 1e-12


def test_the_batch_size_does_not_matter():
    case = random_case(3, 4)
    scores = {cg(*case, decode_batch_size=size).score for size in (1, 7, 20, 300)}
    assert max(scores) - min(scores) < 1e-12


def test_decodes_are_shared():
    codes, factors, decode, predict_proba = random_case(0, 3)
    calls = []
    counting = lambda z: calls.append(len(z)) or decode(z)  # noqa: E731
    cg(codes, factors, counting, predict_proba, attribution=[[0], [1]])
    assert len(calls) == 1 + 2 * 2
    calls.clear()
    cg(codes, factors, counting, predict_proba, attribution=[[0, 1], [0, 1]])
    assert len(calls) == 1 + 2
    calls.clear()
    cg(codes, factors, counting, predict_proba, rho=3)  # no code is outside
    assert len(calls) == 1 + 1


def test_sets_given_by_hand():
    swapped = cg(CORNERS, CORNERS, square, read_pixels(), attribution=[[1], [0]])
    np.testing.assert_array_equal(swapped.ice_inside, 0)
    np.testing.assert_array_equal(swapped.ice_outside, 1)


def test_a_factor_with_one_value_is_left_out():
    factors = np.column_stack([CORNERS[:, 0], np.zeros(4, int)])
    result = cg(CORNERS, factors, square, read_pixels(), attribution=[[0], [1]])
    assert result.skipped_factors == (1,) and np.isnan(result.per_factor[1]) and result.score == 1
    with pytest.raises(errors.InvalidInput, match="Every factor has a single value"):
        cg(CORNERS, factors * 0, square, read_pixels())


@pytest.mark.parametrize("baseline", ["zero", "mean"])
def test_other_baselines(baseline):
    result = cg(CORNERS, CORNERS, square, read_pixels(), baseline=baseline)
    assert result.score == 0.5  # half of the points are at 0 already; the mean moves every point half-way


def test_bootstrap_interval():
    case = random_case(1, 3)
    result = cg(*case, bootstrap=200, random_state=5)
    again = cg(*case, bootstrap=200, random_state=5)
    assert result.interval == again.interval
    assert result.interval[0] < result.score < result.interval[1]


@pytest.mark.parametrize(
    ("decode", "predict_proba", "message"),
    [
        (lambda z: z, read_pixels(), r"images of shape \(4, height, width, channels\).*returned shape \(4, 2\)"),
        (lambda z: square(z)[:2], read_pixels(), r"for 4 points; it returned shape \(2, 1, 2, 1\)"),
        (
            lambda z: square(z) * 5 - 2,
            read_pixels(),
            r"pixels in \[0, 1\]; it returned values from -2 to 3. .*sigmoid",
        ),
        (lambda z: square(z) * np.nan, read_pixels(), r"pixels in \[0, 1\]; it returned values from nan"),
        (square, read_pixels(1), r"one array per factor \(2\); it returned 1"),
        (square, lambda x: [np.full((4, 2), 0.7)] * 2, r"sum to 1; those of image 0 sum to 1.4.*softmax"),
        (square, lambda x: [np.tile([1.5, -0.5], (4, 1))] * 2, r"at least 0 and sum to 1.*smallest entry -0.5"),
        (square, lambda x: [np.ones((4, 1))] * 2, r"with more than 1 values .* it returned shape \(4, 1\)"),
        (square, lambda x: [np.full((4, 2), np.nan)] * 2, r"must be at least 0 and sum to 1"),
    ],
)
def test_bad_decoders_and_classifiers(decode, predict_proba, message):
    with pytest.raises(errors.InvalidInput, match=message):
        cg(CORNERS, CORNERS, decode, predict_proba)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attribution": [[0]]}, r"One set of codes per factor \(2\) is needed; given: 1"),
        ({"attribution": [[0], [2]]}, r"The set of factor 1 must hold code indices from 0 to 1; given: \[2\]"),
        ({"attribution": [[0], []]}, r"The set of factor 1 must hold"),
        ({"decode_batch_size": 0}, r"`decode_batch_size` must be a whole number, at least 1"),
        ({"rho": 3}, r"whole number from 1 to 2"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(errors.InvalidInput, match=message):
        cg(CORNERS, CORNERS, square, read_pixels(), **options)


def test_factors_must_be_positions():
    with pytest.raises(errors.InvalidInput, match="must hold 0, 1, 2"):
        cg(CORNERS, CORNERS - 0.5, square, read_pixels())


def test_ideal_oracle_on_the_embedded_data_set(candle):
    cg = get_metric("cg")
    scores = cg(candle, get_representation("perfect_oracle", candle), np.random.RandomState(0), num_train=300)
    assert scores["CG"] >= 0.999 and scores["CG_average"] >= 0.999
    assert all(scores[f"CG_factor_{name}"] >= 0.999 for name in candle.factor_names)
    assert scores["classifier_accuracy_on_data_factor_object"] == 1
    assert 0 < scores["classifier_accuracy_factor_object"] < 1


def test_everything_in_one_pass_equals_the_parts():
    data = get_dataset("candle_mini", factors=["object", "light"])
    oracle = get_representation("mixed_oracle", data, strength=0.4)
    options = {"num_train": 200, "rho": [1, 2]}
    parts = [get_metric(name)(data, oracle, np.random.RandomState(3), **options) for name in ("uc", "cg")]
    parts.append(get_metric("irs")(data, oracle, np.random.RandomState(3), num_train=200))
    together = get_metric("causal_disentanglement")(data, oracle, np.random.RandomState(3), **options)
    assert together == {key: value for part in parts for key, value in part.items()}


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


class OnDevice:
    """Images that only their own classifier can read, as tensors on a device are."""

    def __init__(self, images):
        self._images = images
        self.shape = images.shape

    def __len__(self):
        return len(self._images)

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
