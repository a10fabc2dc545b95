"""A finite data set that is a table: a row of factor values for each image there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_array, check_at_least, columns_of
from causal_disent.data._row_groups import WeightedRows
from causal_disent.data.confounding import Statement
from causal_disent.data.discrete import OF_THE_WHOLE, IndexedData, fixed_values, of_the_whole
from causal_disent.data.factor_columns import equal_bins
from causal_disent.data.factor_table import make_factor_table
from causal_disent.data.rule_sets import statements
from causal_disent.data.state_space import StateSpace, check_drawn
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

if TYPE_CHECKING:
    import pandas as pd


#: A factor of so few values is discrete, however few images there are.
FEW_VALUES = 20


class ImageSource(Protocol):
    """Where the images come from. It may also have ``graph`` and ``bounding_boxes(images)``."""

    @property
    def observation_shape(self) -> tuple[int, ...]: ...

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, h, w, c) of these numbers, float32 in [0, 1]."""


class TableData(IndexedData):
    """Images of which a table says the factors.

    Unlike in `FactorialData`, combinations may be missing, and a combination may have several images. Factors are
    drawn by drawing an image, so that no combination is drawn that has none.

    Args:
        source: the images.
        space: the factors of the table and their values.
        rows: (images, factors) the place of each value among its factor's values.
        images: (images,) their numbers in `source`; 0, 1, 2, ... if not given.
        weights: (images,) how likely each is, relative to the others; all alike if not given.
        factors: the names of the factors that are ground truth, if not all are; the others are nuisance.
    """

    def __init__(
        self,
        source: ImageSource,
        space: StateSpace,
        rows: IntArray,
        *,
        images: IntArray | None = None,
        weights: FloatArray | None = None,
        factors: Sequence[str] | None = None,
    ) -> None:
        self.source = source
        #: What this is a part of.
        self._whole: TableData | None = None
        self._whole_space = space
        self._rows = space.check(rows)
        self._images = np.arange(len(self._rows)) if images is None else np.asarray(images)
        self.image_weights = np.ones(len(self._rows)) if weights is None else np.asarray(weights)
        self._columns = columns_of(space.factor_names if factors is None else factors, space.factor_names)
        self.space = space.subspace(self._columns)
        self._draws: dict[tuple[int, ...], WeightedRows] = {}

    def restricted(
        self,
        *,
        factors: Sequence[str] | None = None,
        confounding: str | Statement | Iterable[str | Statement] | None = None,
    ) -> TableData:
        """The same images with fewer factors, or the images that a confounding allows.

        Args:
            factors: the names of the factors that are ground truth; the others become nuisance.
            confounding: a rule set's name, a statement, or several (`causal_disent.data.confounding`).
        """
        weights = self.image_weights.copy()
        for statement in statements(() if confounding is None else confounding):
            weights *= statement.weights(self._whole_space, self._rows)
        kept = weights > 0
        if not kept.any():
            raise errors.InvalidInput(
                f"The confounding forbids every one of the {len(kept):,} images of the data set."
            )
        part = TableData(
            self.source,
            self._whole_space,
            self._rows[kept],
            images=self._images[kept],
            weights=weights[kept],
            factors=self.factor_names if factors is None else factors,
        )
        part._whole = self._whole or self
        return part

    def in_bins(self, bins: int) -> TableData:
        """The same images, with each continuous factor in so many bins of about equally many images."""
        check_at_least(2, bins=bins)
        rows = self._rows.copy()
        values: dict[str, Sequence[object]] = dict(self._whole_space.value_names)
        for i in (self._columns[column] for column in self.continuous):
            rows[:, i] = equal_bins(rows[:, i], bins)
            values[self._whole_space.factor_names[i]] = [f"bin {number}" for number in range(rows[:, i].max() + 1)]
        kept = {"images": self._images, "weights": self.image_weights, "factors": self.factor_names}
        part = TableData(self.source, StateSpace(values), rows, **kept)  # type: ignore[arg-type]
        part._whole = self._whole or self
        return part

    @property
    def continuous(self) -> list[int]:
        """The factors, counted, with nearly as many values as there are images."""
        most = max(self.num_images / 2, FEW_VALUES)
        return [column for column, size in enumerate(self.space.sizes) if size > most]

    def __getattr__(self, name: str) -> Any:
        # Boxes and the graph belong to the images, whatever part of them is shown.
        if name in ("bounding_boxes", "graph") and "source" in self.__dict__:
            return getattr(self.source, name)
        if name in OF_THE_WHOLE and self.__dict__.get("_whole") is not None:
            return of_the_whole(self._whole, name, self.factor_names)
        if name == "counterfactual_observed" and hasattr(self.__dict__.get("_whole"), "counterfactual_rows"):
            return self._observed
        # A property whose own code failed comes here too: asked again, it says what failed.
        return super().__getattribute__(name)

    @property
    def num_images(self) -> int:
        return len(self._rows)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return self.source.observation_shape

    @cached_property
    def is_confounded(self) -> bool:
        """Whether some combinations are rarer than others, or missing."""
        totals = self._weighted(range(self.num_factors)).group_weights()
        return len(totals) < self.space.num_combinations or not np.allclose(totals, totals[0])

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """The factors (num, factors) of images drawn with replacement."""
        check_drawn(num)
        return self.sample_factors_given([], np.empty((num, 0), dtype=np.int64), random_state)

    def sample_factors_given(
        self, columns: Sequence[int], values: IntArray, random_state: np.random.RandomState
    ) -> IntArray:
        """Rows of factors whose `columns` are fixed.

        Args:
            columns: positions among the factors.
            values: (n, columns) integers.
            random_state: what the images are drawn with.

        Returns:
            (n, factors), each the row of an image that has the values asked for.
        """
        values = fixed_values(columns, values, self.num_factors)
        return self._rows[self._draw(columns, values, random_state)][:, self._columns]

    def sample_indices(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """An image for each row of factors, drawn among those that have them; having none is an error."""
        return self._images[self._draw(range(self.num_factors), np.asarray(factors), random_state)]

    def observations(self, indices: IntArray) -> FloatArray:
        """The images (n, h, w, c) of these indices, float32 in [0, 1]."""
        return self.source.observations(self.known(indices))

    def factor_values(self, indices: IntArray) -> FloatArray:
        """The numbers behind the factors of these images.

        Returns:
            (n, factors) float64: a number where the values are numbers, or are called by numbers; otherwise the
            place of the value among the factor's values.
        """
        if self._whole is not None:
            columns = [self._whole.space.position(factor) for factor in self.factor_names]
            return self._whole.factor_values(indices)[:, columns]
        rows = self._rows[self._positions(self.known(indices))][:, self._columns]
        return self.space.to_numbers(rows)

    def _observed(self, indices: IntArray, do: Mapping[str, Any]) -> np.ndarray:
        """(n,) bool: whether an image of the table shows the combination of `counterfactual`."""
        whole: Any = self._whole or self
        rows = whole.counterfactual_rows(indices, do)
        return np.isin(whole.space.to_index(rows), whole.space.to_index(self._rows))

    def known(self, indices: Any) -> IntArray:
        """(n,): the indices, if each is that of an image of this data set; anything else is an error."""
        images = as_array("`indices`", indices)
        if images.ndim != 1 or (images.size and images.dtype.kind not in "iu"):
            raise errors.InvalidInput(
                f"`indices` must be whole numbers (n,), one for each image; given: {shown_value(indices)}."
            )
        images = np.asarray(images, dtype=np.int64)
        self._positions(images)
        return images

    def _positions(self, images: IntArray) -> IntArray:
        """Where these images stand in the table."""
        order = self._by_number
        found = order[np.searchsorted(self._images, images, sorter=order).clip(max=len(order) - 1)]
        missing = images[self._images[found] != images]
        if missing.size:
            raise errors.InvalidInput(f"The data set has no image {missing[0]}.")
        return found

    @cached_property
    def _by_number(self) -> IntArray:
        return np.argsort(self._images, kind="stable")

    @cached_property
    def factor_table(self) -> pd.DataFrame:
        """One row per image, one categorical column per factor."""
        return make_factor_table(self.space, self._rows[:, self._columns], self._images)

    def _weighted(self, columns: Sequence[int]) -> WeightedRows:
        key = tuple(columns)
        if key not in self._draws:
            rows = self._rows[:, [self._columns[i] for i in key]]
            self._draws[key] = WeightedRows(rows, self.image_weights, self.space.subspace(key))
        return self._draws[key]

    def _draw(self, columns: Sequence[int], values: IntArray, random_state: np.random.RandomState) -> IntArray:
        return self._weighted(columns).draw(values, random_state, "The data set has no image of {}.")
