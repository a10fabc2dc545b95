"""Test-based measurement exclusivity, T-MEX (Yao et al. 2025, arXiv:2505.17708), and its tests of independence."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import erfc, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import check_choice, check_pairs, check_random_state, is_number
from causal_disent.metrics.arrays import find_varying, predict_linear, random_features, standardise
from causal_disent.metrics.contract import Result, metric
from causal_disent.metrics.draw import points
from causal_disent.metrics.information import histogram_discretizer, mutual_information_matrix
from causal_disent.metrics.linear import match_codes
from causal_disent.metrics.reuse import reusing
from causal_disent.progress import track
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- Conditional independence: does a prediction suffer when one factor is drawn anew, given the others?

#: Rows of factors, a column of them, a generator -> other values of that column, drawn given the rest of the row.
Redraw = Callable[[Any, int, np.random.RandomState], Any]

#: Draws to compare with; the smallest p-value is one in so many and one.
NUM_DRAWS = 199

NUM_TREES = 50

#: Values of a column up to which each is predicted once for all draws.
FEW_VALUES = 64

#: Bins of a continuous factor, where rows are compared.
NUM_STRATA = 5

#: Below this share of points that can change places, the test could find nothing.
LEAST_EXCHANGED = 0.1


def randomization_test(
    target: FloatArray,
    factors: FloatArray | IntArray,
    columns: IntArray,
    redraw: Redraw,
    random_state: np.random.RandomState,
) -> FloatArray:
    r"""Does a target depend on a factor, given the other factors? The p-value for each of several factors.

    .. math::
        H_0: Y \perp G_i \mid G_{\setminus i}, \qquad
        p_i = \frac{1 + \#\{b: T(G_i^{(b)}) \ge T(G_i)\}}{1 + B}, \qquad
        T(G_i) = -\sum \bigl(Y - \hat f(G_i, G_{\setminus i})\bigr)^2

    This is the conditional randomisation test (Candes et al. 2018, arXiv:1610.02351). A random forest
    :math:`\hat f`, grown on one half of the points, predicts the target of the other half, once from their
    factors and B times with factor i drawn anew, given the others. Where the target does not depend on factor i,
    all these are alike, however good or bad the forest is: the level is exact if the draws are.

    Args:
        target: (points,) floats.
        factors: (points, factors) numbers.
        columns: which of the factors to test.
        redraw: draws a factor given the others.
        random_state: splits the points, grows the trees, draws.

    Returns:
        (columns,) in (0, 1]; small where the target depends on the factor.

    Example:
        >>> g = np.random.RandomState(0).randint(4, size=(400, 2))
        >>> both = np.array([0, 1])
        >>> randomization_test(g[:, 0], g, both, exchange_within_strata, np.random.RandomState(0)).tolist()
        [0.005, 1.0]
    """
    order = random_state.permutation(len(target))
    first, second = order[: len(target) // 2], order[len(target) // 2 :]
    forest = _forest(factors[first], target[first], random_state)
    y, rows = target[second], factors[second]
    observed = -np.mean((y - forest.predict(rows)) ** 2)
    return np.array([_p_value(observed, y, rows, column, forest, redraw, random_state) for column in columns])


def exchange_within_strata(
    rows: FloatArray | IntArray, column: int, random_state: np.random.RandomState
) -> FloatArray | IntArray:
    """Let points that agree in all other factors change places in one.

    The draws are exact for factors of at most 64 values. Others are taken to agree within a fifth of their range,
    and what varies inside a fifth is not accounted for: where they depend on each other, independence is rejected
    too often.
    """
    return _exchange(rows[:, column], *_strata_without(rows, column), random_state)


def _exchange(
    values: FloatArray | IntArray, strata: IntArray, order: IntArray, random_state: np.random.RandomState
) -> FloatArray | IntArray:
    """Permute values among the rows of each stratum; `order` sorts the rows by stratum."""
    changed = np.empty_like(values)
    changed[order] = values[np.argsort(strata + random_state.random_sample(len(values)))]
    return changed


def _strata_without(rows: FloatArray | IntArray, column: int) -> tuple[IntArray, IntArray]:
    """The stratum of each row by all columns but one, and the rows in the order of their strata."""
    strata = _strata(np.delete(rows, column, axis=1))
    if np.mean(np.bincount(strata)[strata] > 1) < LEAST_EXCHANGED:
        raise errors.InvalidInput(
            "`factors`: too few points agree in all factors but one, so that dependence given the others cannot "
            "be tested. Give more points, or `redraw`, a function that draws one factor given the others."
        )
    return strata, np.argsort(strata, kind="stable")


def _strata(others: FloatArray | IntArray) -> IntArray:
    """The number of the stratum of each row."""
    if others.shape[1] == 0:
        return np.zeros(len(others), dtype=np.int64)
    columns = [
        column
        if len(np.unique(column)) <= FEW_VALUES
        else histogram_discretizer(column[:, None], NUM_STRATA)[:, 0]
        for column in others.T
    ]
    return np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].reshape(-1)


def _forest(factors: FloatArray | IntArray, target: FloatArray, random_state: np.random.RandomState) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(NUM_TREES, random_state=int(random_state.randint(2**31 - 1))).fit(factors, target)


def _p_value(
    observed: float,
    y: FloatArray,
    rows: FloatArray | IntArray,
    column: int,
    forest: Any,
    redraw: Redraw,
    random_state: np.random.RandomState,
) -> float:
    predict = _predictor(rows, column, forest)
    if redraw is exchange_within_strata:
        values, strata = rows[:, column], _strata_without(rows, column)
        drawn: Any = (_exchange(values, *strata, random_state) for _ in range(NUM_DRAWS))
    else:
        drawn = (_drawn(redraw, rows, column, random_state) for _ in range(NUM_DRAWS))
    scores = np.array([-np.mean((y - predict(values)) ** 2) for values in drawn])
    # Sums of the same numbers in another order may differ in the last digits.
    as_good = scores >= observed - 1e-12 * abs(observed)
    return float((1 + as_good.sum()) / (1 + NUM_DRAWS))


def _drawn(
    redraw: Redraw, rows: FloatArray | IntArray, column: int, random_state: np.random.RandomState
) -> FloatArray | IntArray:
    with errors.readable("What `redraw` draws"):
        values = np.asarray(redraw(rows, column, random_state))
    if values.shape != (len(rows),) or values.dtype.kind not in "biuf":
        raise errors.InvalidInput(
            f"`redraw` must return a number for each of {len(rows)} rows; it returned shape {values.shape} and "
            f"type {values.dtype}."
        )
    return values


def _predictor(rows: FloatArray | IntArray, column: int, forest: Any) -> Callable[[Any], FloatArray]:
    """The forest's prediction for these rows, as a function of one column of theirs."""
    values = np.unique(rows[:, column])

    def predict(new: Any) -> FloatArray:
        changed = rows.astype(np.float64)
        changed[:, column] = new
        return forest.predict(changed)

    if len(values) > FEW_VALUES:
        return predict
    table = np.concatenate([predict(value) for value in values])
    points = np.arange(len(rows))

    def look_up(new: Any) -> FloatArray:
        positions = np.searchsorted(values, new)
        if len(values) and positions.max() == len(values):
            return predict(new)
        known = bool(np.all(values[positions] == new))
        return table[positions * len(rows) + points] if known else predict(new)

    return look_up


# --- Conditional independence of continuous factors: do residuals go together?

#: Random features of a regression, of which there is one for so many points, up to a number.
POINTS_PER_FEATURE, MOST_FEATURES = 20, 128

#: What is left of less than this part of a variance is the error of the regression.
NOTHING = 1e-6


def generalised_covariance_test(
    target: FloatArray, factors: FloatArray, columns: IntArray, random_state: np.random.RandomState
) -> FloatArray:
    r"""Does a target go with a factor, given the others? The p-value for each of several factors.

    .. math:: T = \frac{\sqrt n\, \bar R}{\operatorname{sd} R}, \qquad
        R = (Y - \hat E[Y | G_{\setminus i}]) (G_i - \hat E[G_i | G_{\setminus i}])

    This is the generalised covariance measure (Shah and Peters 2020, arXiv:1804.07203): T is standard normal where
    the target does not depend on factor i given the others. A dependence that leaves no covariance, as of an even
    function, is not found.

    Args:
        target: (points,) floats.
        factors: (points, factors) numbers.
        columns: which of the factors to test.
        random_state: of the features that the regressions are linear in.

    Returns:
        (columns,) in [0, 1]; small where the target depends on the factor.

    Example:
        >>> g = np.random.RandomState(0).normal(size=(400, 2))
        >>> generalised_covariance_test(g[:, 0], g, np.array([0, 1]), np.random.RandomState(0)).round(3).tolist()
        [0.0, 1.0]
    """
    found = []
    for column in columns:
        left = _residuals(
            np.delete(factors, column, axis=1), np.column_stack([target, factors[:, column]]), random_state
        )
        found.append(1.0 if left is None else erfc(abs(_statistic(left)) / sqrt(2)))
    return np.array(found)


def projected_covariance_test(
    target: FloatArray, factors: FloatArray, columns: IntArray, random_state: np.random.RandomState
) -> FloatArray:
    r"""The same of a function of the factors that is learnt to go with the target: finds dependence of any form.

    .. math:: R = (Y - \hat E[Y | G_{\setminus i}]) (\hat f(G) - \hat E[\hat f(G) | G_{\setminus i}]), \qquad
        \hat f \approx E[Y | G]

    with :math:`\hat f` fitted on one half of the points and T taken on the other, one-sided: the projected
    covariance measure (Lundborg et al. 2024, arXiv:2211.02039) with least squares for all regressions.

    Example:
        >>> g = np.random.RandomState(0).normal(size=(400, 2))
        >>> both = np.array([0, 1])
        >>> projected_covariance_test(g[:, 0] ** 2, g, both, np.random.RandomState(0)).round(2).tolist()
        [0.0, 1.0]
    """
    order = random_state.permutation(len(target))
    first, second = order[: len(target) // 2], order[len(target) // 2 :]
    fitted, inputs = _features(factors[first], factors[second], random_state)
    learnt = predict_linear(fitted, target[first][:, None], inputs)[:, 0]
    found = []
    for column in columns:
        others = np.delete(factors[second], column, axis=1)
        left = _residuals(others, np.column_stack([target[second], learnt]), random_state)
        found.append(1.0 if left is None else 0.5 * erfc(_statistic(left) / sqrt(2)))
    return np.array(found)


def _features(
    train: FloatArray, test: FloatArray, random_state: np.random.RandomState
) -> tuple[FloatArray, FloatArray]:
    width = min(MOST_FEATURES, len(train) // POINTS_PER_FEATURE)
    return random_features(*standardise(train, test), width, random_state)


def _residuals(inputs: FloatArray, outputs: FloatArray, random_state: np.random.RandomState) -> FloatArray | None:
    """What a regression leaves of two outputs (points, 2); None if it leaves nothing of one."""
    features = _features(inputs, inputs, random_state)[0]
    left = outputs - predict_linear(features, outputs, features)
    return None if (left.var(axis=0) <= NOTHING * outputs.var(axis=0)).any() else left


def _statistic(residuals: FloatArray) -> float:
    products = residuals.prod(axis=1)
    return float(sqrt(len(products)) * products.mean() / products.std())


# --- T-MEX

#: Each half needs enough points for a forest to say something.
MIN_POINTS = 40

#: The regressions of the residual tests want more.
ENOUGH = 400


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
    ranges={"T-MEX": (0, inf)},
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
            (`causal_disent.metrics.tmex.exchange_within_strata`). Under a config the
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
    columns = find_varying(factors, "tmex", 2)
    if expected is None:
        wanted, rows = _one_code_each(codes, factors, columns)
    else:
        wanted, rows = _checked(expected, (codes.shape[1], factors.shape[1])), np.arange(codes.shape[1])
    tested = np.zeros(wanted.shape, dtype=bool)
    tested[np.ix_(rows, columns)] = True
    p_values = np.full(tested.shape, np.nan)
    test_of = _test_for(factors, redraw, independence_test)
    with reusing():  # the strata, which are those of all draws
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
    residual_tests = {"projected": projected_covariance_test, "covariance": generalised_covariance_test}
    check_choice("independence_test", chosen, ("randomization", *residual_tests))
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
    return residual_tests[chosen]


def _one_code_each(
    codes: FloatArray, factors: FloatArray | IntArray, columns: IntArray
) -> tuple[NDArray[np.bool_], IntArray]:
    """Each factor's code under the assignment with the most information, and the codes that got a factor."""
    values = np.column_stack(list(_binned(factors[:, columns])))
    information = mutual_information_matrix(histogram_discretizer(codes, NUM_BINS), values)
    _, matches = match_codes(information)
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
