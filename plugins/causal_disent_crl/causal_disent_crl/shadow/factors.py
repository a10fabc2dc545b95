"""The factors of the Shadow data sets, their causal graph, and what becomes of them under an intervention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from causal_disent_datasets.stacked import graph_of

from causal_disent.protocols import FloatArray
from causal_disent_crl.interventions import set_values
from causal_disent_crl.shadow.scene import COLORS, LIGHT_COLORS, SCALES, TRACK, Light, brightest, shadow_area
from causal_disent_crl.shadow.solids import SHAPES

if TYPE_CHECKING:
    import networkx as nx

#: In the order in which images are counted, the last fastest.
CAUSES = ("shape", "color", "scale", "light_position", "light_color")
#: The values that have names; those of the other factors are numbers.
NAMED = {
    "shape": SHAPES,
    "color": tuple(COLORS),
    "light_color": tuple(LIGHT_COLORS),
    "floor_color": tuple(LIGHT_COLORS),
}
#: Effect -> its causes. The color of the body has no part in it.
_PARENTS = {
    "shadow_area": ("shape", "scale", "light_position"),
    "floor_color": ("light_color",),
    "brightest": ("light_position",),
}
#: The least and the greatest number that a factor can be set to.
_LIMITS = {
    "scale": (SCALES[0], SCALES[-1]),
    "light_position": (0.0, TRACK),
    "shadow_area": (0.0, 25.0),
    "brightest": (float(brightest(0.0)[0]), float(brightest(TRACK)[0])),
}


def factor_names(light: Light) -> tuple[str, ...]:
    """The causes, then their effects; only under a point light there is a brightest place."""
    return (*CAUSES, "shadow_area", "floor_color", *(("brightest",) if light.name == "point" else ()))


def shadow_graph(light: Light) -> nx.DiGraph:
    """Shape, scale and light make the shadow, the light's color the floor's, and its position the brightest place.

    All of them make the image. The color of the body is nuisance: it has no edge to or from another factor.
    """
    names = factor_names(light)
    graph = graph_of(names)
    graph.add_edges_from((cause, effect) for effect in names if effect in _PARENTS for cause in _PARENTS[effect])
    return graph


def with_effects(causes: FloatArray, light: Light) -> FloatArray:
    """(n, factors): the numbers of the `CAUSES`, and of what they make."""
    names = factor_names(light)
    values = np.pad(causes, ((0, 0), (0, len(names) - len(CAUSES))))
    return after(values, dict(zip(CAUSES, causes.T, strict=True)), light)


def after(values: FloatArray, do: Mapping[str, Any], light: Light) -> FloatArray:
    """(n, factors): the numbers that follow when factors are set.

    What is set does not listen to its causes any more; an effect of what is set is made anew, and all else stays.

    Args:
        values: (n, factors) before.
        do: factor -> a value, or one for each row: the name of one that has a name, or a number as in `values`.
        light: the kind of light.
    """
    names = factor_names(light)
    result = values.copy()
    limits = {name: _LIMITS[name] for name in names if name in _LIMITS}
    named = {name: NAMED[name] for name in names if name in NAMED}
    for factor, numbers in set_values(do, limits, len(values), named).items():
        result[:, names.index(factor)] = numbers
    for effect in names[len(CAUSES) :]:
        if effect not in do and not {*_PARENTS[effect]}.isdisjoint(do):
            columns = [names.index(cause) for cause in _PARENTS[effect]]
            different, which = np.unique(result[:, columns], axis=0, return_inverse=True)
            made = np.array([_effect(effect, row, light) for row in different.tolist()])
            result[:, names.index(effect)] = made[which.reshape(-1)]
    return result


def _effect(effect: str, causes: Sequence[float], light: Light) -> float:
    if effect == "shadow_area":
        shape, scale, position = causes
        return shadow_area(SHAPES[int(shape)], scale, position, light)
    if effect == "brightest":
        return float(brightest(causes[0])[0])
    return causes[0]  # the floor has the color of the light
