"""Pictures of matrices of codes and factors, and what the graph that they stand for falls into."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.compat.utils import precision, recall
from disentanglement_lib.visualize.visualize_util import make_folder

__all__ = ["bfs", "heat_square", "plot_recovery_vs_independent", "precision", "recall"]


def heat_square(
    matrix: Any,
    output_dir: str,
    name: str,
    xlabel: str,
    ylabel: str,
    max_val: float | None = None,
    factor_names: Any = None,
) -> None:
    """Draw a matrix (codes, factors) as ``<name>.png``, a row per factor."""
    figure, axes = _figure()
    image = axes.imshow(np.asarray(matrix).T, vmin=0, vmax=max_val, cmap="Blues", aspect="auto")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    if factor_names is not None:
        axes.set_yticks(range(len(factor_names)), factor_names)
    figure.colorbar(image)
    figure.savefig(make_folder(output_dir) / f"{name}.png", bbox_inches="tight")


def plot_recovery_vs_independent(matrix: Any, output_dir: str, name: str) -> None:
    """Draw how many groups and how many factors are found as the threshold falls, as ``<name>.png``."""
    thresholds = np.sort(np.ravel(matrix))[::-1]
    figure, axes = _figure()
    axes.plot([precision(matrix, threshold) for threshold in thresholds], label="independent groups")
    axes.plot([recall(matrix, threshold) for threshold in thresholds], label="factors found")
    axes.set_xlabel("entries above the threshold")
    axes.legend()
    figure.savefig(make_folder(output_dir) / f"{name}.png", bbox_inches="tight")


def bfs(matrix: Any, to_visit: list[tuple[int, int]], factors: Any, codes: Any, size: int) -> tuple[Any, Any, int]:
    """Visit what hangs together with the last node of `to_visit`.

    Args:
        matrix: (factors, codes); an entry other than 0 ties the two.
        to_visit: (number, 0 for a factor or 1 for a code).
        factors: (factors,), 1 for those that were visited.
        codes: (codes,), likewise.
        size: how many nodes are known.

    Returns:
        The last three, brought up to date.
    """
    visited, ties = (factors, codes), (np.asarray(matrix) != 0, np.asarray(matrix).T != 0)
    queue = [to_visit.pop()]
    visited[queue[0][1]][queue[0][0]] = 1
    while queue:
        node, side = queue.pop()
        for other in np.flatnonzero(ties[side][node]):
            if not visited[1 - side][other]:
                visited[1 - side][other] = 1
                queue.append((int(other), 1 - side))
                size += 1
    return factors, codes, size


def _figure() -> Any:
    """A figure that no display is needed for, and its axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    return figure, figure.subplots()
