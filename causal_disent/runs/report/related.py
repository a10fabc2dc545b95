"""How metrics agree with each other, and what the varied values do to them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from causal_disent.arguments import is_finite_number
from causal_disent.report.page import charts
from causal_disent.report.page.parts import Cell, Chart, Section, Table
from causal_disent.runs.report.ranked import MOST_CHARTS
from causal_disent.runs.report.scores import WORD, Scores, ends, interval_of
from causal_disent.runs.study.table import setting_text
from causal_disent.text import shown

#: Runs that both scores need for a rank correlation.
FEWEST_RUNS = 4
#: What is varied beside parameters.
CONFOUNDING = "confounding"


def agreement_section(scores: Scores) -> Section | None:
    """How metrics agree: rank correlations over the runs of each data set, averaged over data sets."""
    table = scores.table.copy()
    table["oriented"] = np.where(table["better"] == "lower", -table["value"], table["value"])
    wide = table.pivot_table("oriented", ["data", "run", "who", "seed"], "what", sort=False)
    names = [what for what in scores.whats if what in wide]
    found: dict[tuple[str, str], tuple[float, int]] = {}
    for one, other in combinations(names, 2):
        pairs = [own[[one, other]].dropna() for _, own in wide.groupby("data")]
        pairs = [own for own in pairs if len(own) >= FEWEST_RUNS and (own.nunique() > 1).all()]
        if pairs:
            rhos = [float(own[one].corr(own[other], method="spearman")) for own in pairs]
            found[one, other] = float(np.mean(rhos)), sum(map(len, pairs))
    if not found:
        return None
    rows: list[list[Cell]] = [[one, other, rho, runs] for (one, other), (rho, runs) in found.items()]
    both = {**found, **{(other, one): value for (one, other), value in found.items()}}
    tiles = [{"one": one, "other": other, "rho": rho, "runs": runs} for (one, other), (rho, runs) in both.items()]
    lowest, highest = min(found, key=lambda pair: found[pair][0]), max(found, key=lambda pair: found[pair][0])
    values = table.pivot_table("value", ["data", "run", "who", "seed"], "what", sort=False).reset_index()
    dots = [
        {
            "who": row["who"],
            "data": row["data"],
            "seed": row["seed"],
            **{f"s{i}": row[name] for i, name in enumerate(names)},
        }
        for row in values.to_dict("records")
    ]
    words = [
        f"Most alike are {' and '.join(highest)} ({found[highest][0]:.2f}), least {' and '.join(lowest)} "
        f"({found[lowest][0]:.2f}).",
        "Spearman's rank correlation over the runs of a data set, averaged over data sets; scores of which lower "
        "is better are turned around. 1: they rank the runs alike; 0: they have nothing to do with each other. Of "
        "few runs, large correlations come by chance.",
    ]
    return Section(
        "agreement", "Do the metrics agree?", words,
        [Table("Rank correlations", ["score", "other", "rho", "runs"], rows)],
        [charts.agreement_chart(tiles, names), charts.scatter_chart(dots, names)],
    )  # fmt: skip


def effects_section(scores: Scores) -> Section | None:
    """What each varied value does to each score."""
    table = scores.table
    parameters = [*table.attrs["varied"], *table.attrs["settings"]]
    if (table.groupby("dataset")[CONFOUNDING].nunique() > 1).any():
        parameters.append(CONFOUNDING)
    rows: list[list[Cell]] = []
    drawn: list[Chart] = []
    for parameter in parameters:
        own = table[table[parameter].notna()]
        # A setting of the metric is part of the name of its score, which is one score here.
        name = "score" if parameter in table.attrs["settings"] else "what"
        for what, block in own.groupby(name, sort=False):
            settings = block[parameter].map(setting_text)
            if settings.nunique() < 2:
                continue
            effect = []
            for (model, setting), values in block.groupby(["model", settings], sort=False):
                numbers, given = values["value"].dropna(), values[parameter].iloc[0]
                found = interval_of(numbers, values.iloc[0])
                mean, name_of = float(numbers.mean()), shown(setting, WORD)
                rows.append([parameter, name_of, str(model), str(what), mean, ends(found), len(numbers)])
                effect.append({"setting": given if is_finite_number(given) else name_of, "who": str(model),
                               "mean": mean, "runs": len(numbers),
                               **(dict(zip(("low", "high"), found, strict=True)) if found else {})})  # fmt: skip
            ordered = all(is_finite_number(one["setting"]) for one in effect)
            if len(drawn) < MOST_CHARTS:
                drawn.append(charts.effect_chart(f"{what} by {parameter}", effect, ordered=ordered))
    if not rows:
        return None
    header = ["parameter", "value", "model", "score", "mean", "95 % interval", "runs"]
    words = ["Means over all runs of a model with that value, whatever else differs between them."]
    return Section("effects", "What do the varied values do?", words, [Table("Effects", header, rows)], drawn)
