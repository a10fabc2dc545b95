"""Test-based measurement exclusivity, T-MEX (Yao et al. 2025, arXiv:2505.17708)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.arguments import check_at_least, check_pairs, check_random_state
from causal_disent.metrics.mcc import matched_correlation
from causal_disent.metrics.tools.conditional_independence import (
    NUM_DRAWS,
    Redraw,
    exchange_within_strata,
    randomization_test,
)
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.metrics.tools.information import mutual_information_matrix
from causal_disent.metrics.tools.per_factor import per_factor_keys, several_varying
from causal_disent.metrics.tools.sampling import factor_names, sample_codes
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation

__all__ = ["TmexResult", "compute_tmex", "tmex"]

#: Each half needs enough points for a forest to say something.
MIN_POINTS = 40
#: For choosing each factor's code.
NUM_BINS = 20


@dataclass(frozen=True)
class TmexResult:
    """What `tmex` returns.

    Attributes:
        score: how many of the codes' dependences are not as expected; 0 is best.
        share: `score` over the number of dependences, in [0, 1].
        measured: (codes, factors) whether the test finds that the code depends on the factor, given the others.
        expected: (codes, factors) whether it should.
        p_values: (codes, factors) of the tests; NaN where none was made.
        tested: (codes, factors) which dependences count.
        per_factor: (factors,) mismatches in the column of each factor; NaN for one that never varies.
    """

    score: float
    share: float
    measured: NDArray[np.bool_]
    expected: NDArray[np.bool_]
    p_values: FloatArray
    tested: NDArray[np.bool_]
    per_factor: FloatArray


def tmex(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    expected: NDArray[np.bool_] | None = None,
    redraw: Redraw | None = None,
    alpha: float = 0.05,
    random_state: np.random.RandomState | int = 0,
) -> TmexResult:
    r"""Does each code measure the factors that it should, and no others?

    .. math::
        T\text{-}MEX = \sum_{j,i} |V_{ji} - W_{ji}|, \qquad
        W_{ji} = 1 \text{ if } H_0: z_j \perp g_i \mid g_{\setminus i} \text{ is rejected at level } \alpha

    where :math:`V_{ji}` is 1 if code j is meant to measure factor i. The factors may cause each other: a code
    of one is then correlated with another, but depends on it no longer once the rest is given.

    Decisions where the idea leaves room:

    - The test is the conditional randomisation test (`randomization_test`), whose level holds for codes that are
      exact functions of the factors too, as an encoder's are, if `redraw` draws from the right distribution: the
      default does for discrete factors. It finds a dependence of the mean of the code, of whatever form. Each
      test is at level `alpha`, with no correction for their number: up to that share of the true independences
      is rejected.
    - Without `expected`, each factor is given the code that says most about it (mutual information, no code
      twice), which is then to measure that factor alone. The other codes are not judged: they may well repeat a
      factor. If there are fewer codes than factors, each factor without a code counts as one mismatch.

    Assumes: factors that vary given the others (of two that are functions of each other, neither counts as
    measured), confounded or not. Discrete ones; for continuous factors that depend on each other give `redraw`,
    as the default then rejects too often, and reckon with seconds per code and factor.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows; at least two that vary.
        expected: (codes, factors) which code should measure which factor; by default found, as above.
        redraw: draws a factor given the others: ``redraw(rows, column, random_state)`` returns other values of
            that column. By default points that agree in the other factors change places
            (`causal_disent.metrics.tools.conditional_independence.exchange_within_strata`).
        alpha: level of each test.
        random_state: seed or generator, for the tests.

    Returns:
        `TmexResult`. The score is 0 or more, lower is better. Factors that never vary are left out.

    Example:
        >>> v = np.random.RandomState(0).randint(4, size=(400, 2))
        >>> tmex(v, v).score
        0.0
        >>> tmex(v + v[:, ::-1] / 2, v).score
        2.0
    """
    codes, factors = check_pairs(codes, factors, min_factors=2)
    if not isinstance(alpha, (int, float)) or not 1 / (NUM_DRAWS + 1) < alpha < 1:
        raise errors.InvalidInput(
            f"`alpha`, the level of the tests, lies between {1 / (NUM_DRAWS + 1)} and 1; given: {alpha!r}."
        )
    if len(codes) < MIN_POINTS:
        raise errors.InvalidInput(f"`codes`: at least {MIN_POINTS} points are needed; given: {len(codes)}.")
    generator = check_random_state(random_state)
    columns = several_varying(factors, "tmex", 2)
    if expected is None:
        wanted, rows = _one_code_each(codes, factors, columns)
    else:
        wanted, rows = _checked(expected, (codes.shape[1], factors.shape[1])), np.arange(codes.shape[1])
    tested = np.zeros(wanted.shape, dtype=bool)
    tested[np.ix_(rows, columns)] = True
    p_values = np.full(tested.shape, np.nan)
    for row in track(rows, "tmex", unit="code"):
        p_values[row, columns] = randomization_test(
            codes[:, row], factors, columns, redraw or exchange_within_strata, generator
        )
    measured = np.nan_to_num(p_values, nan=1.0) < alpha
    mismatches = ((measured != wanted) & tested).sum(axis=0).astype(float)
    mismatches[columns] += ~wanted[:, columns].any(axis=0) if expected is None else 0
    per_factor = np.full(factors.shape[1], np.nan)
    per_factor[columns] = mismatches[columns]
    score = float(per_factor[columns].sum())
    most = tested.sum() + (len(columns) - len(rows) if expected is None else 0)
    return TmexResult(score, float(score / most), measured, wanted, p_values, tested, per_factor)


def _one_code_each(
    codes: FloatArray, factors: FloatArray | IntArray, columns: IntArray
) -> tuple[NDArray[np.bool_], IntArray]:
    """Each factor's code under the assignment with the most information, and the codes that got a factor."""
    values = np.column_stack(list(_binned(factors[:, columns])))
    information = mutual_information_matrix(histogram_discretizer(codes, NUM_BINS), values)
    _, matches = matched_correlation(information)
    wanted = np.zeros((codes.shape[1], factors.shape[1]), dtype=bool)
    for column, code in zip(columns, matches, strict=True):
        if code is not None:
            wanted[code, column] = True
    return wanted, np.flatnonzero(wanted.any(axis=1))


