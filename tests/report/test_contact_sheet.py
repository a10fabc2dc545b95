import numpy as np
import pytest
from PIL import Image

from causal_disent import errors, get_dataset
from causal_disent.data.array_data import ArrayDataset
from causal_disent.report.pictures import GAP, LINE, contact_sheet, save_picture


def test_a_row_per_factor_and_a_column_per_value(small_data):
    sheet = contact_sheet(small_data, scale=50)
    assert sheet.shape == (3 * (50 + LINE + GAP) + GAP, 3 * (150 + GAP) + GAP, 3)
    # The first pixel of the images in the first row shows the first factor: 0, then a third.
    assert sheet[GAP, GAP, 0] == 0 and sheet[GAP, GAP + 150 + GAP, 0] == 85


def test_captions_are_written(small_data):
    sheet = contact_sheet(small_data, scale=30)
    below = sheet[GAP + 30 : GAP + 30 + LINE, GAP : GAP + 90]
    assert below.min() < 100


def own_data(channels, name="a"):
    images = np.zeros((3, 8, 2, channels), np.uint8)
    return ArrayDataset(images, np.arange(3)[:, None], factor_names=[name])


def test_captions_do_not_reach_their_neighbours():
    sheet = contact_sheet(own_data(1, "a_factor_whose_name_is_much_wider_than_an_image"), scale=1)
    below = sheet[-GAP - LINE : -GAP, GAP:]
    width = below.shape[1] // 3
    assert width > 200
    for number in range(3):  # white between the captions
        assert below[:, number * width : (number + 1) * width - GAP].min() < 100
        assert (below[:, (number + 1) * width - GAP : (number + 1) * width] == 255).all()


def test_images_that_are_neither_grey_nor_in_color():
    with pytest.raises(errors.InvalidInput, match=r"1 channel \(grey\), 3 .*; the shape given is \(8, 2, 2\)"):
        contact_sheet(own_data(2))


def test_confounded_data_show_what_they_hold():
    data = get_dataset("candle_mini", confounding="candle_one_to_one")
    assert contact_sheet(data, scale=1).shape[2] == 3


def test_saving(tmp_path, small_data):
    sheet = contact_sheet(small_data)
    save_picture(sheet, tmp_path / "folder" / "sheet.png")
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "folder" / "sheet.png")), sheet)


def test_few_colors_keep_what_is_small(tmp_path):
    greys = np.random.RandomState(0).randint(0, 256, (200, 200, 1)).astype(np.uint8)
    sheet = np.repeat(greys, 3, axis=2)
    sheet[50:60, 50:60] = (140, 30, 200)  # purple, on a four hundredth of the picture
    save_picture(sheet, tmp_path / "sheet.png", colors=64)
    shown = np.asarray(Image.open(tmp_path / "sheet.png").convert("RGB")).astype(int)
    assert np.abs(shown - sheet).max() <= 16
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) <= 64
