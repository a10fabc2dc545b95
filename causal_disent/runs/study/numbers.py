"""Which number a run has: its folder says so from the moment that the number is given, and keeps it for ever."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

from causal_disent.files import remove
from causal_disent.runs.study.expand import Run
from causal_disent.runs.study.folders import RUN_FILE, read_what
from causal_disent.runs.study.lease import Owner

#: The lease of the one who gives numbers.
NUMBERS = ".numbers.lease"
#: Seconds between two tries to get it.
PAUSE = 0.2


def give_numbers(study: Path, runs: Sequence[Run], known: dict[str, int], owner: Owner) -> dict[str, int]:
    """The number of each run, by its key; those that have none get the next free ones.

    Args:
        study: its folder.
        runs: all that the study has now.
        known: key of a run -> the number that its folder has; others may have given more since.
        owner: this process.
    """
    numbers = dict(known)
    missing = [run for run in runs if run.key not in numbers]
    if not missing:
        return numbers
    while not owner.take(study / NUMBERS):
        time.sleep(PAUSE)
    try:
        taken = {int(name) for name in os.listdir(study) if name.isdecimal()}
        for number in taken - set(numbers.values()):
            what = read_what(study / str(number))
            if what is not None:
                numbers[json.dumps(what, sort_keys=True)] = number
        free = (number for number in itertools.count() if number not in taken)
        for run in missing:
            if run.key not in numbers:
                numbers[run.key] = next(free)
                _make(study, numbers[run.key], run)
        os.sync()  # once for all: a number must not be forgotten when the power fails
    finally:
        owner.release(study / NUMBERS)
    return numbers


def _make(study: Path, number: int, run: Run) -> None:
    """The folder of a run, whole at once."""
    temporary = study / f".{number}.partial"
    remove(temporary)  # of one that died
    temporary.mkdir()
    (temporary / RUN_FILE).write_text(json.dumps(run.what, indent=2) + "\n", encoding="utf-8")
    temporary.rename(study / str(number))
