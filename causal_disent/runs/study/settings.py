"""``study.*``: what a study compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.arguments import check_at_least, is_number, is_whole
from causal_disent.parts import part

#: What a task may be, as time limits and resources name it.
STEPS = ("train", "evaluate")
#: Seeds that numpy takes.
MOST_SEED = 2**32 - 1


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
        engine: what runs the tasks; its options are bound under its own name (``local.workers = 4``).
        report: the name of a page in the study's folder that ``causal-disent study`` ends with; empty for none.
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
    report: str = ""

    def __post_init__(self) -> None:
        if is_whole(self.seeds):
            check_at_least(1, **{"study.seeds": self.seeds})
            object.__setattr__(self, "seeds", tuple(range(self.seeds)))  # type: ignore[arg-type]
        if isinstance(self.folders, str):
            object.__setattr__(self, "folders", (self.folders,))
        for name in ("models", "datasets", "seeds", "metrics", "postprocess", "bindings", "folders"):
            _check_list(f"study.{name}", getattr(self, name))
        for seed in self._seeds():
            if not is_whole(seed) or not 0 <= seed <= MOST_SEED:
                raise errors.ConfigError(f"`study.seeds` are whole numbers from 0 to 2**32 - 1; given: {seed!r}.")
        if len(set(self._seeds())) < len(self._seeds()):
            raise errors.ConfigError(f"`study.seeds` has a seed twice; given: {list(self._seeds())}.")
        if not isinstance(self.vary, Mapping):
            raise errors.ConfigError(
                "`study.vary` is a dict of parameters and their values, such as {'vae.beta': [1, 4]}; given: "
                f"{self.vary!r}."
            )
        for parameter, values in self.vary.items():
            _check_list(f"study.vary['{parameter}']", values)
            if not values:
                raise errors.ConfigError(f"`study.vary['{parameter}']` has no values.")
        if not isinstance(self.report, str) or Path(self.report).name != self.report:
            raise errors.ConfigError(
                f"`study.report` is the name of a file, such as 'report.html'; given: {self.report!r}."
            )
        check_at_least(0, **{"study.retries": self.retries})
        for step in STEPS:
            limit = self.limit_of(step)
            if limit is not None and not (is_number(limit) and limit > 0):
                raise errors.ConfigError(
                    f"`study.time_limit` is a number of seconds, or a dict of them for {errors.listing(STEPS)}; "
                    f"given: {self.time_limit!r}."
                )
        if not self.metrics and not self.models:
            raise errors.ConfigError("A study needs `study.models`, or `study.folders` and `study.metrics`.")

    def _seeds(self) -> Sequence[int]:
        return self.seeds  # type: ignore[return-value]

    def limit_of(self, step: str) -> float | None:
        """The seconds that a task of that step may take."""
        return self.time_limit.get(step) if isinstance(self.time_limit, Mapping) else self.time_limit

    def as_config(self) -> str:
        """The same as lines of a config."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return "".join(f"study.{name} = {value!r}\n" for name, value in values.items())


def _check_list(name: str, value: Any) -> None:
    if isinstance(value, (str, Mapping)) or not isinstance(value, Sequence):
        raise errors.ConfigError(f"`{name}` is a list; given: {value!r}.")


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
    report: str = "",
) -> dict[str, Any]:
    """What the config binds, for a `Study`."""
    return {**locals(), "vary": vary or {}}
