from causal_disent.figures import pixels
from causal_disent.report.calibration import CELL_HEIGHT, CELL_WIDTH, EMPTY, MARGIN, SCALE, HeatRow, heat_map

NAN = float("nan")


def cells(picture, num_rows, num_columns):
    """The color in a corner of each cell, where there is no text; the last cell ends at the margins."""
    places = [
        [(-MARGIN - CELL_HEIGHT * i - 2.5, -MARGIN - CELL_WIDTH * j - 4) for j in reversed(range(num_columns))]
        for i in reversed(range(num_rows))
    ]
    return [["#{:02x}{:02x}{:02x}".format(*picture[round(2 * y), round(2 * x)]) for y, x in row] for row in places]


def test_cells_are_colored_from_worst_to_best():
    rows = [HeatRow("a", "x", ["0", "1"], [0.0, 1.0]), HeatRow("a", "y", ["?", "1/2"], [NAN, 0.5])]
    found = cells(pixels(heat_map(rows, ["one", "two"], title="t")), 2, 2)
    assert found[0] == [SCALE[0], SCALE[2]] and found[1][0] == EMPTY
    # The middle of 256 colors is just beside the one in the middle of the scale.
    middle = [int(found[1][1][i : i + 2], 16) - int(SCALE[1][i : i + 2], 16) for i in (1, 3, 5)]
    assert max(map(abs, middle)) <= 1


def test_notes_make_room_for_themselves():
    rows = [HeatRow("a", "x", ["[1]"], [NAN])]
    plain, short, long = (
        heat_map(rows, ["one"], title="t", notes=notes).get_figheight() for notes in ([], ["why"], ["why " * 80])
    )
    assert plain < short < long


def test_all_words_are_drawn_a_label_once():
    rows = [HeatRow("dci", "x", ["0.50"], [0.5]), HeatRow("dci", "$y$", ["0.25"], [0.25])]
    figure = heat_map(rows, ["one"], title="t", notes=["why"])
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(texts) == sorted(["t", "worst", "best", "one", "dci", "x", r"\$y\$", "0.50", "0.25", "why"])
    empty = pixels(heat_map([HeatRow("a", "x", [""], [0.5])], ["one"], title="t"))
    full = pixels(heat_map([HeatRow("a", "x", ["0.50"], [0.5])], ["one"], title="t"))
    assert empty.shape == full.shape and (empty != full).any()
