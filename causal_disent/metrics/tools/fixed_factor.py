"""Batches of points that share the value of one factor, drawn or taken from given points.

Votes are worked on in blocks: the codes of all of them together would not fit for large data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from causal_disent.checks import check_at_least, check_matrix
from causal_disent.data.independent_draws import IndependentDraws
from causal_disent.metrics.tools.fitting import forked
from causal_disent.metrics.tools.irs_statistics import group
from causal_disent.metrics.tools.needs import Needs, Sample, Source
from causal_disent.metrics.tools.resampling import what_is_asked
from causal_disent.metrics.tools.sampling import Draws, fix_factor
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray
from causal_disent.representation.code_table import CodeTable

#: Features (votes, codes), and the factor shared in each (votes,).
Labelled = tuple[FloatArray, IntArray]

#: Votes worked on at a time; 64 points each of 10 codes take 5 MB.
BLOCK = 1024


def blocks(total: int) -> Iterator[slice]:
    """Slices of at most `BLOCK` that cover ``range(total)``."""
    for start in range(0, total, BLOCK):
        yield slice(start, min(start + BLOCK, total))


@dataclass(frozen=True)
class Votes(Needs):
    """Votes to fit to and votes to score, each of points under an intervention: one factor held fixed.

    Attributes:
        sizes: what configs bind, with defaults: ``batch_size`` points per vote, ``num_train`` and ``num_eval``
            votes, perhaps ``num_variance_estimate`` points without a fixed factor before them.
        features_of: codes (votes, points of a vote, codes) -> features (votes, features).
        last_step: what the votes are given to, in place of the whole function, which takes points.
        min_batch: fewer points per vote are refused.
        pairs: whether a vote is of pairs that share a value, each its own; else of points that all share one.
    """

    sizes: Mapping[str, int]
    features_of: Callable[[FloatArray], FloatArray]
    last_step: Callable[..., Any]
    min_batch: int = 1
    pairs: bool = False

    how = (
        "sampled points that share the value of one factor, `num_train` times to fit and `num_eval` times to score"
    )
    gives = ("threshold",)

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self.sizes)

    def function(self, declared: Any) -> Any:
        return self.last_step

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        check_sizes(self.min_batch, **drawn)
        data, random_state = source.data, source.random_state
        table = CodeTable.of(data, source.representation)
        keywords = {}
        if "num_variance_estimate" in drawn:
            overall = Draws(data, table)
            overall.sample(drawn["num_variance_estimate"], random_state)
            codes = check_matrix("codes", overall.codes(), columns="codes")
            keywords = {"codes": codes, "num_factors": data.num_factors}

        def draw_block(num: int) -> Labelled:
            return draw_votes(data, table, num, drawn["batch_size"], random_state, pairs=self.pairs)

        votes = [draw_features(drawn[num], draw_block, self.features_of) for num in ("num_train", "num_eval")]
        points: tuple[Any, ...] = ()
        if what_is_asked():
            num_points = drawn.get("num_variance_estimate", drawn["num_train"])
            points = replace(source, random_state=forked(random_state)).points(num_points, drawn["batch_size"])
        yield Sample(tuple(votes), random_state, keywords, points=points)


def check_sizes(min_batch: int, batch_size: int, num_variance_estimate: int = 2, **votes: int) -> None:
    """Raise if there are too few votes, or points of a vote."""
    check_at_least(1, **votes)
    check_at_least(min_batch, batch_size=batch_size)
    check_at_least(2, num_variance_estimate=num_variance_estimate)


def draw_pairs(data: GroundTruthData, draws: Draws, batch_size: int, random_state: np.random.RandomState) -> int:
    """`batch_size` points, then as many, each sharing the value of one factor with its like among the first."""
    column = random_state.randint(data.num_factors)
    first = data.sample_factors(batch_size, random_state)
    second = data.sample_factors(batch_size, random_state)
    second = fix_factor(data, second, column, first[:, column], random_state)
    draws.given(first, random_state)
    draws.given(second, random_state)
    return column


def draw_batch(data: GroundTruthData, draws: Draws, batch_size: int, random_state: np.random.RandomState) -> int:
    """`batch_size` points that all have one value of a factor."""
    column = random_state.randint(data.num_factors)
    factors = data.sample_factors(batch_size, random_state)
    draws.given(fix_factor(data, factors, column, factors[0, column], random_state), random_state)
    return column


def draw_votes(
    data: GroundTruthData,
    table: CodeTable,
    num: int,
    batch_size: int,
    random_state: np.random.RandomState,
    *,
    pairs: bool,
) -> Labelled:
    """The codes of the points of `num` votes, vote by vote, and the factor that each vote's share (votes,)."""
    at_once = IndependentDraws.of(data)
    if at_once is not None:
        indices, shared = at_once.votes(num, batch_size, random_state, pairs=pairs)
        return table.codes_of(indices), shared
    draws, draw_one = Draws(data, table), draw_pairs if pairs else draw_batch
    columns = [draw_one(data, draws, batch_size, random_state) for _ in range(num)]
    return draws.codes(), np.array(columns)


def draw_features(
    num_votes: int, draw_block: Callable[[int], Labelled], features_of: Callable[[FloatArray], FloatArray]
) -> Labelled:
    """Features of votes that are drawn and encoded by the block.

    Args:
        num_votes: how many votes.
        draw_block: draws so many votes, of equally many points: their codes and the factor each shares.
        features_of: codes (votes, points of a vote, codes) -> features (votes, features).

    Returns:
        features (votes, features), and the shared factor of each vote (votes,).
    """
    features, shared = [], []
    for block in blocks(num_votes):
        codes, columns = draw_block(block.stop - block.start)
        codes = check_matrix("codes", codes, columns="codes")
        features.append(features_of(codes.reshape(len(columns), -1, codes.shape[1])))
        shared.append(columns)
    return np.concatenate(features), np.concatenate(shared)


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
