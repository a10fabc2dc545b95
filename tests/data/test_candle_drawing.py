"""The pictures of candle_mini: the same every time, and every factor is to be seen in them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent.data.candle_mini import drawing as candle_drawing
from causal_disent.data.candle_mini.camera import STAGE_DISTANCE, pixels_of
from causal_disent.data.candle_mini.drawing import FACTOR_NAMES, IMAGE_SHAPE, VALUE_NAMES, draw
from causal_disent.data.candle_mini.solids import SOLIDS

SIZES = [len(VALUE_NAMES[name]) for name in FACTOR_NAMES]
OBJECT, COLOR, SIZE, ROTATION, SCENE, LIGHT = range(6)
LEFT, MIDDLE, RIGHT = range(3)
CENTRE, NO_JITTER = (0.0, 0.0), (0, 0)

one_row = st.tuples(*(st.integers(0, size - 1) for size in SIZES))
some_rows = st.lists(one_row, min_size=1, max_size=5)


def random_rows(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, SIZES, (count, 6))


def draw_at(row, place=CENTRE, jitter=NO_JITTER) -> tuple[np.ndarray, np.ndarray]:
    """Image and object mask of a row, with place and jitter chosen rather than derived from it."""
    image = np.empty(IMAGE_SHAPE, dtype=np.uint8)
    window, covered = candle_drawing._draw_one(image, list(row), place, jitter)
    mask = np.zeros(IMAGE_SHAPE[:2], dtype=bool)
    mask[window.pixels] = covered > 0
    return image, mask


def changed(row, factor: int, value: int) -> list[int]:
    return [*row[:factor], value, *row[factor + 1 :]]


def difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.abs(first.astype(int) - second.astype(int)).max(axis=2)


@pytest.fixture(scope="module")
def v1_rows() -> np.ndarray:
    return np.array(list(itertools.product(*(range(size) for size in [5, 5, 3, 6, 3, 3]))))


@pytest.fixture(scope="module")
def v1(v1_rows) -> tuple[np.ndarray, np.ndarray]:
    return draw(v1_rows)


def test_factors_are_those_of_candle():
    assert tuple(VALUE_NAMES) == FACTOR_NAMES
    assert SIZES == [5, 5, 3, 6, 16, 3]
    assert VALUE_NAMES["object"] == ("cube", "sphere", "cylinder", "cone", "torus")
    assert VALUE_NAMES["color"] == ("red", "blue", "yellow", "purple", "orange")
    assert VALUE_NAMES["rotation"] == ("0", "15", "30", "45", "60", "90")
    assert VALUE_NAMES["scene"][:3] == ("indoor", "playground", "outdoor")
    assert VALUE_NAMES["light"] == ("left", "middle", "right")


def test_shapes_and_types():
    images, boxes = draw(random_rows(7))
    assert images.shape == (7, *IMAGE_SHAPE) and images.dtype == np.uint8
    assert boxes.shape == (7, 4) and np.issubdtype(boxes.dtype, np.integer)


def test_no_rows_give_no_pictures():
    images, boxes = draw(np.empty((0, 6), dtype=int))
    assert images.shape == (0, *IMAGE_SHAPE) and boxes.shape == (0, 4)


def test_drawing_twice_gives_the_same_and_leaves_the_global_generator_alone():
    rows = random_rows(20)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = draw(rows), draw(rows)
    assert np.array_equal(first[0], second[0]) and np.array_equal(first[1], second[1])
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@settings(max_examples=25, deadline=None)
@given(some_rows)
def test_a_picture_does_not_depend_on_its_neighbours(rows):
    rows = np.array(rows)
    images, boxes = draw(rows)
    for k in range(len(rows)):
        image, box = draw(rows[k : k + 1])
        assert np.array_equal(images[k], image[0]) and np.array_equal(boxes[k], box[0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64])
def test_any_integers_will_do(dtype):
    rows = random_rows(5)
    assert np.array_equal(draw(rows.astype(dtype))[0], draw(rows)[0])


@settings(max_examples=40, deadline=None)
@given(one_row)
def test_box_is_tight_around_the_object(row):
    mask = draw_at(row, *candle_drawing._placement(list(row)))[1]
    xmin, ymin, xmax, ymax = draw(np.array([row]))[1][0]
    inside = mask[ymin:ymax, xmin:xmax]
    assert inside.sum() == mask.sum() > 0
    assert inside[0].any() and inside[-1].any() and inside[:, 0].any() and inside[:, -1].any()


@settings(max_examples=25, deadline=None)
@given(one_row, st.integers(0, 4))
def test_color_changes_the_object_and_nothing_else(row, color):
    first, mask = draw_at(changed(row, COLOR, color))
    second, _ = draw_at(changed(row, COLOR, (color + 1) % 5))
    where = difference(first, second) > 0
    assert not where[~mask].any()
    assert where[mask].mean() > 0.5


def test_boxes_lie_inside_the_image_with_background_on_all_sides(v1):
    boxes = v1[1]
    assert boxes.min() >= 1 and boxes.max() <= IMAGE_SHAPE[0] - 1
    assert (boxes[:, 0] < boxes[:, 2]).all() and (boxes[:, 1] < boxes[:, 3]).all()


def test_all_pictures_of_the_first_three_scenes_differ(v1):
    assert len({image.tobytes() for image in v1[0]}) == len(v1[0]) == 4050


def test_a_selection_of_rows_gives_the_same_pictures(v1, v1_rows):
    """Place and jitter follow from the values alone, not from how many scenes are in use."""
    picked = np.flatnonzero(v1_rows[:, SCENE] == 1)[::97]
    assert np.array_equal(draw(v1_rows[picked])[0], v1[0][picked])


def test_place_and_jitter_vary_over_the_stage(v1_rows):
    places, jitters = zip(*(candle_drawing._placement(row) for row in v1_rows.tolist()), strict=True)
    reach = np.array(candle_drawing._STAGE)
    assert (np.abs(places) <= reach).all()
    assert (np.ptp(places, axis=0) > 1.9 * reach).all()
    assert set(itertools.chain(*jitters)) == set(range(-3, 4))
    assert np.abs(np.corrcoef(np.transpose(places), np.transpose(jitters))[np.triu_indices(4, 1)]).max() < 0.05


@pytest.mark.parametrize("factor", [OBJECT, SIZE, ROTATION])
@pytest.mark.parametrize("kind", range(5))
def test_shape_size_and_rotation_show_in_the_object(factor, kind):
    row = [kind, 0, 1, 2, 0, MIDDLE]
    pictures = [draw_at(changed(row, factor, value)) for value in range(SIZES[factor])]
    for (first, first_mask), (second, second_mask) in itertools.combinations(pictures, 2):
        clear = difference(first, second) > 30
        assert clear[first_mask | second_mask].sum() >= 15


@pytest.mark.parametrize("size", range(3))
@pytest.mark.parametrize("kind", range(5))
def test_stripe_moves_to_the_right_with_rotation(kind, size):
    places = []
    for rotation in range(6):
        image, mask = draw_at([kind, 1, size, rotation, 0, MIDDLE])
        # On a blue object only the white stripe is red.
        stripe = (
            mask & (image[..., 0] > 90) & (difference(image, draw_at([kind, 3, size, rotation, 0, 1])[0]) < 25)
        )
        assert stripe.sum() >= 4
        places.append(np.nonzero(stripe)[1].mean())
    assert (np.diff(places) > 0.4).all()


def test_scene_changes_the_background():
    pictures = [draw_at([0, 0, 0, 0, scene, MIDDLE]) for scene in range(16)]
    for (first, mask), (second, _) in itertools.combinations(pictures, 2):
        assert (difference(first, second)[~mask] > 10).mean() > 0.5


@pytest.mark.parametrize("scene", range(16))
@pytest.mark.parametrize("color", range(5))
def test_every_color_stands_out_from_every_scene(scene, color):
    image, mask = draw_at([1, color, 1, 3, scene, MIDDLE])
    rim = np.zeros_like(mask)
    rim[1:-1, 1:-1] = mask[:-2, 1:-1] | mask[2:, 1:-1] | mask[1:-1, :-2] | mask[1:-1, 2:]
    around = np.median(image[rim & ~mask], axis=0)
    assert np.linalg.norm(np.median(image[mask], axis=0) - around) > 70


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("size", range(3))
def test_shadow_falls_away_from_the_light(kind, size):
    columns = np.arange(IMAGE_SHAPE[1])
    sides = []
    for light in (LEFT, RIGHT):
        image, mask = draw_at([kind, 0, size, 3, 0, light])
        scenery = candle_drawing.backdrop("indoor", light - 1, NO_JITTER)
        darkening = (scenery.astype(int) - image).sum(axis=2) * ~mask
        sides.append((darkening * columns).sum() / darkening.sum() - np.nonzero(mask)[1].mean())
    assert sides[0] > 1 and sides[1] < -1


@pytest.mark.parametrize("light", [LEFT, RIGHT])
def test_shadow_is_drawn_to_its_end(light):
    image, mask = draw_at([0, 0, 1, 3, 0, light])
    scenery = candle_drawing.backdrop("indoor", light - 1, NO_JITTER)
    darkened = np.nonzero(((scenery.astype(int) - image).sum(axis=2) > 30) & ~mask)[1]
    cube = SOLIDS["cube"].height
    slope = candle_drawing._LIGHTS[VALUE_NAMES["light"][light]][0]
    end = candle_drawing._SIZES["medium"] * (cube / 2 * -np.sign(slope) - cube * slope)
    expected = pixels_of(np.array(end), np.array(STAGE_DISTANCE), np.array(0.0))[0]
    # The near edge of the shadow, by perspective, reaches a few pixels farther than its middle.
    beyond = darkened.max() + 1 - expected if light == LEFT else expected - darkened.min()
    assert 0 <= beyond < 6


@pytest.mark.parametrize("kind", range(5))
def test_light_shows_on_the_object(kind):
    brighter = []
    for light in (LEFT, RIGHT):
        image, mask = draw_at([kind, 0, 2, 0, 0, light])
        mirrored = draw_at([kind, 0, 2, 5, 0, light])[0]
        red = (image[..., 0].astype(int) + mirrored[..., 0]) * mask
        middle = int(np.nonzero(mask)[1].mean())
        brighter.append(
            red[:, :middle].sum() / mask[:, :middle].sum() > red[:, middle:].sum() / mask[:, middle:].sum()
        )
    assert brighter == [True, False]


def test_larger_objects_have_larger_boxes(v1, v1_rows):
    boxes = v1[1]
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    for kind, rotation in itertools.product(range(5), range(6)):
        alike = (v1_rows[:, OBJECT] == kind) & (v1_rows[:, ROTATION] == rotation)
        small, medium, large = (areas[alike & (v1_rows[:, SIZE] == size)] for size in range(3))
        assert small.max() < medium.min() and medium.max() < large.min()


@pytest.mark.parametrize("jitter", [(3, 0), (0, -3), (-2, 2)])
def test_jitter_moves_scene_and_object_together(jitter):
    row = [0, 0, 1, 3, 0, MIDDLE]
    still, mask = draw_at(row)
    moved, moved_mask = draw_at(row, jitter=jitter)
    if all(step % 2 == 0 for step in jitter):
        right, down = jitter[0] // 2, jitter[1] // 2
        assert np.array_equal(np.roll(mask, (down, right), (0, 1)), moved_mask)
        inner = difference(np.roll(still, (down, right), (0, 1)), moved)[4:-4, 4:-4]
        assert np.percentile(inner, 95) <= 2
    assert difference(still, moved).any()


def test_cached_scenery_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        candle_drawing.backdrop("indoor", 0, NO_JITTER)[0, 0, 0] = 1


@pytest.mark.parametrize("shape", [(6,), (3, 5), (2, 7), (1, 6, 1)])
def test_wrong_shape_is_explained(shape):
    with pytest.raises(ValueError) as caught:
        draw(np.zeros(shape, dtype=int))
    assert f"factors has shape {shape}; expected (points, 6)" in str(caught.value)


@pytest.mark.parametrize("factor", range(6))
@pytest.mark.parametrize("below", [True, False])
def test_value_out_of_range_is_explained(factor, below):
    rows = np.zeros((3, 6), dtype=int)
    rows[1, factor] = -1 if below else SIZES[factor]
    name = FACTOR_NAMES[factor]
    with pytest.raises(ValueError) as caught:
        draw(rows)
    assert str(caught.value) == (
        f"row 1 of factors gives {name} the value {rows[1, factor]}; "
        f"allowed are 0 to {SIZES[factor] - 1} ({', '.join(VALUE_NAMES[name])})"
    )


def test_values_that_are_no_integers_are_explained():
    with pytest.raises(ValueError, match="factors has dtype float64; expected integers"):
        draw(np.zeros((1, 6)))
