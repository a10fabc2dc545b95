import numpy as np
import pytest

from causal_disent import errors, get_dataset, get_representation
from causal_disent.metrics import irs, uc
from causal_disent.registry import registry

ORACLES = [entry.name for entry in registry.entries("representations") if entry.owner == "builtin"]


def points(data, num=200, seed=0):
    factors, images = data.sample(num, np.random.RandomState(seed))
    return factors, images


@pytest.mark.parametrize("name", ORACLES)
def test_decoding_gives_an_image_with_the_same_codes(name, small_data):
    oracle = get_representation(name, small_data)
    codes = oracle(points(small_data)[1])
    np.testing.assert_array_equal(oracle(oracle.decode(codes)), codes)


@pytest.mark.parametrize("name", [name for name in ORACLES if name != "missing_factor_oracle"])
def test_decoding_codes_that_tell_every_factor_gives_the_image_back(name, small_data):
    oracle = get_representation(name, small_data)
    _, images = points(small_data)
    np.testing.assert_array_equal(oracle.decode(oracle(images)), images)


@pytest.mark.parametrize(("factor", "place"), [(0, 0), (2, 2), ("color", 1)])
def test_a_missing_factor_is_drawn_with_its_first_value(factor, place, small_data):
    factors, images = points(small_data)
    oracle = get_representation("missing_factor_oracle", small_data, factor=factor)
    codes = oracle(images)
    perfect = get_representation("perfect_oracle", small_data)
    np.testing.assert_array_equal(codes, np.delete(perfect(images), place, axis=1))
    expected = factors.copy()
    expected[:, place] = 0
    np.testing.assert_array_equal(
        oracle.decode(codes), small_data.sample_observations_from_factors(expected, np.random.RandomState(0))
    )


def test_duplicated_codes(small_data):
    _, images = points(small_data)
    perfect = get_representation("perfect_oracle", small_data)(images)
    codes = get_representation("duplicated_oracle", small_data)(images)
    np.testing.assert_array_equal(codes[:, 0::2], perfect)
    np.testing.assert_array_equal(codes[:, 1::2], perfect)
    assert get_representation("duplicated_oracle", small_data, copies=3)(images).shape[1] == 9


def test_merged_codes_have_a_value_for_each_pair(small_data):
    factors, images = points(small_data)
    codes = get_representation("merged_oracle", small_data, factors=("color", "shape"))(images)
    np.testing.assert_allclose(codes[:, 0], 2 * (2 * factors[:, 1] + factors[:, 0]) / 5 - 1)
    np.testing.assert_array_equal(codes[:, 1:], get_representation("perfect_oracle", small_data)(images)[:, 2:])


@pytest.mark.parametrize("name", ORACLES)
def test_the_same_seed_gives_the_same_codes(name, small_data):
    _, images = points(small_data)
    np.testing.assert_array_equal(
        get_representation(name, small_data)(images), get_representation(name, small_data)(images)
    )


def test_perfect_permuted_and_extra_codes(small_data):
    factors, images = points(small_data)
    perfect = get_representation("perfect_oracle", small_data)(images)
    assert perfect.min() == -1 and perfect.max() == 1
    assert irs(perfect, factors).score >= 0.999 and uc(perfect, factors).score == 1
    permuted = get_representation("permuted_oracle", small_data, seed=1)(images)
    assert sorted(map(tuple, permuted.T)) == sorted(map(tuple, perfect.T))
    extra = get_representation("extra_noise_oracle", small_data, num_noise=2)(images)
    np.testing.assert_array_equal(extra[:, :3], perfect)
    assert extra.shape[1] == 5


def test_the_decoder_ignores_extra_noise(small_data):
    oracle = get_representation("extra_noise_oracle", small_data)
    _, images = points(small_data)
    codes = oracle(images)
    codes[:, 3:] = 9.0
    np.testing.assert_array_equal(oracle.decode(codes), images)


def test_mixing_grows_with_its_strength(candle):
    factors, images = points(candle)
    scores = [
        irs(get_representation("mixed_oracle", candle, strength=s)(images), factors).score
        for s in (0, 0.1, 0.5, 1)
    ]
    assert scores[0] >= 0.999 and scores[0] > scores[1] > scores[2] and scores[3] < 0.6
    perfect = get_representation("perfect_oracle", candle)(images)
    mixed = get_representation("mixed_oracle", candle)(images)
    distances = np.linalg.norm(perfect[1:] - perfect[0], axis=1)
    np.testing.assert_allclose(np.linalg.norm(mixed[1:] - mixed[0], axis=1), distances)  # a rotation


def test_decoders_draw_what_the_confounded_data_set_holds():
    data = get_dataset("candle_mini", factors=["object", "color"], confounding="candle_one_to_one")
    oracle = get_representation("perfect_oracle", data)
    drawn = oracle(oracle.decode(np.array([[1.0, -1.0], [-1.0, 0.4]])))
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])


def test_an_image_from_elsewhere_is_an_error(small_data):
    with pytest.raises(errors.InvalidInput, match="knows the 12 images of its data set alone; image 1 of 2"):
        get_representation("perfect_oracle", small_data)(
            np.concatenate([small_data.observations(np.array([0])), np.full((1, 1, 3, 1), 0.123)])
        )


def test_data_that_are_not_finite_have_no_oracle():
    with pytest.raises(errors.InvalidInput, match="needs a finite data set .*; DummyData is not one"):
        get_representation("perfect_oracle", get_dataset("dummy_data"))


def test_bad_options(small_data):
    with pytest.raises(errors.InvalidInput, match="`strength` must be .* at most 1; given: 2"):
        get_representation("mixed_oracle", small_data, strength=2)
    with pytest.raises(errors.InvalidInput, match="At least one code of noise"):
        get_representation("noise_oracle", small_data, num_codes=0)
    with pytest.raises(errors.InvalidInput, match="`copies` must be a whole number, at least 1; given: 0"):
        get_representation("duplicated_oracle", small_data, copies=0)
    with pytest.raises(errors.InvalidInput, match="a name or a number from 0 to 2; given: 3"):
        get_representation("missing_factor_oracle", small_data, factor=3)
    with pytest.raises(errors.UnknownName, match="Unknown factor 'colour'. Did you mean 'color'"):
        get_representation("missing_factor_oracle", small_data, factor="colour")
    for factors in ((0, "shape"), (0,), (0, 1, 2)):
        with pytest.raises(errors.InvalidInput, match="`factors` names two factors; given: 0"):
            get_representation("merged_oracle", small_data, factors=factors)


def test_the_only_factor_cannot_be_missing():
    with pytest.raises(errors.InvalidInput, match="two or more; the data set has one"):
        get_representation("missing_factor_oracle", get_dataset("candle_mini", factors=["object"]))
