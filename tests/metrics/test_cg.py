"""Tests of `causal_disent.metrics.cg`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_decoder import read_pixels, square

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.adapter import classifier_name, make_classifier
from causal_disent.metrics import causal_disentanglement, cg, uc
from causal_disent.metrics.certainty import Asked, asking, bootstrap_interval, choose_seed
from causal_disent.metrics.cg import make_baseline
from causal_disent.registry import Entry, registry
from causal_disent.report.remarks import chance_remarks

# --- cg

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_ideal_pair():
    result = cg(CORNERS, CORNERS, square, read_pixels())
    assert result.score == result.average == result.signed == result.directed == 1
    np.testing.assert_array_equal(result.ice_inside, 1)
    np.testing.assert_array_equal(result.ice_outside, 0)
    assert result.skipped_factors == () and result.sets == [(0,), (1,)]


def test_a_decoder_that_ignores_its_input():
    result = cg(CORNERS, CORNERS, lambda codes: np.full((len(codes), 1, 2, 1), 0.3), read_pixels())
    assert result.score == result.average == result.signed == result.directed == 0
    assert result.dead_codes == (0, 1) and result.dead_factors == (0, 1)


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
    return inside - outside


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
    gaps = by_definition(codes, factors, decode, predict_proba, result.sets)
    means = gaps.mean(axis=0)
    assert result.score == pytest.approx(np.abs(gaps).mean())
    assert result.average == pytest.approx(np.abs(means).mean())
    assert result.signed == pytest.approx(means.mean())
    assert result.directed == pytest.approx(np.where(means > 0, means, 0).mean())
    assert 0 <= result.average <= result.score + 1e-12 <= 1 + 1e-12
    assert -1 <= result.signed <= result.directed + 1e-12 <= result.average + 2e-12


def test_the_batch_size_does_not_matter():
    case = random_case(3, 4)
    scores = {cg(*case, decode_batch_size=size).score for size in (1, 7, 20, 300)}
    assert max(scores) - min(scores) < 1e-12


def test_decodes_are_shared():
    codes, factors, decode, predict_proba = random_case(0, 3)
    calls = []
    counting = lambda z: calls.append(len(z)) or decode(z)  # noqa: E731
    look = 3  # for dead codes, each code is moved once
    cg(codes, factors, counting, predict_proba, attribution=[[0], [1]])
    assert len(calls) == 1 + 2 * 2 + look
    calls.clear()
    cg(codes, factors, counting, predict_proba, attribution=[[0, 1], [0, 1]])
    assert len(calls) == 1 + 2 + look
    calls.clear()
    cg(codes, factors, counting, predict_proba, rho=3)  # no code is outside
    assert len(calls) == 1 + 1 + look


def test_sets_given_by_hand():
    swapped = cg(CORNERS, CORNERS, square, read_pixels(), attribution=[[1], [0]])
    np.testing.assert_array_equal(swapped.ice_inside, 0)
    np.testing.assert_array_equal(swapped.ice_outside, 1)
    assert swapped.score == 1 and swapped.signed == -1 and swapped.directed == 0


def spread_over(num_codes):
    """A decoder of two factors, each of which shows in its share of the codes alike."""

    def decode(codes):
        shares = codes.reshape(len(codes), 2, num_codes).mean(axis=2)
        return np.clip(shares, 0, 1).reshape(-1, 1, 2, 1)

    return decode


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_the_sign_tells_who_controls_a_factor(num_codes, seed, num_points):
    generator = np.random.RandomState(seed)
    factors = np.concatenate([CORNERS, generator.randint(2, size=(num_points, 2))])
    codes = np.repeat(factors, num_codes, axis=1).astype(float)
    own = [range(num_codes), range(num_codes, 2 * num_codes)]

    def signed(decode, sets):
        return cg(codes, factors, decode, read_pixels(), attribution=sets)

    ideal, one_of_many = (signed(spread_over(num_codes), sets) for sets in (own, [[0], [num_codes]]))
    assert ideal.signed == ideal.directed == pytest.approx(1)
    assert one_of_many.signed == pytest.approx(-(num_codes - 2) / num_codes)
    assert one_of_many.score == pytest.approx((num_codes - 2) / num_codes)
    assert one_of_many.directed == 0
    ignoring = signed(lambda z: np.full((len(z), 1, 2, 1), 0.3), own)
    assert ignoring.signed == ignoring.directed == 0


def test_dead_codes_and_the_factors_that_have_no_other():
    codes = np.column_stack([CORNERS, CORNERS[:, :1], np.zeros(4)])

    def decode(z):
        return square(np.column_stack([z[:, 0], 0.5 + 0.04 * z[:, 1]]))

    result = cg(codes, CORNERS, decode, read_pixels(), attribution=[[0, 2], [1]])
    assert result.dead_codes == (1, 2, 3) and result.dead_factors == (1,)


def test_a_factor_that_the_classifier_does_not_see():
    def judged(accuracy):
        return cg(CORNERS, CORNERS, square, read_pixels(), attribution=[[0], [0]], accuracy=accuracy)

    assert judged(None).judged is None
    both = judged([0.8, 0.56])
    assert both.judged == both.score == 1 and both.not_judged == ()
    one = judged(lambda: [0.95, 0.54])
    assert one.not_judged == (1,) and one.judged == one.per_factor[0]
    none = judged([0.3, 0.5])
    assert none.not_judged == (0, 1) and none.judged is None
    with pytest.raises(errors.InvalidInput, match=r"one number from 0 to 1 per factor \(2\); given: \[0.9\]"):
        judged([0.9])


def many_points(num_points, seed=0):
    """Codes, factors, decoder and classifier of a middling model; points are sorted, as files may be."""
    generator = np.random.RandomState(seed)
    factors = generator.randint(2, size=(num_points, 2))
    codes = np.clip(factors + generator.normal(scale=0.6, size=factors.shape), -0.5, 1.5)
    order = np.argsort(codes[:, 0])
    return codes[order], factors[order], square, read_pixels()


def test_it_stops_when_it_knows_enough():
    case = many_points(10_000)
    whole = cg(*case)
    part = cg(*case, tolerance=0.02, random_state=1)
    assert part.num_points <= 2000 and whole.num_points is None
    assert part.interval[0] <= whole.score <= part.interval[1]
    assert part.high - part.low <= 0.04 and abs(part.score - whole.score) < 0.02
    assert cg(*case, tolerance=0.02, random_state=1).score == part.score
    factors = cg(*case, tolerance=0.02, tolerance_per_factor=True, random_state=1)
    assert part.num_points < factors.num_points < 10_000


def test_all_points_are_the_limit():
    case = many_points(300)
    whole, part = cg(*case), cg(*case, tolerance=0.001)
    assert part.num_points == 300 and part.score == pytest.approx(whole.score)
    assert part.interval == pytest.approx((whole.score, whole.score))


def test_stopping_decodes_less():
    codes, factors, decode, read = many_points(5000)
    decoded = []
    cg(codes, factors, lambda z: decoded.append(len(z)) or decode(z), read, tolerance=0.05, decode_batch_size=100)
    assert sum(decoded) < 5 * 1500


@pytest.mark.parametrize("informative", [True, False])
def test_chance_tells_noise_from_control(informative):
    """Noise codes that the decoder paints move the factors as much as codes that know them do."""
    generator = np.random.RandomState(2)
    factors = generator.randint(4, size=(600, 2))
    codes = factors / 3 if informative else generator.randint(4, size=factors.shape) / 3

    def read(images):
        levels = np.rint(images.reshape(-1, 2) * 3).astype(int)
        return [np.eye(4)[column] for column in levels.T]

    options = {"attribution": [[0], [1]], "chance": 40, "bootstrap": 50, "random_state": 3}
    result = cg(codes, factors, square, read, **options)
    assert cg(codes, factors, square, read, **options).chance == result.chance
    assert result.signed_interval[0] <= result.signed <= result.signed_interval[1]
    # Values of other images: of four, the one that goes and the one that comes change.
    assert result.chance.score == pytest.approx(0.5, abs=0.03)
    assert result.signed_chance.score == pytest.approx(0.5, abs=0.03)
    if informative:
        assert (
            not result.chance.within
            and result.score == 1
            and result.chance.share == result.signed_chance.share == 0
        )
    else:
        assert result.score == pytest.approx(0.5, abs=0.1) and result.chance.within


def test_chance_equals_measuring_with_the_factors_of_others():
    codes, factors, decode, predict_proba = random_case(5, 3)
    sets = [[0], [1, 2]]
    result = cg(codes, factors, decode, predict_proba, attribution=sets, chance=1, random_state=7)
    others = np.random.RandomState(choose_seed(np.random.RandomState(7))).permutation(factors)
    gaps = by_definition(codes, others, decode, predict_proba, sets)
    assert result.chance.score == pytest.approx(np.abs(gaps).mean())
    assert result.chance.share == float(np.abs(gaps).mean() >= result.score)
    assert result.signed_chance.score == pytest.approx(gaps.mean())


@pytest.mark.parametrize("metric", [cg, causal_disentanglement])
def test_all_rho_are_resampled_alike(metric):
    """A third code that the decoder ignores changes no effect: with the same draws nothing else changes either."""
    codes, factors, decode, predict_proba = random_case(5, 2)
    codes = np.column_stack([codes, np.arange(len(codes))])
    order = np.array([[3, 1], [1, 3], [2, 2]])
    options = {"attribution": lambda *_: order, "bootstrap": 10, "chance": 10, "random_state": 4}
    per_rho = metric.declaration.several[1]
    found = per_rho(codes, factors, lambda z: decode(z[:, :2]), predict_proba, rho=[1, 2], **options)
    first, second = (getattr(result, "cg", result) for result in found.values())
    assert [set(own) for own in second.sets] == [{0, 2}, {1, 2}]
    assert first.interval == second.interval and first.chance == second.chance


def test_what_a_run_asks_is_asked_of_the_same_points():
    """CG is a mean over points: what other metrics are resampled by gives its interval, whatever its own seed."""
    codes, factors, decode, predict_proba = random_case(5, 2)
    given = {"attribution": [[0], [1]], "bootstrap": 10}
    with asking(Asked(10, seed=6)):
        asked = [cg(codes, factors, decode, predict_proba, **given, random_state=seed).interval for seed in (1, 2)]
    gaps = np.abs(by_definition(codes, factors, decode, predict_proba, [[0], [1]])).mean(axis=1)
    low, high, _ = bootstrap_interval(gaps.mean(), lambda rows: gaps[rows].mean(), len(gaps), 10, seed=6)
    assert asked[0] == asked[1] == pytest.approx((max(low, 0), min(high, 1)))


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
        ({"tolerance": 0}, r"`tolerance` must be a finite number, greater than 0 and less than 1; given: 0"),
        ({"chance": -1}, r"`chance` must be a whole number, at least 0; given: -1"),
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
    scores = cg(
        candle,
        get_representation("perfect_oracle", candle),
        np.random.RandomState(0),
        num_train=300,
        classifier="nearest_image",
    )
    assert scores["CG"] >= 0.999 and scores["CG_average"] >= 0.999
    assert all(scores[f"CG_factor_{name}"] >= 0.999 for name in candle.factor_names)
    assert 0.5 < scores["classifier_accuracy_factor_object"] < 0.6
    assert scores["not_judged_factors"] == ["rotation"] and scores["CG_judged"] >= 0.999
    assert scores["CG_signed"] >= 0.999 and "dead_codes" not in scores


def test_everything_in_one_pass_equals_the_parts():
    data = get_dataset("candle_mini", factors=["object", "light"])
    oracle = get_representation("mixed_oracle", data, strength=0.4)
    options = {"num_train": 200, "rho": [1, 2]}
    judge = {"classifier": "nearest_image"}
    parts = [
        get_metric("uc")(data, oracle, np.random.RandomState(3), **options),
        get_metric("cg")(data, oracle, np.random.RandomState(3), **options, **judge),
    ]
    parts.append(get_metric("irs")(data, oracle, np.random.RandomState(3), num_train=200))
    together = get_metric("causal_disentanglement")(data, oracle, np.random.RandomState(3), **options, **judge)
    assert together == {key: value for part in parts for key, value in part.items()}


@pytest.mark.parametrize(("oracle", "within"), [("perfect_oracle", False), ("noise_oracle", True)])
def test_irs_and_uc_beside_it_have_their_chance_levels(oracle, within):
    data = get_dataset("candle_mini", factors=["object", "light", "scene"])
    found = get_metric("causal_disentanglement")(
        data,
        get_representation(oracle, data),
        np.random.RandomState(0),
        num_train=300,
        rho=[1, 2],
        chance=20,
        bootstrap=20,
        classifier="nearest_image",
    )
    assert [found[f"{key}_within_chance"] for key in ("IRS", "rho=1:CG_signed")] == [within] * 2
    assert found["rho=1:UC_within_chance"] or not within  # of so few factors UC is 1 by chance, too
    assert found["IRS_low"] <= found["IRS"] <= found["IRS_high"] and "rho=1:IRS_chance" not in found
    assert {"IRS", "rho=1:UC", "rho=1:CG"} <= {line.split()[0] for line in chance_remarks(found)}


# --- Which decoder and which classifier CG is given, and what is told of those that do not fit


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


# --- baselines


def brute_force(codes):
    """For each entry, the value of that code over all points that is farthest; the first one of equals."""
    result = np.empty_like(codes)
    for row in range(len(codes)):
        for column in range(codes.shape[1]):
            distances = np.abs(codes[:, column] - codes[row, column])
            result[row, column] = codes[distances.argmax(), column]
    return result


@given(st.lists(st.lists(st.integers(-6, 6), min_size=2, max_size=2), min_size=1, max_size=30))
def test_maximal_deviation_equals_the_search(rows):
    codes = np.array(rows, dtype=float)
    np.testing.assert_array_equal(make_baseline(codes, "max_deviation")(codes), brute_force(codes))


def test_midway_goes_to_the_extreme_that_comes_first():
    assert make_baseline(np.array([[0.0], [2.0], [1.0]]), "max_deviation")(np.array([[1.0]])) == 0
    assert make_baseline(np.array([[2.0], [0.0], [1.0]]), "max_deviation")(np.array([[1.0]])) == 2


def test_zero_and_mean():
    codes = np.array([[1.0, 2.0], [3.0, 6.0]])
    np.testing.assert_array_equal(make_baseline(codes, "zero")(codes[:1]), [[0.0, 0.0]])
    np.testing.assert_array_equal(make_baseline(codes, "mean")(codes), [[2.0, 4.0], [2.0, 4.0]])


def test_unknown_baseline():
    with pytest.raises(errors.UnknownName, match="Unknown `baseline` 'maximal_deviation'. Did you mean 'max_dev"):
        make_baseline(np.eye(2), "maximal_deviation")


def test_ice_of_each_image_and_ace_with_its_sign(random_state):
    """By hand, from what the classifier says of the images as they are and after each intervention."""
    truth = random_state.randint(2, size=(40, 2))
    codes = random_state.uniform(size=(40, 2))

    def decode(points):
        return points.reshape(-1, 1, 2, 1)

    def predict(images):
        return [np.stack([1 - images[:, 0, i, 0], images[:, 0, i, 0]], axis=1) for i in range(2)]

    found = cg(codes, truth, decode, predict, attribution=[[0], [1]], baseline="mean")
    change = codes - codes.mean(axis=0)
    fall = np.where(truth == 1, change, -change)
    np.testing.assert_allclose(found.ice, [np.abs(fall), np.zeros_like(fall)], atol=1e-12)
    np.testing.assert_allclose(found.ace_inside, fall.mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(found.ace_outside, 0)
    np.testing.assert_allclose(found.ice_inside, np.abs(fall).mean(axis=0), atol=1e-12)
    assert (np.abs(found.ace_inside) < found.ice_inside).all()
