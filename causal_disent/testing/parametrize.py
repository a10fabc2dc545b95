"""The checks as tests of pytest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from causal_disent.registry import Entry
from causal_disent.testing.check import Check, NotApplicable
from causal_disent.testing.checks import named_checks


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
        parameters += [pytest.param(partial(_run, check), id=f"{name}-{check.name}") for check in checks]
    return pytest.mark.parametrize("check", parameters)


def _run(check: Check) -> None:
    import pytest

    try:
        check()
    except NotApplicable as reason:
        pytest.skip(str(reason))
