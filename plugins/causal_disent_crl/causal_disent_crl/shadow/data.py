"""The factors of the Shadow data sets, their graph, and what all of these data sets have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from causal_disent_datasets.pictures import graph_of

from causal_disent import errors
from causal_disent.checks import check_choice, check_seed
from causal_disent.data.factor_columns import read_columns
from causal_disent.data.table_data import ImageSource, TableData
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_crl.mechanism_data import set_values
from causal_disent_crl.shadow.scene import (
    COLORS,
    LIGHT_COLORS,
    SCALES,
    SHAPES,
    TRACK,
    Light,
    brightest,
    shadow_area,
)

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
    """Return the causes, then their effects; only under a point light there is a brightest place."""
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
    return intervene_on(values, dict(zip(CAUSES, causes.T, strict=True)), light)


def intervene_on(values: FloatArray, do: Mapping[str, Any], light: Light) -> FloatArray:
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
    """Compute an effect of its causes."""
    if effect == "shadow_area":
        shape, scale, position = causes
        return shadow_area(SHAPES[int(shape)], scale, position, light)
    if effect == "brightest":
        return float(brightest(causes[0])[0])
    return causes[0]  # the floor has the color of the light


#: Part of all combinations that is for training, and the parts that there are.
TRAIN = 0.9
SPLITS = ("all", "train", "test")
#: Areas and places that agree to so many digits are one value: the last bits differ between processors.
DIGITS = 6


class ShadowData(TableData):
    """Five causes, one of which (color) is nuisance, and their effects, which are factors too.

    disentanglement_lib's protocol wants whole numbers: for an area, its place among the areas that occur, by size.
    `factor_values` gives the numbers themselves.

    Args:
        source: the images.
        light: the kind of light.
        values: (images of the source, factors) the number behind each factor.
        images: (n,) those of the source that can be used.
        split: ``train`` (nine tenths of all combinations of causes, drawn at random), ``test`` or ``all``.
        split_seed: of that draw.
    """

    def __init__(
        self, source: ImageSource, light: Light, values: FloatArray, images: IntArray, split: str, split_seed: int
    ) -> None:
        self.light = light
        self._values = values
        names = factor_names(light)
        columns: dict[str, Any] = {}
        for name, column in zip(names, values[images].T, strict=True):
            if name == "scale":
                columns[name] = np.searchsorted(SCALES, column - 1e-6)
            else:
                columns[name] = column.astype(np.int64) if name in NAMED else np.round(column, DIGITS)
        named = {name: NAMED[name] for name in names if name in NAMED} | {"scale": SCALES}
        space, rows = read_columns(columns, value_names=named)
        causes = space.subspace(range(len(CAUSES)))
        part = _in_split(causes.num_combinations, split, split_seed)[causes.to_index(rows[:, : len(CAUSES)])]
        if not part.any():
            raise errors.InvalidInput(f"None of the {len(rows):,} images is in the split '{split}'.")
        super().__init__(source, space, rows[part], images=images[part])

    def factor_values(self, indices: IntArray) -> FloatArray:
        """Return the numbers behind the factors of these images.

        Returns:
            (n, factors) float64: of the position of the light where it is on its track, 0 to 8; of shadows their
            area, and of the brightest place its distance from the left, in a picture that is 15 wide and high; of
            shapes and colors their place among the values.
        """
        return self._values[self.known(indices)]

    def counterfactual_values(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, factors): the `factor_values` of these images, had factors been set (see `counterfactual`)."""
        return intervene_on(self.factor_values(indices), do, self.light)


def _in_split(total: int, split: str, seed: int) -> np.ndarray:
    """(total,): whether each of so many combinations belongs to a split."""
    check_choice("split", split, SPLITS)
    check_seed("`split_seed`", seed)
    if split == "all":
        return np.ones(total, dtype=bool)
    is_train = np.zeros(total, dtype=bool)
    is_train[np.random.RandomState(seed).permutation(total)[: int(TRAIN * total)]] = True
    return is_train if split == "train" else ~is_train
