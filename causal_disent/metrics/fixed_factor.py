"""Votes of points that share the value of one factor: the beta-VAE and FactorVAE metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_matrix, check_pairs, check_random_state
from causal_disent.data.independent_draws import IndependentDraws
from causal_disent.metrics.certainty import asked_of_run
from causal_disent.metrics.contract import Result, bound, configurable, fit_counted, metric
from causal_disent.metrics.deviations import group_points
from causal_disent.metrics.draw import Draws, Needs, Sample, Source, fix_factor, fork_generator
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray
from causal_disent.representation.code_table import CodeTable

# --- Batches of points that share a value, drawn or taken from given points
#
# Votes are worked on in blocks: the codes of all of them together would not fit for large data sets.

#: Features (votes, codes), and the factor shared in each (votes,).
Labelled = tuple[FloatArray, IntArray]

#: Votes worked on at a time; 64 points each of 10 codes take 5 MB.
BLOCK = 1024


def split_into_blocks(total: int) -> Iterator[slice]:
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
        if asked_of_run():
            num_points = drawn.get("num_variance_estimate", drawn["num_train"])
            points = replace(source, random_state=fork_generator(random_state)).points(
                num_points, drawn["batch_size"]
            )
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
    for block in split_into_blocks(num_votes):
        codes, columns = draw_block(block.stop - block.start)
        codes = check_matrix("codes", codes, columns="codes")
        features.append(features_of(codes.reshape(len(columns), -1, codes.shape[1])))
        shared.append(columns)
    return np.concatenate(features), np.concatenate(shared)


def draw_points_sharing(
    factor: IntArray, points: IntArray, num: int, random_state: np.random.RandomState
) -> IntArray:
    """For each of `points`, `num` random points with the same value of `factor` (with replacement).

    Args:
        factor: (all points,) the factor's values.
        points: (n,) indices.
        num: how many for each.
        random_state: of the draws.

    Returns:
        (n, num) indices.
    """
    order, later_starts = group_points(factor)
    starts = np.concatenate([[0], later_starts])
    sizes = np.diff(np.append(starts, len(order)))
    value_of = np.empty(len(order), dtype=np.int64)
    value_of[order] = np.repeat(np.arange(len(starts)), sizes)
    values = value_of[points][:, None]
    places = random_state.random_sample((len(points), num)) * sizes[values]
    return order[starts[values] + places.astype(np.int64)]


# --- The beta-VAE metric (Higgins et al. 2017, "beta-VAE: Learning Basic Visual Concepts", appendix A.4)


@dataclass(frozen=True)
class BetaVaeResult(Result, score="eval_accuracy"):
    """What `beta_vae_sklearn` returns; chance is 1 over the number of factors.

    Attributes:
        train_accuracy: in [0, 1], higher is better; on the points fitted to.
        eval_accuracy: in [0, 1], higher is better.
    """

    train_accuracy: float
    eval_accuracy: float


def _mean_differences(codes: FloatArray) -> FloatArray:
    """(votes, 2 B, codes), the first B of a vote paired with the last B -> (votes, codes)."""
    first, second = np.split(codes, 2, axis=1)
    return np.abs(first - second).mean(axis=1).astype(np.float64)


def beta_vae_of_differences(
    train: Labelled, test: Labelled, random_state: np.random.RandomState | int = 0
) -> BetaVaeResult:
    """The last step: fit differences (points, codes) and the shared factor of each (points,), and score."""
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(train[1])) < 2:
        raise errors.InvalidInput(
            "The training differences must share at least two different factors; given: factor "
            f"{train[1][0]} in all {len(train[1])}. Raise `num_train`."
        )
    # The metric is the accuracy at scikit-learn's default of 100 iterations, converged or not.
    model = fit_counted(LogisticRegression(random_state=random_state), *train)
    train_accuracy, eval_accuracy = (
        float(np.mean(model.predict(points) == shared)) for points, shared in (train, test)
    )
    return BetaVaeResult(train_accuracy, eval_accuracy)


@metric(
    "beta_vae_sklearn",
    needs=Votes(
        {"batch_size": 64, "num_train": 10_000, "num_eval": 5_000},
        _mean_differences,
        beta_vae_of_differences,
        pairs=True,
    ),
    reports={"eval_accuracy": "eval_accuracy", "train_accuracy": "train_accuracy"},
    range=(0, 1),
    by_chance="1 over the number of factors",
    compared="disentanglement_lib 1.5, 15 stored cases: the same to rounding",
    summary="do differences of codes tell which factor two points share?",
    assumes="discrete, independent factors, two or more",
    resampling={"options": {"num_train": 300, "num_eval": 300}, "words": "of 300 votes"},
)
def beta_vae_sklearn(
    codes: FloatArray,
    factors: IntArray,
    *,
    batch_size: int = 64,
    num_train: int = 10_000,
    num_eval: int = 5_000,
    random_state: np.random.RandomState | int = 0,
) -> BetaVaeResult:
    r"""Can one tell from the differences of codes which factor two points share?

    .. math:: x = \frac1B \sum_b |z_b - z'_b|, \qquad \text{score} = P(\hat{\imath}(x) = i)

    where the B pairs of points share the value of a random factor i, and :math:`\hat{\imath}` is a logistic
    regression fitted to other such x.

    Assumes: discrete factors, at least two, each value in several points; any number of codes. Independent
    factors: where two always move together, they cannot be told apart.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Pairs are drawn from these points.
        batch_size: B, pairs per difference.
        num_train: differences to fit to.
        num_eval: differences to score.
        random_state: seed or generator.

    Returns:
        `BetaVaeResult`. Accuracies are in [0, 1], higher is better; chance is 1 / factors. Codes and their
        rotation may score the same: the metric does not ask for one code per factor.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> beta_vae_sklearn(v, v, num_train=200, num_eval=100).score
        1.0
    """
    codes, factors = check_pairs(codes, factors, min_factors=2)
    check_sizes(1, batch_size, num_train=num_train, num_eval=num_eval)
    generator = check_random_state(random_state)
    train, test = (_differences_of(codes, factors, num, batch_size, generator) for num in (num_train, num_eval))
    return beta_vae_of_differences(train, test, generator)


def _differences_of(
    codes: FloatArray, factors: IntArray, num: int, batch_size: int, random_state: np.random.RandomState
) -> Labelled:
    """`num` differences of pairs among the given points."""
    shared = random_state.randint(factors.shape[1], size=num)
    first = random_state.randint(len(codes), size=(num, batch_size))
    second = np.empty_like(first)
    for i in range(factors.shape[1]):
        chosen = first[shared == i]
        second[shared == i] = draw_points_sharing(factors[:, i], chosen.ravel(), 1, random_state).reshape(
            chosen.shape
        )
    pairs = np.concatenate([first, second], axis=1)
    return np.concatenate([_mean_differences(codes[pairs[block]]) for block in split_into_blocks(num)]), shared


# --- The FactorVAE metric (Kim & Mnih 2018, arXiv:1802.05983)


@dataclass(frozen=True)
class FactorVaeResult(Result, score="eval_accuracy"):
    """What `factor_vae_score` returns; chance is 1 over the number of factors.

    Attributes:
        train_accuracy: in [0, 1], higher is better; on the votes that decide which factor a code stands for.
        eval_accuracy: in [0, 1], higher is better.
        num_active_codes: how many codes vary enough to be voted for.
        votes: (factors, codes) training votes.
    """

    train_accuracy: float
    eval_accuracy: float
    num_active_codes: int
    votes: IntArray


@configurable("prune_dims", supplied=("variances",))
def prune_dims(variances: FloatArray, threshold: float = 0.0) -> np.ndarray:
    """Which codes are active: those with a standard deviation of at least `threshold`."""
    return np.sqrt(variances) >= threshold


def factor_vae_of_variances(
    train: Labelled, test: Labelled, global_variances: FloatArray, active: np.ndarray, num_factors: int
) -> FactorVaeResult:
    """The last step: count votes and score them.

    Args:
        train: variances within batches (votes, codes), and the factor fixed in each (votes,).
        test: the same of other votes.
        global_variances: (codes,) of points without a fixed factor.
        active: (codes,) booleans; the other codes get no votes.
        num_factors: how many factors there are.
    """
    if not active.any():
        return FactorVaeResult(0.0, 0.0, 0, np.zeros((num_factors, len(active)), dtype=np.int64))
    votes, test_votes = (
        _votes(variances, fixed, global_variances, active, num_factors) for variances, fixed in (train, test)
    )
    factor_of_code = votes.argmax(axis=0)
    train_accuracy, eval_accuracy = (
        float(np.take_along_axis(counts, factor_of_code[None], axis=0).sum() / counts.sum())
        for counts in (votes, test_votes)
    )
    return FactorVaeResult(train_accuracy, eval_accuracy, int(active.sum()), votes)


def _votes(
    variances: FloatArray, fixed: IntArray, global_variances: FloatArray, active: np.ndarray, num_factors: int
) -> IntArray:
    """(factors, codes): how often each code varied least while each factor was fixed."""
    least = np.argmin(variances[:, active] / global_variances[active], axis=1)
    votes = np.zeros((num_factors, len(active)), dtype=np.int64)
    np.add.at(votes, (fixed, np.flatnonzero(active)[least]), 1)
    return votes


def _active_codes(codes: FloatArray, **threshold: float) -> tuple[np.ndarray, FloatArray]:
    """Which codes are active, and the variances of all; `threshold` is gin's if it is not given."""
    variances = np.var(codes, axis=0, ddof=1) if len(codes) > 1 else np.zeros(codes.shape[1])
    # Without variance there is no ratio: a code that never varies would win every vote as not-a-number.
    varies = (codes.min(axis=0) != codes.max(axis=0)) & (variances > 0)
    return bound(prune_dims)(variances, **threshold) & varies, variances


