"""Folders and files that cannot be used are named."""

import json
import struct
import zlib

import numpy as np
import pytest
import written_folders as written
from causal_disent_candle.candle import Candle, CandleV1
from PIL import Image

from causal_disent import errors

ROWS = written.some_rows(written.V2, 5)


@pytest.fixture
def folder(root):
    return written.write(root / "candle", written.V2, ROWS)


def test_a_missing_root(root):
    with pytest.raises(errors.InvalidInput, match="which cannot be found") as caught:
        Candle()
    assert str(root / "candle") in caught.value.message and "DISENTANGLEMENT_LIB_DATA" in caught.value.message
    assert "https://causal-disentanglement.github.io/IITH-CANDLE/" in caught.value.message


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(errors.InvalidInput, match="The folder .*nowhere does not exist"):
        Candle(tmp_path / "nowhere")


def test_an_empty_folder_is_not_found(root):
    (root / "candle" / ".hidden").mkdir(parents=True)
    assert Candle.locate() == [(root / "candle", False)] and not Candle.is_found()
    with pytest.raises(errors.InvalidInput, match="candle, which cannot be found, or is empty"):
        Candle()


def test_a_folder_with_a_number_for_a_name(root, monkeypatch):
    written.write(root / "5", written.V2, ROWS)
    monkeypatch.chdir(root)
    assert len(Candle(5).factor_table) == 5
    with pytest.raises(errors.InvalidInput, match="The folder 6 does not exist"):
        Candle(6)


def test_a_folder_without_images(tmp_path):
    (tmp_path / "readme.txt").write_text("nothing")
    with pytest.raises(errors.InvalidInput, match="it has no images <number>.png or <number>.jpg"):
        Candle(tmp_path)


def test_v1_read_as_v2(tmp_path):
    written.write(tmp_path, written.V1, [[0, 0, 0, 0, 0, 0]])
    with pytest.raises(errors.InvalidInput, match="its size is 1, which is unknown.* There are: 1.5, 2, 2.5"):
        Candle(tmp_path)


def test_v2_read_as_v1(tmp_path):
    written.write(tmp_path, written.V2, [[0, 0, 0, 0, 5, 0]])
    with pytest.raises(errors.InvalidInput, match="its scene is 'hall', which is unknown"):
        CandleV1(tmp_path)


def changed(change):
    """Writes a label of which `change` has changed the content."""

    def write(path):
        content = json.loads(path.read_text())
        path.write_text(json.dumps(change(content) or content))

    return write


def thing(content):
    return next(iter(content["objects"].values()))


def bounds(*corners):
    return changed(lambda content: thing(content).update(bounds=corners))


LABELS = {
    "cut short": (lambda path: path.write_text(path.read_text()[:-5]), "it is not JSON"),
    "empty": (lambda path: path.write_text(""), "it is not JSON"),
    "deep": (lambda path: path.write_text("[" * 60_000), "it is not JSON"),
    "long number": (lambda path: path.write_text("9" * 10_000), "it is not JSON"),
    "not text": (lambda path: path.write_bytes(b"\x89PNG\xff\xfe\x00"), "it is not JSON"),
    "large": (lambda path: path.write_text(" " * 100_000), "it has 100,000 bytes, and a label at most 65,536"),
    "a list": (lambda path: path.write_text("[1]"), r"should hold a JSON object, and holds \[1\]"),
    "of another image": (changed(lambda content: {"77": content}), "it describes the image 77"),
    "no scene": (changed(lambda content: content.pop("scene") and None), "it has no 'scene'; it has: lights"),
    "no objects": (
        changed(lambda content: content.pop("objects") and None),
        "'objects' should describe one object",
    ),
    "two objects": (
        changed(lambda content: content["objects"].update(Cube_1=thing(content))),
        "'objects' should describe one object",
    ),
    "an object that is none": (changed(lambda c: c.update(objects={"Cube_0": 3})), "should describe one object"),
    "unknown scene": (
        changed(lambda content: content.update(scene="skywalks")),
        "its scene is 'skywalks', which is unknown. Did you mean 'skywalk'?",
    ),
    "unknown size": (changed(lambda content: thing(content).update(size=7)), "its size is 7, which is unknown"),
    "no value": (
        changed(lambda content: thing(content).update(color=None)),
        "its color is None, which is unknown",
    ),
    "a truth": (changed(lambda content: thing(content).update(rotation=False)), "its rotation is False"),
    "a huge number": (changed(lambda c: thing(c).update(rotation=10**400)), "its rotation is 10000"),
    "a list for a value": (
        changed(lambda c: thing(c).update(color=["red"] * 99)),
        r"its color is \['red', .*\.\.\.,",
    ),
    "no bounds": (changed(lambda c: thing(c).pop("bounds") and None), "'bounds' should be .* and are None"),
    "half a box": (bounds([3, 4]), "'bounds' should be"),
    "text for bounds": (bounds("ab", "cd"), "'bounds' should be"),
    "bounds that are no numbers": (bounds([3, 4], [float("nan"), 9]), "'bounds' should be"),
    "a box outside": (bounds([300, 10], [321, 40]), "no box inside the image of 320x240 pixels"),
    "a box above": (bounds([30, 10], [50, 241]), "no box inside the image of 320x240 pixels"),
    "a box below": (bounds([30, -1], [50, 41]), "no box inside the image"),
    "an empty box": (bounds([30, 10], [30, 40]), "no box inside the image"),
}


