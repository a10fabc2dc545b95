"""Each check of data sets rejects one that was broken on purpose, for the right reason."""

from dataclasses import replace

import numpy as np
import pytest
from rejection import assert_rejected, cases

from causal_disent.registry import Entry
from causal_disent.testing import check_dataset
from causal_disent.testing.dataset_checks import DATASET_CHECKS
from causal_disent.testing.stage import StageData


class GoodData(StageData):
    """A small data set."""

    def __init__(self):
        super().__init__((2, 3), width=4)


def data_entry(**changes):
    """The good data set with other attributes."""
    made = type("BrokenData", (GoodData,), {"__doc__": "A data set.", **changes})
    return Entry("datasets", "broken", "tests", made, "a summary")


def sampled(factors=None, observations=None):
    """A `sample` with one part changed."""

    def sample(self, num, random_state):
        drawn = GoodData.sample(self, num, random_state)
        return (
            drawn[0] if factors is None else factors(drawn[0]),
            drawn[1] if observations is None else observations,
        )

    return sample


def shown(change):
    """`sample_observations_from_factors` with its result changed."""
    return lambda self, factors, random_state: change(
        GoodData.sample_observations_from_factors(self, factors, random_state)
    )


def numbers(change):
    """`factor_values` with its result changed."""

    def factor_values(self, indices):
        with np.errstate(all="ignore"):
            return change(GoodData.factor_values(self, indices))

    return factor_values


SAME_NUMBERS = np.zeros((24, 2))


def drawing_globally(self, num, random_state):
    return np.random.randint(2, size=(num, 2))  # noqa: NPY002


def drawing_anew(self, num, random_state):
    return np.random.RandomState().randint(2, size=(num, 2))


def writing_to_given_factors(self, factors, random_state):
    factors[:, 0] = 0
    return GoodData.sample_observations_from_factors(self, factors, random_state)


def asking_for_writeable_factors(self, factors, random_state):
    factors[:, 0] += 0
    return GoodData.sample_observations_from_factors(self, factors, random_state)


ALBUM = np.zeros((24, 4, 4, 3), dtype=np.float32)
KEPT = np.zeros((24, 2), dtype=int)


def given(rows):
    return lambda self, columns, values, random_state: rows(columns, values)


def ones(columns, values):
    return np.ones((len(values), 2), dtype=int)


def with_five(columns, values):
    rows = np.full((len(values), 2), 5)
    rows[:, columns] = values
    return rows


def table(change):
    return property(lambda self: change(StageData.factor_table.func(self)))


