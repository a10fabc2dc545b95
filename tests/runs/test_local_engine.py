"""Processes on this machine: they die with their parent, are no more than allowed, and tell how they ended."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from causal_disent import errors
from causal_disent.runs.engine import LocalEngine, num_bytes


def finished(engine, function, work):
    with closing(engine.run(function, work)) as running:
        return [done for done in running if done is not None]


def test_results_come_with_their_work():
    done = finished(LocalEngine(workers=2), abs, [-1, 2, None, -3])
    assert {one.work: one.result for one in done} == {-1: 1, 2: 2, -3: 3}
    assert not any(one.failure for one in done)


def test_work_is_asked_for_when_it_can_be_begun():
    engine, asked, ended = LocalEngine(workers=2), [], []

    def work():
        for number in range(12):
            asked.append(number)
            assert len(asked) - len(ended) <= 2
            yield number

    with closing(engine.run(abs, work())) as running:
        ended += (done.result for done in running if done is not None)
    assert sorted(ended) == list(range(12))


def test_processes_are_used_again():
    done = finished(LocalEngine(workers=1), eval, ["__import__('os').getpid()"] * 3)
    assert len({one.result for one in done}) == 1 and done[0].result != os.getpid()


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("__import__('os')._exit(7)", "its process ended with code 7"),
        ("__import__('os').kill(__import__('os').getpid(), 9)", "its process was ended by SIGKILL, as the system"),
        ("__import__('os').abort()", "its process was ended by SIGABRT"),
    ],
)
def test_a_failure_is_told_and_the_rest_goes_on(text, failure):
    done = finished(LocalEngine(workers=1), eval, [text, "2 + 2"])
    assert done[0].failure.startswith(failure) and done[0].result is None
    assert done[1].result == 4


def test_too_much_memory():
    hungry = "[bytearray(300_000_000), __import__('time').sleep(30)]"
    done = finished(LocalEngine(workers=1, memory="200 MB"), eval, [hungry, "2 + 2"])
    assert "bytes of memory; 200,000,000 are allowed" in done[0].failure
    assert done[1].result == 4


def test_threads_are_those_that_were_given():
    text = "__import__('os').environ['OMP_NUM_THREADS'] + __import__('os').environ['LOKY_MAX_CPU_COUNT']"
    assert [one.result for one in finished(LocalEngine(workers=1, threads=3), eval, [text])] == ["33"]


def test_closing_ends_what_runs():
    running = LocalEngine(workers=1).run(eval, ["print('begun', flush=True), __import__('time').sleep(60)"])
    assert next(running) is None
    started = time.monotonic()
    running.close()
    assert time.monotonic() - started < 30


ORPHAN = """
from causal_disent.runs.engine import LocalEngine
text = "(print(__import__('os').getpid(), flush=True), __import__('time').sleep(60))"
for done in LocalEngine(workers=1).run(eval, [text]):
    pass
"""


def test_workers_die_with_their_parent():
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    os.kill(worker, 0)
    parent.kill()
    parent.wait()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return  # dead; nobody has asked for its code
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


@pytest.mark.parametrize("options", [{"workers": 0}, {"threads": 0}, {"workers": 1.5}])
def test_wrong_numbers(options):
    with pytest.raises(errors.InvalidInput, match="must be a whole number, at least 1"):
        LocalEngine(**options)


@pytest.mark.parametrize("value", ["", "GB", "4 TBB", -1, "-2 GB", True, [1], "1e400"])
def test_wrong_memory(value):
    with pytest.raises(errors.InvalidInput, match="`memory` is a number of bytes, or text such as '4 GB'"):
        num_bytes("memory", value)


def test_memory_in_units():
    assert [num_bytes("m", text) for text in ("3", "2KB", "1 MiB", "1.5gb")] == [3, 2000, 2**20, 1_500_000_000]
