import numpy as np
import pytest

from causal_disent import errors
from causal_disent.report.pictures import GAP, LINE, draw_grid, enlargement

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


@pytest.mark.parametrize("shape", [(4, 4, 2), (4, 4, 5), (3, 4, 8), (4, 4)])
def test_what_is_neither_grey_nor_in_color_is_refused(shape):
    with pytest.raises(errors.InvalidInput, match=r"1 channel \(grey\), 3 .*; the shape given is"):
        draw_grid([[np.zeros(shape)]])


def test_images_of_two_sizes_are_refused():
    with pytest.raises(errors.InvalidInput, match=r"must have one size; given: \(10, 20\), \(30, 20\)"):
        draw_grid([[plain(RED, 30, 20), plain(RED, 10, 20)]])
