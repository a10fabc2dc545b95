import numpy as np
from PIL import Image

from causal_disent import get_dataset
from causal_disent.report.contact_sheet import CAPTION, GAP, contact_sheet, save_picture


def test_a_row_per_factor_and_a_column_per_value(small_data):
    sheet = contact_sheet(small_data, scale=10)
    assert sheet.shape == (3 * (10 + CAPTION + GAP) + GAP, 3 * (30 + GAP) + GAP, 3)
    # The first pixel of the images in the first row shows the first factor: 0, then a third.
    assert sheet[GAP, GAP, 0] == 0 and sheet[GAP, GAP + 30 + GAP, 0] == 85


def test_captions_are_written(small_data):
    sheet = contact_sheet(small_data, scale=30)
    below = sheet[GAP + 30 : GAP + 30 + CAPTION, GAP : GAP + 90]
    assert below.min() < 100


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
