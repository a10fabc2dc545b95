"""Which number a run has: its folder says so from the moment that the number is given, and keeps it for ever."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from causal_disent.files import remove
from causal_disent.runs.study.expand import Run
from causal_disent.runs.study.folders import RUN_FILE, is_number, read_what
from causal_disent.runs.study.lease import Owner
from causal_disent.text import say

#: The lease of the one who gives numbers.
NUMBERS = ".numbers.lease"
#: Seconds between two tries to get it, and until it is said that others have it.
PAUSE, PATIENCE = 0.2, 3.0
#: Says in a run's file how its folder with a representation is reached from the study's.
WAY = "from_study"


def keys_of(what: Mapping[str, Any], study: Path) -> list[str]:
    """The keys of the run that a folder of a study says that it stands for.

    A folder with representations is known by where it is and by the way to it from the study, so that it stays
    the same if the study is moved, if both are, or if machines know them by different names.
    """
    if not isinstance(what.get("folder"), str):
        return [json.dumps(what, sort_keys=True)]
    places = [what["folder"], *([os.path.join(study, way)] if isinstance(way := what.get(WAY), str) else [])]
    return [json.dumps({"folder": os.path.abspath(place)}) for place in places]


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
    _wait_for(study / NUMBERS, owner)
    try:
        taken = {int(name) for name in os.listdir(study) if is_number(name)}
        for number in sorted(taken - set(numbers.values())):
            what = read_what(study / str(number))
            if what is not None:
                for key in keys_of(what, study):
                    numbers.setdefault(key, number)
        free = (number for number in itertools.count() if number not in taken)
        for run in missing:
            if run.key not in numbers:
                numbers[run.key] = next(free)
                _make(study, numbers[run.key], run)
        os.sync()  # once for all: a number must not be forgotten when the power fails
    finally:
        owner.release(study / NUMBERS)
    return numbers


def _wait_for(place: Path, owner: Owner) -> None:
    since, told = time.monotonic(), False
    while not owner.take(place):
        if not told and time.monotonic() - since >= PATIENCE:
            say(
                "waiting: another process of this study is giving numbers to runs, or was when it ended",
                error=True,
            )
            told = True
        time.sleep(PAUSE)


def _make(study: Path, number: int, run: Run) -> None:
    """The folder of a run, whole at once."""
    temporary = study / f".{number}.partial"
    remove(temporary)  # of one that died
    temporary.mkdir()
    way = {WAY: os.path.relpath(run.folder, study)} if run.model is None else {}
    (temporary / RUN_FILE).write_text(json.dumps({**run.what, **way}, indent=2) + "\n", encoding="utf-8")
    temporary.rename(study / str(number))
