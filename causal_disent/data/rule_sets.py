"""Confoundings that have a name, because a paper used them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from causal_disent import errors
from causal_disent.data.confounding import Statement, parse_statement
from causal_disent.text import shown_value

#: Name -> statements. Workshop paper: candle_color, candle_size. AAAI 2022: candle_table6 is its table 6;
#: candle_released is what its released 12,546 files obey, which is not the same.
RULE_SETS: dict[str, tuple[str, ...]] = {
    "candle_color": (
        "only object=cube: color=red|blue",
        "only object=sphere: color=blue|yellow",
        "only object=cylinder: color=yellow|purple",
        "only object=cone: color=purple|orange",
        "only object=torus: color=orange|red",
    ),
    "candle_size": ("only object=cube|sphere|cylinder: size=small", "only object=cone|torus: size=large"),
    "candle_one_to_one": (
        "only object=cube: color=red",
        "only object=sphere: color=blue",
        "only object=cylinder: color=yellow",
        "only object=cone: color=purple",
        "only object=torus: color=orange",
    ),
    "candle_table6": (
        "never size=large scene=indoor unless object=torus",
        "never size=large object=sphere|cylinder|cube scene=tunnel|'moonlit grass'",
        "never size=large scene=hall",
        "never size=small scene=grassland|garage",
        "never color=yellow scene=bridge|'city square'",
        "never color=orange|yellow scene=station|'dusk city'|playground",
        "never object=cone scene=hall|tunnel|skywalk",
        "never object=cone color=orange scene=bridge",
        "never object=sphere scene=skywalk",
    ),
    "candle_released": (
        "never size=large object=cube|sphere|cylinder|cone",
        "never size=small scene=garden|garage",
        "never color=yellow scene=bridge|'city square'",
        "never size=large scene=hall",
        "never object=cone scene=hall|tunnel|skywalk",
        "never color=orange|yellow scene=station|'dusk city'|playground",
        "never object=sphere scene=skywalk",
    ),
    # AAAI 2022, appendix D: a third of the scales, angles and places for each shape.
    "dsprites_confounded": (
        "only shape=square: scale=0..1 orientation=0..12 x=0..10 y=0..10",
        "only shape=ellipse: scale=2..3 orientation=13..25 x=11..20 y=11..20",
        "only shape=heart: scale=4..5 orientation=26..39 x=21..31 y=21..31",
    ),
    "mpi3d_confounded": (
        "only color=green: shape=cube|cylinder size=small horizontal=0..10 vertical=0..10",
        "only color=red: shape=cylinder|sphere size=large horizontal=10..20 vertical=10..20",
        "only color=blue: shape=sphere|cube horizontal=20..30 vertical=20..30",
        # Releases differ in their other colors, so those are not named.
        "only size=small|large: color=green|red|blue",
        "never camera_height=top|bottom",
    ),
    "synthetic_full": (
        "only object=cylinder: color=red",
        "only object=cone: color=green",
        "only object=cube: color=blue",
    ),
}

#: Why AAAI 2022, table 6, has each of its rules, in the order of ``candle_table6``.
REASONS: dict[str, tuple[str, ...]] = {
    "candle_table6": (
        "other large objects fill the height of the room",
        "large round and cubic objects look too large there",
        "large objects fill the hall",
        "small objects can hardly be seen there",
        "yellow is near the warm colors of these scenes",
        "orange and yellow are near the colors of these backgrounds",
        "cones catch the light from behind and ahead, and shine",
        "orange cones reflect too much light there",
        "spheres touch the smooth floor in a point, which looks unreal",
    ),
}

#: Lists in lists of statements.
DEEPEST = 4


def statements(confounding: str | Statement | Iterable[str | Statement], depth: int = 0) -> Sequence[Statement]:
    """A rule set's name, one statement, or several, as statements; `depth` is in how many lists they stand."""
    if isinstance(confounding, str):
        if confounding in RULE_SETS:
            return statements(RULE_SETS[confounding])
        if " " not in confounding.strip():
            raise errors.unknown("rule set", confounding, RULE_SETS)
        return [parse_statement(confounding)]
    with errors.readable("The confounding"):
        if isinstance(confounding, Iterable) and depth < DEEPEST:
            return [statement for part in confounding for statement in statements(part, depth + 1)]
        if isinstance(confounding, Statement) and not isinstance(confounding, type):
            return [confounding]
    raise errors.InvalidInput(
        "A confounding is the name of a rule set, a statement such as 'never size=large scene=hall', or a "
        f"list of them; given: {shown_value(confounding)}. The rule sets are: {errors.listing(RULE_SETS)}."
    )
