"""Whether one model is better than another: comparisons of pairs of runs, corrected for their number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.checks import is_finite_number
from causal_disent.protocols import FloatArray
from causal_disent.registry import registry
from causal_disent.report import charts
from causal_disent.report.page import Cell, Chart, Section, Table
from causal_disent.report.remarks import verdict
from causal_disent.runs.study_table import setting_text
from causal_disent.text import number_of, shown

if TYPE_CHECKING:
    import pandas as pd


#: A difference counts as real below this corrected p-value, and intervals leave out as much.
LEVEL = 0.05
#: Of fewer values, the values themselves are shown in place of an interval of their mean.
FEWEST_VALUES = 4
#: Pairs up to which every combination of signs is tried; beyond, so many are drawn.
MOST_EXACT, DRAWS = 14, 20_000
#: Sums that differ by less than this part of the largest are ties.
TIE = 1e-9


def flips(num_pairs: int, random_state: np.random.RandomState) -> FloatArray:
    """(combinations, pairs) of 1 and -1 for `sign_flip_test`.

    Args:
        num_pairs: how many differences there are.
        random_state: draws 20,000 combinations of signs where there are more than 14 pairs; up to 14, all are
            tried and nothing is drawn.
    """
    if num_pairs > MOST_EXACT:
        return 1.0 - 2 * random_state.randint(2, size=(DRAWS, num_pairs))
    # One half of the combinations: the other has the same sums with the other sign.
    return 1.0 - 2 * (np.arange(max(2**num_pairs // 2, 1))[:, None] >> np.arange(num_pairs) & 1)


def sign_flip_test(differences: FloatArray, signs: FloatArray) -> float:
    r"""Two-sided p-value of the mean difference of pairs, by flipping signs.

    If neither of a pair were better, each difference could as well have had the other sign:

    .. math:: p = P_s\left(\left|\sum_i s_i d_i\right| \ge \left|\sum_i d_i\right|\right),
              \quad s_i \in \{-1, 1\} \text{ at random}

    Args:
        differences: (pairs,) one value less the other of each.
        signs: (combinations, pairs), the `flips` of as many pairs.

    Returns:
        From 2 / 2**pairs to 1; lower speaks against "there is no difference".

    Example:
        >>> sign_flip_test(np.array([0.1, 0.2, 0.3, 0.1]), flips(4, np.random.RandomState(0)))
        0.125
    """
    observed = abs(differences.sum())
    as_large = int((np.abs(signs @ differences) >= observed - TIE * np.abs(differences).sum()).sum())
    drawn = int(len(differences) > MOST_EXACT)  # the observed signs count among those that were drawn
    return (as_large + drawn) / (len(signs) + drawn)


def holm(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """Holm's correction: with it, the chance of any false discovery in the whole family stays below the level.

    Args:
        p_values: (comparisons,) of all comparisons that were made.

    Returns:
        (comparisons,) corrected, in [0, 1], in the given order.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]
    """
    found = np.asarray(p_values, np.float64)
    order = found.argsort(kind="stable")
    steps = np.maximum.accumulate(found[order] * np.arange(len(found), 0, -1))
    corrected = np.empty_like(found)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def interval(values: Sequence[float] | FloatArray) -> tuple[float, float] | None:
    """95 % interval of the mean by Student's t; None for fewer than four values, of which it would be a guess.

    Example:
        >>> [round(end, 3) for end in interval([0.1, 0.2, 0.3, 0.2])]
        [0.07, 0.33]
    """
    from scipy.stats import t

    found = np.asarray(values, np.float64)
    if len(found) < FEWEST_VALUES:
        return None
    half = float(t.ppf(1 - LEVEL / 2, len(found) - 1) * found.std(ddof=1) / np.sqrt(len(found)))
    return float(found.mean()) - half, float(found.mean()) + half


def pairs_needed(num_models: int) -> int:
    """How many pairs of runs it takes for any difference among so many models to count as real.

    Example:
        >>> pairs_needed(2), pairs_needed(9)
        (6, 11)
    """
    return int(np.ceil(1 + log2(max(comb(num_models, 2), 1) / LEVEL)))


@dataclass(frozen=True)
class Comparison:
    """The best model beside another one.

    Attributes:
        other: the other's name.
        difference: by how much the best is better, on average over pairs.
        least, most: of the pairs; NaN if there is none.
        pairs: runs of both with the same seed on the same data.
        p: of the `sign_flip_test`.
        corrected: the same, corrected for all pairs of models.
    """

    other: str
    difference: float
    least: float
    most: float
    pairs: int
    p: float
    corrected: float

    @property
    def real(self) -> bool:
        """Whether the difference counts as real."""
        return self.corrected < LEVEL


@dataclass(frozen=True)
class Ranking:
    """Models by one score, over all data sets and seeds.

    Attributes:
        standings: model -> the mean of its score, the best first.
        comparisons: the best one with each of the others, in their order.
    """

    standings: dict[str, float]
    comparisons: tuple[Comparison, ...]

    @property
    def best(self) -> str:
        """The model with the best mean."""
        return next(iter(self.standings))

    @property
    def decisive(self) -> bool:
        """Whether the best is really better than each of the others."""
        return bool(self.comparisons) and all(one.real for one in self.comparisons)

    def sentence(self) -> str:
        """What follows, in words."""
        if not self.comparisons:
            return "There is nothing to compare it with."
        if self.decisive:
            return f"The ranking is decisive: {self.best} is better than every other model."
        beaten = [one.other for one in self.comparisons if one.real]
        better = f" {self.best} is better than {', '.join(beaten)}; for the rest it is open." if beaten else ""
        fewest, needed = min(one.pairs for one in self.comparisons), pairs_needed(len(self.standings))
        few = (
            f" {number_of(fewest, 'pair')} of runs cannot decide it, whatever they show: {needed} are the fewest "
            "that can."
            if fewest < needed
            else ""
        )
        return f"The ranking is not decisive.{better}{few}"


def ranking(scores: pd.DataFrame, random_state: np.random.RandomState, *, lower: bool = False) -> Ranking:
    """Compare models by one score.

    Args:
        scores: a row for each block (data set and seed), a column for each model; NaN where there is no run.
        random_state: for `flips`.
        lower: whether lower scores are better.
    """
    means = scores.mean().dropna().sort_values(ascending=lower, kind="stable")
    names = [str(name) for name in means.index]
    sign = -1.0 if lower else 1.0
    differences = {
        (one, other): sign * (scores[one] - scores[other]).dropna().to_numpy()
        for one, other in combinations(names, 2)
    }
    # The same signs for all comparisons of as many pairs: drawing them takes longer than using them.
    signs = {size: flips(size, random_state) for size in sorted({len(one) for one in differences.values()})}
    p_values = {pair: sign_flip_test(found, signs[len(found)]) for pair, found in differences.items()}
    corrected = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    with_best = [(names[0], other) for other in names[1:]]
    comparisons = tuple(
        Comparison(
            pair[1],
            *(_spread_of(differences[pair]) if len(differences[pair]) else (float("nan"),) * 3),
            len(differences[pair]),
            p_values[pair],
            float(corrected[pair]),
        )
        for pair in with_best
    )
    return Ranking(dict(zip(names, means.astype(float), strict=True)), comparisons)


def _spread_of(differences: FloatArray) -> tuple[float, float, float]:
    """The mean, the least and the most."""
    return float(differences.mean()), float(differences.min()), float(differences.max())


#: Characters of a value in a name.
WORD = 80


Ends = tuple[float, float]


@dataclass(frozen=True)
class Mean:
    """A score of a model on a data set, over seeds.

    Attributes:
        what: the score.
        data: the data set.
        who: the model.
        value: the mean; NaN if there is no number.
        over_seeds: its 95 % interval, within the score's range; None for fewer than four seeds.
        values: the numbers, of each seed.
        over_points: the interval that the metric reports, averaged; None if it reports none.
        chance: what codes that say nothing get; NaN if the metric does not tell.
        within_chance: in which part of the runs they might well get as much; NaN if the metric does not tell.
        row: the first of the rows of the table.
    """

    what: str
    data: str
    who: str
    value: float
    over_seeds: Ends | None
    values: tuple[float, ...]
    over_points: Ends | None
    chance: float
    within_chance: float
    row: Mapping[Any, Any]

    @property
    def seeds(self) -> int:
        """How many numbers there are."""
        return len(self.values)


@dataclass(frozen=True)
class Scores:
    """The scores of a tree of result folders, with names for what is compared.

    Attributes:
        table: as `causal_disent.runs.study_table.results_table` gives it, with the columns ``who`` (the model with
            what is varied of it), ``data`` (the data set, its confounding and what is varied of it) and ``what``
            (the score, after its metric, and before the setting where one metric has several).
    """

    table: pd.DataFrame

    @classmethod
    def of(cls, table: pd.DataFrame) -> Scores:
        """Name what is compared."""
        table = table.copy()
        several = table["representation"].nunique() > 1
        varied = table.attrs["varied"]
        owners = table.groupby("score")["metric"].nunique()
        # IRS, UC and CG are known by their names, whichever metric reports them, if it is one.
        plain = {score for score in owners.index[owners == 1] if score.lower() in registry.names("metrics")}
        names = [_names(row, varied, several, plain) for row in table.to_dict("records")]
        for column, values in zip(("who", "data", "what"), zip(*names, strict=True), strict=True):
            table[column] = values
        return cls(table)

    @cached_property
    def whats(self) -> list[str]:
        """The scores, those that stand for their metric first."""
        firsts = self.table[self.table["first"]]["what"]
        return list(dict.fromkeys([*firsts, *self.table["what"]]))

    def lower(self, what: str) -> bool:
        """Whether lower is better."""
        return bool((self.table.loc[self.table["what"] == what, "better"] == "lower").any())

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """By each score, models over all data sets and seeds."""
        found = {}
        for what in self.whats:
            own = self.table[self.table["what"] == what]
            scores = own.pivot_table("value", ["data", "seed"], "who", sort=False)
            if scores.size:
                found[what] = ranking(scores, np.random.RandomState(0), lower=self.lower(what))
        return found

    @cached_property
    def means(self) -> list[Mean]:
        """Each score of each model on each data set."""
        found = []
        for (what, data, who), own in self.table.groupby(["what", "data", "who"], sort=False):
            values = own["value"].dropna()
            low, high, chance, within = own[["low", "high", "chance", "within_chance"]].mean().tolist()
            first = own.iloc[0].to_dict()
            over_seeds = interval_of(values, first)
            points = None if np.isnan(low) or np.isnan(high) else (low, high)
            names, mean = (str(what), str(data), str(who)), float(values.mean())
            numbers = tuple(values.tolist())
            found.append(Mean(*names, mean, over_seeds, numbers, points, chance, within, first))
        return found

    @property
    def tell_chance(self) -> bool:
        """Whether any of them has a chance level."""
        return any(not np.isnan(mean.chance) for mean in self.means)

    def best_first(self, what: str) -> dict[str, list[Mean]]:
        """Of each data set, the models with such a score, the best first."""
        found: dict[str, list[Mean]] = {}
        for mean in self.means:
            if mean.what == what and mean.seeds:
                found.setdefault(mean.data, []).append(mean)
        sign = 1 if self.lower(what) else -1
        return {data: sorted(own, key=lambda mean: sign * mean.value) for data, own in found.items()}


def _names(row: Mapping[Any, Any], varied: list[str], several: bool, plain: set[str]) -> tuple[str, str, str]:
    of_data = ("dataset.", f"{row['dataset']}.")
    own = {key: setting_text(row[key]) for key in varied if f"{key}=" in row["varied"]}
    who = [row["model"], *(f"{key}={text}" for key, text in own.items() if not key.startswith(of_data))]
    who += [row["representation"]] if several else []
    data = [row["dataset"]]
    data += [f"confounded by {shown(row['confounding'], WORD)}"] if row["confounding"] != "none" else []
    data += [f"{key}={shown(text, WORD)}" for key, text in own.items() if key.startswith(of_data)]
    known = row["score"] in plain or row["score"].lower() == row["metric"]  # UC, say, which is the score of uc
    what = row["score"] if known else f"{row['metric']}: {row['score']}"
    return " ".join(map(str, who)), ", ".join(map(str, data)), f"{what} {row['setting']}".strip()


def interval_of(values: pd.Series, row: Mapping[Any, Any]) -> Ends | None:
    """The 95 % interval of a mean, within the range of the score that `row` is of, if its metric says one."""
    found = interval(values.to_numpy(float))
    if found is None or row["metric"] not in registry.names("metrics"):
        return found
    facts = registry.get("metrics", row["metric"]).facts
    known = facts.get("range") if row["first"] else facts.get("ranges", {}).get(row["score"])
    least, most = known or (-np.inf, np.inf)
    return float(np.clip(found[0], least, most)), float(np.clip(found[1], least, most))


def ends(found: Ends | None, values: Sequence[float] = ()) -> str:
    """An interval as it stands in a table; if there is none, the few values it would be of."""
    if found:
        return f"{found[0]:.3f} to {found[1]:.3f}"
    return ", ".join(f"{value:.3f}" for value in sorted(values)) if len(values) > 1 else ""


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
            beside: list[Cell] = [ends(first.over_seeds, first.values), *([_by_chance(first)] if chance else [])]
            second = [means[len(best)].who, means[len(best)].value] if len(means) > len(best) else ["", ""]
            winners.append([what, data, "; ".join(best), first.value, *beside, *second])
    header = ["score", "data set", "best", "mean", "95 % over seeds", *[BESIDE] * chance, "second", "its mean"]
    words = [
        *_summary(scores),
        "Each dot of a chart is a run, the diamond the mean, the line its 95 % interval over seeds (Student's t, "
        "within the range that the metric states). It says how far another set of seeds would move the mean, not "
        "how good a single run is. Of fewer than four seeds there is none, and tables have their values.",
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
        over_seeds = ends(mean.over_seeds, mean.values)
        rows.append([mean.what, mean.data, mean.who, mean.value, over_seeds, mean.seeds, *beside])
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
            [what, found.best, one.other, one.difference, one.least, one.most, one.pairs,
             one.corrected, "yes" if one.real else "no"]
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
    header = ["score", "best", "other", "better by", "least", "most", "pairs", "corrected p", "real"]
    tables = [Table("In words", ["score", "best", "what follows"], verdicts)]
    tables += [Table("The best beside each other model", header, rows)] if rows else []
    return Section("real", "Is the difference real?", words, tables)


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
                rows.append(
                    [parameter, name_of, str(model), str(what), mean, ends(found, numbers.tolist()), len(numbers)]
                )
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
