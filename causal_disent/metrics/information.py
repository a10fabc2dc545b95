"""Entropy and mutual information in nats: of codes in bins, or by nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import (
    as_array,
    check_at_least,
    check_choice,
    check_matrix,
    check_pairs,
    check_random_state,
)
from causal_disent.metrics.arrays import (
    CodeGroups,
    all_groups,
    combine_labels,
    find_varying,
    standardise,
    sum_groups,
)
from causal_disent.metrics.contract import are_all_different, bound, configurable
from causal_disent.metrics.reuse import reused
from causal_disent.protocols import FloatArray, IntArray

# --- Bins


#: Values that are so many times as large as they are apart are counted from the smallest.
LARGE_OFFSET = 1e9
#: Sums of logarithms of counts are rounded to about this; less information than that is none.
ROUNDING = 1e-13
#: How the gaps of information estimate it.
ESTIMATORS = ("bins", "quantile_bins", "neighbours")

#: Values and a number of bins -> the bin of each value.
Discretizer = Callable[[FloatArray, int], IntArray]
#: How codes are put into bins: in so many equally wide ones, or by a function (points, codes) -> whole numbers.
Bins = int | Callable[[FloatArray], IntArray]
#: Small whole numbers that tell the values of a column apart, and a bound on them.
Labels = tuple[IntArray, int]
#: For `metric`: configs decide about the bins by ``discretizer``, and not by the argument.
GIN_BINS = {"num_bins": lambda data: bin_codes_by_config}


@configurable("histogram_discretizer", supplied=("target",))
def histogram_discretizer(target: FloatArray, num_bins: int) -> IntArray:
    """Equally wide bins from each column's smallest to its largest value, numbered from 1.

    Args:
        target: (points, columns).
        num_bins: bins per column.
    """
    target = check_matrix("target", target, columns="columns")
    check_at_least(1, num_bins=num_bins)
    return equal_width_bins(target, num_bins)


@reused
def equal_width_bins(target: FloatArray, num_bins: int) -> IntArray:
    """`histogram_discretizer` of a checked matrix."""
    binned = np.empty(target.shape, dtype=np.int64)
    for column, (values, low, high) in enumerate(
        zip(target.T, target.min(axis=0), target.max(axis=0), strict=True)
    ):
        offset, edges = bin_edges(low, high, num_bins)
        binned[:, column] = np.searchsorted(edges, values - offset if offset else values, side="right")
    return binned


def equally_filled_bins(target: FloatArray, num_bins: int) -> IntArray:
    """Bins of about equally many points for each column of (points, columns); equal values share a bin. Single
    points hardly move their edges.

    Example:
        >>> equally_filled_bins(np.array([[0.0], [1.0], [2.0], [1000.0]]), 2)[:, 0].tolist()
        [0, 0, 1, 1]
    """
    edges = np.quantile(target, np.linspace(0, 1, num_bins + 1)[1:-1], axis=0)
    columns = zip(target.T, edges.T, strict=True)
    return np.stack([np.searchsorted(np.unique(own), values, side="right") for values, own in columns], axis=1)


def bin_edges(low: Any, high: Any, num_bins: int) -> tuple[Any, FloatArray]:
    """Of numbers from `low` to `high`: what to take off first, and where each bin then begins.

    Example:
        >>> bin_edges(np.float64(0), np.float64(1), 4)
        (0, array([0.  , 0.25, 0.5 , 0.75]))
    """
    # Edges between numbers of a large offset would be rounded away.
    offset = low if max(-low, high) > LARGE_OFFSET * (high - low) else 0
    if offset:
        low, high = low - offset, high - offset
    if low == high:
        low, high = low - 0.5, high + 0.5
    return offset, np.linspace(low, high, num_bins + 1, dtype=np.result_type(low, high, np.float32))[:-1]


@configurable("discretizer", supplied=("target",))
def discretizer(
    target: FloatArray | IntArray, discretizer_fn: Discretizer | None = None, num_bins: int = 20
) -> FloatArray | IntArray:
    """`target` in bins if ``discretizer.discretizer_fn`` is bound, unchanged otherwise."""
    return target if discretizer_fn is None else discretizer_fn(target, num_bins)  # type: ignore[arg-type]


def bin_codes_by_config(codes: FloatArray) -> IntArray:
    """`codes` as gin's discretizer bins them; in equally wide bins if no ``discretizer_fn`` is bound."""
    bins: Any = bound(discretizer)
    binned = bins(codes)
    return bins(codes, histogram_discretizer) if binned is codes else binned