BROKEN_DATA = {
    "documented": [
        (replace(data_entry(), summary=""), "no summary"),
        (replace(data_entry(), target=lambda: GoodData()), "no docstring"),
    ],
    "declarations_hold_together": [
        (replace(data_entry(), facts={"known_failures": {"shapes": "odd"}}), "Unknown check 'shapes'"),
    ],
    "attributes_describe_it": [
        (data_entry(num_factors=0), "`num_factors` is at least 1; it is 0"),
        (data_entry(factors_num_values=[2]), "entry for each of the 2 factors; it has 1"),
        (data_entry(factors_num_values=[2, 0]), r"at least one value; `factors_num_values` is \[2, 0\]"),
        (data_entry(observation_shape=property(lambda self: (), lambda self, value: None)), "cannot be ()"),
    ],
    "names_match_the_factors": [
        (data_entry(factor_names=("a",)), "`factor_names` has 1 names for 2"),
        (data_entry(factor_names=("a", "a")), "`factor_names` has a name twice"),
        (data_entry(value_names=(("x", "y"),)), "`value_names` has an entry for each of the 2 factors; it has 1"),
        (data_entry(value_names=(("x", "y"), ("x", "y"))), r"`value_names\[1\]` has 2 names for 3"),
    ],
    "draws_have_their_shapes": [
        (
            data_entry(sample_factors=lambda self, num, _: np.zeros((num, 3), int)),
            r"shape \(24, 3\), not \(24, 2\)",
        ),
        (data_entry(sample_factors=lambda self, num, _: np.zeros((num, 2))), "dtype float64, not int"),
        (data_entry(sample=lambda self, num, _: np.zeros((num, 2))), "returns a pair"),
        (data_entry(sample=sampled(factors=lambda rows: rows[:3])), r"`sample` gives factors of shape \(3, 2\)"),
        (
            data_entry(sample_observations=lambda self, num, _: np.zeros((num, 4, 4))),
            r"shape \(24, 4, 4\), not \(n",
        ),
        (data_entry(sample_observations_from_factors=shown(lambda images: images[1:])), r"shape \(23, 4, 4, 3\)"),
    ],
    "factors_within_range": [
        (data_entry(factors_num_values=[2, 2]), "factor 1 has 2 values, 0 to 1, and was drawn as 2"),
        (data_entry(sample_factors=lambda self, num, _: np.full((num, 2), -1)), "factor 0 has .* drawn as -1"),
    ],
    "observations_are_images": [
        (data_entry(sample_observations_from_factors=shown(lambda x: (x * 255).astype(np.uint8))), "dtype uint8"),
        (data_entry(sample_observations_from_factors=shown(lambda x: x * 255)), "these are from 85 to 255"),
        (data_entry(sample_observations_from_factors=shown(lambda x: x * np.nan)), "observations are finite"),
    ],
    "same_seed_same_draws": [(data_entry(sample_factors=drawing_anew), "same seed differ in their factors")],
    "sample_draws_factors_first": [
        (data_entry(sample=sampled(factors=lambda rows: rows * 0)), "`sample` draws other factors"),
        (data_entry(sample=sampled(observations=ALBUM)), "`sample` draws other observations"),
    ],
    "global_generators_untouched": [
        (data_entry(sample_factors=drawing_globally), "changes the global generator numpy.random;"),
    ],
    "given_factors_stay_as_they_are": [
        (
            data_entry(sample_observations_from_factors=writing_to_given_factors),
            "writes to the factors",
        ),
        (data_entry(sample_observations_from_factors=asking_for_writeable_factors), "it raised .*read-only"),
    ],
    "draws_belong_to_the_caller": [
        (
            data_entry(sample_observations_from_factors=shown(lambda x: ALBUM)),
            "writing to the observations changes",
        ),
        (data_entry(sample_observations_from_factors=lambda self, factors, _: factors), "share memory"),
        (
            data_entry(sample_factors=lambda self, num, _: KEPT),
            "to the factors changes",
        ),
    ],
    "conditional_draws_keep_what_is_fixed": [
        (data_entry(sample_factors_given=given(ones)), "does not keep factor 0"),
        (data_entry(sample_factors_given=given(with_five)), "was drawn as 5"),
        (
            data_entry(sample_factors_given=given(lambda columns, values: values)),
            r"shape \(24, 1\), not \(24, 2\)",
        ),
    ],
    "indices_name_the_observations": [
        (data_entry(sample_indices=lambda self, factors, _: np.zeros(3, int)), r"shape \(3,\), not \(24,\)"),
        (
            data_entry(sample_observations_from_factors=shown(lambda x: 1 - x)),
            "differs from .* equal random state",
        ),
    ],
    "factor_table_lists_the_images": [
        (data_entry(factor_table=table(lambda t: t.iloc[:, :1])), r"columns \['factor_0'\], not"),
        (data_entry(factor_table=table(lambda t: t.set_axis([0, 0, 1, 2, 3, 4]))), "lists an image twice"),
        (
            data_entry(factor_table=table(lambda t: t.astype(str))),
            "'factor_0' of `factor_table` must be categorical",
        ),
        (data_entry(factors_num_values=[2, 4]), "has 3 categories for 4 values"),
        (data_entry(factor_table=table(lambda t: t.iloc[:3])), r"no row for the image \[3\]"),
        (
            data_entry(factor_table=table(lambda t: t.set_axis(t.index[::-1]))),
            "other factors than it was drawn for",
        ),
        (data_entry(observations=lambda self, indices: np.zeros(3)), "cannot show the first and the last"),
    ],
    "factor_values_are_numbers": [
        (data_entry(factor_values=numbers(lambda v: v[:, :1])), r"shape \(24, 1\), not \(24, 2\)"),
        (data_entry(factor_values=numbers(lambda v: v.astype(int))), "dtype int64, not float64"),
        (data_entry(factor_values=numbers(lambda v: v / 0)), "not finite"),
        (
            data_entry(factor_values=numbers(lambda v: v + np.arange(len(v))[:, None])),
            "different numbers for the same value of factor 0",
        ),
        (data_entry(factor_values=lambda self, indices: SAME_NUMBERS), "writing to `factor_values` changes"),
    ],
}


@pytest.mark.parametrize(("name", "entry", "message"), cases(BROKEN_DATA))
def test_a_broken_data_set_is_rejected(name, entry, message):
    assert_rejected(entry, name, message)


def test_a_good_data_set_passes():
    skipped = [found.check for found in check_dataset(data_entry()) if found.status != "ok"]
    assert skipped == ["conditional_draws_keep_what_is_fixed"]


def test_data_that_is_not_finite_and_has_no_names():
    class Endless:
        """Noise."""

        num_factors, factors_num_values, observation_shape = 1, [3], (2, 2, 1)

        def sample_factors(self, num, random_state):
            return random_state.randint(3, size=(num, 1))

        def sample_observations_from_factors(self, factors, random_state):
            return random_state.random_sample((len(factors), 2, 2, 1))

        def sample(self, num, random_state):
            factors = self.sample_factors(num, random_state)
            return factors, self.sample_observations_from_factors(factors, random_state)

        def sample_observations(self, num, random_state):
            return self.sample(num, random_state)[1]

    skipped = {one.check for one in check_dataset(Entry("datasets", "endless", "", Endless, "s")) if one.reason}
    assert skipped == {
        "names_match_the_factors",
        "conditional_draws_keep_what_is_fixed",
        "indices_name_the_observations",
        "factor_table_lists_the_images",
        "factor_values_are_numbers",
    }


def test_every_check_has_a_broken_entry():
    assert [check.__name__ for check in DATASET_CHECKS] == list(BROKEN_DATA)
    assert all(check.__doc__ for check in DATASET_CHECKS)
