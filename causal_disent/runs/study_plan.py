"""``study.*``: what a study compares."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import (
    check_arguments,
    check_number,
    check_seed,
    check_value,
    check_whole,
    is_whole,
    literal,
    parameters_of,
)
from causal_disent.config import DATASET_NAME, OPEN, stated_bindings
from causal_disent.files import below, find_paths, inside, leaves, read_bounded, regular, within, write_text
from causal_disent.registry import part
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study_lease import LEASE, is_gone, leases_among
from causal_disent.text import shown, shown_value

#: What a task may be, as time limits and resources name it.
STEPS = ("train", "evaluate")
#: Seeds that numpy takes.
MOST_SEED = 2**32 - 1
#: Runs of a study: its plan is in memory.
MOST_RUNS = 1_000_000
#: Seconds that a task can be given: a year.
LONGEST = 365 * 86_400
#: Settings that are lists, in which a macro may stand for several entries.
LISTS = ("models", "datasets", "metrics", "postprocess", "bindings")


@dataclass(frozen=True)
class Study:
    """Which models, on which data sets, with which seeds, are measured by which metrics.

    A config is a path or the name of a shipped one. In its place there may be a dict with ``config``, a ``name``
    (else the config's) and ``bindings``, lines for this one alone.

    Attributes:
        models: configs of models, such as ``"models/beta_vae.gin"``.
        datasets: names, or dicts with ``name``, and perhaps ``confounding``, ``factors`` and the data set's own
            options; if there are none, the models' configs name theirs.
        seeds: of the models; a number n stands for 0 to n - 1.
        vary: parameter -> values, such as ``{"vae.beta": [1, 4, 16]}``. A parameter is varied where a config names
            what it belongs to: `vae.beta` in models that are VAEs, `uc.rho` in metrics, `candle_mini.scenes` in
            data sets. References are text: ``"@conv_encoder"``.
        metrics: configs of metrics, such as ``"metrics/mig.gin"``.
        postprocess: configs of representations that are made of each model.
        bindings: lines for all configs that name what they bind, such as ``"model.training_steps = 2000"``.
        folders: a glob, or several, of folders with representations that are there already, to measure as well.
        retries: how often a task that fails is tried again.
        time_limit: seconds that a task may take; a number, or one for each of ``train`` and ``evaluate``.
        engine: what runs the tasks.
        options: of the engine; in a config they are bound under its own name (``local.workers = 4``).
        report: the name of a page in the study's folder that ``causal-disent study`` ends with, if any.
    """

    models: Sequence[Any] = ()
    datasets: Sequence[Any] = ()
    seeds: Sequence[int] | int = (0,)
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    metrics: Sequence[Any] = ()
    postprocess: Sequence[Any] = ("postprocess/mean.gin",)
    bindings: Sequence[str] = ()
    folders: Sequence[str] | str = ()
    retries: int = 0
    time_limit: float | Mapping[str, float] | None = None
    engine: str = "local"
    options: Mapping[str, Any] = field(default_factory=dict)
    report: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.folders, str):
            object.__setattr__(self, "folders", (self.folders,))
        for name in LISTS:
            object.__setattr__(self, name, _flat(getattr(self, name)))
        check_arguments(parameters_of(type(self)).values(), vars(self), "study")  # type: ignore[arg-type]
        if is_whole(self.seeds):
            check_number("study.seeds", self.seeds, at_least=1, at_most=MOST_RUNS)
            object.__setattr__(self, "seeds", tuple(range(self.seeds)))  # type: ignore[arg-type]
        for seed in self._seeds():
            check_seed("study.seeds", seed)
        if len(set(self._seeds())) < len(self._seeds()):
            raise errors.ConfigError(f"`study.seeds` has a seed twice; given: {shown_value(self._seeds())}.")
        for parameter, values in self.vary.items():
            if not check_value(f"study.vary['{shown(parameter)}']", values, Sequence[Any]):
                raise errors.ConfigError(f"`study.vary['{shown(parameter)}']` has no values.")
        if self.report and not re.fullmatch(r"[\w=+-][\w.=+ -]*\.html", self.report):
            raise errors.ConfigError(
                f"`study.report` is the name of a file, such as 'report.html'; given: {shown_value(self.report)}."
            )
        check_whole("study.retries", self.retries, 0)
        for step in STEPS:
            if self.limit_of(step) is not None:
                check_number("study.time_limit", self.limit_of(step), above=0, at_most=LONGEST)
        if not self.metrics and not self.models:
            raise errors.ConfigError("A study needs `study.models`, or `study.folders` and `study.metrics`.")

    def _seeds(self) -> Sequence[int]:
        return self.seeds  # type: ignore[return-value]

    def limit_of(self, step: str) -> float | None:
        """The seconds that a task of that step may take."""
        return self.time_limit.get(step) if isinstance(self.time_limit, Mapping) else self.time_limit

    def located(self) -> Study:
        """The same with paths that are right wherever one is; a config that is no file here is a shipped one."""
        return replace(
            self,
            models=_each(_located, self.models),
            metrics=_each(_located, self.metrics),
            postprocess=_each(_located, self.postprocess),
            folders=_each(lambda one: one and os.path.join(os.getcwd(), one), self.folders),
        )

    def as_config(self) -> str:
        """The same as lines of a config."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return "".join(f"study.{name} = {value!r}\n" for name, value in values.items())


def _flat(entries: Any) -> Any:
    """A list of which some entries are lists themselves, as a macro of a config in ``[%models, 'more.gin']``."""
    if not isinstance(entries, (list, tuple)):
        return entries
    return [one for entry in entries for one in (entry if isinstance(entry, (list, tuple)) else [entry])]


def _each(function: Callable[[Any], Any], given: Sequence[Any]) -> Sequence[Any]:
    found = map(function, given)
    return tuple(found) if isinstance(given, tuple) else list(found)


def _located(given: Any) -> Any:
    """An entry of a list of configs, its path absolute."""
    if isinstance(given, Mapping):
        return {**given, **({"config": _located(given["config"])} if "config" in given else {})}
    return os.path.abspath(given) if isinstance(given, str) and os.path.isfile(given) else given


#: What the config binds.
study = part("study")(Study)


#: The seeds of a model: those that its config binds are bound to the run's.
SEEDS = tuple(
    f"model.{name}" for name in ("random_seed", "model_seed", "unsupervised_data_seed", "supervised_data_seed")
)
#: What an entry of a study's lists may have, where it is a dict.
KEYS = ("config", "name", "bindings")


def line(parameter: str, value: Any) -> str:
    """A binding; text that begins as a reference does is one.

    Example:
        >>> line("vae.beta", 4), line("encoder.encoder_fn", "@fc_encoder"), line("dataset.name", "dummy_data")
        ('vae.beta = 4', 'encoder.encoder_fn = @fc_encoder', "dataset.name = 'dummy_data'")
    """
    return f"{parameter} = {value if isinstance(value, str) and value[:1] in ('@', '%') else repr(value)}"


def digest(stated: Mapping[str, str]) -> str:
    """A short text that is equal for equal bindings, in whichever order."""
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Item:
    """A model, a data set, a way to make a representation, or a metric: what is bound for it."""

    name: str
    files: tuple[str, ...]
    bindings: tuple[str, ...]
    varied: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The bindings that follow the files."""
        return (*self.bindings, *(line(*one) for one in self.varied.items()))

    @cached_property
    def stated(self) -> dict[str, str]:
        """All that is bound, values as text."""
        return stated_bindings(self.files, self.lines, f"the bindings of '{shown(self.name)}'")

    @cached_property
    def digest(self) -> str:
        """Equal if the same is bound."""
        return digest(self.stated)

    @cached_property
    def names(self) -> set[str]:
        """What the item's config names: owners of parameters, and what is referred to."""
        referred = {
            re.split(r"[./]", name)[-1] for text in self.stated.values() for name in _REFERENCE.findall(text)
        }
        return referred | {_owner(parameter) for parameter in self.stated}

    def variants(self, vary: Mapping[str, Sequence[Any]]) -> Iterator[Item]:
        """This item with each combination of the values that concern it."""
        concerned = self._concerned(vary)
        for values in itertools.product(*concerned.values()):
            yield Item(self.name, self.files, self.bindings, dict(zip(concerned, values, strict=True)))

    def num_variants(self, vary: Mapping[str, Sequence[Any]]) -> int:
        """How many these are."""
        return math.prod(map(len, self._concerned(vary).values()))

    def _concerned(self, vary: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
        return {parameter: values for parameter, values in vary.items() if _owner(parameter) in self.names}


_REFERENCE = re.compile(r"@([\w./]+)")


def _owner(parameter: str) -> str:
    return parameter.rpartition(".")[0].rpartition("/")[2]


@dataclass(frozen=True)
class Run:
    """One model with one seed on one data set; or a folder that is there already, to be measured."""

    model: Item | None
    dataset: Item | None
    seed: int
    folder: str = ""

    @cached_property
    def what(self) -> dict[str, Any]:
        """What tells it from all others of the study."""
        if self.model is None:
            return {"folder": os.path.abspath(self.folder)}
        varied = {**self.model.varied, **(self.dataset.varied if self.dataset else {})}
        name = self.dataset.name if self.dataset else self.model.stated[DATASET_NAME].strip("'")
        return {"model": self.model.name, "dataset": name, "seed": self.seed, "varied": varied}

    @cached_property
    def key(self) -> str:
        """The same as text, equal for equal runs."""
        return json.dumps(self.what, sort_keys=True)

    @property
    def label(self) -> str:
        """What it is, for people."""
        if self.model is None:
            return self.folder
        varied = "".join(f", {parameter} {value}" for parameter, value in self.what["varied"].items())
        return f"{self.model.name} on {self.what['dataset']}{varied}, seed {self.seed}"

    @property
    def _seeds(self) -> list[str]:
        assert self.model is not None
        return [parameter for parameter in SEEDS if parameter in self.model.stated] or [SEEDS[0]]

    def training(self) -> tuple[tuple[str, ...], list[str]]:
        """The configs and bindings that the model is trained with."""
        assert self.model is not None
        seeds = [line(parameter, self.seed) for parameter in self._seeds]
        name = line("model.name", self.model.name)
        return self.model.files, [*self.model.lines, *(self.dataset.lines if self.dataset else ()), *seeds, name]

    @property
    def stated(self) -> dict[str, str]:
        """All that is bound for the training, values as text."""
        assert self.model is not None
        dataset = self.dataset.stated if self.dataset else {}
        seeds = dict.fromkeys(self._seeds, repr(self.seed))
        return {**self.model.stated, **dataset, **seeds, "model.name": repr(self.model.name)}


@dataclass(frozen=True)
class Expanded:
    """A study's runs, and what is made of each model and measured of each representation."""

    runs: tuple[Run, ...]
    models: tuple[Item, ...]
    datasets: tuple[Item, ...]
    postprocess: tuple[Item, ...]
    metrics: tuple[Item, ...]


def expand(study: Study) -> Expanded:
    """All runs of a study, in a fixed order; what is wrong with its lists is an error."""
    sorts = {
        "datasets": [_dataset(given) for given in study.datasets],
        "models": [_item("study.models", given) for given in study.models],
        "postprocess": [_item("study.postprocess", given) for given in study.postprocess if study.models],
        "metrics": [_item("study.metrics", given) for given in study.metrics],
    }
    _check_bindings(study, list(itertools.chain(*sorts.values())))
    sorts = {sort: [_with(item, study.bindings) for item in items] for sort, items in sorts.items()}
    vary = _shares(study.vary, sorts)
    _check_size(study, sorts, vary)
    found = {sort: [one for item in items for one in item.variants(vary[sort])] for sort, items in sorts.items()}
    found["metrics"] = [_named_by_values(item, "evaluation") for item in found["metrics"]]
    found["postprocess"] = [_named_by_values(item, "postprocess") for item in found["postprocess"]]
    for sort, items in found.items():
        _check_names(f"study.{sort}", [f"{item.name} {dict(item.varied) or ''}" for item in items])
    _check_datasets(found["models"], found["datasets"])
    runs = [
        Run(model, dataset, seed)
        for model in found["models"]
        for dataset in found["datasets"] or [None]  # type: ignore[list-item]
        for seed in study.seeds  # type: ignore[union-attr]
    ]
    runs += [Run(None, None, 0, folder) for folder in _folders(study.folders)]
    return Expanded(tuple(runs), **{sort: tuple(items) for sort, items in found.items()})


def _check_size(
    study: Study, sorts: Mapping[str, Sequence[Item]], vary: Mapping[str, Mapping[str, Sequence[Any]]]
) -> None:
    """Raise before memory is taken for more runs than a study may have."""
    sizes = {sort: sum(item.num_variants(vary[sort]) for item in items) for sort, items in sorts.items()}
    runs = sizes["models"] * max(sizes["datasets"], 1) * len(study.seeds)  # type: ignore[arg-type]
    for what, count in (("runs", runs), *sizes.items()):
        if count > MOST_RUNS:
            raise errors.ConfigError(
                f"The study has {count:,} {what}; {MOST_RUNS:,} are the most that there can be."
            )


def _item(where: str, given: Any) -> Item:
    """What an entry of a list of configs stands for."""
    entry = {"config": given} if isinstance(given, str) else given
    if (
        not isinstance(entry, Mapping)
        or not isinstance(config := entry.get("config"), str)
        or set(entry) - set(KEYS)
        or not isinstance(name := entry.get("name", Path(config).stem), str)
    ):
        raise errors.ConfigError(
            f"An entry of `{where}` is a config, or a dict of {errors.listing(KEYS)}; given: {shown_value(given)}."
        )
    bindings = check_value(f"'bindings' in an entry of `{where}`", _flat(entry.get("bindings", ())), Sequence[str])
    item = Item(name, (config,), tuple(bindings))
    if not re.fullmatch(r"[\w.=+-]+", item.name) or item.name.startswith("."):
        raise errors.ConfigError(
            f"`{where}`: '{shown(item.name)}' cannot be the name of a folder; a name has letters, digits and any "
            "of _ . = + -."
        )
    return item


def _dataset(given: Any) -> Item:
    """What an entry of ``study.datasets`` stands for; its name tells of its options."""
    entry = {"name": given} if isinstance(given, str) else given
    if (
        not isinstance(entry, Mapping)
        or not isinstance(entry.get("name"), str)
        or not all(isinstance(key, str) and key.isidentifier() for key in entry)
    ):
        raise errors.ConfigError(
            "An entry of `study.datasets` is a name, or a dict with 'name' and perhaps 'confounding', 'factors' "
            f"and the data set's options; given: {shown_value(given)}."
        )
    name = entry["name"]
    options = {key: value for key, value in entry.items() if key != "name"}
    owners = {key: "dataset" if key in ("confounding", "factors") else name for key in options}
    lines = [line(f"{owners[key]}.{key}", value) for key, value in options.items()]
    label = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
    return Item(label, (), (line(DATASET_NAME, name), *lines))


def _check_bindings(study: Study, items: list[Item]) -> None:
    """Every binding and every varied parameter must belong to something that a config names."""
    known = set().union(*(item.names for item in items)) | ({"dataset"} if study.folders else set())
    stated = stated_bindings([], list(study.bindings), "`study.bindings`")
    for where, parameters in (("bindings", stated), ("vary", study.vary)):
        for parameter in parameters:
            if _owner(parameter) not in known:
                raise errors.ConfigError(
                    f"`study.{where}` has {shown(parameter)}, and no config of the study names "
                    f"'{shown(_owner(parameter))}'."
                    f"{errors.nearest(_owner(parameter), known)} Give the binding to the one that it is for: "
                    "{'config': ..., 'bindings': [...]}."
                )


def _with(item: Item, bindings: Sequence[str]) -> Item:
    """The item with those of the study's bindings that concern it, before its own."""
    concern = [one for one in bindings if {_owner(p) for p in stated_bindings([], [one])} & item.names]
    return Item(item.name, item.files, (*concern, *item.bindings))


def _shares(
    vary: Mapping[str, Sequence[Any]], sorts: Mapping[str, Sequence[Item]]
) -> dict[str, dict[str, Sequence[Any]]]:
    """What is varied in each list: a parameter in the first one that knows its owner."""
    shares: dict[str, dict[str, Sequence[Any]]] = {sort: {} for sort in sorts}
    for parameter, values in vary.items():
        sort = next(s for s, items in sorts.items() if any(_owner(parameter) in item.names for item in items))
        shares[sort][parameter] = values
    return shares


def _named_by_values(item: Item, owner: str) -> Item:
    """A metric or representation, whose folder's name tells what was varied, as ``uc_rho=5`` does."""
    values = ((parameter.rpartition(".")[2], value) for parameter, value in item.varied.items())
    name = "_".join([item.name, *(re.sub(r"[^\w.=+-]", "", f"{key}={value}") for key, value in values)])
    return Item(name, item.files, (*item.bindings, line(f"{owner}.name", name)), item.varied)


def _check_names(where: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise errors.ConfigError(
                f"`{where}` has '{shown(name.strip())}' twice. Where the config is the same, give each a name: "
                "{'config': ..., 'name': ...}."
            )
        seen.add(name)


def _check_datasets(models: Sequence[Item], datasets: Sequence[Item]) -> None:
    for model in models:
        if not datasets and model.stated.get(DATASET_NAME, repr(OPEN)) == repr(OPEN):
            raise errors.ConfigError(
                f"The model '{model.name}' has no data set. Name some: study.datasets = ['candle_mini'], say."
            )


def _folders(patterns: Sequence[str] | str) -> list[str]:
    """The folders that match, each once."""
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [path for path in find_paths(pattern) if Path(path).is_dir()]
        if not matching:
            raise errors.ConfigError(f"`study.folders`: no folder matches {shown(pattern)}.")
        found.update((str(within(below(pattern), Path(path))), None) for path in matching)
    return list(found)


MODEL, POSTPROCESSED, METRICS, FAILURES, LOGS = "model", "postprocessed", "metrics", "failures", "logs"
RUN_FILE, INDEX = "run.json", ".index.json"
#: First part of a task's place -> the step that it is, as result files name it.
TASK_STEPS = {MODEL: "train", POSTPROCESSED: "postprocess", METRICS: "evaluation"}
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
    return TASK_STEPS[task.partition("/")[0]]


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
        return sorted(filter(is_run_number, _listed(study)), key=int)
    except FileNotFoundError:
        return []


def is_run_number(name: str) -> bool:
    """Whether a folder has the name of a run's: a number as it is written here, so that no two names are one."""
    return len(name) <= MOST_DIGITS and name.isdecimal() and str(int(name)) == name


def look(folder: str, times: dict[str, list[int]] | None = None) -> Found:
    """What a run's folder holds; folders whose change would change the answer are noted with their `times`."""
    times = {} if times is None else times
    names = _names(folder, "", times)
    one = Found(read_what(Path(folder)))
    for unit, alive in _leases(folder, names).items():
        (one.leases if alive else one.left).append(unit)
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


def is_leased(folder: Path) -> bool:
    """Whether a process that may be alive has a lease of a unit of a run's work."""
    return any(_leases(folder, _names(str(folder), "", {})).values())


def _leases(folder: str | Path, names: list[str]) -> dict[str, bool]:
    """Unit of work that there are leases of -> whether an owner of one may be alive."""
    study, found = Path(folder).parent, dict[str, bool]()
    for unit, owner in leases_among(names):
        found[unit] = found.get(unit, False) or not is_gone(study, owner)
    return found


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
        and all(task.partition("/")[0] in TASK_STEPS for task in one["done"])
        and all(stamp is None or isinstance(stamp, str) for stamp in one["done"].values())
    )


def _write_index(file: Path, runs: Mapping[str, Any]) -> None:
    content = {"version": VERSION, "digest": _digest(runs), "runs": runs}
    write_text(file, json.dumps(content, separators=(",", ":")))


def _digest(runs: Mapping[str, Any]) -> str:
    """What tells an index that somebody has edited, or merged, from one that `scan` has written."""
    return hashlib.sha256(json.dumps(runs, separators=(",", ":")).encode()).hexdigest()


#: Says in a run's file how its folder with a representation is reached from the study's.
WAY = "from_study"


def stamped(stamp: str) -> str:
    """The binding that has a task record `stamp`."""
    return f"study_task.config = '{stamp}'"


def keys_of(what: Mapping[str, Any], study: Path) -> list[str]:
    """The keys of the run that a folder of a study says that it stands for.

    A folder with representations is known by where it is and by the way to it from the study, so that it stays
    the same if the study is moved, if both are, or if machines know them by different names.
    """
    if not isinstance(what.get("folder"), str):
        return [json.dumps(what, sort_keys=True)]
    places = [what["folder"], *([os.path.join(study, way)] if isinstance(way := what.get(WAY), str) else [])]
    return [json.dumps({"folder": os.path.abspath(place)}) for place in places]


@dataclass(frozen=True)
class Task:
    """One folder to make.

    Attributes:
        place: below the folder of the run, such as ``metrics/mean/mig``.
        files: configs.
        bindings: what follows them.
        source: the folder that it is made of; empty for a model.
    """

    place: str
    files: tuple[str, ...]
    bindings: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True)
class Work:
    """Tasks of one run that one process does one after the other.

    Attributes:
        number: of the run.
        folder: of the run.
        unit: its name in the run: ``train``, or ``evaluate_mean``.
        label: what the run is, for people.
        tasks: in order.
        time_limit: seconds for each task; None for any number.
    """

    number: int
    folder: str
    unit: str
    label: str
    tasks: tuple[Task, ...]
    time_limit: float | None = None

    @property
    def step(self) -> str:
        """``train`` or ``evaluate``."""
        return self.unit.partition("_")[0]

    @property
    def log(self) -> Path:
        """Where all that is printed goes."""
        return Path(self.folder, LOGS, f"{self.unit}.log")

    @property
    def lease(self) -> Path:
        """The place of the lease of this unit."""
        return lease_of(self.folder, self.unit)


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
