import numpy as np
import pytest

from causal_disent import errors, get_dataset, get_model
from causal_disent.metrics import irs, unconfoundedness
from causal_disent.registry import registry

ORACLES = registry.names("models")


def points(data, num=200, seed=0):
    factors, images = data.sample(num, np.random.RandomState(seed))
    return factors, images


@pytest.mark.parametrize("name", ORACLES)
def test_decoding_the_codes_of_an_image_gives_it_back(name, small_data):
    oracle = get_model(name, small_data)
    _, images = points(small_data)
    np.testing.assert_array_equal(oracle.decode(oracle(images)), images)


@pytest.mark.parametrize("name", ORACLES)
def test_the_same_seed_gives_the_same_codes(name, small_data):
    _, images = points(small_data)
    np.testing.assert_array_equal(get_model(name, small_data)(images), get_model(name, small_data)(images))


def test_perfect_permuted_and_extra_codes(small_data):
    factors, images = points(small_data)
    perfect = get_model("perfect_oracle", small_data)(images)
    assert perfect.min() == -1 and perfect.max() == 1
    assert irs(perfect, factors).score >= 0.999 and unconfoundedness(perfect, factors).score == 1
    permuted = get_model("permuted_oracle", small_data, seed=1)(images)
    assert sorted(map(tuple, permuted.T)) == sorted(map(tuple, perfect.T))
    extra = get_model("extra_noise_oracle", small_data, num_noise=2)(images)
    np.testing.assert_array_equal(extra[:, :3], perfect)
    assert extra.shape[1] == 5


def test_the_decoder_ignores_extra_noise(small_data):
    oracle = get_model("extra_noise_oracle", small_data)
    _, images = points(small_data)
    codes = oracle(images)
    codes[:, 3:] = 9.0
    np.testing.assert_array_equal(oracle.decode(codes), images)


def test_mixing_grows_with_its_strength(candle):
    factors, images = points(candle)
    scores = [irs(get_model("mixed_oracle", candle, strength=s)(images), factors).score for s in (0, 0.1, 0.5, 1)]
    assert scores[0] >= 0.999 and scores[0] > scores[1] > scores[2] and scores[3] < 0.6
    perfect = get_model("perfect_oracle", candle)(images)
    mixed = get_model("mixed_oracle", candle)(images)
    distances = np.linalg.norm(perfect[1:] - perfect[0], axis=1)
    np.testing.assert_allclose(np.linalg.norm(mixed[1:] - mixed[0], axis=1), distances)  # a rotation


def test_decoders_draw_what_the_confounded_data_set_holds():
    data = get_dataset("candle_mini", factors=["object", "color"], confounding="candle_one_to_one")
    oracle = get_model("perfect_oracle", data)
    drawn = oracle(oracle.decode(np.array([[1.0, -1.0], [-1.0, 0.4]])))
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])


def test_an_image_from_elsewhere_is_an_error(small_data):
    with pytest.raises(errors.InvalidInput, match="knows the 12 images of its data set alone; image 1 of 2"):
        get_model("perfect_oracle", small_data)(
            np.concatenate([small_data.observations(np.array([0])), np.full((1, 1, 3, 1), 0.123)])
        )


def test_data_that_are_not_finite_have_no_oracle():
    with pytest.raises(errors.InvalidInput, match="needs a finite data set .*; DummyData is not one"):
        get_model("perfect_oracle", get_dataset("dummy_data"))


def test_bad_options(small_data):
    with pytest.raises(errors.InvalidInput, match="`strength` is a number from 0 to 1; given: 2"):
        get_model("mixed_oracle", small_data, strength=2)
    with pytest.raises(errors.InvalidInput, match="At least one code of noise"):
        get_model("noise_oracle", small_data, num_codes=0)
