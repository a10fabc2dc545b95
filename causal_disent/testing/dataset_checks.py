"""What every data set must do. A check is a function of a `DatasetTrial`; its name is what users see."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from causal_disent.protocols import IntArray, is_finite
from causal_disent.registry import Entry
from causal_disent.testing.stage import (  # noqa: F401  a check as well
    CheckFailed,
    NotApplicable,
    check_known_failures,
    check_untouched,
    checks_in,
    demand,
    documented,
    read_only,
    touched_generators,
)

SEED = 0
#: Points to draw. Enough that a wrong row shows, few enough for images that have to be drawn.
NUM_POINTS = 24


class DatasetTrial:
    """A data set that is made once.

    Args:
        entry: the data set.
        options: what its factory takes.
    """

    def __init__(self, entry: Entry, **options: Any) -> None:
        self.entry = entry
        self._options = options

    def make(self) -> Any:
        """A new data set."""
        return self.entry.load()(**self._options)

    @cached_property
    def data(self) -> Any:
        """The data set."""
        return self.make()

    def factors(self) -> IntArray:
        """Drawn factors, the same each time."""
        return self.data.sample_factors(NUM_POINTS, generator())

    def finite_data(self) -> Any:
        """The data set, if it is finite."""
        if not is_finite(self.data):
            raise NotApplicable("the data set is not finite: it has no `sample_indices` and `observations`.")
        return self.data


def generator() -> np.random.RandomState:
    """The same generator each time."""
    return np.random.RandomState(SEED)


def declarations_hold_together(trial: DatasetTrial) -> None:
    """What the entry declares for these checks can be understood."""
    check_known_failures(trial.entry, (check.__name__ for check in DATASET_CHECKS))


def attributes_describe_it(trial: DatasetTrial) -> None:
    """The numbers of factors and of their values, and the shape of an observation."""
    data = trial.data
    sizes = list(data.factors_num_values)
    demand(data.num_factors >= 1, f"`num_factors` is at least 1; it is {data.num_factors!r}.")
    demand(
        len(sizes) == data.num_factors,
        f"`factors_num_values` has an entry for each of the {data.num_factors} factors; it has {len(sizes)}.",
    )
    demand(all(size >= 1 for size in sizes), f"a factor has at least one value; `factors_num_values` is {sizes}.")
    shape = tuple(data.observation_shape)
    demand(shape and all(length >= 1 for length in shape), f"`observation_shape` cannot be {shape}.")


def names_match_the_factors(trial: DatasetTrial) -> None:
    """As many names as factors, as many names of values as values, none twice."""
    data = trial.data
    names, value_names = getattr(data, "factor_names", None), getattr(data, "value_names", None)
    if names is None and value_names is None:
        raise NotApplicable("the data set has neither `factor_names` nor `value_names`.")
    if names is not None:
        _check_names("factor_names", names, data.num_factors)
    if value_names is not None:
        demand(
            len(value_names) == data.num_factors,
            f"`value_names` has an entry for each of the {data.num_factors} factors; it has {len(value_names)}.",
        )
        for i, size in enumerate(data.factors_num_values):
            _check_names(f"value_names[{i}]", value_names[i], size)


def _check_names(what: str, names: Any, number: int) -> None:
    demand(len(names) == number, f"`{what}` has {len(names)} names for {number}.")
    demand(len(set(names)) == len(names), f"`{what}` has a name twice.")


def draws_have_their_shapes(trial: DatasetTrial) -> None:
    """Factors (n, factors) of integers, observations (n, *observation_shape)."""
    data, shape = trial.data, (NUM_POINTS, *trial.data.observation_shape)
    factors = trial.factors()
    _check_factors("sample_factors", factors, data)
    pair = data.sample(NUM_POINTS, generator())
    demand(isinstance(pair, tuple) and len(pair) == 2, "`sample` returns a pair, factors and observations.")
    _check_factors("sample", pair[0], data)
    for name, observations in (
        ("sample", pair[1]),
        ("sample_observations", data.sample_observations(NUM_POINTS, generator())),
        ("sample_observations_from_factors", data.sample_observations_from_factors(factors, generator())),
    ):
        demand(
            np.shape(observations) == shape,
            f"`{name}` gives shape {np.shape(observations)}, not (n, *observation_shape) = {shape}.",
        )


def _check_factors(name: str, factors: Any, data: Any) -> None:
    shape = (NUM_POINTS, data.num_factors)
    demand(np.shape(factors) == shape, f"`{name}` gives factors of shape {np.shape(factors)}, not {shape}.")
    demand(
        np.asarray(factors).dtype.kind in "iu", f"`{name}` gives factors of dtype {factors.dtype}, not integers."
    )


def factors_within_range(trial: DatasetTrial) -> None:
    """Each factor is from 0 to its number of values less one."""
    _check_range(trial.factors(), trial.data)


def _check_range(factors: IntArray, data: Any) -> None:
    sizes = np.asarray(data.factors_num_values)
    wrong = np.argwhere((factors < 0) | (factors >= sizes))
    if len(wrong):
        row, column = wrong[0]
        raise CheckFailed(
            f"factor {column} has {sizes[column]} values, 0 to {sizes[column] - 1}, and was drawn as "
            f"{factors[row, column]}."
        )


def observations_are_images(trial: DatasetTrial) -> None:
    """Floats from 0 to 1."""
    observations = trial.data.sample_observations(NUM_POINTS, generator())
    demand(observations.dtype.kind == "f", f"observations are floats; these have dtype {observations.dtype}.")
    demand(np.isfinite(observations).all(), "observations are finite; some of these are not.")
    low, high = observations.min(), observations.max()
    demand(low >= 0 and high <= 1, f"observations are from 0 to 1; these are from {low:.6g} to {high:.6g}.")


def same_seed_same_draws(trial: DatasetTrial) -> None:
    """Randomness comes from `random_state` alone, also for a data set made anew."""
    first = trial.data.sample(NUM_POINTS, generator())
    for data in (trial.data, trial.make()):
        again = data.sample(NUM_POINTS, generator())
        for what, one, other in zip(("factors", "observations"), first, again, strict=True):
            demand(np.array_equal(one, other), f"two draws from the same seed differ in their {what}.")


def sample_draws_factors_first(trial: DatasetTrial) -> None:
    """`sample` is `sample_factors`, then `sample_observations_from_factors`, with the same generator."""
    random_state = generator()
    factors = trial.data.sample_factors(NUM_POINTS, random_state)
    observations = trial.data.sample_observations_from_factors(factors, random_state)
    together = trial.data.sample(NUM_POINTS, generator())
    demand(np.array_equal(factors, together[0]), "`sample` draws other factors than `sample_factors`.")
    demand(
        np.array_equal(observations, together[1]),
        "`sample` draws other observations than `sample_observations_from_factors`.",
    )


def global_generators_untouched(trial: DatasetTrial) -> None:
    """``random`` and ``numpy.random`` are left alone."""
    with touched_generators() as touched:
        trial.make().sample(NUM_POINTS, generator())
    check_untouched(touched)


def given_factors_stay_as_they_are(trial: DatasetTrial) -> None:
    """Factors that cannot be written to are enough to make observations."""
    factors = trial.factors()
    before = factors.copy()
    trial.data.sample_observations_from_factors(factors, generator())
    demand(
        np.array_equal(factors, before), "`sample_observations_from_factors` writes to the factors it is given."
    )
    trial.data.sample_observations_from_factors(read_only(factors), generator())


def draws_belong_to_the_caller(trial: DatasetTrial) -> None:
    """Writing to what was drawn changes nothing that is drawn later."""
    factors = trial.factors()
    observations = trial.data.sample_observations_from_factors(factors, generator())
    demand(not np.shares_memory(factors, observations), "the observations share memory with the factors given.")
    expected = observations.copy()
    _scribble(observations)
    again = trial.data.sample_observations_from_factors(factors, generator())
    demand(np.array_equal(again, expected), "writing to the observations changes those that are drawn later.")
    expected = factors.copy()
    _scribble(factors)
    demand(np.array_equal(trial.factors(), expected), "writing to the factors changes those that are drawn later.")


def _scribble(array: np.ndarray) -> None:
    if array.flags.writeable:
        array += 1


def conditional_draws_keep_what_is_fixed(trial: DatasetTrial) -> None:
    """`sample_factors_given` draws the other factors, so that there are observations."""
    data = trial.data
    if not hasattr(data, "sample_factors_given"):
        raise NotApplicable("the data set has no `sample_factors_given`.")
    for column in range(data.num_factors):
        values = trial.factors()[:, [column]]
        rows = data.sample_factors_given([column], values, generator())
        _check_factors("sample_factors_given", rows, data)
        demand(
            (rows[:, [column]] == values).all(), f"`sample_factors_given` does not keep factor {column} as given."
        )
        _check_range(rows, data)
    data.sample_observations_from_factors(rows, generator())


def indices_name_the_observations(trial: DatasetTrial) -> None:
    """`observations(sample_indices(...))` is `sample_observations_from_factors(...)`."""
    data, factors = trial.finite_data(), trial.factors()
    indices = data.sample_indices(factors, generator())
    demand(
        np.shape(indices) == (NUM_POINTS,),
        f"`sample_indices` gives shape {np.shape(indices)}, not ({NUM_POINTS},).",
    )
    drawn = data.sample_observations_from_factors(factors, generator())
    demand(
        np.array_equal(data.observations(indices), drawn),
        "`observations(sample_indices(factors, random_state))` differs from "
        "`sample_observations_from_factors(factors, random_state)` with an equal random state.",
    )


def factor_table_lists_the_images(trial: DatasetTrial) -> None:
    """A row for each image, none twice, with the factors it was drawn for."""
    data, factors = trial.finite_data(), trial.factors()
    if not hasattr(data, "factor_table"):
        raise NotApplicable("the data set has no `factor_table`.")
    table = data.factor_table
    names = [str(name) for name in getattr(data, "factor_names", table.columns)]
    demand(list(table.columns) == names, f"`factor_table` has the columns {list(table.columns)}, not {names}.")
    demand(table.index.is_unique, "`factor_table` lists an image twice.")
    _check_categories(table, data)
    indices = data.sample_indices(factors, generator())
    missing = np.setdiff1d(indices, table.index)
    demand(
        not missing.size, f"`factor_table` has no row for the image {missing[:1]}, which `sample_indices` drew."
    )
    listed = np.stack([table[name].cat.codes.loc[indices] for name in names], axis=1)
    demand(np.array_equal(listed, factors), "`factor_table` gives an image other factors than it was drawn for.")
    ends = table.index.to_numpy()[[0, -1]]
    demand(
        np.shape(data.observations(ends)) == (2, *data.observation_shape),
        "`observations` cannot show the first and the last image of `factor_table`.",
    )


def _check_categories(table: Any, data: Any) -> None:
    for name, size in zip(table.columns, data.factors_num_values, strict=True):
        demand(hasattr(table[name], "cat"), f"the column '{name}' of `factor_table` must be categorical.")
        found = len(table[name].cat.categories)
        demand(found == size, f"the column '{name}' of `factor_table` has {found} categories for {size} values.")


def factor_values_are_numbers(trial: DatasetTrial) -> None:
    """`factor_values` gives a finite number for each factor of an image, the same for the same value."""
    data, factors = trial.finite_data(), trial.factors()
    if not hasattr(data, "factor_values"):
        raise NotApplicable("the data set has no `factor_values`.")
    indices = data.sample_indices(factors, generator())
    values = data.factor_values(indices)
    demand(
        np.shape(values) == factors.shape, f"`factor_values` gives shape {np.shape(values)}, not {factors.shape}."
    )
    demand(values.dtype == np.float64, f"`factor_values` gives dtype {values.dtype}, not float64.")
    demand(np.isfinite(values).all(), "`factor_values` gives numbers that are not finite.")
    for column, (places, numbers) in enumerate(zip(factors.T, values.T, strict=True)):
        _, first, same = np.unique(places, return_index=True, return_inverse=True)
        demand(
            np.allclose(numbers, numbers[first][same], rtol=1e-4, atol=1e-4),  # last digits may have no place
            f"`factor_values` gives different numbers for the same value of factor {column}.",
        )
    expected = values.copy()
    _scribble(values)
    again = data.factor_values(indices)
    demand(np.array_equal(again, expected), "writing to `factor_values` changes what they are later.")


DATASET_CHECKS = checks_in(globals())
