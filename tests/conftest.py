"""What several tests share."""

import numpy as np
import pytest

from causal_disent import get_dataset


@pytest.fixture
def random_state():
    return np.random.RandomState(0)


class SmallData:
    """A finite data set of 2 x 3 x 2 tiny images that show their factors as grey levels."""

    factor_names = ("shape", "color", "light")
    value_names = (("cube", "ball"), ("red", "green", "blue"), ("left", "right"))
    num_factors = 3
    factors_num_values = [2, 3, 2]
    observation_shape = (1, 3, 1)

    def __init__(self):
        from causal_disent.data.state_space import StateSpace

        self.space = StateSpace.of(self)
        self.num_observed = 0

    def sample_factors(self, num, random_state):
        return self.space.sample(num, random_state)

    def sample_indices(self, factors, random_state):
        return self.space.to_index(factors)

    def observations(self, indices):
        self.num_observed += len(indices)
        return (self.space.to_factors(indices) / 3.0).astype(np.float32).reshape(-1, 1, 3, 1)

    def sample_observations_from_factors(self, factors, random_state):
        return self.observations(self.sample_indices(factors, random_state))

    def sample(self, num, random_state):
        factors = self.sample_factors(num, random_state)
        return factors, self.sample_observations_from_factors(factors, random_state)

    def sample_observations(self, num, random_state):
        return self.sample(num, random_state)[1]

    @property
    def factor_table(self):
        import pandas as pd

        rows = self.space.to_factors(np.arange(self.space.num_combinations))
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(rows[:, i], list(self.value_names[i]))
                for i, name in enumerate(self.factor_names)
            }
        )


@pytest.fixture
def small_data():
    return SmallData()


@pytest.fixture
def candle():
    return get_dataset("candle_mini")


@pytest.fixture
def oracle_folder(tmp_path):
    """A function that writes an input folder for a registered model."""

    def write(text="representation.name = 'perfect_oracle'\ndataset.name = 'candle_mini'\n", name="model"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "representation.gin").write_text(text)
        return folder

    return write
