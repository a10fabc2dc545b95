"""The JSON beside an image: the value of each factor, and where the object is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.checks import is_finite_number, is_number
from causal_disent.data.state_space import StateSpace
from causal_disent.files import regular, unusable
from causal_disent.text import shown_value

#: A label takes some 300 bytes; a file that is much larger is something else.
MOST_BYTES = 2**16

#: Factor -> its key in the description of the scene, or in that of the object.
OF_SCENE = {"scene": "scene", "light": "lights"}
OF_OBJECT = {"object": "object_type", "color": "color", "size": "size", "rotation": "rotation"}

#: xmin, ymin, xmax, ymax in pixels, y counted from the bottom.
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """What a file says: the place of each value among its factor's values, and the object's bounds."""

    row: list[int]
    bounds: Bounds


class LabelReader:
    """Reads labels of both flavours: an object with the scene, or that inside ``{"<index>": ...}``.

    Args:
        values: factor -> the name of each value -> how files write it.
        extra_values: factor -> names of further values, which files write as they are.

    Attributes:
        written: both together.
        space: the factors and the names of their values.

    Example:
        >>> LabelReader({"size": {"small": "1.5", "large": "2.5"}}, {"size": ["3"]}).space.value_names
        {'size': ('small', 'large', '3')}
    """

    def __init__(
        self,
        values: Mapping[str, Mapping[str, str]],
        extra_values: Mapping[str, Sequence[object]] | None = None,
    ) -> None:
        written = {factor: dict(names) for factor, names in values.items()}
        if not (extra_values is None or isinstance(extra_values, Mapping)):
            raise errors.InvalidInput(
                "`extra_values` is a mapping of factors to lists of names, such as {'object': ['monkey']}; given: "
                f"{shown_value(extra_values)}."
            )
        for factor, names in (extra_values or {}).items():
            if factor not in written:
                raise errors.unknown("factor", factor, written)
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise errors.InvalidInput(
                    f"`extra_values` takes a list of names for '{factor}'; given: {shown_value(names)}."
                )
            for name in names:
                _add_value(factor, written[factor], name)
        self.written = written
        self.space = StateSpace(written)
        self._places = {
            factor: {_simplified(text): place for place, text in enumerate(names.values())}
            # Names are understood too, where files use other texts.
            | {_simplified(name): place for place, name in enumerate(names)}
            for factor, names in written.items()
        }

    def read(self, path: Path, width: int, height: int) -> Label:
        """The label in a file, whose image has this many pixels."""
        content = _scene(path, _content(path))
        thing = _only_object(path, content)
        row = [
            self._place(path, factor, content, OF_SCENE[factor])
            if factor in OF_SCENE
            else self._place(path, factor, thing, OF_OBJECT[factor])
            for factor in self.space.factor_names
        ]
        return Label(row, _bounds(path, thing.get("bounds"), width, height))

    def _place(self, path: Path, factor: str, content: Mapping[str, Any], key: str) -> int:
        if key not in content:
            raise unusable(path, f"it has no '{key}'; it has: {errors.listing(content)}")
        place = self._places[factor].get(_simplified(content[key]))
        if place is None:
            names = self.space.value_names[factor]
            nearest = errors.nearest(_shown(content[key]), names)
            raise unusable(
                path,
                f"its {factor} is {_shown(content[key])}, which is unknown.{nearest} There are: "
                f"{errors.listing(self.written[factor].values())}; `extra_values` adds others",
            )
        return place


def _add_value(factor: str, written: dict[str, str], name: Any) -> None:
    """Add a value that files write as it is to the values of a factor, unless it would be taken for another."""
    text = _simplified(float(name)) if is_number(name) else name
    if not isinstance(text, str) or not _simplified(text).strip("\0"):
        raise errors.InvalidInput(f"`extra_values` of '{factor}' are text or numbers; given: {shown_value(name)}.")
    for known, known_text in written.items():
        if _simplified(text) in (_simplified(known), _simplified(known_text)):
            raise errors.InvalidInput(
                "`extra_values` adds "
                f"{shown_value(name)} to the factor '{factor}', which has '{known}' already; files do "
                "not tell the two apart. Leave it out, or call it something else."
            )
    written[text] = text


def _content(path: Path) -> Any:
    try:
        with regular(path).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise unusable(path, f"it has {path.stat().st_size:,} bytes, and a label at most {MOST_BYTES:,}")
        return json.loads(content)
    except errors.CausalDisentError:
        raise
    except (ValueError, RecursionError) as error:
        raise unusable(path, f"it is not JSON ({error})") from None
    except OSError as error:
        raise unusable(path, f"it cannot be read ({error.strerror})") from None


def _scene(path: Path, content: Any) -> dict[str, Any]:
    """The description of the scene, which v1 has inside ``{"<index>": ...}``."""
    if isinstance(content, dict) and len(content) == 1:
        (index,) = content
        if re.fullmatch(r"\d+", index):
            if index != path.stem:
                raise unusable(path, f"it describes the image {index[:20]}")
            content = content[index]
    if not isinstance(content, dict):
        raise unusable(path, f"it should hold a JSON object, and holds {_shown(content)}")
    return content


def _only_object(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    objects = content.get("objects")
    found = list(objects.values()) if isinstance(objects, dict) else []
    if len(found) != 1 or not isinstance(found[0], dict):
        raise unusable(path, f"its 'objects' should describe one object, and is {_shown(objects)}")
    return found[0]


def _bounds(path: Path, given: Any, width: int, height: int) -> Bounds:
    try:
        (xmin, ymin), (xmax, ymax) = given
        bounds = (_number(xmin), _number(ymin), _number(xmax), _number(ymax))
    except (TypeError, ValueError):
        raise unusable(
            path, f"its 'bounds' should be [[xmin, ymin], [xmax, ymax]], and are {_shown(given)}"
        ) from None
    if not (0 <= bounds[0] < bounds[2] <= width and 0 <= bounds[1] < bounds[3] <= height):
        raise unusable(path, f"its bounds {_shown(given)} are no box inside the image of {width}x{height} pixels")
    return bounds


def _number(value: Any) -> float:
    if not is_finite_number(value):
        raise ValueError(value)
    return float(value)


def _simplified(value: Any) -> str:
    """A text by which values are compared: ``City_Square`` and ``city square`` are the same, and 2 and 2.0."""
    if isinstance(value, str):
        return " ".join(value.lower().replace("_", " ").replace("-", " ").split())
    try:
        return f"{_number(value):g}"
    except (ValueError, OverflowError):
        return "\0"  # no name has it


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
