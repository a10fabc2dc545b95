import numpy as np

from causal_disent.report.heat_map import CELL_HEIGHT, CELL_WIDTH, EMPTY, GAP, MARGIN, SCALE, HeatRow, heat_map

NAN = float("nan")


def cells(picture, num_rows, num_columns):
    """The color in a corner of each cell, where there is no text; the last line of cells ends at the margin."""
    bottom, right = picture.shape[0] - MARGIN - GAP, picture.shape[1] - MARGIN - GAP
    return [
        [
            tuple(picture[bottom - 1 - i * (CELL_HEIGHT + GAP), right - 1 - j * (CELL_WIDTH + GAP)].tolist())
            for j in reversed(range(num_columns))
        ]
        for i in reversed(range(num_rows))
    ]


def test_cells_are_colored_from_worst_to_best():
    rows = [HeatRow("a", "x", ["0", "1"], [0.0, 1.0]), HeatRow("a", "y", ["?", "1/2"], [NAN, 0.5])]
    assert cells(heat_map(rows, ["one", "two"], title="t"), 2, 2) == [[SCALE[0], SCALE[2]], [EMPTY, SCALE[1]]]


def test_notes_make_room_for_themselves():
    rows = [HeatRow("a", "x", ["[1]"], [NAN])]
    plain, short, long = (
        heat_map(rows, ["one"], title="t", notes=notes).shape[0] for notes in ([], ["why"], ["why " * 80])
    )
    assert plain < short < long


def test_text_is_drawn():
    empty, full = (heat_map([HeatRow("a", "x", [text], [0.5])], ["one"], title="t") for text in ("", "0.50"))
    assert empty.shape == full.shape and (empty != full).any()
    assert full.dtype == np.uint8
