"""What was read is kept, and read anew when files change."""

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import written_folders as written
from causal_disent_candle import reading
from causal_disent_candle.candle import Candle
from PIL import Image

from causal_disent import errors

ROWS = written.some_rows(written.V2, 12)


@pytest.fixture
def folder(root):
    return written.write(root / "candle", written.V2, ROWS)


@pytest.fixture
def reads(monkeypatch):
    """The images that were decoded."""
    names = []
    read_image = reading.read_image

    def counting(path, *arguments):
        names.append(path.name)
        return read_image(path, *arguments)

    monkeypatch.setattr(reading, "read_image", counting)
    return names


def caches(folder):
    return sorted(path for path in folder.iterdir() if path.is_dir())


def test_files_are_read_once(folder, reads):
    first = Candle().observations(np.arange(12))
    assert set(reads) == {f"{3 * place + 1}.png" for place in range(12)}
    reads.clear()
    np.testing.assert_array_equal(Candle().observations(np.arange(12)), first)
    assert reads == []


def test_each_size_is_kept_by_itself(folder, reads):
    Candle(), Candle(size=32), reads.clear()
    Candle(), Candle(size=32)
    assert reads == [] and len(caches(folder / ".causal_disent")) == 2


def test_what_is_read_with_other_values_is_kept_by_itself(folder, reads):
    Candle(), Candle(extra_values={"object": ["monkey"]}), reads.clear()
    assert Candle().factors_num_values[0] == 5
    assert Candle(extra_values={"object": ["monkey"]}).factors_num_values[0] == 6
    assert reads == [] and len(caches(folder / ".causal_disent")) == 2


