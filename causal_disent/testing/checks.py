"""The checks of an entry: one generator by kind, for functions, pytest and the command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.registry import KINDS, Entry, registry
from causal_disent.testing.dataset_checks import DATASET_CHECKS, DatasetTrial
from causal_disent.testing.metric_checks import METRIC_CHECKS, MetricTrial
from causal_disent.testing.model_checks import MODEL_CHECKS, ModelTrial
from causal_disent.testing.representation_checks import REPRESENTATION_CHECKS, RepresentationTrial
from causal_disent.testing.stage import Check, CheckFailed, NotApplicable, Outcome, known_failures

#: Kind -> what makes a trial of an entry, and the checks that take it.
_SUITES: dict[str, tuple[Callable[..., Any], tuple[Callable[[Any], None], ...]]] = {
    "metrics": (MetricTrial, METRIC_CHECKS),
    "datasets": (DatasetTrial, DATASET_CHECKS),
    "representations": (RepresentationTrial, REPRESENTATION_CHECKS),
    "models": (ModelTrial, MODEL_CHECKS),
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
    make_trial, checks = _SUITES[kind]
    trial, excused = make_trial(entry, **options), known_failures(entry)
    for check in checks:
        yield Check(check.__name__, partial(check, trial), excused.get(check.__name__, ""))


@checked
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


@checked
def check_dataset(entry: Entry | str, **options: Any) -> list[Outcome]:
    """Run every check of a data set.

    Args:
        entry: the entry, or the name of a registered one.
        options: what its factory takes.

    Returns:
        As for `check_metric`.
    """
    return _run("datasets", entry, **options)


@checked
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


@checked
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


@checked
def parametrize_checks(
    kind: str, entries: Iterable[Entry | str], options: Mapping[str, Mapping[str, Any]] | None = None
) -> Any:
    """Decorator: one test for each check of each entry, named ``entry-check``.

    ::

        @parametrize_checks("metrics", ["my_metric"])
        def test_my_metric(check):
            check()

    Args:
        kind: ``"metrics"``, ``"datasets"``, ``"representations"`` or ``"models"``.
        entries: entries, or names of registered ones.
        options: name of an entry -> keyword arguments as for `check_metric` and its like.

    Returns:
        A decorator for a test that takes `check` and calls it. Checks that do not apply are skipped.
    """
    import pytest

    parameters = []
    for entry in entries:
        name = entry if isinstance(entry, str) else entry.name
        checks = named_checks(kind, entry, **(options or {}).get(name, {}))
        parameters += [pytest.param(partial(_test, check), id=f"{name}-{check.name}") for check in checks]
    return pytest.mark.parametrize("check", parameters)


def _test(check: Check) -> None:
    import pytest

    try:
        check()
    except NotApplicable as reason:
        pytest.skip(str(reason))
