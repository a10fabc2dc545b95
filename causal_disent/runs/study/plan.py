"""The plan of a study: what is to be done, and what of it is done, has failed, or is being done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.arguments import literal
from causal_disent.config import OPEN
from causal_disent.runs.study.expand import Expanded, Item, Run, digest, expand, line
from causal_disent.runs.study.folders import METRICS, MODEL, POSTPROCESSED, Found, recorded, scan
from causal_disent.runs.study.numbers import keys_of
from causal_disent.runs.study.settings import Study
from causal_disent.runs.study.steps import stamped
from causal_disent.runs.study.work import Task, Work

STATES = ("done", "running", "failed", "waiting")


@dataclass
class Planned:
    """A run, its number (-1 before it has one), and what its folder holds."""

    run: Run
    number: int
    found: Found


@dataclass
class Plan:
    """All runs of a study.

    Attributes:
        study: the settings.
        folder: where the runs' folders are.
        expanded: what the settings stand for.
        runs: in the order of the settings.
        others: how many numbered folders there are that the settings do not speak of.
    """

    study: Study
    folder: Path
    expanded: Expanded
    runs: list[Planned]
    others: int = 0

    def places(self, run: Run) -> Iterator[tuple[str, Item | None]]:
        """Every task of a run: its place, and what it is done with (None for the model)."""
        if run.model is None:
            names = [Path(run.folder).name]
        else:
            yield MODEL, None
            yield from ((f"{POSTPROCESSED}/{item.name}", item) for item in self.expanded.postprocess)
            names = [item.name for item in self.expanded.postprocess]
        for name in names:
            yield from ((f"{METRICS}/{name}/{item.name}", item) for item in self.expanded.metrics)

    def missing(self, planned: Planned) -> list[str]:
        """The places of the tasks that are not done, and have not failed too often, nor what they are made of."""
        failed = self.failed(planned)
        return [
            place
            for place, _ in self.places(planned.run)
            if place not in planned.found.done
            and not (failed and failed.keys() & {place, *self._made_of(planned, place)})
        ]

    def _made_of(self, planned: Planned, place: str) -> list[str]:
        """The places that a task needs, those that are done left out."""
        if planned.run.model is None or place == MODEL:
            return []
        needed = [MODEL] + [f"{POSTPROCESSED}/{place.split('/')[1]}"] * place.startswith(METRICS)
        return [] if needed[-1] in planned.found.done else needed

    def failed(self, planned: Planned) -> dict[str, dict[str, Any]]:
        """The tasks that have failed as often as they may, and how they did."""
        found = planned.found.failed.items()
        return {place: failure for place, failure in found if failure["attempts"] > self.study.retries}

    def states(self, planned: Planned) -> dict[str, str]:
        """The state of each task of a run, one of the `STATES`."""
        found, failed = planned.found, self.failed(planned)
        return {
            place: "done" if place in found.done
            else "failed" if place in failed
            else "running" if _unit(place) in found.leases
            else "waiting"
            for place, _ in self.places(planned.run)
        }  # fmt: skip

    def counts(self) -> Counter[str]:
        """How many tasks are in which of the `STATES`."""
        total: Counter[str] = Counter()
        for planned in self.runs:
            total.update(self.states(planned).values())
        return total

    def check_unchanged(self) -> None:
        """Raise if a task was done with other settings than those of now."""
        for planned in self.runs:
            for place, item in self.places(planned.run):
                if place not in planned.found.done:
                    continue
                stamp = planned.found.done[place]
                if stamp != (item.digest if item else digest(planned.run.stated)):
                    self._compare(planned, place, item.stated if item else planned.run.stated, stamp)

    def _compare(self, planned: Planned, place: str, stated: Mapping[str, str], stamp: str | None) -> None:
        folder = self.folder / str(planned.number)
        if stamp is None:
            raise errors.ConfigError(f"{folder / place} is there and holds no results. Move it away.")
        differing = _differences(recorded(folder, place), stated)
        if stamp and not differing:
            differing = ["a binding was added or removed"]
        if differing:
            raise errors.ConfigError(
                f"Run {planned.number} ({planned.run.label}) has '{place}' from other settings than the config's: "
                f"{errors.listing(differing, 5)}. Put that back, choose another --output_dir, or remove "
                f"{folder if place == MODEL else folder / place} to have it done again."
            )

    def units(self, planned: Planned) -> list[Work]:
        """What can be done now of a run, each unit without the tasks that are done or have failed too often."""
        missing = set(self.missing(planned))
        by_unit: dict[str, list[Task]] = {}
        for place, item in self.places(planned.run):
            blocked = place.startswith(METRICS) and self._made_of(planned, place)
            if place in missing and not blocked:
                task = self._task(planned, place, item, self._source(planned, place))
                by_unit.setdefault(_unit(place), []).append(task)
        return [
            Work(
                planned.number,
                str((self.folder / str(planned.number)).absolute()),
                unit,
                planned.run.label,
                tuple(tasks),
                self.study.limit_of(unit.partition("_")[0]),
            )
            for unit, tasks in by_unit.items()
        ]

    def _source(self, planned: Planned, place: str) -> str:
        own = (self.folder / str(planned.number)).absolute()
        if place == MODEL:
            return ""
        if place.startswith(POSTPROCESSED):
            return str(own / MODEL)
        return str(
            Path(planned.run.folder).absolute()
            if planned.run.folder
            else own / POSTPROCESSED / place.split("/")[1]
        )

    def _task(self, planned: Planned, place: str, item: Item | None, source: str) -> Task:
        if item is not None:
            return Task(place, item.files, (*item.lines, stamped(item.digest)), source)
        files, bindings = planned.run.training()
        number = line("model.model_num", planned.number)
        return Task(place, files, (*bindings, number, stamped(digest(planned.run.stated))), source)

    def checks(self) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """What can be wrong with the configs of tasks to be done: step, configs and bindings, each once."""
        waiting = [planned.run for planned in self.runs if self.missing(planned)]
        models = {id(run.model): run for run in waiting if run.model is not None}
        datasets = {id(run.dataset): run.dataset for run in waiting if run.dataset is not None}
        found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        found += [("dataset", item.files, item.lines) for item in datasets.values()]
        for run in models.values():
            files, bindings = run.training()
            found.append(("train", files, tuple(bindings)))
        if models:
            found += [("postprocess", item.files, item.lines) for item in self.expanded.postprocess]
        if waiting:
            found += [("evaluate", item.files, item.lines) for item in self.expanded.metrics]
        return found


def _unit(place: str) -> str:
    """The unit of work that a task belongs to."""
    return f"evaluate_{place.split('/')[1]}" if place.startswith(METRICS) else "train"


def _differences(before: Mapping[str, Any], now: Mapping[str, str]) -> list[str]:
    """What was recorded with another value than is stated now; what was not used is not recorded."""
    return [
        f"{key} was {before[key]}, is {text}"
        for key, text in now.items()
        if key in before and text != repr(OPEN) and literal(str(before[key])) != literal(text)
    ]


def make_plan(study: Study, folder: Path) -> Plan:
    """Expand a study and look at its folders."""
    expanded = expand(study)
    found = scan(folder)
    numbers: dict[str, int] = {}
    for number, one in found.items():
        for key in keys_of(one.what, folder) if one.what is not None else ():
            numbers.setdefault(key, number)  # of a run and its copies, the first
    runs = []
    for run in expanded.runs:
        number = numbers.get(run.key, -1)
        runs.append(Planned(run, number, found.get(number, Found())))
    return Plan(study, folder, expanded, runs, len(found) - sum(planned.number >= 0 for planned in runs))
