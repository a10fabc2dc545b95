"""After how many ties between codes and factors, from the strongest down, factors share a group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.compat.utils import dendrogram_plot as merges_of
from disentanglement_lib.visualize.visualize_scores import _figure
from disentanglement_lib.visualize.visualize_util import make_folder


def dendrogram_plot(matrix: Any, output_dir: str, factor_names: Any) -> dict[str, float]:
    """Draw the groups of the factors of (factors, codes) as ``<output_dir>.png``; when each two of them merge."""
    from scipy.cluster.hierarchy import dendrogram, linkage
    from scipy.spatial.distance import squareform

    values = np.asarray(matrix, dtype=np.float64)
    found = merges_of(values, output_dir, factor_names)
    if len(values) > 1:
        distances = np.zeros((len(values), len(values)))
        for key, after in found.items():
            first, second = (int(number) for number in key.split("_")[1:])
            distances[first, second] = distances[second, first] = after
        figure, axes = _figure()
        labels = None if factor_names is None else list(factor_names)
        dendrogram(linkage(squareform(distances), "single"), ax=axes, orientation="right", labels=labels)
        axes.set_xlabel("ties, from the strongest down")
        make_folder(str(Path(output_dir).parent))
        figure.savefig(f"{output_dir}.png", bbox_inches="tight")
    return found


def report_merges(z: Any, num_factors: int) -> dict[str, float]:
    """When each two factors merge, of a linkage matrix (events, 4)."""
    members = {factor: [factor] for factor in range(num_factors)}
    scores: dict[str, float] = {}
    for event, (one, other, after, _) in enumerate(z):
        pair = members.pop(int(one)), members.pop(int(other))
        scores |= {f"merge_{first}_{second}": after for first in pair[0] for second in pair[1]}
        members[num_factors + event] = [*pair[0], *pair[1]]
    return scores


def _find(nodes: Any, i: Any) -> Any:
    """The root of the tree that a node is in."""
    while nodes[int(i)] != i:
        i = nodes[int(i)]
    return i


def _union(
    nodes: Any,
    idx: Any,
    idy: Any,
    val: Any,
    z: Any,
    cluster_id: dict[Any, int],
    size: dict[int, int],
    matrix: Any,
    n_clusters: int,
    idx_found: int,
) -> tuple[Any, ...]:
    """Join the trees of two nodes; two roots that are factors make an event in the linkage matrix `z`."""
    roots = sorted((_find(nodes, idx), _find(nodes, idy)))
    if roots[0] != roots[1]:
        nodes[int(roots[1])] = roots[0]
        if roots[1] < len(matrix):
            joined = [cluster_id[root] for root in roots]
            n_clusters += 1
            size[n_clusters] = sum(size[cluster] for cluster in joined)
            z[idx_found] = [*joined, val, size[n_clusters]]
            idx_found += 1
            cluster_id.update(dict.fromkeys(roots, n_clusters))
    return z, cluster_id, size, n_clusters, idx_found
