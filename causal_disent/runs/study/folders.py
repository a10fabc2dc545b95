"""What the folders of a study hold: which tasks are done, which have failed, and which are being done.

``<study>/<number>/`` has disentanglement_lib's layout: ``model``, ``postprocessed/<name>`` and
``metrics/<name>/<metric>``, each of which appears whole; and ``run.json``, which says what the number stands for,
``failures/<task>.json``, ``logs``, and leases while somebody is at work. There is no other state. ``.index.json``
remembers what was read where nothing has changed since; it may be lost, or removed, at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.arguments import is_whole
from causal_disent.files import inside, leaves, read_bounded, regular, within, write_text
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study.lease import holder, is_gone
from causal_disent.text import shown

MODEL, POSTPROCESSED, METRICS, FAILURES, LOGS = "model", "postprocessed", "metrics", "failures", "logs"
RUN_FILE, INDEX = "run.json", ".index.json"
#: First part of a task's place -> the step that it is, as result files name it.
STEPS = {MODEL: "train", POSTPROCESSED: "postprocess", METRICS: "evaluation"}
#: The end of the name of a lease: ``.train.lease``.
LEASE = ".lease"
#: What each task records of all that was bound for it.
STAMP = "study_task.config"
#: Nanoseconds: a folder that changed so shortly before it was looked at may change again without a new time.
RACY = 2 * 10**9
#: Bytes of an index: a thousand for each of a million runs.
MOST_INDEX = 2**30
#: Of the index, and what it holds of a run; another layout of it is not read.
VERSION, ENTRY = 2, {"times", "what", "done"}
#: Digits of the number of a run.
MOST_DIGITS = 18
#: Characters of a message, or of a line of a log, in a failure.
MOST_MESSAGE = 2000


@dataclass
class Found:
    """What the folder of one run holds.

    Attributes:
        what: the run, as ``run.json`` says; None if that is not there.
        done: task -> the stamp of what was bound for it; empty if it has none, None if it holds no results.
        failed: task -> its failure, as recorded.
        leases: units of work that somebody has a lease of who, for all that is known, is alive.
        left: units of work that a process had a lease of which has ended.
    """

    what: dict[str, Any] | None = None
    done: dict[str, str | None] = field(default_factory=dict)
    failed: dict[str, dict[str, Any]] = field(default_factory=dict)
    leases: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def step_of(task: str) -> str:
    """The step that a task is, as result files name it."""
    return STEPS[task.partition("/")[0]]


def lease_of(folder: str | Path, unit: str) -> Path:
    """The place of the lease of a unit of a run's work."""
    return Path(folder, f".{unit}{LEASE}")


def recorded(folder: Path, task: str) -> dict[str, Any]:
    """The bindings that a task was done with, values as text."""
    file = inside(folder, f"{task}/{RESULTS}/json/{step_of(task)}_config.json")
    return parse_object(read_bounded(file, MOST_BYTES))


def read_what(folder: Path) -> dict[str, Any] | None:
    """What a run's folder stands for; None if it does not say."""
    try:
        return parse_object(read_bounded(inside(folder, RUN_FILE), MOST_BYTES))
    except errors.InvalidInput:
        return None


def scan(study: Path) -> dict[int, Found]:
    """What is in every numbered folder of a study; those that did not change since the last scan are not read."""
    index = _read_index(study / INDEX)
    found: dict[int, Found] = {}
    kept: dict[str, Any] = {}
    now = time.time_ns()
    for name in _numbered(study):
        folder = os.path.join(study, name)
        entry = index.get(name)
        if entry is not None and all(_time(folder, part) == then for part, then in entry["times"].items()):
            found[int(name)] = Found(entry["what"], entry["done"])
            kept[name] = entry
            continue
        times: dict[str, list[int]] = {}
        found[int(name)] = one = look(folder, times)
        quiet = not (one.failed or one.leases or one.left)
        if one.what is not None and quiet and max(changed for changed, _ in times.values()) < now - RACY:
            kept[name] = {"times": times, "what": one.what, "done": one.done}
    if kept != index:
        with suppress(OSError, errors.CausalDisentError):  # a study on a full disk, or that one may only read
            _write_index(study / INDEX, kept)
    return found


def _numbered(study: Path) -> list[str]:
    try:
        return sorted(filter(is_number, _listed(study)), key=int)
    except FileNotFoundError:
        return []


def is_number(name: str) -> bool:
    """Whether a folder has the name of a run's: a number as it is written here, so that no two names are one."""
    return len(name) <= MOST_DIGITS and name.isdecimal() and str(int(name)) == name


