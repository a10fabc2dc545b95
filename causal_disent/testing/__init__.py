"""Checks that every metric, data set and model must pass, for the authors of plugins.

One list of named checks per kind feeds the functions here, `parametrize_checks` for pytest, and the command
``causal-disent check NAME``.
"""

from causal_disent.testing.checks import (
    CHECKED_KINDS,
    check_dataset,
    check_metric,
    check_model,
    check_representation,
    named_checks,
    parametrize_checks,
)
from causal_disent.testing.stage import Check, CheckFailed, NotApplicable, Outcome

__all__ = [
    "CHECKED_KINDS",
    "Check",
    "CheckFailed",
    "NotApplicable",
    "Outcome",
    "check_dataset",
    "check_metric",
    "check_model",
    "check_representation",
    "named_checks",
    "parametrize_checks",
]
