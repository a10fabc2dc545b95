"""What is drawn or read is kept: whole or not at all, and not for ever."""

import os

import numpy as np
import pytest
from causal_disent_crl.images import MOST_FILES, open_or_draw

from causal_disent import errors

SHAPE = (3, 2, 2, 3)


class Filler:
    """Counts how often it fills."""

    def __init__(self, value=7):
        self.calls, self.value = 0, value

    def __call__(self, array):
        self.calls += 1
        array[:] = self.value


def test_it_is_made_once(tmp_path):
    fill = Filler()
    for _ in range(3):
        array = open_or_draw("some", ("parts", 1), SHAPE, fill, tmp_path)
        assert (array == 7).all() and array.shape == SHAPE and not array.flags.writeable
    assert fill.calls == 1
    open_or_draw("some", ("parts", 2), SHAPE, fill, tmp_path)
    assert fill.calls == 2


def test_a_pipe_in_its_place_is_not_waited_for(tmp_path):
    open_or_draw("some", (), SHAPE, Filler(), tmp_path)
    (path,) = tmp_path.iterdir()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(errors.InvalidInput, match="cannot be written: it is a folder, a pipe"):
        open_or_draw("some", (), SHAPE, Filler(5), tmp_path)


def test_the_users_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    open_or_draw("some", (), SHAPE, Filler())
    assert [path.name[:5] for path in (tmp_path / "causal_disent/crl").iterdir()] == ["some-"]


def test_nothing_is_left_of_a_failure(tmp_path):
    def fail(array):
        array[0] = 1
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError):
        open_or_draw("some", (), SHAPE, fail, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY\x01\x00v\x00{'descr': '|O'"])
def test_a_damaged_file_is_made_anew(tmp_path, content):
    fill = Filler()
    open_or_draw("some", (), SHAPE, fill, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(content)
    assert (open_or_draw("some", (), SHAPE, fill, tmp_path) == 7).all() and fill.calls == 2


def test_a_file_of_another_shape_is_made_anew(tmp_path):
    fill = Filler()
    open_or_draw("some", (), SHAPE, fill, tmp_path)
    (path,) = tmp_path.iterdir()
    with path.open("wb") as stream:
        np.save(stream, np.zeros((1, 2), dtype=np.uint8))
    assert open_or_draw("some", (), SHAPE, fill, tmp_path).shape == SHAPE


def test_the_file_that_was_used_last_stays(tmp_path):
    for number in range(MOST_FILES):
        open_or_draw("some", number, SHAPE, Filler(number), tmp_path)
        for path in tmp_path.iterdir():  # a clock may be too coarse to tell them apart
            times = path.stat()
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns - 10**9))
    open_or_draw("some", 0, SHAPE, Filler(), tmp_path)  # used again
    open_or_draw("some", MOST_FILES, SHAPE, Filler(), tmp_path)
    assert len(list(tmp_path.iterdir())) == MOST_FILES
    again, gone = Filler(), Filler()
    open_or_draw("some", 0, SHAPE, again, tmp_path)
    assert again.calls == 0
    open_or_draw("some", 1, SHAPE, gone, tmp_path)
    assert gone.calls == 1


def test_where_nothing_can_be_written_it_is_kept_in_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    array = open_or_draw("some", (), SHAPE, Filler(), tmp_path / "file" / "folder")
    assert (array == 7).all() and (tmp_path / "file").read_text() == "in the way"
