"""Chosen factors and confounding, over any data set with discrete factors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.checks import checked, columns_of
from causal_disent.data._row_groups import WeightedRows
from causal_disent.data.confounding import Statement, allowed_combinations, check_statements
from causal_disent.data.discrete import OF_THE_WHOLE, DiscreteData, fixed_values, of_the_whole
from causal_disent.data.factor_table import factor_values, value_rows
from causal_disent.data.rule_sets import statements
from causal_disent.data.state_space import StateSpace, check_drawn
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, is_finite

if TYPE_CHECKING:
    import pandas as pd


@checked
def view(
    data: GroundTruthData,
    *,
    factors: Sequence[str] | None = None,
    confounding: str | Statement | Iterable[str | Statement] | None = None,
) -> Any:
    """`data` as it is, or a `DataView` of it if there is anything to change.

    Args:
        data: ground-truth data whose factors are discrete.
        factors: the names of the factors that are ground truth; the others vary as nuisance.
        confounding: a rule set's name, a statement, or several (`causal_disent.data.confounding`).

    Returns:
        Ground-truth data; finite where `data` is.
    """
    if factors is None and confounding is None:
        return data
    if hasattr(data, "restricted"):  # a table of the images that exist, which may lack combinations
        return data.restricted(factors=factors, confounding=confounding)
    added = statements(() if confounding is None else confounding)
    if isinstance(data, DataView):
        factors = data.factor_names if factors is None else factors
        added = [*data.statements, *added]
        data = data.base
    return (FiniteDataView if is_finite(data) else DataView)(data, factors, added)


class DataView(DiscreteData):
    """Ground-truth data that shows some factors of another, under a confounding.

    Without confounding every factor is drawn by itself, in disentanglement_lib's order: the
    ground-truth factors when factors are sampled, the nuisance factors when observations are made.
    With confounding whole combinations are drawn from the allowed set.
    """

    @checked
    def __init__(
        self, base: GroundTruthData, factors: Sequence[str] | None = None, confounding: Sequence[Statement] = ()
    ) -> None:
        self.base = base
        self.statements = list(statements(confounding))
        self.base_space = StateSpace.of(base)
        check_statements(self.base_space, self.statements)
        names = self.base_space.factor_names
        self.columns = columns_of(names if factors is None else factors, names)
        self.nuisance = [i for i in range(self.base_space.num_factors) if i not in self.columns]
        self.space = self.base_space.subspace(self.columns)
        self._draws: dict[tuple[int, ...], WeightedRows] = {}

    @property
    def is_confounded(self) -> bool:
        """Whether some combinations are rarer than others, or missing."""
        return bool(self.statements)

    @property
    def num_images(self) -> int | None:
        return None if self.statements else getattr(self.base, "num_images", None)

    def _shows(self) -> Iterator[str]:
        if type(self) in (DataView, FiniteDataView):
            yield f"of {type(self.base).__name__}"
        images, factors = super()._shows()
        yield f"{images}, confounded" if self.statements else images
        yield factors

    @property
    def observation_shape(self) -> Any:
        return self.base.observation_shape

    def __getattr__(self, name: str) -> Any:
        if name in OF_THE_WHOLE and "base" in self.__dict__:
            return of_the_whole(self.base, name, self.factor_names)
        if name == "counterfactual_observed" and hasattr(self.__dict__.get("base"), name):
            return self._observed
        # A property whose own code failed comes here too: asked again, it says what failed.
        return super().__getattribute__(name)

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Rows of ground-truth factors (num, factors)."""
        if self.statements:
            check_drawn(num)
            return self._draw((), np.empty((num, 0), dtype=np.int64), random_state)[:, self.columns]
        return self.space.sample(num, random_state)

    def sample_factors_given(
        self, columns: Sequence[int], values: IntArray, random_state: np.random.RandomState
    ) -> IntArray:
        """Rows of ground-truth factors whose `columns` are fixed.

        Args:
            columns: positions among the ground-truth factors.
            values: (n, columns) integers.
            random_state: what the other factors are drawn with.

        Returns:
            (n, factors); every row is a combination that the confounding allows.
        """
        values = fixed_values(columns, values, self.num_factors)
        if self.statements:
            base_columns = tuple(self.columns[column] for column in columns)
            return self._draw(base_columns, values, random_state)[:, self.columns]
        rows = self.space.sample(len(values), random_state)
        rows[:, columns] = values
        return self.space.check(rows)

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray:
        """An image for each row; a combination that the confounding forbids is an error."""
        return self.base.sample_observations_from_factors(self._complete(factors, random_state), random_state)

    def _observed(self, indices: IntArray, do: Mapping[str, Any]) -> np.ndarray:
        """(n,) bool: whether the confounding allows the combination of `counterfactual`, and the base has it."""
        observed = np.array(self.base.counterfactual_observed(indices, do))  # type: ignore[attr-defined]
        if self.statements:
            rows = self.base.counterfactual_rows(indices, do)  # type: ignore[attr-defined]
            observed &= np.isin(self.base_space.to_index(rows), self._allowed[0])
        return observed

    @cached_property
    def _allowed(self) -> tuple[IntArray, FloatArray]:
        return allowed_combinations(self.base_space, self.statements)

    def _draw(self, columns: tuple[int, ...], values: IntArray, random_state: np.random.RandomState) -> IntArray:
        """An allowed combination, over all factors of the base, for each of the `values` (n, columns)."""
        indices, probabilities = self._allowed
        if columns not in self._draws:
            rows = self.base_space.to_factors(indices)[:, columns]
            self._draws[columns] = WeightedRows(rows, probabilities, self.base_space.subspace(columns))
        refusal = "The confounding forbids {}: the data set has no such image."
        return self.base_space.to_factors(indices[self._draws[columns].draw(values, random_state, refusal)])

    def _complete(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """Rows over all factors of the base: the ground truth as given, the nuisance drawn."""
        factors = self.space.check(factors)
        if self.statements:
            return self._draw(tuple(self.columns), factors, random_state)
        rows = np.empty((len(factors), self.base_space.num_factors), dtype=np.int64)
        rows[:, self.columns] = factors
        rows[:, self.nuisance] = self.base_space.subspace(self.nuisance).sample(len(factors), random_state)
        return rows


class FiniteDataView(DataView):
    """A view of finite data."""

    def sample_indices(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """The image of each row; draws the nuisance factors."""
        return self.base.sample_indices(self._complete(factors, random_state), random_state)  # type: ignore[attr-defined]

    def observations(self, indices: IntArray) -> FloatArray:
        """The images of these indices, which count as in the base."""
        return self.base.observations(indices)  # type: ignore[attr-defined]

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, factors) float64: the base's numbers of the chosen factors."""
        return factor_values(self.base, np.asarray(indices))[:, self.columns]

    @cached_property
    def factor_table(self) -> pd.DataFrame:
        """The rows of the base's table that the confounding allows, with the chosen columns."""
        table = self.base.factor_table  # type: ignore[attr-defined]
        if self.statements:
            rows = value_rows(table[list(self.base_space.factor_names)])
            table = table[np.isin(self.base_space.to_index(rows), self._allowed[0])]
        return table[list(self.factor_names)]
