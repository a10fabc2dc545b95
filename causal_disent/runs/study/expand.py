"""From a study to its runs: which configs and bindings each is made with. Nothing is imported or called."""

from __future__ import annotations

import glob
import hashlib
import itertools
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.config import DATASET_NAME, OPEN, stated_bindings
from causal_disent.files import below, within
from causal_disent.runs.study.settings import MOST_RUNS, Study
from causal_disent.text import shown, shown_value
from causal_disent.typed import check_value

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
    bindings = check_value(f"'bindings' in an entry of `{where}`", entry.get("bindings", ()), "Sequence[str]")
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
        matching = sorted(path for path in glob.glob(pattern, recursive=True) if Path(path).is_dir())
        if not matching:
            raise errors.ConfigError(f"`study.folders`: no folder matches {shown(pattern)}.")
        found.update((str(within(below(pattern), Path(path))), None) for path in matching)
    return list(found)
