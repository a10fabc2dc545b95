"""How sure the scores of a result file are, in words: their intervals, and whether chance gives as much."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from causal_disent import errors
from causal_disent.checks import is_finite_number, is_number
from causal_disent.registry import registry
from causal_disent.report.table import text_table
from causal_disent.text import shown

#: The heads of what `certainty_cells` returns.
HEADS = ("95 % interval", "chance", "it is")
SHARE = "_chance_share"
#: A share below this does not put a score within chance.
FEW = 0.05


def verdict(within: Any, share: Any = None) -> str:
    """Where a score is beside its chance level; nothing if that is not known.

    Args:
        within: whether it is within chance.
        share: of permutations that reach it, to give as the reason; if few do, chance is in the interval of the
            score.

    Example:
        >>> verdict(True, 0.25), verdict(True, 0.0), verdict(False, 0.0)
        ('within chance (25 % reach it)', 'within chance (in its interval)', 'better than chance')
    """
    if not isinstance(within, bool):
        return ""
    if not within:
        return "better than chance"
    if not is_finite_number(share):
        return "within chance"
    return f"within chance ({f'{100 * share:.0f} % reach it' if share >= FEW else 'in its interval'})"


def certainty_cells(scores: Mapping[str, Any], key: str) -> list[str]:
    """Interval, chance level and verdict of one score, each empty where it is not known.

    Example:
        >>> found = {"UC_low": 0.5, "UC_high": 1.0, "UC_chance": 0.8, "UC_chance_share": 0.25}
        >>> certainty_cells({**found, "UC_within_chance": True}, "UC")
        ['0.500 to 1.000', '0.800', 'within chance (25 % reach it)']
    """
    low, high, chance = (scores.get(f"{key}_{end}") for end in ("low", "high", "chance"))
    return [
        f"{low:.3f} to {high:.3f}" if is_finite_number(low) and is_finite_number(high) else "",
        f"{chance:.3f}" if is_finite_number(chance) else "",
        verdict(scores.get(f"{key}_within_chance"), scores.get(f"{key}{SHARE}")),
    ]


def chance_remarks(scores: Mapping[str, Any]) -> Iterator[str]:
    """A line for each score of a result file of which it is known whether chance gives as much.

    Example:
        >>> found = {"UC": 0.9, "UC_chance": 0.8, "UC_chance_share": 0.25, "UC_within_chance": True}
        >>> print(*chance_remarks(found))
        UC 0.900 is within chance (25 % reach it); chance is 0.800
    """
    for key in [key.removesuffix(SHARE) for key in scores if key.endswith(SHARE)]:
        _, chance, words = certainty_cells(scores, key)
        if words and chance and is_finite_number(scores.get(key)):
            yield f"{shown(key)} {scores[key]:.3f} is {words}; chance is {chance}"


ACCURACY = "classifier_accuracy_factor_"
#: Of a list, so many are named.
MOST = 20


def accuracy_text(accuracy: Mapping[str, float], not_judged: Collection[str] = ()) -> str:
    """The accuracy per factor, in words where it is low.

    Example:
        >>> accuracy_text({"object": 0.99, "size": 0.8, "light": 0.35}, ["light"])
        'object 99 %, size 80 % (below 90 %), light 35 % (hardly above chance: not judged)'
    """
    from causal_disent.metrics.cg import GOOD  # loads the metrics, which --help need not wait for

    marks = {
        name: " (hardly above chance: not judged)" if name in not_judged else f" (below {100 * GOOD:.0f} %)"
        for name, part in accuracy.items()
        if name in not_judged or part < GOOD
    }
    parts = [f"{shown(name)} {100 * part:.0f} %{marks.get(name, '')}" for name, part in accuracy.items()]
    return errors.listing(parts, most=MOST)


def remarks(scores: Mapping[str, Any]) -> list[str]:
    """Lines to print below the scores of a result file; none if no CG is among them.

    Example:
        >>> remarks({"CG": 0.4, "classifier": "nearest_image", "classifier_accuracy_factor_hue": 1.0})
        ['CG is judged by nearest_image; of images that it has not seen it tells: hue 100 %']
    """
    prefixes = [key.removesuffix("classifier") for key in scores if key.rpartition(":")[2] == "classifier"]
    return [line for prefix in prefixes for line in _of_metric(scores, prefix)]


def _of_metric(scores: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Of the keys with a prefix such as ``cg:``, which may be empty."""
    own = {key.removeprefix(prefix): value for key, value in scores.items() if key.startswith(prefix)}
    accuracy = {key.removeprefix(ACCURACY): part for key, part in own.items() if key.startswith(ACCURACY)}
    judge = f"{prefix}CG is judged by {shown(own['classifier'])}"
    hidden = own.get("not_judged_factors", [])
    if accuracy:
        yield f"{judge}; of images that it has not seen it tells: {accuracy_text(accuracy, hidden)}"
    else:
        yield f"{judge}, which does not say how accurate it is"
    if dead := own.get("dead_codes"):
        yield f"dead codes, which change nothing that one sees: {errors.listing(dead, most=MOST)}"
    for rho in [key.removesuffix("CG") for key in own if key.rpartition(":")[2] == "CG"]:
        yield from _of_score(own, rho, hidden)