def bin_codes(codes: FloatArray, num_bins: Bins) -> IntArray:
    """`codes` in bins, in as many as there are or as the function has it."""
    if callable(num_bins) and not isinstance(num_bins, type):
        binned = as_array("What `num_bins` returns", num_bins(codes))
        if binned.shape != codes.shape:
            raise errors.InvalidInput(
                f"What `num_bins` returns must have the shape of the codes, {codes.shape}; it has {binned.shape}."
            )
        return binned
    check_at_least(1, num_bins=num_bins)
    return equal_width_bins(codes, num_bins)  # type: ignore[arg-type]


# --- Counts


def entropies(factors: IntArray) -> FloatArray:
    """Entropy of each column of (points, columns), in nats.

    Example:
        >>> entropies(np.array([[0, 7], [1, 7]])).round(3)
        array([0.693, 0.   ])
    """
    matrix: Any = check_matrix("factors", factors, columns="columns")
    return _entropies_of(_sums_of(label_columns(matrix), len(matrix)), len(matrix))


def mutual_information_matrix(binned_codes: IntArray, factors: IntArray) -> FloatArray:
    r"""Mutual information of each code with each factor, in nats.

    .. math:: I(z; g) = \log n + \frac1n \Big(\sum_{zg} c_{zg} \log c_{zg} - \sum_z c_z \log c_z
        - \sum_g c_g \log c_g\Big)

    with :math:`c` the number of the n points that have a value, or a pair of values.

    Args:
        binned_codes: (points, codes), discrete.
        factors: (points, factors), discrete, the same rows.

    Returns:
        (codes, factors), at least 0.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> mutual_information_matrix(v, v).round(3)
        array([[0.693, 0.   ],
               [0.   , 0.693]])
    """
    return _count_all(*check_pairs(binned_codes, factors))[0].copy()


