"""Running a study: the same call begins it, goes on with it, and does what was added to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from causal_disent import errors
from causal_disent.config import gin_config, is_bound, literal_bindings, parameters_of, query
from causal_disent.files import check_place, read_bounded, regular, sweep, write_text
from causal_disent.plugins import BUILTIN
from causal_disent.protocols import Engine, Finished
from causal_disent.registry import registry
from causal_disent.runs.results import MOST_BYTES
from causal_disent.runs.study.estimate import costs_of
from causal_disent.runs.study.folders import lease_of, look
from causal_disent.runs.study.foreign_engine import ForeignEngine
from causal_disent.runs.study.lease import Owner
from causal_disent.runs.study.numbers import give_numbers
from causal_disent.runs.study.plan import Plan, make_plan
from causal_disent.runs.study.progress import Progress
from causal_disent.runs.study.schedule import Schedule
from causal_disent.runs.study.settings import Study, study
from causal_disent.runs.study.work import perform, problems
from causal_disent.typed import checked

if TYPE_CHECKING:
    import pandas as pd

#: The settings of a study, kept in its folder for the commands that tell of it.
STUDY_FILE = "study.gin"
#: What is said of an engine that ends too early.
NO_ANSWER = "The engine has ended without an answer."


@dataclass(frozen=True)
class Ended:
    """How a study ended.

    Attributes:
        folder: of the study.
        counts: how many tasks are ``done``, ``failed``, ``running`` (elsewhere) and ``waiting``.
        full: whether it stopped because nothing could be written any more.
    """

    folder: Path
    counts: Counter[str]
    full: bool = False

    @property
    def table(self) -> pd.DataFrame:
        """Every headline score, one a row, as `causal_disent.runs.study.table.results_table` gives them."""
        from causal_disent.runs.study.table import results_table

        return results_table(self.folder)


@checked
def read_study(
    config: str | Path | Study, gin_bindings: Sequence[str] = (), engine: str | None = None
) -> tuple[Study, Engine]:
    """The study that a config binds, and the engine that it or the caller names, with its options.

    The settings have both, so that they are kept with the study, and `study retry` runs as the study did.
    """
    lines = config.as_config().splitlines() if isinstance(config, Study) and gin_bindings else []
    with gin_config([] if isinstance(config, Study) else [config], [*lines, *gin_bindings]):
        bound = vars(config) if isinstance(config, Study) and not gin_bindings else study()
        settings = Study(**bound).located()
        entry = registry.get("engines", engine or settings.engine)
        options = dict(settings.options) if entry.name == settings.engine else {}
        with entry.isolated():
            given = {name: f"{entry.in_config}.{name}" for name in parameters_of(entry)}
            options |= {name: query(parameter) for name, parameter in given.items() if is_bound(parameter)}
            settings = replace(settings, engine=entry.name, options=options)
            chosen: Engine = registry.function("engines", entry.name)(**options)
    return settings, chosen if entry.owner == BUILTIN else ForeignEngine(entry, chosen)


def kept_study(folder: Path) -> Study:
    """The study that a folder is of, by the settings that are kept there; a stranger's may hold literals alone."""
    file = folder / STUDY_FILE
    if not file.is_file():
        raise errors.InvalidInput(f"{folder} is not a study's folder: it has no {STUDY_FILE}.")
    values = {name.removeprefix("study."): value for name, value in literal_bindings(file).items()}
    try:
        return Study(**values)
    except TypeError as error:
        raise errors.ConfigError(f"{file} does not hold the settings of a study: {error}.") from None


@checked
def run_study(
    config: str | Path | Study,
    output_dir: str | Path,
    *,
    gin_bindings: Sequence[str] = (),
    engine: str | Engine | None = None,
) -> Ended:
    """Do all of a study that is not done yet.

    Args:
        config: a config that binds ``study.*``, or a `Study`.
        output_dir: the folder of the study. Several processes, also of several machines, may share it.
        gin_bindings: lines that follow the config, such as ``"study.seeds = 3"``.
        engine: what runs the tasks, or its name; by default the one that the study names.

    Returns:
        `Ended`; its ``table`` holds the scores. Tasks that fail do not raise: ``counts["failed"]``.

    Raises:
        causal_disent.errors.CausalDisentError: before anything is started, if the config is wrong, or differs from
            the one that a task was done with.
    """
    named = engine if isinstance(engine, str) else None
    settings, chosen = read_study(config, gin_bindings, named)
    runner: Engine = chosen if engine is None or isinstance(engine, str) else engine
    folder = Path(output_dir)
    check_place(folder)
    plan = make_plan(settings, folder)
    plan.check_unchanged()
    check_configs(plan, runner)
    folder.mkdir(parents=True, exist_ok=True)
    _keep(settings, folder / STUDY_FILE)
    with Owner(folder) as owner:
        _tidy(plan, owner)
        numbers = {planned.run.key: planned.number for planned in plan.runs if planned.number >= 0}
        numbers = give_numbers(folder, [planned.run for planned in plan.runs], numbers, owner)
        for planned in plan.runs:
            planned.number = numbers[planned.run.key]
        full = _run(plan, owner, runner)
    for planned in plan.runs:
        if set(plan.states(planned).values()) != {"done"}:
            planned.found = look(str(folder / str(planned.number)))
    return Ended(folder, plan.counts(), full)


def _tidy(plan: Plan, owner: Owner) -> None:
    """Give back the leases of processes that have ended, and remove what they left half-written."""
    sweep(plan.folder)
    for planned in plan.runs:
        folder = plan.folder / str(planned.number)
        for unit in planned.found.left:
            place = lease_of(folder, unit)
            if owner.take(place):
                sweep(folder, "**/.*.lock")
                owner.release(place)


def _run(plan: Plan, owner: Owner, engine: Engine) -> bool:
    """Do what is missing; whether it ended for lack of space."""
    schedule = Schedule(plan, owner)
    progress = Progress(plan, costs_of(plan), engine.workers)
    try:
        with closing(engine.run(perform, schedule)) as running:
            for done in running:
                if done is not None:
                    progress.ended(done.work, schedule.finished(done))
                progress.look(schedule.in_flight, schedule.now(), schedule.noticed)
    finally:
        progress.close()
        for work in list(schedule.in_flight):
            schedule.give_back(work)
    return schedule.full


def check_configs(plan: Plan, engine: Engine) -> None:
    """Raise what is wrong with the configs of the tasks to come, found where they would run."""
    checks = plan.checks()
    if not checks:
        return
    with closing(engine.run(problems, [checks])) as running:
        done = next((done for done in running if done is not None), Finished(checks, failure=NO_ANSWER))
    if done.failure or done.result:
        raise errors.ConfigError(done.failure or str(done.result))


def _keep(settings: Study, file: Path) -> None:
    text = settings.as_config()
    if not file.is_file() or read_bounded(regular(file), MOST_BYTES) != text.encode():
        write_text(file, text)
