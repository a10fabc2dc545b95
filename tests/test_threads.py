"""How many threads commands use, and what a user's own settings change."""

import contextlib
import importlib
import json
import os
import platform
import subprocess
import sys
import threading
import time

import pytest

from causal_disent import errors, processes

VARIABLES = (*processes.NUMBERS, *processes.PATIENT, *processes.KEPT)


def in_a_process(code, **environment):
    """What `code` prints, as JSON, where no variable of threads is set but these."""
    plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", "import json, os\n" + code],
        env={**plain, **environment},
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.max": ""}, None),
        ({"quota": "50000\n", "period": "100000\n"}, 0.5),
        ({"quota": "-1\n", "period": "100000\n"}, None),
    ],
)
def test_the_quota_of_a_container(tmp_path, monkeypatch, files, quota):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(processes, "QUOTAS", [[tmp_path / name for name in files], [tmp_path / "none"]])
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert processes.usable_cores() == {1.5: 2, 0.5: 1, None: 8}[quota]


def test_a_command_chooses_before_numpy_is_loaded_and_a_users_own_choice_wins():
    code = """
import contextlib, io, sys
import causal_disent.cli.main as commands
early = [name for name in ("numpy", "torch") if name in sys.modules]
with contextlib.redirect_stdout(io.StringIO()):
    commands.main(["--version"])
from causal_disent.processes import NUMBERS, PATIENT
print(json.dumps([early, {name: os.environ.get(name) for name in (*NUMBERS, *PATIENT)}]))
"""
    early, found = in_a_process(code, MKL_NUM_THREADS="7", OMP_WAIT_POLICY="ACTIVE")
    assert not early
    assert found["OMP_NUM_THREADS"] == str(processes.usable_cores())
    assert (found["MKL_NUM_THREADS"], found["OMP_WAIT_POLICY"], found["KMP_BLOCKTIME"]) == ("7", "ACTIVE", "0")


def test_the_usual_variable_alone_is_enough():
    code = """
import causal_disent
causal_disent.use_threads()
from causal_disent.processes import NUMBERS
print(json.dumps([os.environ[name] for name in NUMBERS]))
"""
    assert set(in_a_process(code, OMP_NUM_THREADS="5")) == {"5"}
    assert in_a_process(code, OMP_NUM_THREADS="5", MKL_NUM_THREADS="3").count("3") == 1


def test_importing_the_package_changes_nothing():
    code = "import causal_disent\nprint(json.dumps([name for name in os.environ if name.startswith('OMP_')]))"
    assert in_a_process(code) == []


def test_libraries_that_are_loaded_are_told():
    code = """
import numpy as np, threadpoolctl, causal_disent
np.ones((2, 2)) @ np.ones((2, 2))
given = causal_disent.use_threads(1)
print(json.dumps([given, [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]]))
"""
    given, pools = in_a_process(code)
    assert given == 1 and set(pools) == {1}


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what is told is glibc")
def test_memory_that_is_free_is_kept():
    code = """
import ctypes, resource, numpy as np, causal_disent
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # PR_SET_THP_DISABLE: huge pages come as the machine has them free
def pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(5_000_000)  # 40 MB, which glibc never keeps by itself
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
before = pages()
causal_disent.use_threads(1)
np.ones(5_000_000)
print(json.dumps([before, pages()]))
"""
    before, after = in_a_process(code)
    assert after < before / 10
    before, after = in_a_process(code, **dict.fromkeys(processes.KEPT, "131072"))  # a user's own choice
    assert after > before / 2


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_a_number_that_is_none(wrong):
    with pytest.raises(errors.InvalidInput, match="threads"):
        processes.use_threads(wrong)


def test_processes_that_fit_have_one_thread_each(monkeypatch):
    from joblib import delayed

    from causal_disent.metrics.fitting import run_in_processes

    monkeypatch.setenv("OMP_NUM_THREADS", "3")  # which joblib would hand on to each of its processes
    found = list(run_in_processes(2, (delayed(os.getenv)(name) for name in ["OMP_NUM_THREADS"] * 2)))
    assert found == ["1", "1"]


def wait_for_ever():
    while True:
        try:
            threading.Event().wait(0.001)
        except Exception:
            pytest.fail("it is no failure of what is at work")


@pytest.mark.parametrize("in_main", [True, False])
def test_a_call_ends_when_its_time_is_over(in_main):
    ended = []

    def work():
        try:
            processes.run_until(time.monotonic() + 0.05, wait_for_ever)
        except processes.TimeUp:
            ended.append("over")

    if in_main:
        work()
    else:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert ended == ["over"]


def test_a_call_that_ends_in_time_is_left_alone():
    threads = threading.active_count()
    for _ in range(200):  # some end just when their time does
        with contextlib.suppress(processes.TimeUp):
            assert processes.run_until(time.monotonic() + 0.001, lambda: time.sleep(0.001) or 3) == 3
    time.sleep(0.05)
    assert threading.active_count() == threads


def test_an_import_is_not_left_half_way(tmp_path, monkeypatch):
    """Of a package whose import is broken off, what is imported already stays, and the rest does not find it."""
    (tmp_path / "slow_package").mkdir()
    (tmp_path / "slow_package" / "part.py").write_text("__all__ = []\n")
    (tmp_path / "slow_package" / "__init__.py").write_text(
        "import time\nfrom .part import *\nfor _ in range(300):\n    time.sleep(0.001)\n__all__ = part.__all__\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def work():
        importlib.import_module("slow_package")
        while True:
            time.sleep(0.001)

    with pytest.raises(processes.TimeUp):
        processes.run_until(time.monotonic() + 0.1, work)
    assert importlib.import_module("slow_package").__all__ == []