def look(folder: str, times: dict[str, list[int]] | None = None) -> Found:
    """What a run's folder holds; folders whose change would change the answer are noted with their `times`."""
    times = {} if times is None else times
    names = _names(folder, "", times)
    one = Found(read_what(Path(folder)))
    for unit, gone in _leases(folder, names):
        (one.left if gone else one.leases).append(unit)
    tasks = [MODEL] if MODEL in names else []
    if POSTPROCESSED in names:
        tasks += [f"{POSTPROCESSED}/{name}" for name in _names(folder, POSTPROCESSED, times)]
    if METRICS in names:
        for name in _names(folder, METRICS, times):
            place = f"{METRICS}/{name}"
            tasks += [f"{place}/{metric}" for metric in _names(folder, place, times)]
    for task in tasks:
        if not task.rpartition("/")[2].startswith("."):
            one.done[task] = _stamp(folder, task)
    if FAILURES in names:
        one.failed = {task: failure for task, failure in _failures(Path(folder)) if task not in one.done}
    return one


def leased(folder: Path) -> bool:
    """Whether somebody who, for all that is known, is alive has a lease of a unit of a run's work."""
    return not all(gone for _, gone in _leases(folder, _names(str(folder), "", {})))


def _leases(folder: str | Path, names: list[str]) -> list[tuple[str, bool]]:
    """The units of work that there are leases of, and whether their owners are gone."""
    units = sorted({name[1:].rpartition(LEASE)[0] for name in names if LEASE in name})
    return [(unit, is_gone(holder(lease_of(folder, unit)))) for unit in units]


def _names(folder: str, part: str, times: dict[str, list[int]]) -> list[str]:
    times[part] = _time(folder, part)  # before the look: what comes after it has a later time
    try:
        return _listed(os.path.join(folder, part))
    except OSError:
        return []


def _listed(folder: str | Path) -> list[str]:
    """The names in a folder, without links that leave it."""
    with os.scandir(folder) as entries:
        return [one.name for one in entries if not one.is_symlink() or not leaves(folder, one.name)]


def _time(folder: str, part: str) -> list[int]:
    """When a folder changed last; -1 if it is not there.

    Programs that copy a study set the first of the two times to that of the original, perhaps leaving out what is
    in it; the second they cannot set.
    """
    try:
        found = os.stat(os.path.join(folder, part))
    except (OSError, ValueError):  # the latter of a name with a zero byte
        return [-1, -1]
    return [found.st_mtime_ns, found.st_ctime_ns]


def _stamp(folder: str, task: str) -> str | None:
    try:
        return str(recorded(Path(folder), task).get(STAMP, "")).strip("'")
    except errors.InvalidInput:
        return None


def _failures(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every failure that a run's folder records, with its task."""
    place = folder / FAILURES
    for file in sorted(place.rglob("*.json")):
        with suppress(errors.InvalidInput):  # one that was torn with the machine: the task is tried again
            failure = parse_object(read_bounded(within(folder, file), MOST_BYTES))
            yield file.relative_to(place).as_posix().removesuffix(".json"), read_failure(failure)


def read_failure(content: Mapping[str, Any]) -> dict[str, Any]:
    """A failure as it was recorded, each part of its type, whoever wrote the file."""
    attempts, lines = content.get("attempts"), content.get("last_lines")
    return {
        **{name: shown(content.get(name, ""), MOST_MESSAGE) for name in ("message", "when", "machine", "log")},
        "attempts": attempts if is_whole(attempts) else 1,
        "last_lines": [shown(line, MOST_MESSAGE) for line in lines] if isinstance(lines, list) else [],
    }


def _read_index(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_bounded(regular(file), MOST_INDEX))
        whole = (
            content["version"] == VERSION
            and content["digest"] == _digest(content["runs"])
            and all(map(_is_entry, content["runs"].values()))
        )
    except (errors.InvalidInput, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return content["runs"] if whole else {}


def _is_entry(one: Any) -> bool:
    """Whether it is what `scan` keeps of a run."""
    return (
        set(one) == ENTRY
        and all(isinstance(part, dict) for part in one.values())
        and "" in one["times"]
        and all(task.partition("/")[0] in STEPS for task in one["done"])
        and all(stamp is None or isinstance(stamp, str) for stamp in one["done"].values())
    )


def _write_index(file: Path, runs: Mapping[str, Any]) -> None:
    content = {"version": VERSION, "digest": _digest(runs), "runs": runs}
    write_text(file, json.dumps(content, separators=(",", ":")))


def _digest(runs: Mapping[str, Any]) -> str:
    """What tells an index that somebody has edited, or merged, from one that `scan` has written."""
    return hashlib.sha256(json.dumps(runs, separators=(",", ":")).encode()).hexdigest()
