"""Blender processes that work through a list of jobs and say on their standard output what is done."""

from __future__ import annotations

import collections
import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

from causal_disent import errors, processes

#: What Blender runs.
SCRIPT = Path(__file__).with_name("in_blender") / "main.py"
#: Lines of a worker that are meant for us begin so; Blender prints lines of its own.
MARK = "causal-disent: "
#: Lines of a dead worker that its error shows.
LAST_LINES = 12
#: Seconds that a worker has to end when it is told to.
PATIENCE = 5.0

#: A worker and what it says; None when it has nothing more to say.
_Messages: TypeAlias = "queue.Queue[tuple[_Worker, dict[str, Any] | None]]"


def run_workers(
    command: Sequence[str], work: Mapping[str, Any], jobs: Sequence[Mapping[str, Any]], num_workers: int
) -> Iterator[int]:
    """Have the jobs done, and yield the index of each as it is.

    Args:
        command: runs a script; the worker's script and the file of jobs are appended.
        work: what all jobs share, ``picture`` among it (`in_blender.main` says what).
        jobs: each with its ``index``.
        num_workers: processes at the same time; each takes every `num_workers`-th job.

    Raises:
        InvalidInput: a worker failed; what it said is in the message, and the others have been stopped.
    """
    with tempfile.TemporaryDirectory(prefix="causal_disent_render_") as folder:
        workers: list[_Worker] = []
        messages: _Messages = queue.Queue()
        try:
            for number in range(min(num_workers, len(jobs))):
                file = Path(folder) / f"jobs_{number}.json"
                shared = {**work, "mark": MARK, "processes": processes.__file__}
                file.write_text(json.dumps({**shared, "jobs": list(jobs[number::num_workers])}), encoding="utf-8")
                workers.append(_Worker([*command, str(SCRIPT), "--", str(file)], messages))
            yield from _listen(workers, messages)
        finally:
            for worker in workers:
                worker.stop()


def _listen(workers: list[_Worker], messages: _Messages) -> Iterator[int]:
    running = len(workers)
    while running:
        worker, message = messages.get()
        if message is None:
            running -= 1
            worker.check_end()
        elif "error" in message:
            raise errors.InvalidInput(str(message["error"]))
        else:
            yield int(message["done"])


class _Worker:
    """One process, and a thread that reads what it says."""

    def __init__(self, command: Sequence[str], messages: _Messages) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._last: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        assert self._process.stdout is not None
        threading.Thread(target=self._read, args=(self._process.stdout, messages), daemon=True).start()

    def _read(self, lines: IO[str], messages: _Messages) -> None:
        for line in lines:
            if line.startswith(MARK):
                messages.put((self, json.loads(line[len(MARK) :])))
            else:
                self._last.append(line.rstrip())
        messages.put((self, None))

    def check_end(self) -> None:
        """Raise if the process, which has closed its output, did not end well."""
        code = self._process.wait()
        if code:
            said = "\n".join(self._last) or "(nothing)"
            raise errors.InvalidInput(
                f"A Blender process ended with {code} before its work was done. The same command goes on with "
                f"what is missing. Its last lines:\n{said}"
            )

    def stop(self) -> None:
        """End the process if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
