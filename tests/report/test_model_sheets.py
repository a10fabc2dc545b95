import numpy as np
import pytest

from causal_disent import errors, get_classifier, get_dataset, get_representation
from causal_disent.adapter import attributed_sample
from causal_disent.report.model_sheets import (
    counterfactual_sheet,
    reconstruction_sheet,
    sample_sheet,
    traversal_frames,
    traversal_sheet,
)
from causal_disent.report.pictures import BETWEEN_GROUPS, GAP, LINE, contact_sheet, dataset_sheet


def has_ink(part):
    return part.size and part.min() < 100


def cells(picture, shape, scale, num_rows, num_columns):
    """The images of a sheet without captions, shrunk again."""
    height, width = shape[0] * scale, shape[1] * scale
    left, top = picture.shape[1] - num_columns * (width + GAP), picture.shape[0] - num_rows * (height + GAP)
    return [
        [
            picture[
                top + i * (height + GAP) : top + i * (height + GAP) + height : scale,
                left + j * (width + GAP) : left + j * (width + GAP) + width : scale,
                :1,
            ]
            / 255
            for j in range(num_columns)
        ]
        for i in range(num_rows)
    ]


def test_reconstructions_of_a_perfect_model(tiny):
    images = tiny.observations(np.arange(5))
    sheet = np.asarray(reconstruction_sheet(get_representation("perfect_oracle", tiny), images))
    for row in cells(sheet, (16, 16), 6, 2, 5):
        for found, image in zip(row, images, strict=True):
            np.testing.assert_allclose(found, image, atol=0.003)


def test_samples_are_eight_in_a_row(tiny):
    sheet = sample_sheet(get_representation("perfect_oracle", tiny), 2, 11, np.random.RandomState(0))
    assert sheet.size == (GAP + 8 * (96 + GAP), GAP + 2 * (96 + GAP))


def test_traversals_of_a_perfect_model(tiny):
    model, (low, high) = get_representation("perfect_oracle", tiny), (-np.ones(2), np.ones(2))
    point = model(tiny.observations(np.array([4])))[0]
    sheet = np.asarray(traversal_sheet(model, point, low, high, num_steps=3))
    moved = [[1, 4, 7], [3, 4, 5]]  # the place runs through its values, then the shade
    for row, indices in zip(cells(sheet, (16, 16), 4, 2, 3), moved, strict=True):
        for found, image in zip(row, tiny.observations(np.array(indices)), strict=True):
            np.testing.assert_allclose(found, image, atol=0.003)
    frames = [
        np.asarray(frame) for frame in traversal_frames(model, np.stack([point, point]), low, high, num_steps=3)
    ]
    for step, frame in enumerate(frames):
        for row, indices in zip(cells(frame, (16, 16), 4, 2, 2), moved, strict=True):
            np.testing.assert_allclose(row[1], tiny.observations(np.array(indices))[step], atol=0.003)


def test_rows_of_dead_codes_are_grey(tiny):
    model, (low, high) = get_representation("perfect_oracle", tiny), (-np.ones(2), np.ones(2))
    point = model(tiny.observations(np.array([4])))[0]
    moving = {"num_steps": 3, "titles": ["code 0", "code 1"]}
    sheets = [traversal_sheet(model, point, low, high, **moving, dead=dead) for dead in ((), (1,))]
    frames = [next(traversal_frames(model, point[None], low, high, **moving, dead=dead)) for dead in ((), (1,))]
    for (alive, greyed), columns in ((sheets, 3), (frames, 1)):
        before, after = (cells(np.asarray(sheet), (16, 16), 4, 2, columns) for sheet in (alive, greyed))
        np.testing.assert_array_equal(after[0], before[0])
        assert np.min(before[1]) == 0 and np.min(after[1]) > 0.6 and np.max(after[1]) < 0.9


