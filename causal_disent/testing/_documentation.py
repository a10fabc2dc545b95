"""What is written about a metric: its own docstring, that of its array function, those of functions it names."""

from __future__ import annotations

import doctest
import inspect
import io
import re
from collections.abc import Callable
from typing import Any


def written_about(metric: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The metric, and of a declared one its array function; and what its docstring names in backticks."""
    declaration = getattr(metric, "declaration", None)
    if declaration is not None:
        return [metric, declaration.function]
    module_names = getattr(inspect.unwrap(metric), "__globals__", {})
    named = [module_names.get(name) for name in re.findall(r"`(\w+)`", inspect.getdoc(metric) or "")]
    return [metric, *(function for function in named if inspect.isfunction(function))]


def has_formula(metric: Callable[..., Any]) -> bool:
    """Whether a formula is given, as ``.. math::``, ``:math:`` or after the word ``Formula``."""
    texts = [inspect.getdoc(function) or "" for function in written_about(metric)]
    return any(re.search(r"\.\. math::|:math:|\bFormula\b", text) for text in texts)


def has_example(metric: Callable[..., Any]) -> bool:
    """Whether there is an example that can be run."""
    return any(">>>" in (inspect.getdoc(function) or "") for function in written_about(metric))


def failing_example(metric: Callable[..., Any]) -> str:
    """What goes wrong when the examples are run; empty if all is well."""
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report = io.StringIO()
    for function in written_about(metric):
        names = dict(getattr(inspect.unwrap(function), "__globals__", {}))
        for test in doctest.DocTestFinder(recurse=False).find(function, function.__name__, globs=names):
            runner.run(test, out=report.write)
    return report.getvalue().strip()
