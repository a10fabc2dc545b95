"""Which model is best by which metric, and whether the difference is real."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from causal_disent.registry import registry
from causal_disent.report.certainty_words import verdict
from causal_disent.report.page import charts
from causal_disent.report.page.parts import Cell, Chart, Section, Table
from causal_disent.runs.report.comparison import LEVEL, pairs_needed
from causal_disent.runs.report.scores import Mean, Scores, ends

#: Charts of one kind in a section; tables have the rest.
MOST_CHARTS = 16
#: Head of the column that says whether a score is within chance.
BESIDE = "beside chance"
#: Means that differ by less are equal.
SAME = 1e-9


def best_section(scores: Scores) -> Section:
    """Which model is best by which metric, with intervals over seeds, and over points where there are such."""
    winners: list[list[Cell]] = []
    chance = scores.tell_chance
    for what in scores.whats:
        for data, means in scores.best_first(what).items():
            first = means[0]
            best = [mean.who for mean in means if abs(mean.value - first.value) < SAME]
            beside: list[Cell] = [ends(first.over_seeds), *([_by_chance(first)] if chance else [])]
            second = [means[len(best)].who, means[len(best)].value] if len(means) > len(best) else ["", ""]
            winners.append([what, data, "; ".join(best), first.value, *beside, *second])
    header = ["score", "data set", "best", "mean", "95 % over seeds", *[BESIDE] * chance, "second", "its mean"]
    words = [
        *_summary(scores),
        "Each dot of a chart is a run, the diamond the mean, the line its 95 % interval over seeds (Student's t, "
        "within the range that the metric states for its main score; none for one seed). It says how far another "
        "set of seeds would move the mean, not how good a single run is. Of two or three seeds it is rough.",
        *["Codes that say nothing of the factors have scores, too: what is within chance is best of nothing."]
        * chance,
    ]
    tables = [Table("The best of each data set", header, winners), _all_means(scores)]
    return Section("best", "Which model is best?", words, tables, list(_score_charts(scores)))


def _summary(scores: Scores) -> list[str]:
    """Who is ahead by which metrics, and by which of them for sure."""
    compared = [what for what in scores.whats if what in scores.rankings and scores.rankings[what].comparisons]
    won: dict[tuple[str, ...], list[str]] = {}
    for what in compared:
        means = scores.rankings[what].standings
        best = means[scores.rankings[what].best]
        won.setdefault(tuple(who for who, mean in means.items() if abs(mean - best) < SAME), []).append(what)
    words = [
        f"{' and '.join(who)} {'is' if len(who) == 1 else 'are'} ahead by {', '.join(whats)}."
        for who, whats in won.items()
    ]
    decided = [what for what in compared if scores.rankings[what].decisive]
    if decided:
        words.append(f"The ranking is decisive by {', '.join(decided)}{'' if decided == compared else ' alone'}.")
    elif compared:
        words.append("The ranking is not decisive by any of them; the next section says why.")
    return words


def _all_means(scores: Scores) -> Table:
    header = ["score", "data set", "model", "mean", "95 % over seeds", "seeds"]
    points = any(mean.over_points for mean in scores.means)
    chance = scores.tell_chance
    rows: list[list[Cell]] = []
    for mean in scores.means:
        beside: list[Cell] = [ends(mean.over_points)] if points else []
        beside += [mean.chance, _by_chance(mean)] if chance else []
        rows.append([mean.what, mean.data, mean.who, mean.value, ends(mean.over_seeds), mean.seeds, *beside])
    return Table("All means", header + ["over points"] * points + ["chance", BESIDE] * chance, rows)


def _by_chance(mean: Mean) -> str:
    """Whether codes that say nothing might well score as much; empty if no run tells."""
    if np.isnan(mean.within_chance):
        return ""
    some = 0 < mean.within_chance < 1
    return verdict(mean.within_chance > 0) + (f" ({100 * mean.within_chance:.0f} % of the runs)" if some else "")


def _score_charts(scores: Scores) -> Iterator[Chart]:
    for what in scores.whats[:MOST_CHARTS]:
        runs = scores.table[scores.table["what"] == what].dropna(subset=["value"])
        means_of = [mean for mean in scores.means if mean.what == what and mean.seeds]
        means = [
            {"who": mean.who, "data": mean.data, "mean": mean.value, "seeds": mean.seeds, **_as_fields(mean)}
            for mean in means_of
        ]
        if means:
            dots = [
                {"who": who, "data": data, "seed": seed, "value": value}
                for who, data, seed, value in runs[["who", "data", "seed", "value"]].to_numpy().tolist()
            ]
            title = f"{what} ({'lower' if scores.lower(what) else 'higher'} is better)"
            yield replace(charts.score_chart(title, dots, means), note=_question(means_of[0].row))


def _question(row: Mapping[Any, Any]) -> str:
    """What a score asks: as the metric of its name says, or the one that reports it; empty if none is known."""
    known = [name for name in (str(row["score"]).lower(), row["metric"]) if name in registry.names("metrics")]
    if not known:
        return ""
    summary = registry.get("metrics", known[0]).summary
    beside = known[0] == row["metric"] != str(row["score"]).lower() and not row["first"]
    return f"beside the main score of {row['metric']}, which asks: {summary}" if beside else summary


def _as_fields(mean: Mean) -> dict[str, float]:
    return dict(zip(("low", "high"), mean.over_seeds, strict=True)) if mean.over_seeds else {}


def real_section(scores: Scores) -> Section:
    """Whether the best model is really better than the others."""
    rows: list[list[Cell]] = []
    verdicts: list[list[Cell]] = []
    for what, found in scores.rankings.items():
        verdicts.append([what, found.best, found.sentence()])
        rows += [
            [what, found.best, one.other, one.difference, ends(one.interval), one.pairs,
             one.p, one.corrected, "yes" if one.real else "no"]
            for one in found.comparisons
        ]  # fmt: skip
    compared = [found for found in scores.rankings.values() if found.comparisons]
    undecided = [what for what, found in scores.rankings.items() if found.comparisons and not found.decisive]
    words = []
    if not compared:
        words.append("There is one model, so that there is nothing to compare.")
    elif len(undecided) == len(compared):
        words.append("The ranking is not decisive by any score.")
    elif undecided:
        words.append(f"The ranking is not decisive by {len(undecided)} of {len(compared)} scores.")
    else:
        words.append("The ranking is decisive by every score.")
    if undecided:
        most = max(len(found.standings) for found in compared)
        words.append(
            f"With {most} models, it takes at least {pairs_needed(most)} pairs of runs (seeds times data sets) "
            "for any difference to count as real."
        )
    words.append(
        "Runs with the same seed on the same data are paired. If neither model were better, each difference could "
        "as well have the other sign: p is the share of all signs that give as large a mean difference. It is "
        f"corrected by Holm's method for all pairs of models of a score; below {LEVEL:g} a difference counts as "
        "real, for further seeds on these data sets. Of data sets that are not here it says nothing."
    )
    header = ["score", "best", "other", "better by", "95 % of it", "pairs", "p", "corrected", "real"]
    tables = [Table("In words", ["score", "best", "what follows"], verdicts)]
    tables += [Table("The best beside each other model", header, rows)] if rows else []
    return Section("real", "Is the difference real?", words, tables)
