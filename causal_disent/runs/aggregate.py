"""The results of many runs in one table, as disentanglement_lib gathers them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.checks import checked, is_number
from causal_disent.files import below, check_file_place, find_paths, new_file, read_bounded, within
from causal_disent.runs.results import MOST_BYTES, parse_object

if TYPE_CHECKING:
    import pandas as pd

#: Whole numbers that tables can hold.
INTEGERS = range(-(2**63), 2**63)

#: Digits after the point, as many as pandas can write.
MOST_DIGITS = 15

#: A file that could not be used, and why.
LeftOut = tuple[str, str]


@checked
def aggregate_results(result_file_pattern: str) -> tuple[pd.DataFrame, list[LeftOut]]:
    """One row per result file that matches, its columns those of the files together.

    Args:
        result_file_pattern: a glob, such as ``"output/*/results/aggregate/evaluation.json"``; ``**`` goes into
            folders of any depth.

    Returns:
        The table, with a column ``path``, in the order of the paths; and the files that are torn or hold
        something else, which are left out of it.
    """
    import pandas as pd

    paths = [path for path in find_paths(result_file_pattern) if Path(path).is_file()]
    if not paths:
        raise errors.InvalidInput(
            f"No file matches {result_file_pattern}. Results are in files such as "
            "<output folder>/results/aggregate/evaluation.json."
        )
    rows, left_out = [], []
    for path in paths:
        try:
            # A name need not be text; half characters in it are shown as such.
            content = _read(within(below(result_file_pattern), Path(path)))
            rows.append({**content, "path": path.encode("utf-8", "backslashreplace").decode("utf-8")})
        except (errors.InvalidInput, OSError) as error:
            left_out.append((path, str(error)))
    return pd.DataFrame(rows), left_out


@checked
def aggregate_results_to_json(
    result_file_pattern: str, output_path: str | Path
) -> tuple[pd.DataFrame, list[LeftOut]]:
    """Write the table: JSON that ``pandas.read_json(orient="columns")`` reads, or Parquet if the name ends so.

    Returns:
        The table, and the files that were left out.
    """
    target = Path(output_path)
    check_file_place(target)
    table, left_out = aggregate_results(result_file_pattern)
    if table.empty:
        path, reason = left_out[0]
        raise errors.InvalidInput(
            f"None of the {len(left_out)} files that match holds results; the first, {path}: {reason}"
        )
    with new_file(target) as temporary:
        if target.suffix == ".parquet":
            write_parquet(table, temporary)
        else:
            table.to_json(temporary, orient="columns", double_precision=MOST_DIGITS)
    return table, left_out


def _read(path: Path) -> dict[str, Any]:
    content = parse_object(read_bounded(path, MOST_BYTES))
    if not content:
        raise errors.InvalidInput("it does not hold a JSON object with results.")
    nested = [key for key, value in content.items() if isinstance(value, dict)]
    if nested:
        raise errors.InvalidInput(f"its entry '{nested[0]}' is not a number, a text or a list.")
    large = [key for key, value in content.items() if _has_large_integer(value)]
    if large:
        raise errors.InvalidInput(f"its entry '{large[0]}' has a whole number of more than 64 bits.")
    return content


def _has_large_integer(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(_has_large_integer, value))
    return isinstance(value, int) and value not in INTEGERS


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Write a table as Parquet; columns that mix types or hold objects are text there."""
    table = table.copy()
    for name in table.columns:
        values = table[name].dropna().tolist()
        if _num_types(values) > 1 or any("{" in json.dumps(value) for value in values if isinstance(value, list)):
            table[name] = table[name].map(json.dumps, na_action="ignore")
    try:
        table.to_parquet(path)
    except ImportError:
        raise errors.InvalidInput("Parquet files need pyarrow: pip install 'causal-disent[parquet]'.") from None


def _num_types(values: Sequence[Any]) -> int:
    """How many kinds of values there are; a list of several kinds, or of lists, counts as many."""
    kinds = {float if is_number(value) else type(value) for value in values}
    lists = [value for value in values if isinstance(value, list)]
    inner = max((_num_types(value) + any(isinstance(one, list) for one in value) for value in lists), default=0)
    return max(len(kinds), inner)
