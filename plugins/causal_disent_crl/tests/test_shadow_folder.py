"""Folders of rendered images: whole, partial and damaged."""

import os

import numpy as np
import pytest
from causal_disent_crl.shadow.drawing import Scene, draw
from causal_disent_crl.shadow.folder import EXAMPLES, ShadowPointlight, ShadowSunlight, file_name
from causal_disent_crl.shadow.render import shadow_plan
from causal_disent_crl.shadow.scene import LIGHTS
from PIL import Image

from causal_disent import errors

CLASSES = {"sun": ShadowSunlight, "point": ShadowPointlight}
SIZE = 32


def write(folder, light, plan, size=SIZE):
    """The images of a plan, drawn in place of rendered ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for index in plan.indices.tolist():
        labels = plan.labels(index)
        position = plan.positions[labels["light_position"]]
        scene = Scene(labels["shape"], labels["color"], float(labels["scale"]), position, labels["light_color"])
        Image.fromarray(draw([scene], LIGHTS[light], size)[0][0]).save(folder / plan.files(index)[0])
    return folder


@pytest.fixture(params=CLASSES)
def light(request):
    return request.param


@pytest.fixture
def plan(light):
    return shadow_plan(LIGHTS[light], 5, limit=40, seed=1)


@pytest.fixture
def folder(tmp_path, light, plan):
    return write(tmp_path / "images", light, plan)


def read(folder, light, **options):
    return CLASSES[light](folder, **{"size": SIZE, "cache": folder.parent / "cache", **options})


def test_images_and_labels_are_read(folder, light, plan):
    data = read(folder, light)
    assert len(data.factor_table) == 40
    assert data.factors_num_values[:5] == [7, 7, 7, 5, 6]
    for index in plan.indices.tolist():
        labels, (name,) = plan.labels(index), plan.files(index)
        image = int(np.flatnonzero(data.files == name)[0])
        row = data.factor_table.loc[image]
        assert [row[name] for name in ("shape", "color", "light_color")] == [
            labels[name] for name in ("shape", "color", "light_color")
        ]
        values = data.factor_values([image])[0]
        assert values[2] == float(labels["scale"]) and values[3] == plan.positions[labels["light_position"]]
        assert f"ShadowArea_{values[5]:.3f}_" in name
        pixels = np.asarray(Image.open(folder / name))
        np.testing.assert_array_equal(np.round(data.observations([image])[0] * 255), pixels)
        xmin, ymin, xmax, ymax = data.bounding_boxes([image])[0]
        assert 0 <= xmin < xmax <= SIZE and 0 <= ymin < ymax <= SIZE


def test_it_is_read_once(folder, light):
    data = read(folder, light)
    shown = data.observations([3])
    path = folder / data.files[3]
    state = path.stat()
    path.write_bytes(bytes(state.st_size))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))  # the same size and time: what was read still holds
    np.testing.assert_array_equal(read(folder, light).observations([3]), shown)
    os.utime(path)
    with pytest.raises(errors.InvalidInput, match="1 image that cannot be used"):
        read(folder, light)


def test_boxes_are_those_of_the_body(tmp_path):
    write(tmp_path / "images", "sun", shadow_plan(LIGHTS["sun"], 2, limit=12), size=64)
    data = ShadowSunlight(tmp_path / "images", size=64, cache=tmp_path)
    for image in data.factor_table.index:
        row = data.factor_table.loc[image]
        scene = Scene(
            row["shape"], row["color"], float(row["scale"]), float(row["light_position"]), row["light_color"]
        )
        np.testing.assert_array_equal(data.bounding_boxes([image]), draw([scene], LIGHTS["sun"], 64)[1])


def test_exact_labels_are_those_of_the_scene(tmp_path):
    """The published program may have written another area for the first position of the light."""
    stale = file_name("sphere", "red", 1.0, 0.0, "Coral", LIGHTS["sun"]).replace("1.988", "0.668")
    Image.new("RGB", (16, 16)).save(tmp_path / stale)
    published, exact = (
        ShadowSunlight(tmp_path, size=16, cache=tmp_path / "c", labels=labels) for labels in ("published", "exact")
    )
    assert published.factor_values([0])[0, 5] == 0.668
    assert exact.factor_values([0])[0, 5] == pytest.approx(1.988, abs=5e-4)
    assert "the names of 0 say what the scene makes" in ShadowSunlight.verify(tmp_path)[1]
    # An intervention that leaves its causes alone leaves the label alone.
    assert published.counterfactual_values([0], {"color": "blue"})[0, 5] == 0.668
    with pytest.raises(errors.UnknownName, match="'true'.*published, exact"):
        ShadowSunlight(tmp_path, labels="true")


def test_counterfactuals_are_images_of_the_folder(tmp_path, light):
    plan = shadow_plan(LIGHTS[light], 2)
    names = [plan.files(index)[0] for index in range(12)]  # one body, both positions, all six colors of the light
    (tmp_path / "images").mkdir()
    for number, name in enumerate(names):
        Image.new("RGB", (16, 16), (10 * number, 0, 0)).save(tmp_path / "images" / name)
    data = read(tmp_path / "images", light, size=16)
    image = {name: int(np.flatnonzero(data.files == name)[0]) for name in names}
    start = np.array([image[names[0]]])
    shown = data.counterfactual(start, {"light_color": "Khaki", "light_position": 8})
    np.testing.assert_array_equal(shown, data.observations([image[names[8]]]))
    np.testing.assert_array_equal(data.counterfactual(start, {}), data.observations(start))
    own = float(data.factor_values(start)[0, 5])
    np.testing.assert_array_equal(data.counterfactual(start, {"shadow_area": own}), data.observations(start))
    with pytest.raises(
        errors.InvalidInput, match="No image shows the factor 'shadow_area' set to 3 .* shadow_mini"
    ):
        data.counterfactual(start, {"shadow_area": 3.0})
    with pytest.raises(errors.InvalidInput, match="No image shows the factor 'floor_color'"):
        data.counterfactual(start, {"floor_color": "Coral"})
    with pytest.raises(errors.InvalidInput, match="has no image of shape=sphere, color=red, scale=0.4, "):
        data.counterfactual(start, {"shape": "sphere"})


def test_a_name_that_does_not_parse_is_named(folder, light):
    wrong = folder / "holiday.png"
    Image.new("RGB", (SIZE, SIZE)).save(wrong)
    with pytest.raises(
        errors.InvalidInput, match=r"1 image that cannot be used:\n.*holiday\.png cannot be used: its name"
    ):
        read(folder, light)
    data = read(folder, light, skip_broken=True)
    assert len(data.factor_table) == 40 and len(data.broken) == 1


def test_damaged_images_are_named(folder, light):
    first, second, *_, third = sorted(folder.glob("*.png"))
    first.write_bytes(first.read_bytes()[:60])
    second.write_bytes(b"")
    Image.new("RGB", (SIZE, SIZE + 1)).save(third)
    with pytest.raises(errors.InvalidInput) as caught:
        read(folder, light)
    assert all(path.name in caught.value.message for path in (first, second, third))
    assert f"shadow_{light}light.skip_broken = True" in caught.value.message
    assert len(read(folder, light, skip_broken=True).factor_table) == 37


def test_two_files_of_one_image(folder, light):
    name = sorted(path.name for path in folder.glob("*.png"))[0]
    (folder / name.replace("ShadowArea_", "ShadowArea_1")).write_bytes((folder / name).read_bytes())
    with pytest.raises(errors.InvalidInput, match="it shows what .* shows: shape="):
        read(folder, light)


def test_folders_without_such_images(tmp_path, light):
    other = {"sun": "point", "point": "sun"}[light]
    with pytest.raises(errors.InvalidInput, match="does not exist"):
        read(tmp_path / "none", light)
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.InvalidInput, match="empty cannot be used: it has no images such as Cube_Red"):
        read(tmp_path / "empty", light)
    write(tmp_path / "other", other, shadow_plan(LIGHTS[other], 2, limit=2))
    with pytest.raises(errors.InvalidInput, match="its name is not of the form"):
        read(tmp_path / "other", light)


def test_the_split_of_a_folder(folder, light):
    parts = [set(read(folder, light, split=split).factor_table.index) for split in ("train", "test")]
    assert not parts[0] & parts[1] and len(parts[0] | parts[1]) == 40 and 30 <= len(parts[0]) <= 39


def test_verify_tells_what_a_folder_holds(folder, light, plan, tmp_path):
    lines = CLASSES[light].verify(folder)
    assert lines == [
        f"{folder}: 40 images of 32x32 pixels",
        "the names of 40 say what the scene makes, to three digits",
        "incomplete: 40 of 10,290 combinations",
    ]


def test_without_files_it_says_where_they_are_published(tmp_path, monkeypatch, light):
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(tmp_path))
    with pytest.raises(
        errors.InvalidInput, match=f"shadow_{light}light, which cannot be found.*Shadow-dataset-for-crl"
    ):
        CLASSES[light]()
    assert EXAMPLES[light].endswith(".png")
