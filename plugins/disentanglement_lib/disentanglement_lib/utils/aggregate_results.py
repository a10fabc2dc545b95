"""The results of many runs in one table."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from causal_disent.runs import aggregate

if TYPE_CHECKING:
    import pandas as pd


def aggregate_results_to_json(result_file_pattern: str, output_path: str) -> None:
    """Write the results that match a glob into one JSON file."""
    for path, reason in aggregate.aggregate_results_to_json(result_file_pattern, output_path)[1]:
        warnings.warn(f"left out {path}: {reason}", stacklevel=2)


def load_aggregated_json_results(source_path: str) -> pd.DataFrame:
    """The table that `aggregate_results_to_json` wrote."""
    import pandas as pd

    return pd.read_json(source_path, orient="columns")