def png_that_claims(width, height):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    size = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + size + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


PICTURES = {
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:400]), "cannot be used"),
    "text": (lambda path: path.write_text("<html>"), "cannot be used: cannot identify"),
    "empty": (lambda path: path.write_bytes(b""), "cannot be used"),
    "another size": (
        lambda path: Image.new("RGB", (64, 64)).save(path),
        r"it has the shape \(64, 64, 3\), and the",
    ),
    "grey": (lambda path: Image.new("L", (320, 240)).save(path), r"it has the shape \(240, 320, 1\)"),
    "a bomb": (lambda path: path.write_bytes(png_that_claims(50_000, 50_000)), "more than 16,777,216 pixels"),
    "less than it claims": (lambda path: path.write_bytes(png_that_claims(320, 240)), "cannot be used"),
    "postscript": (lambda path: path.write_text("%!PS-Adobe-3.0 EPSF-3.0\n"), "cannot identify"),
}


@pytest.mark.parametrize(
    ("name", "case"), [*(("4.json", case) for case in LABELS), *(("4.png", case) for case in PICTURES)]
)
def test_a_broken_file_is_named_and_left_out_on_request(folder, name, case):
    damage, message = (LABELS if name == "4.json" else PICTURES)[case]
    damage(folder / name)
    for _ in range(2):  # the second time it is known from the cache
        with pytest.raises(errors.InvalidInput, match=message) as caught:
            Candle()
        assert str(folder / name) in caught.value.message and "skip_broken=True" in caught.value.message
        assert len(caught.value.message) < 800
    data = Candle(skip_broken=True)
    assert len(data.factor_table) == 4 and 1 not in data.factor_table.index and name in data.broken[0]
    left = np.delete(ROWS, 1, axis=0)
    np.testing.assert_array_equal(data.sample_indices(left, np.random.RandomState(0)), [0, 2, 3, 4])


def test_an_image_without_label_and_a_label_without_image(folder):
    (folder / "4.json").unlink()
    (folder / "7.png").unlink()
    with pytest.raises(errors.InvalidInput, match="there are 2 images that cannot be used") as caught:
        Candle()
    assert "should go together, and there are: 4.png." in caught.value.message and "7.json" in caught.value.message
    assert len(Candle(skip_broken=True).factor_table) == 3


def test_broken_files_are_left_out_in_python_in_configs_and_on_the_command_line(folder, tmp_path):
    (folder / "4.json").write_text("{}")
    with pytest.raises(errors.InvalidInput, match="there is 1 image that cannot be used") as caught:
        Candle()
    for way in (
        "skip_broken=True in Python",
        "candle.skip_broken = True in a config",
        "--options skip_broken=True",
    ):
        assert way in caught.value.message
    other = written.write(tmp_path / "v1", written.V1, [[0] * 6])
    (other / "1.json").write_text("{}")
    with pytest.raises(errors.InvalidInput, match="candle_v1.skip_broken = True in a config"):
        CandleV1(other)


def test_two_images_for_one_label(folder):
    Image.new("RGB", (320, 240)).save(folder / "4.jpg")
    with pytest.raises(errors.InvalidInput, match="should go together, and there are: 4.jpg 4.png 4.json"):
        Candle()


def test_a_combination_that_is_there_twice(folder):
    written.write_one(folder, "900", written.label(written.V2, ROWS[2].tolist()), written.pixels(ROWS[2]))
    with pytest.raises(errors.InvalidInput, match="900.png cannot be used: it shows what 7.png shows: object="):
        Candle()
    data = Candle(skip_broken=True)
    assert len(data.factor_table) == 5 and data.rule_set.images == 5


def test_many_broken_files_are_counted(root):
    folder = written.write(root / "candle", written.V2, written.some_rows(written.V2, 20))
    for path in sorted(folder.glob("*.json"))[:15]:
        path.write_text("{}")
    with pytest.raises(errors.InvalidInput, match="there are 15 images .*(?s:.*)and 5 more") as caught:
        Candle()
    assert caught.value.message.count("\n") == 12


def test_nothing_is_left(folder):
    for path in folder.glob("*.json"):
        path.write_text("{}")
    with pytest.raises(errors.InvalidInput, match="No image of .* can be used. .*1.json"):
        Candle(skip_broken=True)
    for path in folder.glob("*.png"):
        path.write_text("")
    with pytest.raises(errors.InvalidInput, match="none of its images can be read"):
        Candle(skip_broken=True)
    for path in folder.glob("*.json"):
        path.unlink()
    with pytest.raises(errors.InvalidInput, match="it has no image with its JSON"):
        Candle(skip_broken=True)
