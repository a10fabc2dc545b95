"""A folder of image files as a data set of one's own."""

import os
import struct
import zlib

import networkx as nx
import numpy as np
import pytest
from PIL import Image

from causal_disent import errors, evaluate_with_gin, get_dataset
from causal_disent.data import image_files
from causal_disent.data.folder_data import FolderDataset
from causal_disent.registry import Entry
from causal_disent.testing import parametrize_checks


def write_folder(folder, *, num=6, mode="L", size=(4, 3)):
    """A folder with a table of two factors and `num` images."""
    (folder / "images").mkdir(parents=True)
    lines = ["file,object,angle"]
    for i in range(num):
        channels = {"L": (), "RGB": (3,), "RGBA": (4,)}[mode]
        pixels = np.random.RandomState(i).randint(256, size=(size[1], size[0], *channels)).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"images/{i}.png")
        lines.append(f"images/{i}.png,{('cube', 'ball')[i % 2]},{i / 4}")
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "data")


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory):
    return write_folder(tmp_path_factory.mktemp("shared") / "data")


class FromFolder:
    """Makes the data set of the folder that the tests share."""

    path = None

    def __call__(self):
        """Six images in files."""
        return FolderDataset(self.path)


from_folder = FromFolder()


@pytest.fixture(autouse=True)
def use_shared_folder(shared_folder):
    from_folder.path = shared_folder


@parametrize_checks("datasets", [Entry("datasets", "folder", "tests", from_folder, "files")])
def test_the_checks_for_all_data_sets(check):
    check()


def test_a_folder(folder):
    data = FolderDataset(folder, "table.csv")
    assert data.factor_names == ("object", "angle") and data.factors_num_values == [2, 6]
    assert data.value_names[0] == ("ball", "cube") and data.observation_shape == (3, 4, 1)
    expected = np.random.RandomState(2).randint(256, size=(3, 4)) / 255
    np.testing.assert_allclose(data.observations([2, 0, 2])[2, :, :, 0], expected, rtol=1e-6)


def test_images_are_read_when_asked_for(folder):
    (folder / "images/3.png").write_bytes(b"not an image")
    data = FolderDataset(folder)
    data.observations([0, 1, 2])
    with pytest.raises(errors.InvalidInput, match=r"The image .*images/3.png cannot be used: cannot identify"):
        data.observations([3])


@pytest.mark.parametrize(("mode", "channels"), [("L", 1), ("RGB", 3), ("RGBA", 3)])
def test_channels(tmp_path, mode, channels):
    data = FolderDataset(write_folder(tmp_path / "data", mode=mode))
    assert data.observations([1]).shape == (1, 3, 4, channels)


def test_order_of_the_values_in_a_folder(folder):
    data = FolderDataset(folder, value_names={"object": ("cube", "ball")})
    assert data.value_names[0] == ("cube", "ball") and data.factor_table["object"][0] == "cube"


def test_a_folder_with_a_graph(folder):
    graph = nx.DiGraph([("object", "image"), ("angle", "image")])
    assert FolderDataset(folder, graph=graph).graph is graph
    with pytest.raises(errors.InvalidInput, match="`graph` must be a networkx.DiGraph .*given: list"):
        FolderDataset(folder, graph=[("object", "image")])


def table_with(folder, *lines):
    (folder / "table.csv").write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize(
    "file",
    ["../secret.png", "images/../../secret.png", "{absolute}", "..\\\\secret.png", "C:/secret.png", "link.png"],
)
def test_files_outside_are_refused(folder, file):
    secret = folder.parent / "secret.png"
    Image.new("L", (4, 3)).save(secret)
    os.symlink(secret, folder / "link.png")
    table_with(folder, "file,object", "images/0.png,cube", file.format(absolute=secret) + ",ball")
    with pytest.raises(errors.InvalidInput, match=r"Line 3 of .*table.csv names .* leads out of the folder"):
        FolderDataset(folder)


def test_a_link_that_changes_later_is_refused(folder):
    os.symlink(folder / "images/1.png", folder / "link.png")
    data = FolderDataset(table_with(folder, "file,object", "images/0.png,cube", "link.png,ball"))
    data.observations([1])
    Image.new("L", (4, 3)).save(folder.parent / "secret.png")
    (folder / "link.png").unlink()
    os.symlink(folder.parent / "secret.png", folder / "link.png")
    with pytest.raises(errors.InvalidInput, match="leads out of the folder"):
        data.observations([1])


def test_a_folder_reached_by_a_link(folder):
    os.symlink(folder, folder.parent / "alias")
    assert len(FolderDataset(folder.parent / "alias").factor_table) == 6