def _binned(factors: FloatArray | IntArray) -> Iterator[IntArray]:
    """Columns with few values as they are, the others in bins."""
    for column in factors.T:
        few = len(np.unique(column)) <= NUM_BINS
        yield column if few else histogram_discretizer(column[:, None], NUM_BINS)[:, 0]


def _checked(expected: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    try:
        matrix = np.asarray(expected)
    except ValueError:
        raise errors.InvalidInput("`expected` has rows of different lengths.") from None
    if matrix.shape != shape or not np.isin(matrix, (0, 1)).all():
        raise errors.InvalidInput(
            f"`expected` is a matrix of 0 and 1 with a row per code and a column per factor, {shape}; given: "
            f"shape {matrix.shape}."
        )
    return matrix.astype(bool)


def _from_the_data(data: Any) -> Redraw:
    """Draws a factor given the others as the data set does; independently of them, if it has no confounding."""

    def redraw(rows: IntArray, column: int, random_state: np.random.RandomState) -> IntArray:
        if not getattr(data, "is_confounded", False):
            return data.sample_factors(len(rows), random_state)[:, column]
        others = [other for other in range(rows.shape[1]) if other != column]
        return data.sample_factors_given(others, rows[:, others], random_state)[:, column]

    return redraw


def compute_tmex(
    ground_truth_data: GroundTruthData,
    representation_function: Representation,
    random_state: np.random.RandomState,
    artifact_dir: str | None = None,
    num_train: int = 2_000,
    batch_size: int = 16,
    alpha: float = 0.05,
) -> dict[str, Any]:
    """`tmex` of `num_train` sampled points, with a code of its own expected for each factor.

    The factors of a data set that does not say ``is_confounded`` are taken to be independent.

    Returns:
        ``T-MEX``, ``T-MEX_share``, ``T-MEX_factor_<name>``.
    """
    check_at_least(MIN_POINTS, num_train=num_train)
    codes, factors = sample_codes(ground_truth_data, representation_function, num_train, random_state, batch_size)
    result = tmex(codes, factors, redraw=_from_the_data(ground_truth_data), alpha=alpha, random_state=random_state)
    names = factor_names(ground_truth_data)
    per_factor = per_factor_keys("T-MEX", result.per_factor, names)
    return {"T-MEX": result.score, "T-MEX_share": result.share, **per_factor}
