"""`candle` and `candle_v1`: folders of images and JSON."""

import json
import pickle
import re

import numpy as np
import pytest
import written_folders as written
from causal_disent_candle.candle import Candle, CandleV1, Synthetic
from PIL import Image

from causal_disent import errors
from causal_disent.data import ArrayDataset
from causal_disent.data.counterfactual import has_true_counterfactuals
from causal_disent.data.view import view
from causal_disent.graphs.check_graph import check_graph

ROWS = written.some_rows(written.V2, 40)


@pytest.fixture
def folder(root):
    return written.write(root / "candle", written.V2, ROWS)


def bands(images):
    """The factors that `written.pixels` shows, read from the middle of each band."""
    width = images.shape[2]
    middles = (np.arange(6) * 2 + 1) * width // 12
    return np.rint((images[:, images.shape[1] // 2, middles, 1] * 255 - 30) / 12).astype(int)


def test_factors_are_those_of_the_images(folder):
    data = Candle()
    assert data.factor_names == ("object", "color", "size", "rotation", "scene", "light")
    assert data.factors_num_values == [5, 5, 3, 6, 16, 3]
    assert data.value_names[2] == ("small", "medium", "large") and data.value_names[4][12] == "moonlit grass"
    assert data.observation_shape == (64, 64, 3)
    factors, images = data.sample(200, np.random.RandomState(0))
    np.testing.assert_array_equal(bands(images), factors)
    np.testing.assert_array_equal(bands(data.observations(np.arange(40))), ROWS)


def test_the_factor_table(folder):
    table = Candle().factor_table
    assert len(table) == 40 and list(table.columns)[:2] == ["object", "color"]
    for image, (_, line) in enumerate(table.iterrows()):
        content = json.loads((folder / f"{3 * image + 1}.json").read_text())
        (thing,) = content["objects"].values()
        assert line["object"] == thing["object_type"] and line["scene"] == content["scene"]
        assert {"small": 1.5, "medium": 2, "large": 2.5}[line["size"]] == thing["size"]
        assert line["rotation"] == str(thing["rotation"]) and line["light"] == content["lights"]


def test_files_tell_where_an_image_is_from(folder):
    data = Candle()
    assert list(data.files[:3]) == ["1.png", "4.png", "7.png"] and data.folder == folder


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("suffix", [".png", ".jpg"])
@pytest.mark.parametrize(("cls", "space"), [(Candle, written.V2), (CandleV1, written.V1)])
def test_both_flavours_and_both_kinds_of_image(tmp_path, cls, space, nested, suffix):
    rows = written.some_rows(space, 6)
    data = cls(written.write(tmp_path / "images", space, rows, nested=nested, suffix=suffix))
    np.testing.assert_array_equal(bands(data.observations(np.arange(6))), rows)
    names = [table_names(data, image) for image in range(6)]
    assert names == [table_names_of(space, row) for row in rows]


def table_names(data, image):
    return data.factor_table.loc[image].tolist()


def table_names_of(space, row):
    return [names[value] for names, value in zip(space.value_names.values(), row, strict=True)]


def test_v1_has_its_own_scenes_and_sizes(root):
    written.write(root / "candle_v1", written.V1, written.some_rows(written.V1, 4), nested=True)
    data = CandleV1()
    assert data.factors_num_values == [5, 5, 3, 6, 3, 3]
    assert data.value_names[4] == ("indoor", "playground", "outdoor")


def test_values_are_understood_however_they_are_spelt(tmp_path):
    row = [1, 3, 2, 4, 12, 0]
    content = written.label(written.V2, row)
    content["scene"], content["lights"] = "Moonlit_Grass", "LEFT"
    (thing,) = content["objects"].values()
    thing.update(object_type="Sphere", color=" purple", size="Large", rotation=60.0)
    written.write_one(tmp_path, "5", content, written.pixels(row))
    assert Candle(tmp_path).sample_factors(1, np.random.RandomState(0)).tolist() == [row]


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        (128, (128, 128, 3)),
        ((240, 320), (240, 320, 3)),
        ("240x320", (240, 320, 3)),
        ("96", (96, 96, 3)),
        ([60, 80], (60, 80, 3)),
    ],
)
def test_sizes(folder, size, shape):
    data = Candle(size=size)
    assert data.observation_shape == shape
    np.testing.assert_array_equal(bands(data.observations(np.arange(40))), ROWS)


@pytest.mark.parametrize("size", [0, 4, 5000, "big", "64x", (64,) * 3, 64.5, "64x64x64", "64xa", None])
def test_sizes_that_cannot_be(folder, size):
    message = "`size` is one number, or height and width such as 240x320"
    with pytest.raises(errors.InvalidInput, match=f"{message}, .*given: {re.escape(repr(size))}"):
        Candle(size=size)


def noise(folder):
    pixels = np.random.RandomState(0).randint(0, 256, (30, 40, 3)).astype(np.uint8)
    image = np.asarray(Image.fromarray(pixels).resize((320, 240), Image.Resampling.BICUBIC))
    written.write_one(folder, "0", written.label(written.V2, [0] * 6), image)
    return image


def test_images_of_the_files_own_size_are_as_they_are(tmp_path):
    image = noise(tmp_path)
    np.testing.assert_array_equal(Candle(tmp_path, size="240x320").observations([0])[0], image / np.float32(255))


def test_images_are_resized_nearly_as_the_authors_do(tmp_path):
    picture = Image.fromarray(noise(tmp_path))
    plain, other = (
        np.asarray(picture.resize((64, 64), method)).astype(float)
        for method in (Image.Resampling.LANCZOS, Image.Resampling.BILINEAR)
    )
    difference = np.abs(Candle(tmp_path).observations([0])[0] * 255 - plain)
    assert difference.mean() < 1.5 and difference.max() <= 16
    assert difference.mean() < np.abs(other - plain).mean() / 3


def test_an_image_with_an_alpha_channel(tmp_path):
    row = [0, 1, 2, 3, 4, 1]
    written.write_one(tmp_path, "0", written.label(written.V2, row), written.pixels(row))
    Image.open(tmp_path / "0.png").convert("RGBA").save(tmp_path / "0.png")
    assert bands(Candle(tmp_path).observations([0])).tolist() == [row]


def test_boxes_are_around_the_object(tmp_path):
    image = np.zeros((240, 320, 3), dtype=np.uint8)
    image[240 - 87 : 240 - 29, 95:154] = 255
    written.write_one(tmp_path, "0", written.label(written.V2, [0] * 6), image)
    for size in (64, 128, "240x320"):
        data = Candle(tmp_path, size=size)
        ((xmin, ymin, xmax, ymax),) = data.bounding_boxes([0])
        bright = data.observations([0])[0, :, :, 0] > 0.5
        rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
        assert ymin <= rows[0] <= ymin + 1 and xmin <= columns[0] <= xmin + 1
        assert ymax - 2 <= rows[-1] <= ymax - 1 and xmax - 2 <= columns[-1] <= xmax - 1


def test_images_in_a_folder_within(root):
    written.write(root / "candle" / "images", written.V2, ROWS[:3])
    assert len(Candle().factor_table) == 3


def test_other_files_are_left_alone(folder):
    for name in ("README.md", "table.csv", "sheet.png", ".7.png.partial", "settings.json"):
        (folder / name).write_text("nothing")
    (folder / "9.png").mkdir()
    assert len(Candle().factor_table) == 40


def test_combinations_without_image_are_known(folder):
    data = Candle()
    assert data.missing.shape == (21_600 - 40, 6) and data.is_confounded
    here, there = set(map(tuple, ROWS.tolist())), set(map(tuple, data.missing.tolist()))
    assert here.isdisjoint(there) and len(here | there) == 21_600
    with pytest.raises(errors.InvalidInput, match="The data set has no image of object="):
        data.sample_observations_from_factors(data.missing[:1], np.random.RandomState(0))
    drawn = data.sample_factors_given([4], ROWS[:, [4]], np.random.RandomState(0))
    assert set(map(tuple, drawn.tolist())) <= here and (drawn[:, 4] == ROWS[:, 4]).all()


def test_rules_apply_to_it(folder):
    data = view(Candle(), confounding="candle_released", factors=["object", "scene"])
    assert 0 < len(data.factor_table) < 40 and data.factor_names == ("object", "scene")
    assert data.bounding_boxes(data.factor_table.index.to_numpy()).shape == (len(data.factor_table), 4)


def test_the_graph(folder):
    graph = Candle().graph
    assert set(graph.predecessors("scene")) == {"C", "U"} and set(graph.predecessors("light")) == {"U"}
    assert set(graph.predecessors("image")) == set(Candle().factor_names)
    assert not graph.nodes["U"]["observed"]


def test_the_graph_can_be_checked(tmp_path):
    indices = np.arange(written.V1.num_combinations).reshape(written.V1.sizes)[:2, :2, :2, :2, :2, :2].reshape(-1)
    data = CandleV1(written.write(tmp_path / "v1", written.V1, written.V1.to_factors(indices)))
    check = check_graph(data)
    assert check.tested and check.broken == ()


def test_a_copy_in_another_process_maps_the_images_again(folder):
    data = Candle()
    content = pickle.dumps(data)
    assert len(content) < 100_000 < data.source._pixels.nbytes
    np.testing.assert_array_equal(pickle.loads(content).observations([3, 5]), data.observations([3, 5]))


def test_observations_belong_to_the_caller(folder):
    data = Candle()
    data.observations([0])[:] = 0
    assert data.observations([0]).max() > 0


def test_values_that_a_renderer_added(tmp_path):
    content = written.label(written.V2, [0] * 6)
    next(iter(content["objects"].values()))["object_type"] = "monkey"
    written.write_one(tmp_path, "0", content, written.pixels([0] * 6))
    with pytest.raises(errors.InvalidInput, match="its object is 'monkey', which is unknown.*`extra_values`"):
        Candle(tmp_path)
    data = Candle(tmp_path, extra_values={"object": ["monkey"]})
    assert data.value_names[0][5] == "monkey" and data.factors_num_values[0] == 6
    assert data.sample_factors(1, np.random.RandomState(0))[0, 0] == 5
    with pytest.raises(errors.UnknownName, match="Did you mean 'object'"):
        Candle(tmp_path, extra_values={"objects": ["monkey"]})


def test_numbers_that_a_renderer_added(tmp_path):
    content = written.label(written.V2, [0] * 6)
    next(iter(content["objects"].values()))["size"] = 3
    written.write_one(tmp_path, "0", content, written.pixels([0] * 6))
    for number in (3, 3.0, np.int64(3), "3"):
        data = Candle(tmp_path, extra_values={"size": [number]})
        assert data.value_names[2] == ("small", "medium", "large", "3")
        assert data.factor_table["size"].tolist() == ["3"]


@pytest.mark.parametrize(
    ("extra_values", "message"),
    [
        (3, "is a mapping of factors to lists of names, .*given: 3"),
        (["monkey"], r"is a mapping of factors .*given: \['monkey'\]"),
        ({"object": "monkey"}, "takes a list of names for 'object'; given: 'monkey'"),
        ({"object": 3}, "takes a list of names for 'object'; given: 3"),
        ({"object": ["Cube"]}, "adds 'Cube' to the factor 'object', which has 'cube' already"),
        ({"object": ["monkey", "Monkey"]}, "adds 'Monkey' .*which has 'monkey' already"),
        ({"scene": ["city_square"]}, "which has 'city square' already"),
        ({"size": [2.0]}, "adds 2.0 to the factor 'size', which has 'medium' already"),
        ({"size": ["Medium"]}, "which has 'medium' already"),
        ({"object": [None]}, "are text or numbers; given: None"),
        ({"object": [" "]}, "are text or numbers; given: ' '"),
        ({"object": [float("nan")]}, "are text or numbers; given: nan"),
    ],
)
def test_wrong_extra_values(tmp_path, extra_values, message):
    written.write(tmp_path, written.V2, [[0] * 6])
    with pytest.raises(errors.InvalidInput, match=message):
        Candle(tmp_path, extra_values=extra_values)


def test_the_synthetic_set_has_several_images_of_a_combination(root):
    folder = root / "synthetic"
    folder.mkdir()
    pairs = [("cylinder", "red"), ("cone", "green"), ("cube", "blue"), ("cube", "blue")]
    for number, (kind, color) in enumerate(pairs):
        thing = {"object_type": kind, "color": color, "size": 1, "rotation": 7, "bounds": [[20, 20], [60, 70]]}
        content = {"scene": "plain", "lights": "left", "objects": {f"{kind.title()}_0": thing}}
        written.write_one(folder, str(number), content, written.pixels([number] * 6, 128, 128))
    data = Synthetic()
    assert data.factor_names == ("object", "color") and data.factors_num_values == [3, 3]
    assert data.factor_table.astype(str).agg(tuple, axis=1).tolist() == pairs
    assert data.rule_set.name == "synthetic_full" and data.rule_set.images == 4
    assert data.bounding_boxes([0]).tolist() == [[10, 29, 30, 54]]
    assert data.is_confounded and set(data.graph.predecessors("color")) == {"C"}


def test_a_counterfactual_is_the_image_of_the_folder_that_shows_it(root):
    rows = np.array([[0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 1, 2, 0, 0, 0]])
    written.write(root / "candle", written.V2, rows)
    data = Candle()
    np.testing.assert_array_equal(bands(data.counterfactual([0, 2], {"color": ["blue", "red"]})), rows[[1, 2]])
    assert data.counterfactual_observed([0, 2], {"color": "blue"}).tolist() == [True, False]
    np.testing.assert_array_equal(data.counterfactual_values([0], {"rotation": 90})[0], [0, 0, 0, 90, 0, 0])
    with pytest.raises(errors.InvalidInput, match="no image of"):
        data.counterfactual([2], {"color": "blue"})
    part = view(data, confounding="never object=cube color=blue")
    np.testing.assert_array_equal(bands(part.counterfactual([0], {"color": "blue"})), rows[[1]])
    assert part.counterfactual_observed([0], {"color": "blue"}).tolist() == [False]
    assert not hasattr(view(ArrayDataset(np.zeros((2, 4, 4)), [[0], [1]])), "counterfactual_observed")
    assert not has_true_counterfactuals(data) and not has_true_counterfactuals(part)  # its place may be another
