import numpy as np
import pytest
from causal_disent_torch.visualize import (
    counterfactual_sheet,
    dataset_sheet,
    reconstruction_sheet,
    sample_sheet,
    traversal_frames,
    traversal_sheet,
)
from causal_disent_torch.visualize.labelled_grid import GAP, LINE, draw_grid, enlargement

from causal_disent import errors, get_classifier, get_dataset, get_model
from causal_disent.report.contact_sheet import contact_sheet

RED, GREY = np.array([1.0, 0.0, 0.0]), np.array([0.5])


def plain(colour, height=30, width=20):
    return np.broadcast_to(colour, (height, width, len(colour))).astype(np.float32)


def test_images_stand_where_they_should():
    picture = np.asarray(draw_grid([[plain(RED), None], [plain(GREY), plain(RED)]], scale=2))
    assert picture.shape == (GAP + 2 * (60 + GAP), GAP + 2 * (40 + GAP), 3)
    white = np.full(3, 255)
    np.testing.assert_array_equal(
        picture[GAP : GAP + 60, GAP : GAP + 40], np.broadcast_to([255, 0, 0], (60, 40, 3))
    )
    np.testing.assert_array_equal(picture[GAP, GAP + 40], white)
    np.testing.assert_array_equal(picture[GAP + 30, 2 * GAP + 60], white)  # the empty place
    np.testing.assert_array_equal(picture[2 * GAP + 60 + 30, GAP + 20], [128] * 3)
    np.testing.assert_array_equal(picture[2 * GAP + 60 + 30, 2 * GAP + 40 + 20], [255, 0, 0])


def has_ink(part):
    return part.size and part.min() < 100


def test_texts_have_a_place_of_their_own():
    image = plain(np.array([1.0, 1.0, 1.0]), 40, 120)  # white, so that all ink is text
    picture = np.asarray(
        draw_grid([[image]], captions=[["red: 0.50"]], row_titles=["own\ncodes"], column_titles=["color\ncode 3"])
    )
    height, width = picture.shape[:2]
    assert height == GAP + 2 * LINE + 40 + LINE + GAP
    left = width - 120 - GAP
    top = GAP + 2 * LINE
    assert has_ink(picture[: GAP + LINE, left:]) and has_ink(picture[GAP + LINE : top, left:])
    assert has_ink(picture[top : top + LINE, :left]) and has_ink(picture[top + LINE : top + 2 * LINE, :left])
    assert has_ink(picture[top + 40 :, left:])
    assert not has_ink(picture[top : top + 40, left:]) and not has_ink(picture[:top, : left - 1])


def test_a_long_caption_does_not_reach_its_neighbour():
    image = plain(RED, 10, 10)
    wide = draw_grid([[image, image]], captions=[["a long name of a value: 0.50", ""]])
    narrow = draw_grid([[image, image]], captions=[["a: 0", ""]])
    assert wide.width > narrow.width + 100


def test_a_long_row_title_does_not_reach_the_next():
    rows = [[plain(RED, 10, 10)], [plain(RED, 10, 10)]]
    picture = draw_grid(rows, row_titles=["one\ntwo\nthree", "four"])
    assert picture.height == GAP + 2 * (3 * LINE + GAP)


def test_small_images_are_enlarged():
    assert enlargement(np.zeros((16, 12, 3))) == 6 and enlargement(np.zeros((5, 64, 64, 3))) == 2
    assert enlargement(np.zeros((128, 128, 3))) == 1 and enlargement(np.zeros((240, 320, 3))) == 1


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
    sheet = np.asarray(reconstruction_sheet(get_model("perfect_oracle", tiny), images))
    for row in cells(sheet, (16, 16), 6, 2, 5):
        for found, image in zip(row, images, strict=True):
            np.testing.assert_allclose(found, image, atol=0.003)


def test_samples_are_eight_in_a_row(tiny):
    sheet = sample_sheet(get_model("perfect_oracle", tiny), 2, 11, np.random.RandomState(0))
    assert sheet.size == (GAP + 8 * (96 + GAP), GAP + 2 * (96 + GAP))


def test_traversals_of_a_perfect_model(tiny):
    model, (low, high) = get_model("perfect_oracle", tiny), (-np.ones(2), np.ones(2))
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


def test_the_counterfactuals_of_a_perfect_model(tiny):
    model = get_model("perfect_oracle", tiny)
    sheet = np.asarray(
        counterfactual_sheet(model, "nearest_image", tiny, num_images=1, num_train=300, random_state=3)
    )
    # Three rows of three: the data, then a column per factor. Take the pictures out from between the captions.
    step_y, step_x = 96 + LINE + GAP, 96 + GAP
    top, left = sheet.shape[0] - 3 * step_y, sheet.shape[1] - 3 * step_x
    corner = [
        [sheet[top + i * step_y :, left + j * step_x :][:96:6, :96:6, :1] / 255 for j in range(3)]
        for i in range(3)
    ]
    every = tiny.observations(np.arange(9))
    known = {
        (i, j): int(np.abs(every - corner[i][j]).sum(axis=(1, 2, 3)).argmin()) for i in range(3) for j in (1, 2)
    }
    for (i, j), index in known.items():
        np.testing.assert_allclose(every[index], corner[i][j], atol=0.003)
    np.testing.assert_allclose(corner[0][0], corner[0][1], atol=0.003)
    place, shade = divmod(known[0, 1], 3)
    assert known[0, 2] == known[0, 1]
    # A factor's own code changes it alone; the complement leaves it alone.
    assert divmod(known[1, 1], 3)[0] != place and divmod(known[1, 1], 3)[1] == shade
    assert divmod(known[1, 2], 3)[0] == place and divmod(known[1, 2], 3)[1] != shade
    assert known[2, 1] == known[1, 2] and known[2, 2] == known[1, 1]
    for i in range(3):
        for j in (1, 2):
            assert has_ink(sheet[top + i * step_y + 96 :, left + j * step_x :][:LINE, :96])


def test_counterfactuals_of_several_images_and_codes(tiny):
    classifier = get_classifier("nearest_image", tiny)
    model = get_model("duplicated_oracle", tiny)
    one, three = (
        counterfactual_sheet(model, classifier, tiny, num_images=n, rho=2, num_train=200) for n in (1, 3)
    )
    assert one.width == three.width and three.height - one.height == 2 * 3 * (96 + LINE + GAP)
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
    with pytest.raises(errors.InvalidInput, match="Only images can be shown"):
        dataset_sheet(get_dataset("identity_data"), np.random.RandomState(0))
