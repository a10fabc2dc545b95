"""What the Shadow data sets have in common, whether their images are drawn or read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice, check_seed
from causal_disent.data.factor_columns import read_columns
from causal_disent.data.table_data import ImageSource, TableData
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_crl.shadow.factors import CAUSES, NAMED, after, factor_names
from causal_disent_crl.shadow.scene import SCALES, Light

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
        """The numbers behind the factors of these images.

        Returns:
            (n, factors) float64: of the position of the light where it is on its track, 0 to 8; of shadows their
            area, and of the brightest place its distance from the left, in a picture that is 15 wide and high; of
            shapes and colors their place among the values.
        """
        return self._values[self.known(indices)]

    def counterfactual_values(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, factors): the `factor_values` of these images, had factors been set (see `counterfactual`)."""
        return after(self.factor_values(indices), do, self.light)


def _in_split(total: int, split: str, seed: int) -> np.ndarray:
    """(total,): whether each of so many combinations belongs to a split."""
    check_choice("split", split, SPLITS)
    check_seed("`split_seed`", seed)
    if split == "all":
        return np.ones(total, dtype=bool)
    is_train = np.zeros(total, dtype=bool)
    is_train[np.random.RandomState(seed).permutation(total)[: int(TRAIN * total)]] = True
    return is_train if split == "train" else ~is_train
