"""What old files know as ``disentanglement_lib.visualize`` and ``disentanglement_lib.utils.results``.

The numbers are given; pictures are not drawn, but a matrix that would have been is saved as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.metrics.tools.merges import factor_merges, independent_groups
from causal_disent.protocols import FloatArray


def precision(matrix: FloatArray, th: float) -> int:
    """Into how many groups codes and factors fall, tied where (codes, factors) reaches `th`."""
    return independent_groups(matrix, th)


def recall(matrix: FloatArray, th: float) -> int:
    """How many rows have an entry that reaches `th` and is not 0."""
    return int(((matrix >= th) & (matrix != 0)).any(axis=1).sum())


def heat_square(
    matrix: FloatArray,
    output_dir: str,
    name: str,
    xlabel: str,
    ylabel: str,
    max_val: float | None = None,
    factor_names: Sequence[str] | None = None,
) -> None:
    """Save (codes, factors) as ``<name>.csv``."""
    folder = Path(output_dir)
    folder.mkdir(parents=True, exist_ok=True)
    header = ",".join(map(str, range(matrix.shape[1]) if factor_names is None else factor_names))
    np.savetxt(folder / f"{name}.csv", matrix, delimiter=",", header=header, comments="")


def plot_recovery_vs_independent(matrix: FloatArray, output_dir: str, name: str) -> None:
    """A picture alone: nothing."""


def dendrogram_plot(matrix: FloatArray, output_dir: str, factor_names: Sequence[str]) -> dict[str, float]:
    """After how many ties, from the strongest of (factors, codes) down, two factors share a group."""
    return {f"merge_{i}_{j}": float(after) for (i, j), after in factor_merges(np.asarray(matrix).T).items()}


def namespaced_dict(
    base_dict: Mapping[str, Any] | None = None, **named_dicts: Mapping[str, Any]
) -> dict[str, Any]:
    """`base_dict` and the entries of the others, their keys after the dict's name and a dot."""
    named = {
        f"{outer}.{inner}": value for outer, entries in named_dicts.items() for inner, value in entries.items()
    }
    return {**(base_dict or {}), **named}
