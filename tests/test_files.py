"""Files of a stranger's folder."""

import os
import subprocess
import sys
import tracemalloc

import pytest

from causal_disent import errors, files
from causal_disent.data.image_files import read_image
from causal_disent.errors import InvalidInput
from causal_disent.files import inside, read_bounded, regular


def test_a_path_inside(tmp_path):
    assert inside(tmp_path, "a/b.txt") == tmp_path / "a/b.txt"


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/etc/passwd", ".."])
def test_a_path_that_leads_out_is_refused(tmp_path, name):
    with pytest.raises(InvalidInput, match="leads out of the model's folder"):
        inside(tmp_path, name)


@pytest.mark.parametrize("name", ["link", "link/file", "folder/link"])
def test_a_link_is_refused(tmp_path, name):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "model/folder").mkdir(parents=True)
    for link in ("link", "folder/link"):
        (tmp_path / "model" / link).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="symbolic link"):
        inside(tmp_path / "model", name)


def test_the_folder_itself_may_be_reached_through_a_link(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "model")
    assert inside(tmp_path / "link", "a") == tmp_path / "link/a"


def test_a_file_within_bounds_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bounded(tmp_path / "a", 5) == b"12345"


def test_a_file_beyond_bounds_is_not_read(tmp_path):
    with (tmp_path / "a").open("wb") as file:
        file.truncate(10**9)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match="1,000,000,000 bytes, and 5 are the most"):
            read_bounded(tmp_path / "a", 5)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_a_small_file_takes_little_memory_whatever_the_bound(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    tracemalloc.start()
    try:
        read_bounded(tmp_path / "a", 10**9)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(InvalidInput, match="not there, or is no regular file"):
        read_bounded(tmp_path / name, 5)


def test_a_pipe_or_a_folder_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InvalidInput, match=f"{path} cannot be used: it is a folder, a pipe"):
            regular(path)
    with pytest.raises(InvalidInput, match=r"pipe cannot be used"):
        read_image(tmp_path / "pipe")
    assert regular(tmp_path / "missing") == tmp_path / "missing"


def test_a_link_may_lead_within_its_folder_or_to_where_the_user_says(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    for name in ("data/own", "elsewhere/other"):
        (tmp_path / name).touch()
    (tmp_path / "data/within").symlink_to("own")
    (tmp_path / "data/out").symlink_to(tmp_path / "elsewhere/other")
    (tmp_path / "data/loop").symlink_to("loop")
    assert regular(tmp_path / "data/within")
    with pytest.raises(
        InvalidInput, match="a symbolic link, .* that leaves .*set CAUSAL_DISENT_LINKS=.*elsewhere"
    ):
        regular(tmp_path / "data/out")
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", f"{tmp_path / 'elsewhere'}")
    assert regular(tmp_path / "data/out")
    with pytest.raises((InvalidInput, OSError, RuntimeError)):
        regular(tmp_path / "data/loop").read_bytes()


def test_a_link_leads_to_what_is_written(tmp_path):
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    files.write_text(link, "one")
    assert link.is_symlink() and target.read_text() == "one"


def test_a_folder_behind_a_dangling_link_is_named(tmp_path):
    (tmp_path / "folder").symlink_to(tmp_path / "nowhere")
    with pytest.raises(errors.InvalidInput, match="folder is a link to .*nowhere"):
        files.check_place(tmp_path / "folder" / "file.txt")


def test_braces_in_a_pattern(tmp_path):
    for name in ("a", "b", "c", "{x,y}"):
        (tmp_path / name).mkdir()
    assert files.find_paths(f"{tmp_path}/{{a,c}}") == [f"{tmp_path}/a", f"{tmp_path}/c"]
    assert files.find_paths(f"{tmp_path}/{{x,y}}") == [f"{tmp_path}/{{x,y}}"]


def test_a_folder_is_replaced_where_names_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_exchange", lambda one, other: False)
    for text in ("old", "new"):
        with files.new_folder(tmp_path / "folder", overwrite=True) as folder:
            (folder / "file").write_text(text)
    assert (tmp_path / "folder" / "file").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_kill_between_two_renames_loses_nothing(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from causal_disent import files\n"
        "files._exchange = lambda one, other: False\n"
        "rename, path = Path.rename, Path(sys.argv[1])\n"
        "def dies(self, target):\n"
        "    rename(self, target)\n"
        "    os._exit(9)\n"
        "Path.rename = dies\n"
        "with files.new_folder(path, overwrite=True) as folder:\n"
        "    (folder / 'file').write_text('new')\n"
    )
    place = tmp_path / "folder"
    place.mkdir()
    (place / "file").write_text("old")
    assert subprocess.run([sys.executable, "-c", code, str(place)]).returncode == 9
    assert not place.exists(), "it died when the old folder was moved away"
    files.sweep(tmp_path)
    assert (place / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(errors.InvalidInput, match="no regular file"):
        files.read_bounded(tmp_path / "pipe", 10)
