import numpy as np
import pytest

from causal_disent import errors, get_classifier, get_dataset


def test_exact_on_its_own_images(candle):
    classifier = get_classifier("nearest_image", candle)
    factors, images = candle.sample(50, np.random.RandomState(0))
    for i, table in enumerate(classifier.predict_proba(images)):
        assert table.shape == (50, candle.factors_num_values[i])
        np.testing.assert_allclose(table.sum(axis=1), 1)
        assert (table[np.arange(50), factors[:, i]] > 0.9999).all()


def test_a_little_noise_does_not_mislead_it(candle):
    classifier = get_classifier("nearest_image", candle)
    factors, images = candle.sample(50, np.random.RandomState(0))
    noisy = images + np.random.RandomState(1).normal(scale=0.02, size=images.shape)
    for i, table in enumerate(classifier.predict_proba(noisy)):
        assert (table.argmax(axis=1) == factors[:, i]).all()


def test_accuracy_leaves_the_image_itself_out(small_data):
    """Pixels are the factors, a third apart, so the nearest other image differs in exactly one factor."""
    classifier = get_classifier("nearest_image", small_data)
    assert sum(1 - accuracy for accuracy in classifier.accuracy) > 0.5


def test_nuisance_and_confounding_are_respected():
    data = get_dataset("candle_mini", factors=["light", "object"], confounding="candle_color")
    factors, images = data.sample(20, np.random.RandomState(0))
    tables = get_classifier("nearest_image", data).predict_proba(images)
    assert [table.shape[1] for table in tables] == [3, 5]
    assert all((table.argmax(axis=1) == factors[:, i]).all() for i, table in enumerate(tables))


def test_too_many_images_say_what_to_bind(candle):
    with pytest.raises(errors.InvalidInput, match=r"there are 4,050. Raise nearest_image.max_images \(100\)"):
        get_classifier("nearest_image", candle, max_images=100)


def test_data_must_be_finite():
    with pytest.raises(
        errors.InvalidInput, match="DummyData is not one.*causal-disent classifiers.*conv_classifier"
    ):
        get_classifier("nearest_image", get_dataset("dummy_data"))


def test_images_of_another_shape_are_refused(small_data):
    """Their pixels are as many, so that only the shape tells."""
    classifier = get_classifier("nearest_image", small_data)
    images = small_data.observations(np.arange(4))
    assert len(classifier.predict_proba(images)) == 3
    with pytest.raises(errors.InvalidInput, match=r"\(1, 3, 1\); given: \(1, 1, 3\)\. The channels come first"):
        classifier.predict_proba(images.transpose(0, 3, 1, 2))