def test_a_cache_with_a_number_for_a_name(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Candle(cache=5)
    assert (tmp_path / "5").is_dir()


def change_an_image(folder):
    Image.fromarray(written.pixels([9] * 6)).save(folder / "4.png")


def change_a_label(folder):
    content = json.loads((folder / "4.json").read_text())
    content["lights"] = {"left": "right", "right": "left", "middle": "left"}[content["lights"]]
    (folder / "4.json").write_text(json.dumps(content))


def touch(folder):
    now = (folder / "4.png").stat().st_mtime_ns
    os.utime(folder / "4.png", ns=(now + 1, now + 1))


def remove(folder):
    (folder / "4.png").unlink(), (folder / "4.json").unlink()


def add(folder):
    row = [row for row in written.some_rows(written.V2, 30).tolist() if row not in ROWS.tolist()][0]
    written.write_one(folder, "900", written.label(written.V2, row), written.pixels(row))


@pytest.mark.parametrize("change", [change_an_image, change_a_label, touch, remove, add])
def test_files_that_change_are_read_anew(folder, reads, change):
    Candle(), reads.clear(), change(folder)
    data = Candle()
    assert reads
    table = data.factor_table
    assert len(table) == {remove: 11, add: 13}.get(change, 12)
    assert len(caches(folder / ".causal_disent")) == 1  # what is out of date is removed
    if change is change_an_image:
        assert round(float(data.observations([1]).mean() * 255)) == 30 + 9 * 12
    if change is change_a_label:
        assert table["light"][1] == json.loads((folder / "4.json").read_text())["lights"]


def test_a_cache_elsewhere(folder, tmp_path, reads):
    Candle(cache=tmp_path / "here"), reads.clear()
    Candle(cache=str(tmp_path / "here"))
    assert reads == [] and not (folder / ".causal_disent").exists()
    other = written.write(tmp_path / "other", written.V2, ROWS[::-1])
    Candle(other, cache=tmp_path / "here"), reads.clear()
    Candle(cache=tmp_path / "here"), Candle(other, cache=tmp_path / "here")
    assert reads == []


def test_a_folder_that_cannot_be_written_to(folder, tmp_path, reads, monkeypatch):
    # Permissions do not bind the superuser, with whom tests may run: a file in the way does.
    (folder / ".causal_disent").write_text("in the way")
    Candle(), reads.clear()
    Candle()
    assert reads == [] and len(list((tmp_path / "cache" / "causal_disent").iterdir())) == 1


def test_no_place_for_it(folder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        errors.InvalidInput, match="has room for 0 MB; none of these is one: .*`cache` names another"
    ):
        Candle(cache=tmp_path / "file" / "folder")


def test_a_failure_leaves_nothing_behind(folder, monkeypatch):
    def full(*arguments):
        raise OSError("no space left on device")

    monkeypatch.setattr(reading, "save_contents", full)
    with pytest.raises(OSError, match="no space left"):
        Candle()
    assert list((folder / ".causal_disent").iterdir()) == []


def test_several_at_once(folder, reads):
    results, wait = [], threading.Barrier(4)

    def read():
        wait.wait()
        results.append(Candle().observations(np.arange(12)))

    threads = [threading.Thread(target=read) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(results) == 4 and all(np.array_equal(result, results[0]) for result in results)
    assert [path.name[:6] for path in (folder / ".causal_disent").iterdir()] == ["64x64-"]


def test_a_read_that_is_killed_is_begun_again(folder):
    code = (
        "import time\n"
        "from causal_disent_candle import reading\n"
        "from causal_disent_candle.candle import Candle\n"
        "reading.save_contents = lambda contents: (print('half', flush=True), time.sleep(60))\n"
        f"Candle({str(folder)!r})\n"
    )
    plugins = Path(__file__).parents[2]
    paths = [str(plugins / name) for name in ("causal_disent_candle", "causal_disent_datasets")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"half\n"
        process.kill()
    assert len(Candle().factor_table) == 12


class Bomb:
    def __reduce__(self):
        return (os.abort, ())


def pickled(path):
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": "|O", "fortran_order": False, "shape": (12,)})
        pickle.dump(Bomb(), stream)


def replaced(array):
    return lambda path: np.save(path, array)


def claims_too_much(path):
    with path.open("r+b") as stream:
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "|u1", "fortran_order": False, "shape": (10**9, 64, 64, 3)}
        )


DAMAGE = {
    "images.npy": [
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
        pickled,
        claims_too_much,
        replaced(np.zeros((12, 64, 64, 3))),
    ],
    "rows.npy": [pickled, replaced(np.full((12, 6), 99)), replaced(np.zeros((3, 6), dtype=np.int64))],
    "positions.npy": [replaced(np.full(12, 7)), replaced(np.arange(12) + 5), replaced(np.int64(3))],
    "boxes.npy": [replaced(np.full((12, 4), 10**6)), replaced(np.zeros((12, 5), dtype=np.int64))],
    "facts.json": [
        lambda path: path.write_text("[" * 10_000),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text('{"original": "ab", "broken": []}'),
        lambda path: path.write_bytes(b"\xff" * 100),
    ],
}


@pytest.mark.parametrize(
    ("name", "damage"), [(name, number) for name, cases in DAMAGE.items() for number in range(len(cases))]
)
def test_what_is_damaged_is_made_again(folder, reads, name, damage):
    expected = Candle().observations(np.arange(12))
    (cache,) = (folder / ".causal_disent").iterdir()
    DAMAGE[name][damage](cache / name)
    reads.clear()
    data = Candle()
    np.testing.assert_array_equal(data.observations(np.arange(12)), expected)
    np.testing.assert_array_equal(data.sample_indices(ROWS, np.random.RandomState(0)), np.arange(12))
    assert reads


@pytest.mark.slow
def test_later_opens_are_fast(root):
    """Of a folder with as many files as the release; the images are tiny, because they are not read again."""
    folder = root / "candle"
    folder.mkdir()
    for number, row in enumerate(written.some_rows(written.V2, 12_546).tolist()):
        content = written.label(written.V2, row, bounds=((1, 1), (5, 5)))
        if number:
            (folder / f"{number}.json").write_text(json.dumps(content))
            (folder / f"{number}.png").hardlink_to(folder / "0.png")
        else:
            written.write_one(folder, "0", content, written.pixels(row, 16, 12))
    Candle(size=8)
    times = []
    for _ in range(3):
        start = time.process_time()
        assert len(Candle(size=8).files) == 12_546
        times.append(time.process_time() - start)
    assert min(times) < 1


@pytest.mark.parametrize("part", ["images", ".causal_disent"])
def test_a_link_that_leaves_the_folder_is_not_followed(folder, tmp_path, monkeypatch, part):
    """The folder of the images, and what is kept in the folder beside them."""
    if part == "images":
        outside = folder.rename(tmp_path / "outside")
        folder.mkdir()
        (folder / "images").symlink_to(outside)
    else:
        Candle(folder, size=64)
        (cache,) = (folder / part).iterdir()
        outside = cache.rename(tmp_path / "outside")
        cache.symlink_to(outside)
    with pytest.raises(errors.InvalidInput, match="symbolic link, or behind one, that leaves"):
        Candle(folder, size=64)
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", str(outside))
    assert len(Candle(folder, size=64).factor_table) == 12
