"""Blender: where it is, or how it is installed, and processes of it that work through a list of jobs."""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

from causal_disent import errors, processes
from causal_disent.text import say

#: What is installed. It needs numpy < 2, which this library does not run with, and one Python.
BPY = "bpy==4.5.*"
PYTHON = (3, 11)
#: An interpreter that has bpy.
VARIABLE = "CAUSAL_DISENT_BPY_PYTHON"
#: Written into an environment when it is complete.
READY = "bpy_installed"


def default_environment() -> Path:
    """Return the environment that is made and looked for if none is named."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "causal_disent" / "bpy"


def find_blender(environment: Path | None = None) -> list[str]:
    """Return the command that runs a Python script in Blender; the script and its arguments are appended.

    Looked for, in this order: `environment` if it is named, and nothing else then; the interpreter that
    ``CAUSAL_DISENT_BPY_PYTHON`` names; the default environment; this interpreter, if it has bpy; ``blender``.
    """
    if environment is not None:
        return [str(_python_with_bpy(_python(environment), f"the environment {environment}"))]
    named = os.environ.get(VARIABLE)
    if named:
        return [str(_python_with_bpy(Path(named), f"{VARIABLE}={named}"))]
    default = _python(default_environment())
    if default.is_file() and _has_bpy(default):
        return [str(default)]
    if importlib.util.find_spec("bpy") is not None:
        return [sys.executable]
    blender = shutil.which("blender")
    if blender is not None:
        return [blender, "--background", "--factory-startup", "--python-exit-code", "1", "--python"]
    raise errors.InvalidInput(
        f"Rendering needs Blender, and there is none: no environment in {default_environment()}, no bpy in this "
        f"interpreter, no 'blender' on the PATH. Add --install to make the environment (about 950 MB are "
        f"downloaded; needs Python {_version()}), name one that has bpy with --environment, or install Blender."
    )


def install(environment: Path | None = None) -> Path:
    """Make an environment with bpy, unless it is there already; the interpreter in it."""
    folder = environment or default_environment()
    if not (folder / READY).is_file():
        say(f"Installing {BPY} into {folder}; this downloads about 950 MB.")
        _run([str(_base_python()), "-m", "venv", str(folder)])
        _run([str(_python(folder)), "-m", "pip", "install", "--disable-pip-version-check", BPY])
        (folder / READY).write_text(f"{BPY}\n", encoding="utf-8")
    return _python(folder)


def _python(environment: Path) -> Path:
    # Not resolved: a link to the base interpreter would leave the environment.
    return environment.absolute() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _python_with_bpy(python: Path, place: str) -> Path:
    """Return the interpreter if it has bpy."""
    if not python.is_file():
        raise errors.InvalidInput(
            f"There is no interpreter in {place} ({python}). Add --install to make it there."
        )
    if not _has_bpy(python):
        raise errors.InvalidInput(f"The interpreter of {place} has no bpy. Run {python} -m pip install '{BPY}'.")
    return python


def _has_bpy(python: Path) -> bool:
    """Asked without importing bpy, which takes seconds."""
    question = "import importlib.util, sys; sys.exit(importlib.util.find_spec('bpy') is None)"
    return subprocess.run([str(python), "-c", question], capture_output=True, check=False).returncode == 0


def _base_python() -> Path:
    """Return a Python of the version that bpy is built for."""
    if sys.version_info[:2] == PYTHON:
        return Path(sys.executable)
    found = shutil.which(f"python{_version()}")
    if found is None:
        raise errors.InvalidInput(
            f"{BPY} needs Python {_version()}, this is Python {sys.version_info[0]}.{sys.version_info[1]}, and "
            f"there is no python{_version()} on the PATH. Install one, or install Blender itself."
        )
    return Path(found)


def _version() -> str:
    return ".".join(map(str, PYTHON))


def _run(command: list[str]) -> None:
    """Run a command that makes the environment."""
    ended = subprocess.run(command, check=False)
    if ended.returncode:
        raise errors.InvalidInput(
            f"The environment could not be made: '{' '.join(command)}' ended with {ended.returncode}; its message "
            "is above. Run the same command again to go on."
        )


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
    """Yield the jobs that the workers say are done."""
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
        """Pass on the messages of the process, and keep its last other lines."""
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
