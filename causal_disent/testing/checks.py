"""The checks of an entry, one generator for every way to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from causal_disent import errors
from causal_disent.registry import KINDS, Entry, registry
from causal_disent.testing._declarations import known_failures
from causal_disent.testing._metric_trial import MetricTrial
from causal_disent.testing.check import Check, CheckFailed, Outcome
from causal_disent.testing.dataset_checks import DATASET_CHECKS, DatasetTrial
from causal_disent.testing.metric_checks import METRIC_CHECKS
from causal_disent.testing.model_checks import MODEL_CHECKS, ModelTrial
from causal_disent.testing.representation_checks import REPRESENTATION_CHECKS, RepresentationTrial


@dataclass(frozen=True)
class _Suite:
    """Makes a trial of an entry, and the checks that take it."""

    trial: Callable[..., Any]
    checks: tuple[Callable[[Any], None], ...]


_SUITES = {
    "metrics": _Suite(MetricTrial, METRIC_CHECKS),
    "datasets": _Suite(DatasetTrial, DATASET_CHECKS),
    "representations": _Suite(RepresentationTrial, REPRESENTATION_CHECKS),
    "models": _Suite(ModelTrial, MODEL_CHECKS),
}
#: The kinds that there are checks for.
CHECKED_KINDS = tuple(_SUITES)


def named_checks(kind: str, entry: Entry | str, **options: Any) -> Iterator[Check]:
    """The checks of one entry, none of them run yet; they share what one of them has computed.

    Args:
        kind: one of `CHECKED_KINDS`.
        entry: the entry, or the name of a registered one.
        options: as for `check_metric`, `check_dataset`, `check_representation` or `check_model`.
    """
    if kind not in _SUITES:
        raise errors.unknown("kind with checks", kind, CHECKED_KINDS)
    if isinstance(entry, str):
        entry = registry.get(kind, entry)
    if entry.kind != kind:
        raise errors.InvalidInput(f"'{entry.name}' is a {KINDS[entry.kind].thing}, not a {KINDS[kind].thing}.")
    trial = _SUITES[kind].trial(entry, **options)
    excused = known_failures(entry)
    for check in _SUITES[kind].checks:
        yield Check(check.__name__, partial(check, trial), excused.get(check.__name__, ""))


def check_metric(entry: Entry | str, data: Any = None, **parameters: Any) -> list[Outcome]:
    """Run every check of a metric.

    Args:
        entry: the entry, or the name of a registered one.
        data: finite data to try it on, if it needs more than discrete factors and images.
        parameters: keyword arguments of the metric; numbers of points are small if not given.

    Returns:
        How each check went; `CheckFailed`, with every failure in its message, is raised if one failed.

    Example:
        >>> print(check_metric("irs")[0])
        ok       documented
    """
    return _run("metrics", entry, data=data, **parameters)


def check_dataset(entry: Entry | str, **options: Any) -> list[Outcome]:
    """Run every check of a data set.

    Args:
        entry: the entry, or the name of a registered one.
        options: what its factory takes.

    Returns:
        As for `check_metric`.
    """
    return _run("datasets", entry, **options)


def check_model(entry: Entry | str, data: Any = None, bindings: Sequence[str] = ()) -> list[Outcome]:
    """Run every check of a model that can be trained.

    Args:
        entry: the entry, or the name of a registered one. The shipped config that it states with
            ``config="models/mine.gin"`` is used, or else ``models/shared.gin``.
        data: what to train it on; a small data set with 16x16x3 images by default.
        bindings: lines for the config, such as ``"my_vae.weight = 3"``.

    Returns:
        As for `check_metric`.
    """
    return _run("models", entry, data=data, bindings=bindings)


def check_representation(entry: Entry | str, data: Any = None, **options: Any) -> list[Outcome]:
    """Run every check of a representation.

    Args:
        entry: the entry, or the name of a registered one.
        data: the data set to make it for; a small one with 64x64x3 images by default.
        options: what its factory takes besides.

    Returns:
        As for `check_metric`.
    """
    return _run("representations", entry, data=data, **options)


def _run(kind: str, entry: Entry | str, **options: Any) -> list[Outcome]:
    outcomes = [check.outcome() for check in named_checks(kind, entry, **options)]
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        name = entry if isinstance(entry, str) else entry.name
        lines = "\n".join(f"  {outcome.check}: {outcome.reason}" for outcome in failed)
        raise CheckFailed(
            f"The {KINDS[kind].thing} '{name}' fails {len(failed)} of {len(outcomes)} checks:\n{lines}"
        )
    return outcomes
