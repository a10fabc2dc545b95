"""The factor table: a row per image, a categorical column per factor. Made and read back here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray, is_finite

if TYPE_CHECKING:
    import pandas as pd


def make_factor_table(space: StateSpace, rows: IntArray, images: IntArray) -> pd.DataFrame:
    """The table of images (n,) that have these rows of value indices (n, factors)."""
    import pandas as pd

    columns = {
        name: pd.Categorical.from_codes(rows[:, column], pd.Index(names), ordered=True)
        for column, (name, names) in enumerate(space.value_names.items())
    }
    return pd.DataFrame(columns, index=pd.Index(images, name="image"))


def check_listed(data: Any, owner: str) -> None:
    """Raise unless `data` is finite and lists its images, as `owner` needs it."""
    with errors.readable("The data set"):
        listed = is_finite(data) and hasattr(data, "factor_table")
    if not listed:
        raise errors.InvalidInput(
            f"{owner} needs a finite data set (with `factor_table`); {type(data).__name__} is not one."
        )


def value_rows(table: pd.DataFrame) -> IntArray:
    """(images, factors): the place of each factor's value among its values."""
    return np.stack([table[name].cat.codes.to_numpy() for name in table.columns], axis=1).astype(np.int64)


def factor_values(data: Any, images: IntArray) -> FloatArray:
    """(images, factors) float64: the numbers behind the factors, as `data` or its table says them."""
    if hasattr(data, "factor_values"):
        return np.asarray(data.factor_values(images), dtype=np.float64)
    table = data.factor_table.loc[images]
    return StateSpace({name: table[name].cat.categories for name in table}).to_numbers(value_rows(table))
