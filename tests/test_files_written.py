"""What is written appears whole or not at all, whoever is killed when, and one process at a time writes it."""

import os
import subprocess
import sys
import textwrap

import pytest

from causal_disent import errors, files
from causal_disent.files import claim, new_file, new_folder


def process(program, *arguments, **options):
    """A Python process that runs `program`."""
    code = "import os, sys\nfrom pathlib import Path\nfrom causal_disent import files\n" + textwrap.dedent(program)
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], text=True, **options)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def old(tmp_path):
    """A folder with something in it."""
    folder = tmp_path / "result"
    folder.mkdir()
    (folder / "content").write_text("old")
    return folder


def overwrite(folder, content="new"):
    with new_folder(folder, overwrite=True) as temporary:
        (temporary / "content").write_text(content)


def test_the_new_takes_the_place_of_the_old(old):
    overwrite(old)
    assert (old / "content").read_text() == "new" and names(old.parent) == ["result"]
    assert old in files.written


def test_a_block_that_fails_leaves_the_old(old):
    with pytest.raises(ZeroDivisionError), new_folder(old, overwrite=True) as temporary:
        (temporary / "content").write_text("half")
        raise ZeroDivisionError
    assert (old / "content").read_text() == "old" and names(old.parent) == ["result"]


def test_what_a_killed_process_left_is_removed_by_the_next(old):
    program = """
    with files.new_folder(Path(sys.argv[1]), overwrite=True) as temporary:
        (temporary / "content").write_text("half")
        os._exit(9)
    """
    assert process(program, old).wait() == 9
    assert len(names(old.parent)) == 3 and (old / "content").read_text() == "old"
    overwrite(old)
    assert names(old.parent) == ["result"]


def test_what_a_killed_process_left_of_a_file_is_removed_by_the_next(tmp_path):
    program = """
    with files.new_file(Path(sys.argv[1])) as temporary:
        temporary.write_text("half")
        os._exit(9)
    """
    assert process(program, tmp_path / "table").wait() == 9
    assert len(names(tmp_path)) == 2
    with new_file(tmp_path / "table") as temporary:
        temporary.write_text("whole")
    assert names(tmp_path) == ["table"] and (tmp_path / "table").read_text() == "whole"


HOLDING = """
with files.claim(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_writer_is_told_of_the_first(old):
    first = process(HOLDING, old, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert first.stdout.readline() == "held\n"
    with pytest.raises(errors.InUse, match=f"Another process is writing {old}"):
        overwrite(old)
    (old.parent / ".result.abcdefgh.partial").mkdir()  # the first one's, say
    with pytest.raises(errors.InUse):
        overwrite(old)
    assert ".result.abcdefgh.partial" in names(old.parent), "what a living process uses stays"
    first.communicate("go on\n")
    overwrite(old)
    assert names(old.parent) == ["result"]


def test_who_waits_comes_after_the_first(tmp_path):
    first = process(HOLDING, tmp_path / "table", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert first.stdout.readline() == "held\n"
    second = process(
        """
        print("asks", flush=True)
        with files.new_file(Path(sys.argv[1])) as temporary:
            temporary.write_text("second")
        """,
        tmp_path / "table",
        stdout=subprocess.PIPE,
    )
    assert second.stdout.readline() == "asks\n"
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(0.5)
    first.communicate("go on\n")
    assert second.wait() == 0 and names(tmp_path) == ["table"]


def test_a_process_may_claim_twice(tmp_path):
    with claim(tmp_path / "a"), claim(tmp_path / "a"):
        overwrite(tmp_path / "a")
    assert names(tmp_path) == ["a"]


def test_a_kill_between_the_two_renames_of_a_system_that_cannot_exchange(old):
    program = """
    files._exchange = lambda one, other: False
    rename = Path.rename

    def killed(self, target):
        if self.suffix == files.PARTIAL:
            os._exit(9)
        return rename(self, target)

    Path.rename = killed
    with files.new_folder(Path(sys.argv[1]), overwrite=True) as temporary:
        (temporary / "content").write_text("new")
    """
    assert process(program, old).wait() == 9
    assert not old.exists()
    with claim(old):
        assert (old / "content").read_text() == "old"
    assert names(old.parent) == ["result"]


def test_a_system_that_cannot_exchange(old, monkeypatch):
    monkeypatch.setattr(files, "_exchange", lambda one, other: False)
    overwrite(old)
    assert (old / "content").read_text() == "new" and names(old.parent) == ["result"]


def test_names_with_stars_are_names(tmp_path):
    (tmp_path / ".resultX.12345678.partial").mkdir()
    overwrite(tmp_path / "result?")
    assert names(tmp_path) == [".resultX.12345678.partial", "result?"]


@pytest.mark.parametrize("write", [overwrite, lambda path: files.write_text(path, "new")])
def test_what_is_written_at_a_longer_name_stays(write, tmp_path):
    """`run.2` is no business of who writes `run`, though both temporary names begin alike."""
    with new_folder(tmp_path / "run.2", overwrite=False) as temporary:
        (temporary / "content").write_text("of another")
        write(tmp_path / "run")
    assert (tmp_path / "run.2/content").read_text() == "of another" and names(tmp_path) == ["run", "run.2"]


def test_content_is_flushed_before_the_rename_and_the_rename_after(old, monkeypatch):
    order = []
    fsync, exchange = os.fsync, files._exchange
    monkeypatch.setattr(os, "fsync", lambda d: order.append(os.readlink(f"/proc/self/fd/{d}")) or fsync(d))
    monkeypatch.setattr(files, "_exchange", lambda one, other: order.append("rename") or exchange(one, other))
    overwrite(old)
    place = order.index("rename")
    flushed = [name.rpartition("/")[2] for name in order[:place]]
    assert flushed[0] == "content" and flushed[1].endswith(".partial") and order[place + 1 :] == [str(old.parent)]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/null")])
def test_nothing_but_a_file_is_replaced_by_a_file(make, tmp_path):
    make(tmp_path / "there")
    for act in (
        lambda: files.check_file_place(tmp_path / "there"),
        lambda: new_file(tmp_path / "there").__enter__(),
    ):
        with pytest.raises(errors.InvalidInput, match="and no file"):
            act()
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("elsewhere")])
def test_nothing_but_a_file_is_gone_on_with(make, tmp_path):
    (tmp_path / "folder").mkdir()
    make(tmp_path / "folder/log")
    with pytest.raises(errors.InvalidInput):
        files.append_to(tmp_path / "folder", "log")
    assert not (tmp_path / "folder/elsewhere").exists()


def test_what_the_dead_left_is_swept_and_the_living_stay(tmp_path):
    (tmp_path / ".dead.lock").touch()
    (tmp_path / ".dead.12345678.partial").mkdir()
    with claim(tmp_path / "living"):
        child = os.fork()
        if not child:
            files._claimed.clear()  # as a process of its own has it
            files.sweep(tmp_path)
            os._exit(0)
        os.waitpid(child, 0)
        assert sorted(path.name for path in tmp_path.iterdir()) == [".living.lock"]


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_has(name, tmp_path):
    with pytest.raises(errors.InvalidInput, match="cannot be written"):
        files.check_place(tmp_path / name)
