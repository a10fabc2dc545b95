"""Batches of points that share the value of one factor, drawn or taken from given points.

Votes are worked on in blocks: the codes of all of them together would not fit for large data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from causal_disent.arguments import check_matrix
from causal_disent.metrics.irs import group
from causal_disent.metrics.tools.sampling import Draws
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray
from causal_disent.representation.code_table import CodeTable

__all__ = ["blocks", "draw_features", "points_sharing"]

#: Votes worked on at a time; 64 points each of 10 codes take 5 MB.
BLOCK = 1024


def blocks(total: int) -> Iterator[slice]:
    """Slices of at most `BLOCK` that cover ``range(total)``."""
    for start in range(0, total, BLOCK):
        yield slice(start, min(start + BLOCK, total))


def draw_features(
    data: GroundTruthData,
    table: CodeTable,
    num_votes: int,
    draw_one: Callable[[Draws], int],
    features_of: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, IntArray]:
    """Features of votes whose observations are drawn one vote after the other and encoded by the block.

    Args:
        data: ground-truth data.
        table: the encoder, which remembers images from block to block.
        num_votes: how many votes.
        draw_one: draws the observations of one vote, equally many for each; the factor they share.
        features_of: codes (votes, points of a vote, codes) -> features (votes, features).

    Returns:
        features (votes, features), and the shared factor of each vote (votes,).
    """
    features, shared = [], []
    for block in blocks(num_votes):
        draws = Draws(data, table)
        shared += [draw_one(draws) for _ in range(block.stop - block.start)]
        codes = check_matrix("codes", draws.codes(), columns="codes")
        features.append(features_of(codes.reshape(block.stop - block.start, -1, codes.shape[1])))
    return np.concatenate(features), np.array(shared)


def points_sharing(factor: IntArray, points: IntArray, num: int, random_state: np.random.RandomState) -> IntArray:
    """For each of `points`, `num` random points with the same value of `factor` (with replacement).

    Args:
        factor: (all points,) the factor's values.
        points: (n,) indices.
        num: how many for each.
        random_state: of the draws.

    Returns:
        (n, num) indices.
    """
    order, later_starts = group(factor)
    starts = np.concatenate([[0], later_starts])
    sizes = np.diff(np.append(starts, len(order)))
    value_of = np.empty(len(order), dtype=np.int64)
    value_of[order] = np.repeat(np.arange(len(starts)), sizes)
    values = value_of[points][:, None]
    places = random_state.random_sample((len(points), num)) * sizes[values]
    return order[starts[values] + places.astype(np.int64)]
