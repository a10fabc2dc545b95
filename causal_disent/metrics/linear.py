"""Linear measures: MCC, R2, SAP, modularity and explicitness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import (
    Pairs,
    check_at_least,
    check_choice,
    check_columns,
    check_not_negative,
    check_pairs,
    check_random_state,
    is_whole,
    varying_factors,
)
from causal_disent.metrics.arrays import (
    TEST_SHARE,
    CodeGroups,
    all_groups,
    combine_labels,
    find_varying_in_both,
    measure_r_squared,
    place_values,
    predict_linear,
    split_points,
    standardise,
    varies,
)
from causal_disent.metrics.contract import (
    COLUMNS,
    IN_GROUPS,
    Result,
    are_whole,
    count_fits,
    count_fits_of,
    fit_counted,
    metric,
)
from causal_disent.metrics.draw import points, train_test
from causal_disent.metrics.information import GIN_BINS, Bins, bin_codes, mutual_information_matrix
from causal_disent.metrics.reuse import find_kept, keep
from causal_disent.protocols import FloatArray, IntArray

# --- MCC (Hyvärinen and Morioka 2016, arXiv:1605.06336)

CORRELATIONS = ("pearson", "spearman")


@dataclass(frozen=True)
class MccResult(Result):
    """What `mcc` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) correlation of each factor with its code; 0 if it got none, NaN if it never
            varies.
        matches: the code of each factor, None if it got none.
        matrix: (codes, factors) absolute correlations; NaN for a factor that never varies, 0 for a code
            that never varies.
    """

    score: float
    per_factor: FloatArray
    matches: tuple[int | None, ...]
    matrix: FloatArray


@metric(
    "mcc",
    needs=points(),
    reports={"MCC_{correlation}": "score", "MCC_{correlation}_factor_{factor}": "per_factor"},
    each=("correlation", CORRELATIONS),
    headline="MCC_pearson",
    also=("MCC_spearman",),
    range=(0, 1),
    by_chance="above 0, less with more points (0.05 at 1,000)",
    compared="the program of Khemakhem et al. 2020, 36 data sets, both correlations: the same to rounding",
    summary="does each factor correlate with a code of its own?",
    assumes="ordered factors, discrete or continuous; independent; at least as many codes as factors",
    takes=("discrete", "continuous"),
    invariances=("permutation", "rescaling"),
    robust={"correlation": "spearman"},
)
def mcc(codes: FloatArray, factors: FloatArray | IntArray, *, correlation: str = "pearson") -> MccResult:
    r"""Correlation of each factor with a code of its own, under the best assignment.

    .. math:: MCC = \frac1n \max_{\pi} \sum_i |\mathrm{corr}(z_{\pi(i)}, g_i)|

    where :math:`\pi` gives no code to two factors. A factor for which no code is left counts 0.

    Assumes: factors whose numbers are ordered, discrete or continuous; as many codes as factors at least,
    for 1 to be within reach; independent factors, or else a code of one also correlates with the others.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows.
        correlation: ``"pearson"``, for factors recovered up to scale; or ``"spearman"``, up to any
            increasing or decreasing function.

    Returns:
        `MccResult`. The score is in [0, 1], higher is better. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mcc(-3.0 * v[:, ::-1], v).score
        1.0
        >>> mcc(v[:, :1], v).score
        0.5
    """
    codes, factors = check_pairs(codes, factors)
    check_choice("correlation", correlation, CORRELATIONS)
    columns = varying_factors(factors, "mcc")
    correlations = _correlations(codes, factors[:, columns], correlation)
    values, matches = match_codes(correlations)
    num_factors = factors.shape[1]
    matrix = np.full((codes.shape[1], num_factors), np.nan)
    matrix[:, columns] = correlations
    code_of = dict(zip(columns.tolist(), matches, strict=True))
    return MccResult(
        float(values.mean()),
        place_values(values, columns, num_factors),
        tuple(code_of.get(factor) for factor in range(num_factors)),
        matrix,
    )


def match_codes(correlations: FloatArray) -> tuple[FloatArray, list[int | None]]:
    """The last step: each factor's correlation and code under the assignment of the largest sum.

    Example:
        >>> match_codes(np.array([[0.9, 0.8], [0.7, 0.1]]))
        (array([0.7, 0.8]), [1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    chosen, assigned = linear_sum_assignment(correlations, maximize=True)
    values = np.zeros(correlations.shape[1])
    values[assigned] = correlations[chosen, assigned]
    code_of = dict(zip(assigned.tolist(), chosen.tolist(), strict=True))
    return values, [code_of.get(factor) for factor in range(correlations.shape[1])]


def _correlations(codes: NDArray[Any], factors: NDArray[Any], correlation: str) -> FloatArray:
    """Absolute correlations (codes, factors)."""
    if correlation == "spearman":
        from scipy.stats import rankdata

        codes, factors = rankdata(codes, axis=0), rankdata(factors, axis=0)
    scaled_codes, _ = standardise(codes, codes)
    scaled_factors, _ = standardise(factors, factors)
    return np.minimum(np.abs(scaled_codes.T @ scaled_factors) / len(codes), 1.0)  # 1 up to rounding


# --- Held-out R2 of linear maps


@dataclass(frozen=True)
class R2Result(Result):
    """What `r2` returns.

    Attributes:
        score: mean of `per_factor`; at most 1, higher is better.
        per_factor: (factors,) R² of predicting each factor from all codes; NaN if it never varies.
        reverse: mean of `per_code`; 0 if no code varies.
        per_code: (codes,) R² of predicting each code from all factors; NaN if it never varies.
    """

    score: float
    per_factor: FloatArray
    reverse: float
    per_code: FloatArray


@metric(
    "r2",
    needs=train_test(test_at_least=2),
    reports={"R2": "score", "R2_reverse": "reverse", "R2_factor_{factor}": "per_factor"},
    range=(-inf, 1),
    by_chance="0, or a little below",
    compared="a program of its users, 36 data sets: the same to rounding",
    summary="do linear maps predict factors from codes, and codes from factors?",
    assumes="ordered factors, discrete or continuous; any number of codes",
    takes=("discrete", "continuous", "code_groups"),
    also=("R2_reverse",),
    invariances=("permutation", "rescaling"),
)
def r2(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    ridge: float = 0.0,
    random_state: np.random.RandomState | int = 0,
) -> R2Result:
    r"""How well linear maps predict the factors from the codes, and the codes from the factors.

    .. math:: R^2_i = 1 - \frac{\sum_t (g_{ti} - \hat g_i(z_t))^2}{\sum_t (g_{ti} - \bar g_i)^2}

    over test points t, with :math:`\hat g_i` fitted to the training points. High R² both ways means that
    codes and factors are linear maps of each other; it says nothing of which code stands for which factor.

    Assumes: factors whose numbers are ordered, discrete or continuous; they need not be independent, and
    there may be any number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) numbers, the same rows.
        test: codes and factors of other points, or the share of the points to hold out.
        ridge: penalty on the squared weights of the standardised inputs, per point; 0 is least squares.
        random_state: seed or generator, of the points held out.

    Returns:
        `R2Result`. 1 is best, 0 no better than the mean; held out, it may fall below 0. Factors that do not
        vary in both sets are left out, with a warning.

    Example:
        >>> v = np.random.RandomState(0).normal(size=(30, 2))
        >>> z = v @ np.array([[1.0, 2.0], [0.0, 1.0]])
        >>> result = r2(z, v)
        >>> round(result.score, 6), round(result.reverse, 6)
        (1.0, 1.0)
    """
    check_not_negative(ridge=ridge)
    train, held_out = split_points(codes, factors, test, check_random_state(random_state))
    columns = find_varying_in_both(train[1], held_out[1], "r2")
    active = np.flatnonzero(varies(train[0]) & varies(held_out[0]))
    codes, test_codes = standardise(train[0], held_out[0])
    factors, test_factors = standardise(train[1][:, columns], held_out[1][:, columns])
    forward = measure_r_squared(test_factors, predict_linear(codes, factors, test_codes, ridge))
    backward = measure_r_squared(
        test_codes[:, active], predict_linear(factors, codes[:, active], test_factors, ridge)
    )
    return R2Result(
        float(forward.mean()),
        place_values(forward, columns, train[1].shape[1]),
        float(backward.mean()) if len(active) else 0.0,
        place_values(backward, active, train[0].shape[1]),
    )


# --- SAP (Kumar et al. 2018, arXiv:1711.00848, section 3)

#: Codes of less variance than this explain nothing of a continuous factor.
SMALLEST_VARIANCE = 1e-12

#: Of the support vector machines: what solves them, and the weight of the loss against the penalty.
SOLVERS = ("liblinear", "exact")

COST = 0.01

#: Codes that are larger are scaled down to this.
LARGEST_CODE = 1e9


@dataclass(frozen=True)
class SapResult(Result):
    """What `sap_score` returns.

    Attributes:
        score: in [0, 1], higher is better.
        per_factor: (factors,) gap of each factor; NaN for one that never varies.
        matrix: (codes, factors) how well a code alone predicts a factor; NaN in the same columns.
    """

    score: float
    per_factor: FloatArray
    matrix: FloatArray


@metric(
    "sap_score",
    needs=train_test(),
    reports={"SAP_score": "score"},
    range=(0, 1),
    by_chance="near 0, up to 0.08 for codes with few values",
    compared="disentanglement_lib 1.5, 19 stored cases: the same to rounding",
    summary="gap between the two codes that predict a factor best",
    assumes="independent factors, discrete unless continuous_factors; two or more codes",
    takes={"discrete": {}, "continuous": {"continuous_factors": COLUMNS}},
    invariances=("permutation",),
    resampling={
        "points": 500,
        "options": {"solver": "exact"},
        "words": "by machines solved exactly",
        "unless": "continuous_factors",
    },
    validation="sap_score_validation",
)
def sap_score(
    codes: FloatArray,
    factors: FloatArray | IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    continuous_factors: bool | Sequence[int] = False,
    solver: str = "liblinear",
    random_state: np.random.RandomState | int = 0,
) -> SapResult:
    r"""Gap between the two codes that predict each factor best, each code alone.

    .. math:: SAP = \frac1n \sum_i \left(S_{(1)i} - S_{(2)i}\right)

    where :math:`S_{ji}` is the test accuracy of a linear support vector machine that predicts factor i from
    code j (C = 0.01, classes weighted evenly), or, for continuous factors, the squared correlation of the
    two in the training set; (1) and (2) are the two best codes.

    Assumes: at least two codes, any number of factors. Discrete factors, or continuous ones with
    `continuous_factors`. Independent factors: where they are correlated, a perfect code of one predicts the
    other too, and the gap shrinks.

    Args:
        codes: (points, codes) floats, at least two codes.
        factors: (points, factors) numbers, the same rows. Factors that never vary are left out, with a warning.
        test: codes and factors of other points, or the share of the points to hold out; not used for continuous
            factors.
        continuous_factors: whether the factors are numbers on a scale rather than classes, or the indices of those
            that are. Squared correlations and accuracies are then averaged.
        solver: of the support vector machines: ``"liblinear"``, disentanglement_lib's, which stops near the
            optimum; or ``"exact"``, at it, several times as fast. Few points, if any, are told otherwise.
        random_state: seed or generator, of the points held out and the support vector machines.

    Returns:
        `SapResult`. The score is in [0, 1], higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
        >>> sap_score(v, v, test=(v, v)).score
        0.5
    """
    check_choice("solver", solver, SOLVERS)
    train, held_out = split_points(codes, factors, test, check_random_state(random_state), min_codes=2)
    num_codes, num_factors = train[0].shape[1], train[1].shape[1]
    varying = varying_factors(train[1], "sap_score")
    matrix = np.full((num_codes, num_factors), np.nan)
    if isinstance(continuous_factors, bool):
        numbers = varying if continuous_factors else varying[:0]
    else:
        check_columns("continuous_factors", continuous_factors, num_factors)
        numbers = np.intersect1d(varying, np.array(continuous_factors, dtype=np.intp))
    if numbers.size:
        matrix[:, numbers] = _squared_correlations(train[0], train[1][:, numbers])
    if (classes := np.setdiff1d(varying, numbers)).size:
        if fractions := [int(i) for i in classes if not are_whole(train[1][:, i])]:
            raise errors.InvalidInput(
                f"sap_score takes whole numbers for classes; factors with fractions: {errors.listing(fractions)}. "
                f"Name them with `continuous_factors={fractions}` if they are numbers on a scale."
            )
        seed: Any = random_state if is_whole(random_state) else check_random_state(random_state).randint(2**31 - 1)
        matrix[:, classes] = _accuracies(train, held_out, classes, seed, solver)
    per_factor = np.full(num_factors, np.nan)
    per_factor[varying] = find_top_two_gaps(matrix[:, varying])
    return SapResult(float(per_factor[varying].mean()), per_factor, matrix)


def find_top_two_gaps(matrix: FloatArray) -> FloatArray:
    """The largest less the second largest entry of each column."""
    second, first = np.sort(matrix, axis=0)[-2:]
    return first - second


def _squared_correlations(codes: FloatArray, factors: FloatArray | IntArray) -> FloatArray:
    """(codes, factors); 0 for a code that never varies."""
    centred = codes - codes.mean(axis=0, dtype=np.float64)
    targets = factors - factors.mean(axis=0, dtype=np.float64)
    freedom = max(len(codes) - 1, 1)
    code_variances = np.square(centred).sum(axis=0) / freedom
    target_variances = np.square(targets).sum(axis=0) / freedom
    varies = code_variances > SMALLEST_VARIANCE
    scores = np.square(centred.T @ targets / freedom)
    scores[varies] /= np.outer(code_variances[varies], target_variances)
    scores[~varies] = 0.0
    return scores


def _accuracies(train: Pairs, test: Pairs, columns: IntArray, seed: int, solver: str) -> FloatArray:
    """(codes, columns): how often the factor of a test point is predicted from one code."""
    # Of one code the machines are solved in their primal form, for which a seed means nothing.
    key = ("machines", *train, *test, columns, solver)
    if found := find_kept(key):
        count_fits(*found[1:])
        return found[0]
    codes, test_codes = (np.asarray(points, dtype=np.float64) for points in (train[0], test[0]))
    predict = _exactly if solver == "exact" else _by_liblinear
    scores = np.empty((codes.shape[1], len(columns)))
    with count_fits_of("sap_score") as count:
        before = count.fits, count.stopped
        for j in range(codes.shape[1]):
            # The machine of larger numbers is the same as far as can be told, but its search may never end.
            scale = max(np.abs(codes[:, j]).max() / LARGEST_CODE, 1.0)
            scores[j] = predict(
                codes[:, j] / scale, train[1][:, columns], test_codes[:, j] / scale, test[1][:, columns], seed
            )
        keep(key, (scores, count.fits - before[0], count.stopped - before[1]))
    return scores


def _by_liblinear(
    code: FloatArray, factors: IntArray, test_code: FloatArray, test: IntArray, seed: int
) -> FloatArray:
    from sklearn import config_context
    from sklearn.svm import LinearSVC

    told = []
    # Checked already, and on so few numbers scikit-learn's checks take as long as the fit.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for factor in factors.T:
            machine = LinearSVC(C=COST, class_weight="balanced", random_state=seed)
            told.append(fit_counted(machine, code[:, None], factor).predict(test_code[:, None]))
    return np.mean(np.stack(told, axis=1) == test, axis=0)


def _exactly(code: FloatArray, factors: IntArray, test_code: FloatArray, test: IntArray, seed: int) -> FloatArray:
    labels, test_labels = [], []
    for factor, test_factor in zip(factors.T, test.T, strict=True):
        classes, own = np.unique(factor, return_inverse=True)
        places = np.minimum(np.searchsorted(classes, test_factor), len(classes) - 1)
        labels.append(own)
        test_labels.append(np.where(classes[places] == test_factor, places, -1))
    return machine_accuracies(code, labels, test_code, test_labels, COST)


# --- Linear support vector machines of one code each, solved exactly and many at a time
#
# The problem is that of scikit-learn's ``LinearSVC(C, class_weight="balanced")``: squared hinge loss, the
# intercept penalised along with the weight, a machine for each class against the others. Of a single code the
# points within the margin are a stretch of the sorted ones, so running sums give the loss and its derivatives at
# any weights.

#: Newton steps at the most (some ten are usual), and the step below which the machines stand still.
STEPS, STILL = 100, 1e-10


def machine_accuracies(
    values: FloatArray,
    labels: Sequence[IntArray],
    test_values: FloatArray,
    test_labels: Sequence[IntArray],
    c: float,
) -> FloatArray:
    """How often machines that see `values` (points,) alone tell each of several factors of the test points.

    Args:
        values: of one code.
        labels: of each factor, (points,) whole numbers from 0, of which each up to the largest occurs.
        test_values: of that code, at other points.
        test_labels: of each factor there; a label that is not among `labels` is never told.
        c: weight of the loss against the penalty.
    """
    classes = [int(one.max()) + 1 for one in labels]
    positive = np.hstack([_positive(one, k) for one, k in zip(labels, classes, strict=True)])
    costs = [_costs(one, k, c) for one, k in zip(labels, classes, strict=True)]
    weights, offsets = fit_machines(values, positive, *np.hstack(costs))
    scores = test_values[:, None] * weights + offsets
    found, start = [], 0
    for own, k in zip(test_labels, classes, strict=True):
        part = scores[:, start : start + (1 if k == 2 else k)]
        start += part.shape[1]
        told = part[:, 0] > 0 if k == 2 else part.argmax(axis=1)
        found.append(np.mean(told == own))
    return np.array(found)


def _positive(labels: IntArray, classes: int) -> np.ndarray:
    """(points, machines): each class against the others; of two classes, the second against the first."""
    return labels[:, None] == (np.array([1]) if classes == 2 else np.arange(classes))


def _costs(labels: IntArray, classes: int, c: float) -> FloatArray:
    """(2, machines): what a positive and a negative point cost; of many classes the first alone is weighed."""
    even = c * len(labels) / (classes * np.bincount(labels))
    return np.array([even[1:], even[:1]]) if classes == 2 else np.array([even, np.full(classes, c)])


def fit_machines(
    values: FloatArray, positive: np.ndarray, positive_cost: FloatArray, negative_cost: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Weights and intercepts (machines,) that minimise, for each machine,

    .. math:: \frac12 (w^2 + b^2) + \sum_i c_i \max(0, 1 - y_i (w x_i + b))^2

    Args:
        values: (points,) x.
        positive: (points, machines) where y is 1 rather than -1.
        positive_cost: (machines,) c of those.
        negative_cost: (machines,) c of the others.
    """
    order = np.argsort(values)
    x, own = values[order], np.ascontiguousarray(positive[order].T)
    powers = np.stack([np.ones(len(x)), x, x * x])
    machines = np.arange(len(own))
    sums, all_sums = np.zeros((3, len(own), len(x) + 1)), np.zeros((3, len(x) + 1))
    np.cumsum(powers[:, None] * own, axis=2, out=sums[:, :, 1:])
    np.cumsum(powers, axis=1, out=all_sums[:, 1:])

    def state(w: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The objective, and the weights (2, machines) that are best for the points within these margins."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.nan_to_num(np.stack([1.0 - b, -1.0 - b]) / w, nan=np.inf)
        lower, upper = (np.searchsorted(x, ends.ravel(), side).reshape(2, -1) for side in ("left", "right"))
        # Positive points are within where w x + b < 1, negative ones where it is more than -1.
        below, total = np.array([[True], [False]]) == (w > 0), len(x)
        flat = np.stack([b < 1.0, b > -1.0]) * total
        starts = np.where(w == 0, 0, np.where(below, 0, upper))
        stops = np.where(w == 0, flat, np.where(below, lower, total))
        inside = sums[:, machines, stops[0]] - sums[:, machines, starts[0]]
        outside = all_sums[:, stops[1]] - all_sums[:, starts[1]]
        outside -= sums[:, machines, stops[1]] - sums[:, machines, starts[1]]
        plus, minus = positive_cost * inside, negative_cost * outside
        s0, s1, s2 = plus + minus
        d0, d1 = plus[:2] - minus[:2]
        loss = s0 * (1 + b * b) + 2 * s1 * w * b + s2 * w * w - 2 * (d0 * b + d1 * w)
        a, e = 1 + 2 * s2, 1 + 2 * s0
        det = a * e - 4 * s1 * s1
        best = 2 * np.stack([e * d1 - 2 * s1 * d0, a * d0 - 2 * s1 * d1]) / det
        return 0.5 * (w * w + b * b) + loss, best

    at = np.zeros((2, len(machines)))
    objective, best = state(*at)
    for _ in range(STEPS):
        step = best - at
        if np.abs(step).max() < STILL:
            break
        length = np.ones(len(machines))
        while True:
            reached, next_best = state(*(at + length * step))
            worse = reached > objective + 1e-12 * np.abs(objective)
            if not worse.any() or length.min() < 1e-6:
                break
            length[worse] /= 2
        at, objective, best = at + length * step, reached, next_best
    return at[0], at[1]


# --- Modularity and explicitness (Ridgeway & Mozer 2018, arXiv:1802.05312, section 3)

#: How a logistic regression tells more than two values apart: all together, or each from the others.
MULTI_CLASS = ("multinomial", "ovr")


@dataclass(frozen=True)
class ModularityExplicitnessResult(Result, score="modularity"):
    """What `modularity_explicitness` returns.

    Attributes:
        modularity: in [0, 1], higher is better.
        explicitness_train: in [0, 1], higher is better, 0.5 is chance; on the points fitted to.
        explicitness_test: the same on the other points.
        modularities: (codes,); 0 for a code without information on any factor.
        explicitnesses_train: (factors,); NaN for a factor that never varies.
        explicitnesses_test: (factors,); NaN too for one that does not vary in the test points.
        information: (codes, factors) mutual information in nats.
    """

    modularity: float
    explicitness_train: float
    explicitness_test: float
    modularities: FloatArray
    explicitnesses_train: FloatArray
    explicitnesses_test: FloatArray
    information: FloatArray


@metric(
    "modularity_explicitness",
    needs=train_test(),
    reports={
        "modularity_score": "modularity",
        "explicitness_score_train": "explicitness_train",
        "explicitness_score_test": "explicitness_test",
    },
    range=(0, 1),
    by_chance="modularity far above 0 (0.67 for noise), explicitness 0.5",
    compared="disentanglement_lib 1.5, 15 stored cases: the same to rounding",
    summary="does a code tell of one factor, and do all tell every factor plainly?",
    assumes="discrete, independent factors, two or more",
    takes={"discrete": {}, "binned": {}, **IN_GROUPS},
    also=("explicitness_score_test",),
    invariances=("permutation", "rescaling"),
    resampling={"options": {"max_iterations": 0}},
    supplies=GIN_BINS,
)
def modularity_explicitness(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    num_bins: Bins = 20,
    max_iterations: int = 100,
    multi_class: str = "multinomial",
    code_groups: CodeGroups | None = None,
    random_state: np.random.RandomState | int = 0,
) -> ModularityExplicitnessResult:
    r"""Does each code tell of one factor alone, and do all codes together tell every factor plainly?

    .. math::
        modularity = \frac1m \sum_j
            \left(1 - \frac{\sum_{i \ne t_j} I(z_j; g_i)^2}{(n - 1) I(z_j; g_{t_j})^2}\right),
        \quad t_j = \arg\max_i I(z_j; g_i)

    Explicitness is the area under the ROC curve of a logistic regression that predicts factor i from all
    codes, averaged over the values of the factor, each against the others, then over the factors.

    Assumes: discrete factors, at least two, any number of codes. Independent factors: where they are
    correlated, a perfect code of one has information on the other, and modularity falls.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Explicitness leaves factors that
            never vary out, with a warning.
        test: codes and factors of other points, or the share of the points to hold out.
        num_bins: as for `mig`, for modularity.
        code_groups: blocks of codes that are one concept, such as ``[[0, 1], [2]]``, each in the place of a code
            (the bins of its codes together) for modularity; codes in no block stay alone.
        max_iterations: of the logistic regression, scikit-learn's 100. At 0 explicitness is left out, and is NaN.
        multi_class: of the logistic regression, as scikit-learn called it: ``"multinomial"``, its default now, or
            ``"ovr"``, a regression for each value against the others, each judged by its own scores, as in the
            paper. With ``"ovr"`` values in the middle of an ordered code are not told from the others: ideal codes
            of three values have 0.83. Compare scores of one kind.
        random_state: seed or generator, of the points held out.

    Returns:
        `ModularityExplicitnessResult`. All scores are in [0, 1], higher is better; explicitness by chance
        is 0.5.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> result = modularity_explicitness(v, v, test=(v, v))
        >>> result.modularity, result.explicitness_test
        (1.0, 1.0)
    """
    check_at_least(0, max_iterations=max_iterations)
    check_choice("multi_class", multi_class, MULTI_CLASS)
    train, held_out = split_points(codes, factors, test, check_random_state(random_state), min_factors=2)
    varying = varying_factors(train[1], "modularity_explicitness")
    binned = combine_labels(bin_codes(train[0], num_bins), all_groups(code_groups, train[0].shape[1]))
    information = mutual_information_matrix(binned, train[1])
    modularities = measure_modularities(information)
    fitted, tested = _standardise_active(train[0], held_out[0])
    explicit = np.full((2, train[1].shape[1]), np.nan)
    for i in varying if max_iterations else ():
        known, wanted = (fitted, train[1][:, i]), (tested, held_out[1][:, i])
        explicit[:, i] = _areas_of_factor(known, wanted, max_iterations, multi_class)
    return ModularityExplicitnessResult(
        modularity=float(modularities.mean()),
        explicitness_train=_mean_of_known(explicit[0]),
        explicitness_test=_mean_of_known(explicit[1]),
        modularities=modularities,
        explicitnesses_train=explicit[0],
        explicitnesses_test=explicit[1],
        information=information,
    )


def measure_modularities(information: FloatArray) -> FloatArray:
    """The modularity of each code from its information on each factor (codes, factors)."""
    squared = np.square(information)
    most = squared.max(axis=1)
    informed = most > 0
    others = squared[informed].sum(axis=1) - most[informed]
    scores = np.zeros(len(information))
    scores[informed] = 1.0 - others / (most[informed] * (information.shape[1] - 1))
    return scores


def area_under_roc(scores: FloatArray, positive: NDArray[np.bool_]) -> float:
    """The probability that a positive point scores higher than a negative one, ties counted half.

    Args:
        scores: (points,).
        positive: (points,) booleans, some of them true and some false.

    Example:
        >>> area_under_roc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
        0.875
    """
    above, below = np.sort(scores[positive]), np.sort(scores[~positive])
    beaten = np.searchsorted(below, above, "left").sum() + np.searchsorted(below, above, "right").sum()
    return float(beaten / (2 * len(above) * len(below)))


def _standardise_active(codes: FloatArray, test_codes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean 0 and deviation 1 in the training points; a code that never varies there is 0 everywhere."""
    active = codes.min(axis=0) != codes.max(axis=0)
    mean = codes[:, active].mean(axis=0, dtype=np.float64)
    deviation = codes[:, active].std(axis=0, dtype=np.float64)
    return (codes[:, active] - mean) / deviation, (test_codes[:, active] - mean) / deviation


def _areas_of_factor(train: Pairs, test: Pairs, max_iterations: int, multi_class: str) -> list[float]:
    """Mean area over the values of a factor, on the training and on the test points."""
    points, factor = train
    values, labels = np.unique(factor, return_inverse=True)
    if multi_class == "multinomial" or len(values) == 2:
        weights = fit_softmax_regression(points, labels, len(values), max_iterations)
        return [_mean_area(class_probabilities(weights, one), values, own) for one, own in (train, test)]
    each = [
        fit_softmax_regression(points, (labels == value).astype(np.intp), 2, max_iterations)
        for value in range(len(values))
    ]
    areas = []
    for one, own in (train, test):
        alone = np.stack([class_probabilities(weights, one)[1] for weights in each])
        areas.append(_mean_area(alone, values, own))
    return areas


def _mean_area(probabilities: FloatArray, values: IntArray, factor: IntArray) -> float:
    """Over the values that some of the points have and others have not; NaN if there is none."""
    told = [(row, factor == value) for row, value in zip(probabilities, values, strict=True)]
    areas = [area_under_roc(row, positive) for row, positive in told if positive.any() and not positive.all()]
    return float(np.mean(areas)) if areas else float("nan")


def _mean_of_known(scores: FloatArray) -> float:
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if known.size else float("nan")


# --- Logistic regression of many classes, fast enough to be fitted once per factor
#
# The problem and its solver are those of scikit-learn's ``LogisticRegression()``: the mean log loss plus
# ``|weights|^2 / (2 n)``, intercepts free, solved by L-BFGS from zero to a gradient of 1e-4. So the fitted
# classifier is the same up to rounding; the loss here works on whole rows of (classes, points), which is what
# makes the difference in time.

#: scikit-learn's: gradient, decrease, and steps of one line search at which it stops.
STOPPING = {"gtol": 1e-4, "ftol": 64 * np.finfo(np.float64).eps, "maxls": 50}


def fit_softmax_regression(
    points: FloatArray, labels: IntArray, num_classes: int, max_iterations: int = 100
) -> FloatArray:
    """Weights (classes, features + 1), the intercepts last.

    Args:
        points: (points, features), standardised.
        labels: (points,) from 0 to `num_classes` - 1.
        num_classes: at least two.
        max_iterations: after which it stops.
    """
    from scipy.optimize import minimize

    rows = _with_ones(points)
    # Two classes need one row of weights: scikit-learn penalises that alone, so the first stays zero.
    free = slice(1, 2) if num_classes == 2 else slice(0, num_classes)
    weights = np.zeros((num_classes, len(rows)))
    own = labels * len(points) + np.arange(len(points))  # where (classes, points), flat, holds a point's own class

    def loss_and_gradient(flat: FloatArray) -> tuple[float, FloatArray]:
        weights[free] = flat.reshape(weights[free].shape)
        scores = weights @ rows
        highest = scores.max(axis=0)
        own_scores = scores.ravel()[own]
        totals = _exponentiate(scores, highest)
        loss = np.mean(np.log(totals) + highest - own_scores)
        scores /= totals
        scores.ravel()[own] -= 1.0
        penalised = weights[free].copy()
        penalised[:, -1] = 0.0
        gradient = (scores[free] @ rows.T + penalised) / len(points)
        return float(loss + np.square(penalised).sum() / (2 * len(points))), gradient.ravel()

    start = np.zeros(weights[free].size)
    options = {**STOPPING, "maxiter": max_iterations}
    found = minimize(loss_and_gradient, start, method="L-BFGS-B", jac=True, options=options)
    count_fits(1, not found.success)
    weights[free] = found.x.reshape(weights[free].shape)
    return weights


def class_probabilities(weights: FloatArray, points: FloatArray) -> FloatArray:
    """(classes, points) from `fit_softmax_regression`'s weights."""
    scores = weights @ _with_ones(points)
    scores /= _exponentiate(scores, scores.max(axis=0))
    return scores


def _with_ones(points: FloatArray) -> FloatArray:
    """(features + 1, points), the last row all ones."""
    return np.vstack([points.T, np.ones(len(points))])


def _exponentiate(scores: FloatArray, highest: FloatArray) -> FloatArray:
    """Replace scores (classes, points) by exp(score - highest); their sums over the classes."""
    scores -= highest
    np.exp(scores, out=scores)
    return scores.sum(axis=0)
