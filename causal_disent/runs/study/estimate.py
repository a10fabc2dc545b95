"""How long the rest of a study will take, and how much space, judged by the tasks that are done."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.arguments import is_finite_number
from causal_disent.files import inside, read_bounded
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study.expand import Run
from causal_disent.runs.study.folders import MODEL, step_of
from causal_disent.runs.study.plan import Plan

#: Tasks of one kind that are looked at.
MOST_LOOKED_AT = 10
#: Seconds that a task can have taken: a hundred years.
LONGEST = 100 * 365 * 86_400
UNITS = ("bytes", "KB", "MB", "GB", "TB")


def kind_of(run: Run, place: str) -> str:
    """What tasks are compared by: the step, then the model that is trained, the representation, or the metric."""
    return f"{step_of(place)} {run.model.name if place == MODEL and run.model else place.rpartition('/')[2]}"


@dataclass
class Costs:
    """Seconds and bytes of the tasks that were looked at, by their kind."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bytes: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def left(self, kinds: Counter[str], workers: int) -> float | None:
        """Seconds that so many tasks of each kind take that many workers; None if nothing is known of a step."""
        total = _total(self.seconds, kinds)
        return None if total is None else total / max(workers, 1)

    def space(self, kinds: Counter[str]) -> float | None:
        """Bytes that so many tasks of each kind take; None if nothing is known of a step."""
        return _total(self.bytes, kinds)


def _total(costs: dict[str, list[float]], kinds: Counter[str]) -> float | None:
    """What so many tasks of each kind cost; a kind that none is known of, as the others of its step."""
    latest = {kind: values[-MOST_LOOKED_AT:] for kind, values in costs.items() if values}
    means = {kind: sum(values) / len(values) for kind, values in latest.items()}
    total = 0.0
    for kind, count in kinds.items():
        alike = [mean for other, mean in means.items() if other.split()[0] == kind.split()[0]]
        if not alike:
            return None
        total += count * means.get(kind, sum(alike) / len(alike))
    return total


def costs_of(plan: Plan) -> Costs:
    """What some tasks of each kind have taken."""
    costs = Costs()
    for planned in plan.runs:
        folder = plan.folder / str(planned.number)
        for place in planned.found.done:
            kind = kind_of(planned.run, place)
            if len(costs.seconds[kind]) < MOST_LOOKED_AT:
                costs.seconds[kind].append(_seconds(folder, place))
                costs.bytes[kind].append(_bytes(folder / place))
    return costs


def _seconds(folder: Path, place: str) -> float:
    try:
        file = inside(folder, f"{place}/{RESULTS}/json/{step_of(place)}_results.json")
        seconds: Any = parse_object(read_bounded(file, MOST_BYTES)).get("elapsed_time")
    except errors.InvalidInput:
        return 0.0
    return float(seconds) if is_finite_number(seconds) and 0 <= seconds < LONGEST else 0.0


def _bytes(folder: Path) -> int:
    return sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(folder) for name in names)


def free_space(folder: Path) -> int:
    """Bytes that are free where `folder` is, or will be."""
    return shutil.disk_usage(next(one for one in (folder, *folder.absolute().parents) if one.exists())).free


def duration(seconds: float) -> str:
    """A time for people.

    Example:
        >>> duration(8.2), duration(312), duration(7_300), duration(200_000)
        ('8 s', '5 min', '2 h 2 min', '2 d 8 h')
    """
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    if seconds < 100:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"


def size(num_bytes: float) -> str:
    """A number of bytes for people.

    Example:
        >>> size(812), size(5_400_000)
        ('812 bytes', '5.4 MB')
    """
    power = min(max(len(str(int(num_bytes))) - 1, 0) // 3, len(UNITS) - 1)
    return f"{num_bytes / 1000**power:.{min(power, 1)}f} {UNITS[power]}"