@reused
def _count_all(binned: IntArray, factors: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """`count_information` of matrices."""
    return count_information(label_columns(binned), label_columns(factors), len(factors))


def count_information(
    codes: Sequence[Labels], factors: Sequence[Labels], num_points: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mutual information (codes, factors), and the entropies (codes,) and (factors,), in nats."""
    table, of_codes, of_factors = (
        tabulate_times_log(num_points),
        _sums_of(codes, num_points),
        _sums_of(factors, num_points),
    )
    together = np.empty((len(codes), len(factors)))
    for j, (code, num_bins) in enumerate(codes):
        for i, (factor, num_values) in enumerate(factors):
            pairs = code * num_values + factor
            if num_bins * num_values <= 2 * num_points + 1000:
                counts = np.bincount(pairs)
            else:  # a table of mostly empty cells would take more memory than the points
                counts = np.unique(pairs, return_counts=True)[1]
            together[j, i] = table[counts].sum()
    matrix = drop_rounding(np.log(num_points) + (together - np.add.outer(of_codes, of_factors)) / num_points)
    return matrix, _entropies_of(of_codes, num_points), _entropies_of(of_factors, num_points)


def label_columns(matrix: NDArray[Any]) -> list[Labels]:
    """The labels of each column of (points, columns)."""
    found: list[Labels] = []
    for values in matrix.T:
        if values.dtype.kind in "iu":
            low, high = int(values.min()), int(values.max())
            if high - low <= len(values):
                found.append(((values - low).astype(np.intp, copy=False), high - low + 1))
                continue
        distinct, labels = np.unique(values, return_inverse=True)
        found.append((labels.astype(np.intp, copy=False), len(distinct)))
    return found


def _sums_of(columns: Sequence[Labels], num_points: int) -> FloatArray:
    """(columns,): the sum of c log c over the counts c of each value."""
    table = tabulate_times_log(num_points)
    return np.array([table[np.bincount(labels)].sum() for labels, _ in columns])


def _entropies_of(sums: FloatArray, num_points: int) -> FloatArray:
    """Entropies in nats from sums of c log c."""
    return drop_rounding(np.log(num_points) - sums / num_points)


@lru_cache(maxsize=4)
def tabulate_times_log(largest: int) -> FloatArray:
    """c log c for c = 0 .. `largest`, not to be written: counts are whole, so no logarithm is taken twice."""
    counts = np.arange(largest + 1, dtype=np.float64)
    counts[1:] *= np.log(counts[1:])
    return counts


def drop_rounding(information: FloatArray) -> FloatArray:
    """Information, or entropy, without what rounding has put below 0."""
    return np.where(information < ROUNDING, 0.0, information)


@dataclass(frozen=True)
class Information:
    """In nats, of the factors that vary: what the gaps between mutual informations start from.

    Attributes:
        matrix: (codes, varying factors) mutual information.
        code_entropies: (codes,) entropy of the binned codes.
        factor_entropies: (varying factors,).
        factors: indices of the factors that vary.
        num_factors: how many factors were given.
        num_values: (varying factors,) how many values each has.
        code_variances: (codes,) of the codes as they are; 0 for one that never varies.
        most_entropy: that a code can have: the logarithm of the number of bins.
    """

    matrix: FloatArray
    code_entropies: FloatArray
    factor_entropies: FloatArray
    factors: IntArray
    num_factors: int
    num_values: IntArray
    code_variances: FloatArray
    most_entropy: float


def estimate_information(
    metric: str,
    codes: Any,
    factors: Any,
    *,
    num_bins: int,
    estimator: str,
    num_neighbours: int,
    random_state: Any,
    code_groups: CodeGroups | None = None,
    min_codes: int = 1,
    min_factors: int = 1,
) -> Information:
    """Check the arguments of `metric`, and estimate information by bins or by nearest neighbours."""
    check_choice("estimator", estimator, ESTIMATORS)
    codes, factors = check_pairs(codes, factors, min_codes=min_codes, min_factors=min_factors)
    check_at_least(2, num_bins=num_bins)
    check_at_least(1, num_neighbours=num_neighbours)
    columns = find_varying(factors, metric, min_factors)
    # Edges of bins are as exact as the codes: the numbers alone decide, not what holds them.
    codes = np.asarray(codes, dtype=np.float64)
    if estimator == "neighbours":
        if code_groups:
            raise errors.InvalidInput("`code_groups` are for bins; nearest neighbours are of single codes.")
        return estimate_by_neighbours(codes, factors, columns, num_neighbours, check_random_state(random_state))
    groups = None if code_groups is None else all_groups(code_groups, codes.shape[1])
    put_into_bins = equally_filled_bins if estimator == "quantile_bins" else equal_width_bins
    return measure_information(codes, put_into_bins(codes, num_bins), factors, columns, np.log(num_bins), groups)


def measure_variances(codes: FloatArray) -> FloatArray:
    """(codes,): exactly 0 for one that never varies, whose mean may be off by a rounding error."""
    return np.where(codes.min(axis=0) == codes.max(axis=0), 0.0, codes.var(axis=0, dtype=np.float64))


def measure_information(
    codes: FloatArray,
    binned: IntArray,
    factors: Any,
    columns: IntArray,
    most_entropy: float = nan,
    groups: Sequence[Sequence[int]] | None = None,
) -> Information:
    """Of `binned` codes, the bins of a group together, and the factors in `columns`."""
    variances = measure_variances(codes)
    if groups is not None and len(groups) < codes.shape[1]:
        binned, variances = combine_labels(binned, groups), sum_groups(variances, groups)
    matrix, of_codes, of_factors = _count_all(binned, factors[:, columns])
    num_values = np.array([len(np.unique(values)) for values in factors[:, columns].T])
    return Information(
        matrix, of_codes, of_factors, columns, factors.shape[1], num_values, variances, float(most_entropy)
    )


# --- Nearest neighbours: numbers with labels (Ross 2014), or with numbers (Kraskov 2004)

#: Ties are broken by noise of this size, relative to the numbers'.
JITTER = 1e-10


def estimate_by_neighbours(
    codes: FloatArray, factors: Any, columns: IntArray, num_neighbours: int, random_state: np.random.RandomState
) -> Information:
    r"""What `measure_information` counts in bins, by nearest neighbours.

    A column of which nearly every point has a value of its own is continuous, any other a set of labels. Two
    columns of labels are counted. The entropy of a continuous column is what the estimator finds that it says of
    itself, :math:`\psi(n) - \psi(k) \approx \log(n / k)`: that of cells of k points each.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        columns: of the factors that vary.
        num_neighbours: k; less than the number of points.
        random_state: breaks ties.
    """
    from scipy.special import digamma

    num_points, varying = len(codes), factors[:, columns]
    if num_neighbours >= num_points:
        raise errors.InvalidInput(
            f"`num_neighbours` is less than the number of points, {num_points}; given: {num_neighbours}."
        )
    most = float(digamma(num_points) - digamma(num_neighbours))
    sides = []
    for table in (codes, varying):
        labels = np.stack([np.unique(values, return_inverse=True)[1] for values in table.T], axis=1)
        numbers = add_jitter(standardise(table, table)[0], random_state)
        sides.append([labels, numbers, np.array([are_all_different(values) for values in table.T])])
    (code_labels, code_numbers, code_continuous), (labels, numbers, continuous) = sides
    matrix = mutual_information_matrix(code_labels, labels)
    for j, code in enumerate(code_numbers.T):
        for i, factor in enumerate(numbers.T):
            if code_continuous[j] and continuous[i]:
                matrix[j, i] = estimate_number_information(code, factor, num_neighbours)
            elif code_continuous[j]:
                matrix[j, i] = estimate_class_information(code, labels[:, i], num_neighbours)
            elif continuous[i]:
                matrix[j, i] = estimate_class_information(factor, code_labels[:, j], num_neighbours)
    code_entropies = np.where(code_continuous, most, entropies(code_labels))
    factor_entropies = np.where(continuous, most, entropies(labels))
    return Information(
        # An estimate may be above what is possible by a little.
        np.minimum(matrix, np.minimum.outer(code_entropies, factor_entropies)),
        code_entropies,
        factor_entropies,
        columns,
        factors.shape[1],
        np.where(continuous, np.exp(most), labels.max(axis=0) + 1),
        measure_variances(codes),
        most,
    )


def add_jitter(numbers: FloatArray, random_state: np.random.RandomState) -> FloatArray:
    """(points, columns) with ties broken by noise that is too small to matter."""
    scales = JITTER * np.maximum(1.0, np.abs(numbers).mean(axis=0))
    return numbers + scales * random_state.standard_normal(size=numbers.shape)


def estimate_number_information(one: FloatArray, other: FloatArray, num_neighbours: int) -> float:
    r"""Mutual information in nats of numbers (points,) without ties (Kraskov 2004, algorithm 1), 0 at least.

    .. math:: I = \psi(n) + \psi(k) - \langle\psi(n_x + 1) + \psi(n_y + 1)\rangle

    with :math:`n_x` and :math:`n_y` the points that are nearer in one number than the k-th neighbour is in the
    farther of both.

    Example:
        >>> x = np.random.RandomState(0).normal(size=(2, 2000))
        >>> bool(abs(estimate_number_information(x[0], x[0] + x[1], 10) - np.log(2) / 2) < 0.05)
        True
    """
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    joint = np.column_stack([one, other])
    radius = cKDTree(joint).query(joint, k=[num_neighbours + 1], p=np.inf)[0][:, 0]
    total = 0.0
    for values in (one, other):
        ordered = np.sort(values)
        inside = _nearer(ordered, values, radius, "left") + _nearer(-ordered[::-1], -values, radius, "right")
        total += digamma(inside).mean()
    return max(0.0, float(digamma(len(one)) + digamma(num_neighbours) - total))


def estimate_class_information(values: FloatArray, labels: IntArray, num_neighbours: int) -> float:
    r"""Mutual information in nats of numbers without ties and labels (Ross 2014), 0 at least.

    .. math:: I = \psi(n) + \langle\psi(k)\rangle - \langle\psi(n_x)\rangle - \langle\psi(m)\rangle

    with :math:`m` the points nearer than the k-th neighbour of the same label, of which there are :math:`n_x`;
    points whose label nobody shares are left out. Numbers in a row have their neighbours beside them, so that
    sorting finds them.

    Args:
        values: (points,) floats.
        labels: (points,) whole numbers from 0.
        num_neighbours: k, less where a label has fewer points.

    Example:
        >>> values, labels = np.array([0.0, 0.1, 0.3, 5.0, 5.1, 5.3]), np.array([0, 0, 0, 1, 1, 1])
        >>> round(estimate_class_information(values, labels, 1), 3)
        0.783
    """
    from scipy.special import digamma

    sizes = np.bincount(labels)
    shared = np.sort(values[sizes[labels] > 1])
    if not len(shared):
        return 0.0
    total = 0.0
    for label in np.flatnonzero(sizes > 1):
        group = np.sort(values[labels == label])
        k, size = min(num_neighbours, len(group) - 1), len(group)
        ends = np.full(k, np.inf)
        padded = np.concatenate([-ends, group, ends])
        # Of the k + 1 stretches of k neighbours around a point, the nearest.
        stretches = (
            np.maximum(group - padded[start : start + size], padded[start + k : start + k + size] - group)
            for start in range(k + 1)
        )
        radius = np.minimum.reduce(list(stretches))
        inside = _nearer(shared, group, radius, "left") + _nearer(-shared[::-1], -group, radius, "right")
        total += size * (digamma(k) - digamma(size)) - digamma(inside).sum()
    return max(0.0, float(digamma(len(shared)) + total / len(shared)))


def _nearer(
    ordered: FloatArray, points: FloatArray, radius: FloatArray, side: Literal["left", "right"]
) -> IntArray:
    """How many of `ordered` are less than its radius above a point; those that equal it count on the ``left``."""
    stops = np.searchsorted(ordered, points + radius)
    # The sum is rounded, the distances between near numbers are not: the k-th neighbour itself must not count.
    ends = np.append(ordered, np.inf)
    while (short := ends[stops] - points < radius).any():
        stops += short
    while (far := ordered[stops - 1] - points >= radius).any():
        stops -= far
    return stops - np.searchsorted(ordered, points, side)