def _batch_variances(codes: FloatArray) -> FloatArray:
    """(votes, points of a vote, codes) -> (votes, codes)."""
    return np.var(codes, axis=1, ddof=1)


def _factor_vae_of(
    train: Labelled, test: Labelled, codes: FloatArray, num_factors: int, **threshold: float
) -> FactorVaeResult:
    """The result of votes, and of codes (points, codes) without a fixed factor."""
    active, variances = _active_codes(codes, **threshold)
    return factor_vae_of_variances(train, test, variances, active, num_factors)


@metric(
    "factor_vae_score",
    needs=Votes(
        {"batch_size": 64, "num_train": 10_000, "num_eval": 5_000, "num_variance_estimate": 10_000},
        _batch_variances,
        _factor_vae_of,
        min_batch=2,
    ),
    reports={
        "eval_accuracy": "eval_accuracy",
        "train_accuracy": "train_accuracy",
        "num_active_dims": "num_active_codes",
    },
    range=(0, 1),
    by_chance="1 over the number of factors, or a little more",
    compared="disentanglement_lib 1.5, 16 stored cases: the same to rounding",
    summary="does the code that varies least tell which factor was fixed?",
    assumes="discrete, independent factors",
    resampling={"options": {"num_train": 1000, "num_eval": 500}, "words": "of 500 votes"},
    invariances=("permutation",),
)
def factor_vae_score(
    codes: FloatArray,
    factors: IntArray,
    *,
    batch_size: int = 64,
    num_train: int = 10_000,
    num_eval: int = 5_000,
    threshold: float = 0.0,
    random_state: np.random.RandomState | int = 0,
) -> FactorVaeResult:
    r"""Does the code that varies least tell which factor was held fixed?

    .. math:: j^* = \arg\min_j \frac{\mathrm{Var}(z_j \mid g_i = v)}{\mathrm{Var}(z_j)},
        \qquad \text{score} = P(\hat{\imath}(j^*) = i)

    where factor i and its value v are random, the first variance is over a batch of points with that value,
    and :math:`\hat{\imath}(j)` is the factor that most training votes for code j had.

    Assumes: discrete factors, each value in several points; any number of codes. Independent factors: where
    they are correlated, fixing one also fixes the codes of others.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Batches are drawn from these points.
        batch_size: points per batch, at least two.
        num_train: votes that decide which factor a code stands for.
        num_eval: votes to score.
        threshold: codes with a smaller standard deviation are left out; those that never vary always are.
            Under a config it is gin's ``prune_dims.threshold``.
        random_state: seed or generator.

    Returns:
        `FactorVaeResult`. Accuracies are in [0, 1], higher is better; 0 if no code is active.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> factor_vae_score(v, v, num_train=200, num_eval=100).eval_accuracy
        1.0
    """
    codes, factors = check_pairs(codes, factors)
    check_sizes(2, batch_size, num_train=num_train, num_eval=num_eval)
    generator = check_random_state(random_state)
    train, test = (
        _variances_of_batches(codes, factors, num, batch_size, generator) for num in (num_train, num_eval)
    )
    return _factor_vae_of(train, test, codes, factors.shape[1], threshold=threshold)


def _variances_of_batches(
    codes: FloatArray, factors: IntArray, num: int, batch_size: int, random_state: np.random.RandomState
) -> Labelled:
    """`num` votes from batches of the given points."""
    fixed = random_state.randint(factors.shape[1], size=num)
    first = random_state.randint(len(codes), size=num)
    batches = np.empty((num, batch_size), dtype=np.int64)
    for i in range(factors.shape[1]):
        batches[fixed == i] = draw_points_sharing(factors[:, i], first[fixed == i], batch_size, random_state)
    return np.concatenate([_batch_variances(codes[batches[block]]) for block in split_into_blocks(num)]), fixed
