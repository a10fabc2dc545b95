"""Failures of tasks, recorded in the folder of their run: ``failures/<task>.json``."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

from causal_disent.files import inside, new_file
from causal_disent.runs.study.folders import FAILURES, read_failure
from causal_disent.runs.study.work import printed

#: Lines of the log that are kept with a failure.
MOST_LINES = 40


def record(folder: Path, place: str, message: str, attempts: int, log: Path) -> dict[str, Any]:
    """Write down how a task failed.

    Args:
        folder: of the run.
        place: the task.
        message: why.
        attempts: how often it has failed by now.
        log: of its unit of work; the last lines that the task printed are kept.

    Returns:
        What was written.
    """
    failure = {
        "message": message,
        "attempts": attempts,
        "when": time.strftime("%Y-%m-%d %H:%M:%S"),
        "machine": socket.gethostname(),
        "log": str(log.relative_to(folder)),
        "last_lines": printed(log, place)[1][-MOST_LINES:],
    }
    with new_file(_file(folder, place)) as file:
        file.write_text(json.dumps(failure, indent=2) + "\n", encoding="utf-8")
    return read_failure(failure)


def forget(folder: Path, place: str) -> None:
    """Remove what was written down of a task."""
    _file(folder, place).unlink(missing_ok=True)


def _file(folder: Path, place: str) -> Path:
    return inside(folder, f"{FAILURES}/{place}.json")
