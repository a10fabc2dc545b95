"""CelebA's text files in both layouts, and what is wrong with others."""

import numpy as np
import pytest
import written_celeba as written
from causal_disent_crl import celeba
from causal_disent_crl.celeba import read_attributes, read_partition

from causal_disent import errors

VALUES = written.table(written.BEARD, [3] * 16)


def save(tmp_path, text, name="list_attr_celeba.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("layout", [written.as_text, written.as_commas])
def test_both_layouts_say_the_same(tmp_path, layout):
    found = read_attributes(save(tmp_path, layout(VALUES)))
    assert found.names == tuple(written.NAMES) and found.files.tolist() == written.files(48)
    np.testing.assert_array_equal(found.values, VALUES == 1)
    for name, column in written.COLUMNS.items():
        np.testing.assert_array_equal(found.column(tmp_path, name), VALUES[:, column - 1] == 1)


@pytest.mark.parametrize(
    "change", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t.rstrip() + "\n\n"]
)
@pytest.mark.parametrize("layout", [written.as_text, written.as_commas])
def test_ends_of_lines_and_marks_do_not_matter(tmp_path, layout, change):
    np.testing.assert_array_equal(read_attributes(save(tmp_path, change(layout(VALUES)))).values, VALUES == 1)


def with_cell(layout, image, cell):
    """A file in which the first attribute of an image is something else."""
    lines = layout(VALUES).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith(f"{image:06d}.jpg"))
    separator = "," if layout is written.as_commas else None
    file, _, *rest = lines[place].split(separator)
    lines[place] = (separator or " ").join([file, *cell, *rest])
    return "\n".join(lines) + "\n"


TEXT, COMMAS = written.as_text(VALUES), written.as_commas(VALUES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with neither a number of images nor names of attributes"),
        ("a file of mine\nwith lines\n", "begins with neither"),
        (TEXT.replace("48\n", "9" * 5000 + "\n", 1), "cannot be used"),
        (TEXT.replace("48\n", "49\n", 1), "its first line says 49 images, and 48 lines follow"),
        ("\n".join(TEXT.split("\n")[:10]), "its first line says 48 images, and 8 lines follow"),
        (with_cell(written.as_text, 3, []), "its line 5 does not have 41 cells"),
        (with_cell(written.as_text, 3, ["1", "1"]), "its line 5 has 42 cells, and should have 41"),
        (with_cell(written.as_text, 2, ["0"]), "in its line 4 a value is '0'; there are: -1, 1"),
        (with_cell(written.as_text, 2, ["xx"]), "in its line 4 a value is 'xx'"),
        (with_cell(written.as_commas, 2, [""]), "its line 3 does not have 41 cells"),
        (TEXT.replace("000007.jpg", "../../etc/passwd", 1), "in its line 9 '../../etc/passwd' is no name of an"),
        (COMMAS.replace("000007.jpg", "a/b.jpg", 1), "in its line 8 'a/b.jpg' is no name of an image"),
        (TEXT.replace("000007.jpg", "000006.jpg", 1), "in its line 9 '000006.jpg' is there twice"),
        (b"\xff\xfe\x00\x01", "it is no text in UTF-8"),
    ],
)
def test_damaged_files_are_named(tmp_path, text, message):
    path = save(tmp_path, text)
    with pytest.raises(errors.InvalidInput, match=message) as caught:
        read_attributes(path)
    assert caught.value.message.startswith(f"{path} cannot be used: ") and "\n" not in caught.value.message


def test_a_missing_attribute_is_named(tmp_path):
    names = [name if name != "No_Beard" else "No_Bread" for name in written.NAMES]
    path = save(tmp_path, written.as_commas(VALUES, names), "list_attr_celeba.csv")
    with pytest.raises(
        errors.InvalidInput, match="has no attribute 'No_Beard'. Did you mean 'No_Bread'"
    ) as caught:
        read_attributes(path).column(path, "No_Beard")
    assert str(path) in caught.value.message


def test_files_that_are_too_large_or_none(tmp_path, monkeypatch):
    path = save(tmp_path, TEXT)
    monkeypatch.setattr(celeba, "MOST_BYTES", 100)
    with pytest.raises(errors.InvalidInput, match="and 100 are the most that are read"):
        read_attributes(path)
    with pytest.raises(errors.InvalidInput, match="a folder, a pipe, a socket or a device, and no file"):
        read_attributes(tmp_path)


def test_partitions(tmp_path):
    expected = {"000001.jpg": 0, "000002.jpg": 1, "000003.jpg": 2}
    lines = [f"{file} {part}" for file, part in expected.items()]
    assert read_partition(save(tmp_path, "\n".join(lines) + "\n", "a.txt")) == expected
    commas = "image_id,partition\n" + "\n".join(line.replace(" ", ",") for line in lines)
    assert read_partition(save(tmp_path, commas, "a.csv")) == expected
    with pytest.raises(errors.InvalidInput, match="a.txt cannot be used: in its line 2 a value is '3'"):
        read_partition(save(tmp_path, "000001.jpg 0\n000002.jpg 3\n", "a.txt"))