WRONG_TABLES = [
    ((), "needs a head with a column 'file' and one per factor, none twice; it has: none"),
    (("object,angle", "cube,1"), "it has: object, angle"),
    (("file", "images/0.png"), "it has: file"),
    (("file,a,a", "images/0.png,1,2"), "none twice; it has: file, a, a"),
    (("file,object",), "has a head and no line"),
    (("file,object", "", "images/0.png"), r"Line 3 of .* must have 2 cells, none empty \(file, object\)"),
    (("file,object", "images/0.png,"), "Line 2 of .* must have 2 cells"),
    (("file,object", "images/9.png,cube"), "Line 2 of .*'images/9.png', and there is no such file"),
    (("file,object", "images,cube"), "there is no such file"),
    (("file,object", "images/0.png,nan"), "'object' is nan in row 0"),
    (("file,object", '"images/0.png,cube'), "is not a CSV file in UTF-8"),
    (("file,object", "images/0\0.png,cube"), "leads out of the folder|is not a CSV file"),
]


@pytest.mark.parametrize(("lines", "message"), WRONG_TABLES)
def test_wrong_tables_are_explained(folder, lines, message):
    with pytest.raises(errors.InvalidInput, match=message):
        FolderDataset(table_with(folder, *lines))


def test_what_is_not_there(folder):
    with pytest.raises(errors.InvalidInput, match="The folder .*nowhere does not exist"):
        FolderDataset(folder / "nowhere")
    with pytest.raises(errors.InvalidInput, match="The table .*labels.csv does not exist. It is a CSV file"):
        FolderDataset(folder, "labels.csv")
    (folder / "table.csv").write_bytes(b"file,object\nimages/0.png,\xff")
    with pytest.raises(errors.InvalidInput, match="is not a CSV file in UTF-8"):
        FolderDataset(folder)


def test_images_of_another_shape_are_refused(folder):
    Image.new("L", (5, 3)).save(folder / "images/1.png")
    Image.new("RGB", (4, 3)).save(folder / "images/2.png")
    data = FolderDataset(folder)
    for number, shape in ((1, r"\(3, 5, 1\)"), (2, r"\(3, 4, 3\)")):
        message = (
            rf"images/{number}.png cannot be used: it has the shape {shape}, and the first image has \(3, 4, 1\)"
        )
        with pytest.raises(errors.InvalidInput, match=message):
            data.observations([number])


def test_a_truncated_image_is_named(folder):
    path = folder / "images/2.png"
    pixels = np.random.RandomState(0).randint(256, size=(3, 4)).astype(np.uint8)
    Image.fromarray(pixels).save(path, compress_level=0)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(errors.InvalidInput, match="images/2.png cannot be used"):
        FolderDataset(folder).observations([2])


def test_images_of_16_bits_are_refused(folder):
    Image.fromarray(np.zeros((3, 4), dtype=np.uint16)).save(folder / "images/0.png")
    with pytest.raises(errors.InvalidInput, match="stored as 'I(;16)?'; images of 8 bits"):
        FolderDataset(folder)


def png_that_claims(width, height):
    """A few bytes that say they are a large image."""

    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [part(b"IHDR", head), part(b"IDAT", zlib.compress(b"\0")), part(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("size", [(5000, 5000), (60_000, 60_000)])
def test_decompression_bombs_are_refused(folder, size):
    (folder / "images/0.png").write_bytes(png_that_claims(*size))
    with pytest.raises(errors.InvalidInput, match=r"images/0.png cannot be used: it has .*pixels"):
        FolderDataset(folder)


def test_formats_that_run_other_programs_are_not_read(folder):
    (folder / "images/0.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 4 3\n%%EOF\n")
    assert "EPS" not in image_files.FORMATS
    with pytest.raises(errors.InvalidInput, match="cannot identify image file"):
        FolderDataset(folder)


def test_a_folder_is_named_in_a_config(tmp_path):
    rows = ["file,shade,side"]
    for i in range(6):
        image = np.zeros((8, 8, 3), np.uint8)
        image[:, : 4 + 4 * (i % 2)] = 60 + 80 * (i % 3)
        Image.fromarray(image).save(tmp_path / f"{i}.png")
        rows.append(f"{i}.png,{i % 3},{i % 2}")
    (tmp_path / "table.csv").write_text("\n".join(rows))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "representation.gin").write_text("representation.name = 'perfect_oracle'\n")
    lines = ["dataset.name = 'folder'", f"folder.path = '{tmp_path}'", "mig.num_train = 200"]
    scores = evaluate_with_gin(tmp_path / "model", tmp_path / "out", False, ["metrics/mig.gin"], lines)
    assert scores["discrete_mig"] > 0.9
    with pytest.raises(errors.InvalidInput, match=r"folder\.path"):
        get_dataset("folder")


def test_columns_are_chosen(tmp_path):
    folder = write_folder(tmp_path / "data")
    header, *lines = (folder / "table.csv").read_text().splitlines()
    (folder / "table.csv").write_text("\n".join([header.replace("file", "image"), *lines]) + "\n")
    first, *_ = (name for name in header.split(",") if name != "file")
    data = FolderDataset(folder, file_column="image", factors=[first])
    assert data.factor_names == (first,)
    with pytest.raises(errors.UnknownName, match="colour"):
        FolderDataset(folder, file_column="image", factors=["colour"])
