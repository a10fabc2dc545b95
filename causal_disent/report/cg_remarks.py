"""What must be said beside a CG: who judged it, and which codes are dead."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from causal_disent import errors
from causal_disent.text import shown

ACCURACY = "classifier_accuracy_factor_"
#: Of a list, so many are named.
MOST = 20


def accuracy_text(accuracy: Mapping[str, float], not_judged: Collection[str] = ()) -> str:
    """The accuracy per factor, in words where it is low.

    Example:
        >>> accuracy_text({"object": 0.99, "size": 0.8, "light": 0.35}, ["light"])
        'object 99 %, size 80 % (below 90 %), light 35 % (hardly above chance: not judged)'
    """
    from causal_disent.metrics.tools.judged import GOOD  # loads the metrics, which --help need not wait for

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
