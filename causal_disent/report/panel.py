"""The default panel: one metric per question, and what its score answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from causal_disent import errors

#: What `metrics=` may say in place of names.
ALL, CLASSIC, DEFAULT = "all", "dlib", "panel"
#: The metrics of disentanglement_lib that two matrices suffice for.
CLASSIC_METRICS = (
    "beta_vae_sklearn", "factor_vae_score", "mig", "dci", "modularity_explicitness", "sap_score", "irs",
    "unsupervised_metrics", "downstream_task", "reduced_downstream_task", "unified_scores",
)  # fmt: skip
#: From these parts of the way from the chance level to the best score on, the answer is yes, and partly.
YES, PARTLY = 0.9, 0.5


@dataclass(frozen=True)
class Question:
    """What one asks of codes.

    Attributes:
        words: the question.
        metrics: those that answer it; the first that takes the factors is measured.
        partly: what a middling score says.
        no: what a low score says.
    """

    words: str
    metrics: tuple[str, ...]
    partly: str
    no: str


PANEL = (
    Question(
        "Can the factors be read off the codes?",
        ("r2", "downstream_task"),
        "the codes lack a part of the information, or hide it",
        "the codes tell little of the factors, or hide it",
    ),
    Question(
        "Has each factor one code?",
        ("mig",),
        "other codes know of some factors as well",
        "each factor is spread over several codes, or in none",
    ),
    Question(
        "Has each code one factor?",
        ("mig_sup",),
        "some codes mix factors",
        "the codes mix factors, or know of none",
    ),
    Question(
        "Does each factor match one code?",
        ("mcc", "dcimig"),
        "some factors match no code of their own",
        "the factors match no codes of their own",
    ),
    Question(
        "Do factors have separate codes?",
        ("uc",),
        "some factors have the same best code",
        "factors have the same best code, as under confounding",
    ),
    Question(
        "Do codes stay put when other factors change?",
        ("irs",),
        "some codes move when other factors change",
        "the codes move when other factors change",
    ),
)


def question_of(metric: str) -> Question | None:
    """The question of the panel that a metric answers."""
    return next((question for question in PANEL if metric in question.metrics), None)


def place_of(metric: str) -> int:
    """Where a metric of the panel stands in its order."""
    return next((i for i, question in enumerate(PANEL) if metric in question.metrics), len(PANEL))


def answer_of(row: Any, factors: Sequence[str], best: float) -> str:
    """What a score of the panel answers, in words.

    Args:
        row: a `causal_disent.runs.score.MetricScore` of a metric of the panel.
        factors: their names, to name the weakest.
        best: the best score of the metric.
    """
    question = question_of(row.entry.name)
    if question is None or row.result is None:
        return ""
    # Codes that say nothing may score far below 0, of few points; only what is above 0 is good.
    chance = 0.0 if isnan(row.sure.chance) else max(row.sure.chance, 0.0)
    if row.sure.within_chance:
        reached = round(row.sure.share * row.sure.permutations)
        if row.score >= best - 1e-9:
            too = f"which {reached} of {row.sure.permutations} permutations reach too"
            return f"cannot tell: the best score, {too if reached else 'but not far enough above chance'}"
        return "no better than chance"
    place = (row.score - chance) / (best - chance) if best > chance else float(row.score >= best)
    if place >= YES:
        return "yes"
    weakest = _name_weakest(row.result, factors)
    return (f"partly: {question.partly}" if place >= PARTLY else f"no: {question.no}") + weakest


def _name_weakest(result: Any, factors: Sequence[str]) -> str:
    """The factors that the score is low for, where they differ clearly."""
    sets = getattr(result, "sets", None)
    if sets is not None:
        shared = [
            f"{factors[i]} and {factors[j]}"
            for i in range(len(sets))
            for j in range(i)
            if set(sets[i]) & set(sets[j])
        ]
        return f" ({errors.listing(shared, most=3)})" if shared else ""
    values = getattr(result, "per_factor", None)
    if values is None or len(values) != len(factors) or len(factors) < 2 or np.isnan(values).all():
        return ""
    worst = int(np.nanargmin(values))
    return f" (least: {factors[worst]}, {values[worst]:.2f})"
