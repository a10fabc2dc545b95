"""``study.*``: what a study compares."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from causal_disent import errors
from causal_disent.arguments import check_at_least, is_number, is_whole
from causal_disent.parts import part
from causal_disent.text import shown, shown_value

#: What a task may be, as time limits and resources name it.
STEPS = ("train", "evaluate")
#: Seeds that numpy takes.
MOST_SEED = 2**32 - 1
#: Runs of a study: its plan is in memory.
MOST_RUNS = 1_000_000
#: Seconds that a task can be given: a year.
LONGEST = 365 * 86_400


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
        if is_whole(self.seeds):
            check_at_least(1, **{"study.seeds": self.seeds})
            if self.seeds > MOST_RUNS:  # type: ignore[operator]
                raise errors.ConfigError(
                    f"`study.seeds` are at most {MOST_RUNS:,}; given: {shown_value(self.seeds)}."
                )
            object.__setattr__(self, "seeds", tuple(range(self.seeds)))  # type: ignore[arg-type]
        if isinstance(self.folders, str):
            object.__setattr__(self, "folders", (self.folders,))
        for name in ("models", "datasets", "seeds", "metrics", "postprocess", "bindings", "folders"):
            _check_list(f"study.{name}", getattr(self, name), texts=name in ("bindings", "folders"))
        for seed in self._seeds():
            if not is_whole(seed) or not 0 <= seed <= MOST_SEED:
                raise errors.ConfigError(
                    f"`study.seeds` are whole numbers from 0 to 2**32 - 1; given: {shown_value(seed)}."
                )
        if len(set(self._seeds())) < len(self._seeds()):
            raise errors.ConfigError(f"`study.seeds` has a seed twice; given: {shown_value(self._seeds())}.")
        if not isinstance(self.vary, Mapping) or not all(isinstance(parameter, str) for parameter in self.vary):
            raise errors.ConfigError(
                "`study.vary` is a dict of parameters and their values, such as {'vae.beta': [1, 4]}; given: "
                f"{shown_value(self.vary)}."
            )
        for parameter, values in self.vary.items():
            _check_list(f"study.vary['{shown(parameter)}']", values)
            if not values:
                raise errors.ConfigError(f"`study.vary['{shown(parameter)}']` has no values.")
        if not isinstance(self.engine, str):
            raise errors.ConfigError(f"`study.engine` is a name; given: {shown_value(self.engine)}.")
        if not isinstance(self.options, Mapping) or not all(isinstance(name, str) for name in self.options):
            raise errors.ConfigError(
                f"`study.options` is a dict of the engine's options; given: {shown_value(self.options)}."
            )
        page = "" if self.report is None else self.report
        if not isinstance(page, str) or not re.fullmatch(r"([\w=+-][\w.=+ -]*\.html)?", page):
            raise errors.ConfigError(
                f"`study.report` is the name of a file, such as 'report.html'; given: {shown_value(self.report)}."
            )
        check_at_least(0, **{"study.retries": self.retries})
        for step in STEPS:
            limit = self.limit_of(step)
            if limit is not None and not (is_number(limit) and 0 < limit <= LONGEST):
                raise errors.ConfigError(
                    f"`study.time_limit` is a number of seconds, at most {LONGEST:,}, or a dict of them for "
                    f"{errors.listing(STEPS)}; given: {shown_value(self.time_limit)}."
                )
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


def _check_list(name: str, value: Any, *, texts: bool = False) -> None:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise errors.ConfigError(f"`{name}` is a list; given: {shown_value(value)}.")
    if texts and not all(isinstance(one, str) and "\0" not in one for one in value):
        raise errors.ConfigError(f"`{name}` is a list of texts; given: {shown_value(value)}.")


def _each(function: Callable[[Any], Any], given: Sequence[Any]) -> Sequence[Any]:
    found = map(function, given)
    return tuple(found) if isinstance(given, tuple) else list(found)


def _located(given: Any) -> Any:
    """An entry of a list of configs, its path absolute."""
    if isinstance(given, Mapping):
        return {**given, **({"config": _located(given["config"])} if "config" in given else {})}
    return os.path.abspath(given) if isinstance(given, str) and os.path.isfile(given) else given


@part("study")
def study(
    models: Sequence[Any] = (),
    datasets: Sequence[Any] = (),
    seeds: Sequence[int] | int = (0,),
    vary: Mapping[str, Sequence[Any]] | None = None,
    metrics: Sequence[Any] = (),
    postprocess: Sequence[Any] = ("postprocess/mean.gin",),
    bindings: Sequence[str] = (),
    folders: Sequence[str] | str = (),
    retries: int = 0,
    time_limit: float | Mapping[str, float] | None = None,
    engine: str = "local",
    options: Mapping[str, Any] | None = None,
    report: str | None = None,
) -> dict[str, Any]:
    """What the config binds, for a `Study`."""
    return {**locals(), "vary": vary or {}, "options": options or {}}