def test_a_factor_of_a_dead_code_is_marked(tiny):
    """Its decoder shows the place alone, and the second code is all that the shade has."""
    oracle = get_representation("perfect_oracle", tiny)

    class Model:
        __call__ = staticmethod(oracle.__call__)

        def decode(self, codes):
            return oracle.decode(codes * [1, 0])

    sample = attributed_sample(tiny, Model(), np.random.RandomState(0), 100, 16, "irs", 1)
    assert sample.dead == (1,) and sample.code_title(1) == "code 1: dead" and sample.code_title(0) == "code 0"
    classifier = get_classifier("nearest_image", tiny)
    marked, plain = (counterfactual_sheet(model, classifier, tiny, num_images=1) for model in (Model(), oracle))
    height = 2 * LINE + GAP
    assert (np.asarray(marked)[:height] < 100).sum() > (np.asarray(plain)[:height] < 100).sum()


def test_the_counterfactuals_of_a_perfect_model(tiny):
    model = get_representation("perfect_oracle", tiny)
    sheet = np.asarray(
        counterfactual_sheet(model, "nearest_image", tiny, num_images=1, num_train=300, random_state=3)
    )
    # Four rows of two: a column per factor. Take the pictures out from between the captions.
    step_y, step_x = 96 + LINE + GAP, 96 + GAP
    top, left = sheet.shape[0] - 4 * step_y, sheet.shape[1] - 2 * step_x
    places = [(i, j) for i in range(4) for j in range(2)]
    every = tiny.observations(np.arange(9))
    known = {}
    for i, j in places:
        picture = sheet[top + i * step_y :, left + j * step_x :][:96:6, :96:6, :1] / 255
        known[i, j] = int(np.abs(every - picture).sum(axis=(1, 2, 3)).argmin())
        np.testing.assert_allclose(every[known[i, j]], picture, atol=0.003)
        assert has_ink(sheet[top + i * step_y + 96 :, left + j * step_x :][:LINE, :96])
    place, shade = divmod(known[0, 0], 3)
    assert known[0, 1] == known[1, 0] == known[1, 1] == known[0, 0]
    # A factor's own code changes it alone; the complement leaves it alone.
    assert divmod(known[2, 0], 3)[0] != place and divmod(known[2, 0], 3)[1] == shade
    assert divmod(known[2, 1], 3)[0] == place and divmod(known[2, 1], 3)[1] != shade
    assert known[3, 0] == known[2, 1] and known[3, 1] == known[2, 0]


def test_counterfactuals_of_several_images_and_codes(tiny):
    classifier = get_classifier("nearest_image", tiny)
    model = get_representation("duplicated_oracle", tiny)
    one, three = (
        counterfactual_sheet(model, classifier, tiny, num_images=n, rho=2, num_train=200) for n in (1, 3)
    )
    assert one.width == three.width and three.height - one.height == 2 * (4 * (96 + LINE + GAP) + BETWEEN_GROUPS)
    again = counterfactual_sheet(model, classifier, tiny, num_images=1, rho=2, num_train=200)
    assert one.tobytes() == again.tobytes()
    with pytest.raises(errors.InvalidInput, match="At least one image"):
        counterfactual_sheet(model, classifier, tiny, num_images=0, num_train=200)
    with pytest.raises(errors.MissingPart, match="has none"):
        counterfactual_sheet(lambda images: images.mean(axis=(1, 2)), classifier, tiny)


def test_data_sets(tiny):
    np.testing.assert_array_equal(dataset_sheet(tiny, np.random.RandomState(0)), contact_sheet(tiny, scale=6))
    dummy = dataset_sheet(get_dataset("dummy_data"), np.random.RandomState(0))
    assert dummy.shape[0] == GAP + 10 * (128 + LINE + GAP)
    with pytest.raises(errors.InvalidInput, match=r"Only images .* can be shown; the shape given is \(10,\)"):
        dataset_sheet(get_dataset("identity_data"), np.random.RandomState(0))
