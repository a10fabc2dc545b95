"""What is written beside an image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def describe(labels: Mapping[str, str], values: Mapping[str, Any], bounds: list[list[int]]) -> dict[str, Any]:
    """CANDLE's JSON, in the flavour of its second version.

    Args:
        labels: factor -> label.
        values: what stands for the labels that are numbers: ``size``, ``rotation``, ``position`` if there is one.
        bounds: of the object, ``[[xmin, ymin], [xmax, ymax]]`` in pixels, y from the bottom.

    Example:
        >>> labels = {"scene": "bridge", "light": "left", "object": "sphere", "color": "red"}
        >>> describe(labels, {"size": 2, "rotation": 60}, [[95, 29], [154, 87]])["objects"]
        {'Sphere_0': {'object_type': 'sphere', 'color': 'red', 'size': 2, 'rotation': 60,
                      'bounds': [[95, 29], [154, 87]]}}
    """
    kind = labels["object"]
    thing = {"object_type": kind, "color": labels["color"], **values, "bounds": bounds}
    return {
        "scene": labels["scene"],
        "lights": labels["light"],
        "objects": {f"{kind[:1].upper()}{kind[1:]}_0": thing},
    }