def _of_score(own: Mapping[str, Any], rho: str, hidden: Collection[str]) -> Iterator[str]:
    """Of one CG, whose keys may be prefixed by its ``rho=2:``."""
    if factors := own.get(f"{rho}factors_of_dead_codes"):
        named = errors.listing(map(shown, factors), most=MOST)
        yield f"{rho}factors that are attributed to dead codes alone, which cannot control them: {named}"
    if hidden:
        judged = own.get(f"{rho}CG_judged")
        value = "no factor is judged" if judged is None else f"CG {judged:.3f}"
        yield f"{rho}CG over the factors that are judged: {value}"
    if (points := own.get(f"{rho}CG_points")) is not None:
        low, high = own[f"{rho}CG_low"], own[f"{rho}CG_high"]
        yield f"{rho}CG took {points:,} points for a 95 % interval from {low:.3f} to {high:.3f}"


LOWER = " (lower)"


def evaluation_table(scores: Mapping[str, Any]) -> str:
    """The first scores of each metric, with their intervals and chance levels where there are any.

    Args:
        scores: what `causal_disent.runs.evaluate.evaluate` returns of several metrics: ``"uc:UC": 1.0``.

    Returns:
        A row per score; empty where no key has the name of a metric before it.

    Example:
        >>> print(evaluation_table({"uc:UC": 1.0, "uc:UC_low": 0.9, "uc:UC_high": 1.0, "elapsed_time": 2.0}))
        metric  score  value  better  95 % interval
        ------  -----  -----  ------  --------------
        uc      UC     1.000  higher  0.900 to 1.000
    """
    rows = [row for name in dict.fromkeys(_metrics(scores)) for row in _rows(name, scores)]
    heads = ["metric", "score", "value", "better", *HEADS]
    # What no score has is not asked for.
    kept = [i for i, head in enumerate(heads) if head not in HEADS or any(row[i] for row in rows)]
    return text_table([heads[i] for i in kept], [[row[i] for i in kept] for row in rows]) if rows else ""


def _metrics(scores: Mapping[str, Any]) -> Iterator[str]:
    known = set(registry.names("metrics"))
    return (name for key in scores if (name := key.partition(":")[0]) in known and ":" in key)


def _rows(name: str, scores: Mapping[str, Any]) -> Iterator[list[object]]:
    facts = registry.get("metrics", name).facts
    wanted = {facts.get("headline", ""): facts.get("better", "")}
    wanted |= {
        key.removesuffix(LOWER): "lower" if key.endswith(LOWER) else "higher" for key in facts.get("also", ())
    }
    for key, better in wanted.items():
        for found, value in scores.items():  # a metric of several rho or sizes has the score for each: rho=2:UC
            own = found.removeprefix(f"{name}:")
            if own != found and (own == key or own.endswith(f":{key}")) and is_number(value):
                yield [name, own, float(value), better, *certainty_cells(scores, found)]
