"""Mutual information by nearest neighbours: of numbers with labels (Ross 2014), or with numbers (Kraskov 2004).

Unlike bins it takes continuous factors as they are.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_pairs, check_random_state
from causal_disent.metrics.tools.information import entropies, mutual_information_matrix
from causal_disent.metrics.tools.information_matrix import Information, variances_of
from causal_disent.metrics.tools.linear_probe import standardise
from causal_disent.metrics.tools.per_factor import several_varying
from causal_disent.metrics.tools.takes import all_different
from causal_disent.protocols import FloatArray, IntArray

#: How the gaps of information estimate it.
ESTIMATORS = ("bins", "neighbours")
#: Ties are broken by noise of this size, relative to the numbers'.
JITTER = 1e-10


def by_neighbours(
    codes: Any,
    factors: Any,
    metric: str,
    num_neighbours: int,
    random_state: Any,
    code_groups: Any = None,
    *,
    min_codes: int = 1,
    min_factors: int = 1,
) -> Information:
    """Check the arguments of `metric`, and count nearest neighbours: `neighbour_information`."""
    codes, factors = check_pairs(codes, factors, min_codes=min_codes, min_factors=min_factors)
    check_at_least(1, num_neighbours=num_neighbours)
    if code_groups:
        raise errors.InvalidInput(
            "`code_groups` are for the estimator 'bins'; nearest neighbours are of single codes."
        )
    columns = several_varying(factors, metric, min_factors)
    # First, so that the numbers alone decide, not what holds them.
    codes = np.asarray(codes, dtype=np.float64)
    return neighbour_information(codes, factors, columns, num_neighbours, check_random_state(random_state))


def neighbour_information(
    codes: FloatArray, factors: Any, columns: IntArray, num_neighbours: int, random_state: np.random.RandomState
) -> Information:
    r"""What `information_of` counts in bins, by nearest neighbours.

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
        numbers = jittered(standardise(table, table)[0], random_state)
        sides.append([labels, numbers, np.array([all_different(values) for values in table.T])])
    (code_labels, code_numbers, code_continuous), (labels, numbers, continuous) = sides
    matrix = mutual_information_matrix(code_labels, labels)
    for j, code in enumerate(code_numbers.T):
        for i, factor in enumerate(numbers.T):
            if code_continuous[j] and continuous[i]:
                matrix[j, i] = number_information(code, factor, num_neighbours)
            elif code_continuous[j]:
                matrix[j, i] = class_information(code, labels[:, i], num_neighbours)
            elif continuous[i]:
                matrix[j, i] = class_information(factor, code_labels[:, j], num_neighbours)
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
        variances_of(codes),
        most,
    )


def jittered(numbers: FloatArray, random_state: np.random.RandomState) -> FloatArray:
    """(points, columns) with ties broken by noise that is too small to matter."""
    scales = JITTER * np.maximum(1.0, np.abs(numbers).mean(axis=0))
    return numbers + scales * random_state.standard_normal(size=numbers.shape)


def number_information(one: FloatArray, other: FloatArray, num_neighbours: int) -> float:
    r"""Mutual information in nats of numbers (points,) without ties (Kraskov 2004, algorithm 1), 0 at least.

    .. math:: I = \psi(n) + \psi(k) - \langle\psi(n_x + 1) + \psi(n_y + 1)\rangle

    with :math:`n_x` and :math:`n_y` the points that are nearer in one number than the k-th neighbour is in the
    farther of both.

    Example:
        >>> x = np.random.RandomState(0).normal(size=(2, 2000))
        >>> bool(abs(number_information(x[0], x[0] + x[1], 10) - np.log(2) / 2) < 0.05)
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


def class_information(values: FloatArray, labels: IntArray, num_neighbours: int) -> float:
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
        >>> round(class_information(np.array([0.0, 0.1, 0.3, 5.0, 5.1, 5.3]), np.array([0, 0, 0, 1, 1, 1]), 1), 3)
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
