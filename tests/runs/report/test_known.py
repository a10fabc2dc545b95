"""What a report says of data sets beforehand."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from causal_disent.report.found import Data


def looked_at(**columns):
    data = Data("of a test", Path("nowhere"), Path("none"))
    table = {name: pd.Categorical(values, categories=range(5000)) for name, values in columns.items()}
    data.data = SimpleNamespace(factor_table=pd.DataFrame(table))
    return data


@pytest.mark.parametrize(
    ("columns", "independent"),
    [
        ({"a": [0, 0, 1, 1], "b": [7, 8, 7, 8]}, True),
        ({"a": [0, 0, 1, 1], "b": [7, 8, 7, 7]}, False),
        ({"a": [0, 0, 1, 1, 1], "b": [7, 8, 7, 8, 8]}, False),
        # Real numbers: four factors of 5,000 values have more combinations than any memory holds.
        ({name: np.arange(5000) for name in "abcd"}, False),
        ({name: [1, 1] for name in "abcd"}, True),  # so have the categories, of which one is seen
    ],
)
def test_factors_are_independent_where_all_combinations_are_equally_frequent(columns, independent):
    assert looked_at(**columns).independent is independent
