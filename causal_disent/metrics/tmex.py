"""Test-based measurement exclusivity, T-MEX (Yao et al. 2025, arXiv:2505.17708)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import check_choice, check_pairs, check_random_state, is_number
from causal_disent.metrics.mcc import matched_correlation
from causal_disent.metrics.tools.conditional_independence import (
    FEW_VALUES,
    NUM_DRAWS,
    Redraw,
    exchange_within_strata,
    randomization_test,
)
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.discretize import histogram_discretizer
from causal_disent.metrics.tools.information import mutual_information_matrix
from causal_disent.metrics.tools.needs import points
from causal_disent.metrics.tools.per_factor import several_varying
from causal_disent.metrics.tools.residual_tests import generalised_covariance_test, projected_covariance_test
from causal_disent.metrics.tools.result import Result
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

#: Each half needs enough points for a forest to say something.
MIN_POINTS = 40
#: The regressions of the residual tests want more.
ENOUGH = 400
RESIDUAL_TESTS = {"projected": projected_covariance_test, "covariance": generalised_covariance_test}
#: For choosing each factor's code.
NUM_BINS = 20


@dataclass(frozen=True)
class TmexResult(Result):
    """What `tmex` returns.

    Attributes:
        score: `mismatches` over the number of dependences, in [0, 1], lower is better.
        mismatches: T-MEX, how many of the codes' dependences are not as expected.
        measured: (codes, factors) whether the test finds that the code depends on the factor, given the others.
        expected: (codes, factors) whether it should.
        p_values: (codes, factors) of the tests; NaN where none was made.
        tested: (codes, factors) which dependences count.
        per_factor: (factors,) mismatches in the column of each factor; NaN for one that never varies.
    """

    score: float
    mismatches: float
    measured: NDArray[np.bool_]
    expected: NDArray[np.bool_]
    p_values: FloatArray
    tested: NDArray[np.bool_]
    per_factor: FloatArray


def _from_the_data(data: Any) -> Redraw | None:
    """Draws a factor given the others as the data set does; independently of them, if it has no confounding."""
    if getattr(data, "continuous", ()):
        return None  # given the others exactly, there is nothing left to draw

    def redraw(rows: IntArray, column: int, random_state: np.random.RandomState) -> IntArray:
        if not getattr(data, "is_confounded", False):
            return data.sample_factors(len(rows), random_state)[:, column]
        others = [other for other in range(rows.shape[1]) if other != column]
        return data.sample_factors_given(others, rows[:, others], random_state)[:, column]

    return redraw


@metric(
    "tmex",
    needs=points(2_000, at_least=MIN_POINTS),
    reports={"T-MEX_share": "score", "T-MEX": "mismatches", "T-MEX_factor_{factor}": "per_factor"},
    range=(0, 1),
    better="lower",
    by_chance="1 over the number of factors, and `alpha` of the rest: each factor's own code is missed",
    compared=(
        "the authors' tests (pycomets) with linear regressions, 36 linear models, noisy codes: the same verdict "
        "in 317 of 324 tests of covariance; identity codes: 0 or 1 false dependences of 6 by either"
    ),
    summary="does each factor's code depend on that factor alone, given the others?",
    assumes="factors that vary given the others, confounded or not; any number of codes",
    resampling={"points": 500, "interval": False},
    takes={"discrete": {}, "continuous": {"independence_test": None}},
    also=("T-MEX (lower)",),
    invariances=("permutation",),
    fast={},
    supplies={"redraw": _from_the_data},
)
def tmex(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    expected: NDArray[np.bool_] | None = None,
    redraw: Redraw | None = None,
    independence_test: str | None = None,
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

    - The test of discrete factors is the conditional randomisation test (`randomization_test`), whose level holds
      for codes that are exact functions of the factors too, as an encoder's are, if `redraw` draws from the right
      distribution: the default does for discrete factors. It finds a dependence of the mean of the code, of
      whatever form. Where a factor is continuous it is a residual test, the projected covariance measure
      (`projected_covariance_test`), whose level holds as far as its regressions do. Each test is at level `alpha`,
      with no correction for their number: up to that share of the true independences is rejected.
    - Without `expected`, each factor is given the code that says most about it (mutual information, no code
      twice), which is then to measure that factor alone. The other codes are not judged: they may well repeat a
      factor. If there are fewer codes than factors, each factor without a code counts as one mismatch.

    Assumes: factors that vary given the others (of two that are functions of each other, neither counts as
    measured), discrete or continuous, confounded or not.

    In identity codes of linear models of three continuous factors that cause each other, the randomisation test
    without `redraw` finds false dependences, the more the closer the factors go together: 2 of 6 and more. The
    residual tests find 0 or 1.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows; at least two that vary.
        expected: (codes, factors) which code should measure which factor; by default found, as above.
        redraw: draws a factor given the others: ``redraw(rows, column, random_state)`` returns other values of
            that column. By default points that agree in the other factors change places
            (`causal_disent.metrics.tools.conditional_independence.exchange_within_strata`). Under a config the
            data set draws; the factors of one that does not say ``is_confounded`` are taken to be independent.
        independence_test: ``"randomization"``, ``"projected"``, or ``"covariance"`` (the generalised covariance
            measure, which misses even functions); by default the first if no factor has more than 64 values or
            there is `redraw`, else the second.
        alpha: level of each test.
        random_state: seed or generator, for the tests.

    Returns:
        `TmexResult`. T-MEX, ``mismatches``, is 0 or more, the score its share in [0, 1]; lower is better.
        Factors that never vary are left out.

    Example:
        >>> v = np.random.RandomState(0).randint(4, size=(400, 2))
        >>> tmex(v, v).score
        0.0
        >>> found = tmex(v + v[:, ::-1] / 2, v)
        >>> found.mismatches, found.score
        (2.0, 0.5)
    """
    codes, factors = check_pairs(codes, factors, min_factors=2)
    if not is_number(alpha) or not 1 / (NUM_DRAWS + 1) < alpha < 1:
        raise errors.InvalidInput(
            f"`alpha`, the level of the tests, lies between {1 / (NUM_DRAWS + 1)} and 1; given: "
            f"{shown_value(alpha)}."
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
    test_of = _test_for(factors, redraw, independence_test)
    for row in track(rows, "tmex", unit="code"):
        p_values[row, columns] = test_of(codes[:, row], factors, columns, random_state=generator)
    measured = np.nan_to_num(p_values, nan=1.0) < alpha
    mismatches = ((measured != wanted) & tested).sum(axis=0).astype(float)
    mismatches[columns] += ~wanted[:, columns].any(axis=0) if expected is None else 0
    per_factor = np.full(factors.shape[1], np.nan)
    per_factor[columns] = mismatches[columns]
    total = float(per_factor[columns].sum())
    most = tested.sum() + (len(columns) - len(rows) if expected is None else 0)
    return TmexResult(float(total / most), total, measured, wanted, p_values, tested, per_factor)


def _test_for(
    factors: FloatArray | IntArray, redraw: Redraw | None, test: str | None
) -> Callable[..., FloatArray]:
    """What tests a code against factors: what is asked for, or what is valid for such factors."""
    # Of so many values the exchange of points is not exact any more.
    continuous = [i for i, column in enumerate(factors.T) if len(np.unique(column)) > FEW_VALUES]
    chosen = test or ("projected" if continuous and redraw is None else "randomization")
    check_choice("independence_test", chosen, ("randomization", *RESIDUAL_TESTS))
    if chosen == "randomization":
        if continuous and redraw is None:
            warnings.warn(
                f"tmex: factor {errors.listing(continuous)} is continuous, and without `redraw` the randomisation "
                "test finds dependences that are not there: take `independence_test='projected'`.",
                stacklevel=4,
            )
        return partial(randomization_test, redraw=redraw or exchange_within_strata)
    if len(factors) < ENOUGH:
        warnings.warn(
            f"tmex: the regressions of the residual test need some {ENOUGH} points to be believed; given: "
            f"{len(factors)}.",
            stacklevel=4,
        )
    return RESIDUAL_TESTS[chosen]


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
