"""Workers of `render` end when whoever started them does, however it ends."""

import importlib
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

PARENT = """
import sys
from causal_disent_candle.render.blender import run_workers
work = {"picture": sys.argv[1], "output": sys.argv[2]}
list(run_workers([sys.executable], work, [{"index": 0}, {"index": 1}], 2))
"""
PICTURE = """
import os, time
from pathlib import Path
def make_picture(work, job):
    Path(work["output"], f"{job['index']}.partial").write_text(str(os.getpid()))
    Path(work["output"], f"{job['index']}.partial").rename(Path(work["output"], f"{job['index']}.pid"))
    time.sleep(300)
"""
#: Seconds that take long enough to call it a failure.
PATIENCE = 60


def is_there(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(happened):
    end = time.monotonic() + PATIENCE
    while not happened() and time.monotonic() < end:
        time.sleep(0.05)
    assert happened()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' list of processes")
def test_workers_end_with_a_killed_parent(tmp_path):
    picture = tmp_path / "picture.py"
    picture.write_text(PICTURE)
    # What a worker imports of Blender, and does not need to make these pictures.
    for name in ("bpy", "bmesh"):
        (tmp_path / f"{name}.py").touch()
    (tmp_path / "mathutils.py").write_text("Euler = Matrix = Vector = Quaternion = Color = object\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(picture), str(tmp_path)], env={**os.environ, "PYTHONPATH": path}
    )
    try:
        wait_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2 or parent.poll() is not None)
        workers = [int(file.read_text()) for file in tmp_path.glob("*.pid")]
        assert len(workers) == 2 and all(map(is_there, workers))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_for(lambda: not any(map(is_there, workers)))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_picture_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "bpy", types.ModuleType("bpy"))  # which only the renderer needs
    output = importlib.import_module("causal_disent_candle.render.in_blender.output")
    calls = []
    for name, real in (("fsync", os.fsync), ("replace", os.replace)):

        def noted(*given, name=name, real=real):
            calls.append((name, *(os.readlink(f"/proc/self/fd/{one}") for one in given if isinstance(one, int))))
            return real(*given)

        monkeypatch.setattr(os, name, noted)
    with output.whole(tmp_path / "0.png") as temporary:
        temporary.write_bytes(b"picture")
    sys.modules.pop(output.__name__)
    assert calls == [("fsync", str(temporary)), ("replace",), ("fsync", str(tmp_path))]
    assert (tmp_path / "0.png").read_bytes() == b"picture" and not temporary.exists()
