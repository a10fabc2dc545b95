"""Facts of data sets, to compare them by: those of the tables in the papers that introduced CANDLE and Shadow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from causal_disent import errors
from causal_disent.checks import check_value


class Property(NamedTuple):
    """A fact of a data set.

    Attributes:
        kind: its type; truth values are shown as yes or no.
        title: the head of its column.
        meaning: in a sentence.
    """

    kind: Any
    title: str
    meaning: str


PROPERTIES: dict[str, Property] = {
    "factors": Property(int, "factors", "how many factors of variation are known"),
    "images": Property(int, "images", "how many images there are; none stated where each is drawn anew"),
    "resolution": Property(str, "pixels", "width and height of the published images"),
    "three_d": Property(bool, "3D", "a scene with depth, not a flat drawing"),
    "realistic": Property(bool, "realistic", "photographs, or renderings that could pass for them"),
    "foreground": Property(bool, "object", "an object stands in front of a background"),
    "off_centre": Property(bool, "off centre", "that object is not always in the centre"),
    "background": Property(bool, "background", "the background is complex"),
    "confounders": Property(bool, "confounders", "factors have common causes"),
    "depth": Property(int, "depth", "levels of the causal graph above the image"),
    "nuisance": Property(bool, "nuisance", "something varies that no factor describes"),
    "various": Property(bool, "many values", "factors have more than two values"),
    "consistent": Property(bool, "consistent", "the data obey the published causal graph"),
}


def describe(**facts: Any) -> Mapping[str, Any]:
    """Check facts of a data set, for ``register(..., properties=describe(factors=6, three_d=True))``.

    Args:
        facts: any of `PROPERTIES`; those that are not known are left out.

    Example:
        >>> describe(factors=6, three_d=True)
        {'factors': 6, 'three_d': True}
        >>> describe(three_d="yes")
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: `three_d` must be True or False; given: 'yes'.
    """
    for name, value in facts.items():
        if name not in PROPERTIES:
            raise errors.unknown("property of a data set", name, PROPERTIES)
        check_value(f"`{name}`", value, PROPERTIES[name].kind)
    return facts


def tell(name: str, value: Any) -> str:
    """A property in words, for tables: ``yes``, ``12,546``, and nothing where it is not known."""
    if value is None:
        return ""
    if PROPERTIES[name].kind is bool:
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
