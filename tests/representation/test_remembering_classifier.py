import numpy as np
import pytest

from causal_disent import get_classifier
from causal_disent.representation.remembering_classifier import RememberingClassifier


class Counting:
    name = "counting"

    def __init__(self):
        self.num_judged = 0

    def predict_proba(self, images):
        self.num_judged += len(images)
        means = images.mean(axis=(1, 2, 3))
        return [np.stack([means, 1 - means], axis=1)]


def test_each_distinct_image_is_judged_once():
    images = np.linspace(0, 1, 6).reshape(6, 1, 1, 1)
    classifier = Counting()
    remembering = RememberingClassifier(classifier)
    for rows in ([0, 1, 0], [1, 2, 2, 3], [0, 3], []):
        (found,) = remembering.predict_proba(images[rows])
        np.testing.assert_allclose(found[:, 0], images[rows].ravel())
    assert classifier.num_judged == 4


def test_it_answers_as_its_classifier_does(small_data):
    classifier = get_classifier("nearest_image", small_data)
    images = small_data.sample_observations(50, np.random.RandomState(0))
    found = RememberingClassifier(classifier).predict_proba(images)
    for one, other in zip(found, classifier.predict_proba(images), strict=True):
        np.testing.assert_allclose(one, other)


def test_the_rest_is_the_classifiers():
    assert RememberingClassifier(Counting()).name == "counting"
    with pytest.raises(AttributeError):
        RememberingClassifier(Counting()).accuracy  # noqa: B018
