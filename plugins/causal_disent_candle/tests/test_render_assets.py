"""Assets laid over the shipped ones, and boxes around what a camera sees."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from causal_disent_candle.render.assets import CANDLE, SYNTHETIC, find_assets, label_of
from causal_disent_candle.render.in_blender import recipes, scenes
from causal_disent_candle.render.in_blender.boxes import bounds, project
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_disent import errors


def write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("VALUE = 1\n")
    return folder


@pytest.mark.parametrize(
    ("name", "label"),
    [("cube.blend", "cube"), ("moonlit_grass.py", "moonlit grass"), ("15.py", "15"), ("red+blue.py", "red+blue")],
)
def test_the_label_is_the_name_of_the_file(name, label):
    assert label_of(Path("somewhere") / name) == label


@pytest.mark.parametrize("name", ["a|b.py", "a=b.py", "'a'.py", " .py"])
def test_names_that_rules_could_not_say_are_refused(name):
    with pytest.raises(errors.InvalidInput, match="cannot be a label"):
        label_of(Path(name))


@pytest.mark.parametrize("collection", [CANDLE, SYNTHETIC])
def test_what_is_shipped_is_exactly_the_published_values_in_their_order(collection):
    values = find_assets(collection).values
    assert {factor: tuple(labels) for factor, labels in values.items()} == collection.factors
    for factor, labels in values.items():
        if factor in ("size", "rotation", "position"):
            assert labels == collection.numbers(factor)
        else:
            assert all(recipe == (collection.name, factor, label) for label, recipe in labels.items())


@pytest.mark.parametrize("collection", [CANDLE, SYNTHETIC])
def test_every_label_has_a_recipe(collection):
    for factor, tables in (("light", recipes.LIGHTS[collection.name]), ("object", recipes.OBJECTS)):
        assert set(collection.factors[factor]) <= set(tables)
    assert set(collection.factors["color"]) <= set(recipes.COLORS)
    assert all(callable(getattr(scenes, label.replace(" ", "_"))) for label in collection.factors["scene"])


def test_candle_counts_scenes_in_the_order_of_the_original_renderer():
    assert list(CANDLE.factors) == ["scene", "light", "object", "color", "size", "rotation"]
    assert CANDLE.factors["scene"][:4] == ("indoor", "outdoor", "playground", "bridge")


def test_an_overlay_replaces_and_adds(tmp_path):
    shipped = find_assets(CANDLE).values
    folder = write(tmp_path, "objects/pyramid.py", "objects/cube.blend", "objects/arch.blend", "sizes/_notes.txt")
    write(tmp_path, "rotations/15.py", "rotations/75.py")
    files = find_assets(CANDLE, overlays=[folder]).values
    assert list(files["object"]) == [*CANDLE.factors["object"], "arch", "pyramid"]
    assert files["object"]["cube"] == (folder / "objects/cube.blend").resolve()
    assert files["object"]["sphere"] == shipped["object"]["sphere"]
    assert files["size"] == shipped["size"] == {"small": 1.5, "medium": 2, "large": 2.5}
    # A recipe takes the place of a shipped number too.
    assert files["rotation"] == shipped["rotation"] | {
        label: (folder / f"rotations/{label}.py").resolve() for label in ("15", "75")
    }


def test_the_last_overlay_wins(tmp_path):
    first, second = write(tmp_path / "a", "colors/red.py"), write(tmp_path / "b", "colors/red.blend")
    files = find_assets(CANDLE, overlays=[first, second]).values
    assert files["color"]["red"] == (second / "colors/red.blend").resolve()


def test_an_overlay_may_bring_a_stage(tmp_path):
    assert find_assets(CANDLE, overlays=[write(tmp_path, "stage.py")]).stage == (tmp_path / "stage.py").resolve()


def test_panoramas_are_scenes(tmp_path):
    write(tmp_path, "city_square.hdr", "old_mine.EXR", "licence.txt")
    scenes = find_assets(CANDLE, panoramas=tmp_path).values["scene"]
    assert scenes["city square"].name == "city_square.hdr"
    assert list(scenes)[-1] == "old mine" and len(scenes) == 17


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["object/cube.py"], r"folder 'object', which is no factor of candle. Did you mean 'objects'\?"),
        (["readme.txt"], "has no assets"),
        (["objects/cube.py", "objects/cube.blend"], "are the value 'cube'. Remove one"),
        (["objects/cube.obj"], "cube.obj is of no known kind; .* a file .py, .blend"),
        (["sizes/huge.blend"], "huge.blend is of no known kind"),
    ],
)
def test_overlays_that_cannot_be_meant(tmp_path, names, message):
    with pytest.raises(errors.InvalidInput, match=message):
        find_assets(CANDLE, overlays=[write(tmp_path, *names)])


def test_folders_that_are_not_there(tmp_path):
    with pytest.raises(errors.InvalidInput, match="given by --assets does not exist"):
        find_assets(CANDLE, overlays=[tmp_path / "none"])
    with pytest.raises(errors.InvalidInput, match="given by --hdri does not exist"):
        find_assets(CANDLE, panoramas=tmp_path / "none")
    with pytest.raises(errors.InvalidInput, match=r"given by --hdri has no file \.hdr, \.exr"):
        find_assets(CANDLE, panoramas=tmp_path)


def test_the_digest_follows_what_files_hold(tmp_path):
    folder = write(tmp_path, "objects/arch.py")
    before = find_assets(CANDLE, overlays=[folder]).digest()
    assert before == find_assets(CANDLE, overlays=[folder]).digest() != find_assets(CANDLE).digest()
    (folder / "objects/arch.py").write_text("VALUE = 2\n")
    assert find_assets(CANDLE, overlays=[folder]).digest() != before
    assets = find_assets(CANDLE)
    assert replace(assets, values=assets.values | {"size": {"small": 1.4}}).digest() != assets.digest()


SIZE = (320, 240)
FOCAL = 622.0

#: OpenGL's perspective matrix for that focal length in pixels; near and far plane at 0.1 and 100.
LENS = np.array(
    [
        [2 * FOCAL / SIZE[0], 0, 0, 0],
        [0, 2 * FOCAL / SIZE[1], 0, 0],
        [0, 0, -100.1 / 99.9, -20 / 99.9],
        [0, 0, -1, 0],
    ]
)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-0.5, 0.5), st.floats(-3, 3))
def test_points_appear_where_a_pinhole_shows_them(seed, angle, height):
    points = np.random.RandomState(seed).uniform((-3, -3, -30), (3, 3, -5), size=(20, 3))
    turned = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    # The camera stands at `height` and is turned by `turned`; the points are given in its own coordinates.
    world = points @ turned.T + (0, height, 0)
    view = np.eye(4)
    view[:3, :3] = turned.T
    view[:3, 3] = -turned.T @ (0, height, 0)
    expected = np.stack(
        [160 + FOCAL * points[:, 0] / -points[:, 2], 120 + FOCAL * points[:, 1] / -points[:, 2]], axis=1
    )
    np.testing.assert_allclose(project(world, view, LENS, SIZE), expected, atol=1e-6)


def test_points_behind_the_camera_are_refused():
    with pytest.raises(ValueError, match="behind the camera"):
        project(np.array([[0.0, 0.0, 1.0]]), np.eye(4), LENS, SIZE)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_bounds_hold_every_pixel_that_a_point_touches(seed):
    pixels = np.random.RandomState(seed).uniform((-40, -40), (360, 280), size=(5, 2))
    (xmin, ymin), (xmax, ymax) = bounds(pixels, SIZE)
    assert 0 <= xmin <= xmax <= 320 and 0 <= ymin <= ymax <= 240
    touched = np.zeros((240, 320), dtype=bool)
    inside = ((pixels >= 0) & (pixels < SIZE)).all(axis=1)
    columns, rows = np.floor(pixels[inside]).astype(int).T
    touched[rows, columns] = True
    touched[ymin:ymax, xmin:xmax] = False
    assert not touched.any()


def test_bounds_are_tight_and_clipped():
    assert bounds(np.array([[10.2, 20.7], [30.9, 41.1]]), SIZE) == [[10, 20], [31, 42]]
    assert bounds(np.array([[-5.0, -9.0], [400.0, 239.5]]), SIZE) == [[0, 0], [320, 240]]
