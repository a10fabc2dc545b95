"""Each check of models rejects one that was broken on purpose, for the right reason."""

import random
from dataclasses import replace

import numpy as np
import pytest
from rejection import assert_rejected, cases

from causal_disent.registry import Entry
from causal_disent.testing import check_representation
from causal_disent.testing.representation_checks import REPRESENTATION_CHECKS
from causal_disent.testing.stage import StageData


class GoodModel:
    """The mean of each third of the image, and back."""

    def __init__(self, data):
        self.shape = data.observation_shape
        self.memory = None

    def __call__(self, images):
        return np.stack([third.mean(axis=(1, 2, 3)) for third in np.array_split(images, 3, axis=2)], axis=1)

    def decode(self, codes):
        return np.broadcast_to(codes.mean(axis=1)[:, None, None, None], (len(codes), *self.shape))


def representation_entry(**changes):
    made = type("BrokenModel", (GoodModel,), {"__doc__": "A model.", **changes})
    return Entry("representations", "broken", "tests", made, "a summary")


def encoding(change):
    """A model whose codes are changed."""
    return representation_entry(__call__=lambda self, images: change(GoodModel.__call__(self, images)))


def decoding(change):
    return representation_entry(decode=lambda self, codes: change(GoodModel.decode(self, codes)))


def normalising_images(self, images):
    images -= images.mean()
    return GoodModel.__call__(self, images)


def asking_for_writeable_images(self, images):
    images *= 1
    return GoodModel.__call__(self, images)


def making_random_weights(self, data):
    GoodModel.__init__(self, data)
    self.weights = np.random.RandomState().normal(size=(3, 3))


def encoding_with_weights(self, images):
    return GoodModel.__call__(self, images) @ self.weights


def remembering(self, images):
    if self.memory is None:
        self.memory = GoodModel.__call__(self, images)
    return self.memory


BROKEN_MODELS = {
    "documented": [
        (replace(representation_entry(), summary=""), "no summary"),
        (replace(representation_entry(), target=lambda data: GoodModel(data)), "no docstring"),
    ],
    "declarations_hold_together": [
        (replace(representation_entry(), facts={"known_failures": {"codes": "odd"}}), "Unknown check 'codes'"),
    ],
    "codes_are_a_finite_matrix": [
        (encoding(lambda codes: codes[:, 0]), r"8 images gave \(8,\)"),
        (encoding(lambda codes: codes[:3]), r"8 images gave \(3, 3\)"),
        (encoding(lambda codes: codes.astype(str)), "codes are numbers"),
        (encoding(lambda codes: codes / 0), "codes are finite"),
    ],
    "same_image_same_codes": [
        (encoding(lambda codes: codes + np.random.RandomState().normal(size=codes.shape)), "the second time"),
    ],
    "same_options_same_model": [
        (
            representation_entry(__init__=making_random_weights, __call__=encoding_with_weights),
            "made again gives other codes",
        ),
    ],
    "codes_do_not_depend_on_the_batch": [
        (encoding(lambda codes: codes - codes.mean(axis=0)), "alone has other codes than in a batch"),
    ],
    "decoder_makes_images": [
        (decoding(lambda images: images[..., :1]), r"shape \(8, 64, 64, 1\), not .* \(8, 64, 64, 3\)"),
        (decoding(lambda images: (255 * images).astype(np.uint8)), "dtype uint8"),
        (decoding(lambda images: images - 0.9), "from 0 to 1; these are from -0"),
        (decoding(lambda images: images * np.nan), "from 0 to 1; these are from nan"),
    ],
    "images_stay_as_they_are": [
        (representation_entry(__call__=normalising_images), "writes to the images"),
        (representation_entry(__call__=asking_for_writeable_images), "it raised .*read-only"),
    ],
    "codes_belong_to_the_caller": [
        (representation_entry(__call__=remembering), "writing to the codes changes those")
    ],
    "global_generators_untouched": [
        (encoding(lambda codes: codes * np.random.rand()), "global generator numpy.random;"),  # noqa: NPY002
        (decoding(lambda images: images * random.random()), "global generator random;"),
    ],
}


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize(("name", "entry", "message"), cases(BROKEN_MODELS))
def test_a_broken_model_is_rejected(name, entry, message):
    assert_rejected(entry, name, message)


def test_a_good_model_passes():
    assert {found.status for found in check_representation(representation_entry())} == {"ok"}


def test_a_model_is_made_for_the_data_given():
    def encoder(data):
        """Flat pixels of images of any size; no decoder."""
        assert data.observation_shape == (4, 4, 3)
        return lambda images: images.reshape(len(images), -1)

    found = check_representation(
        Entry("representations", "flat", "tests", encoder, "s"), data=StageData((2, 3), width=4)
    )
    assert [one.check for one in found if one.status == "skipped"] == ["decoder_makes_images"]


def test_every_check_has_a_broken_entry():
    assert [check.__name__ for check in REPRESENTATION_CHECKS] == list(BROKEN_MODELS)
    assert all(check.__doc__ for check in REPRESENTATION_CHECKS)
