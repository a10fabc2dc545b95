"""InfoMEC: modularity, explicitness and compactness (Hsu et al. 2023, arXiv:2305.18378)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, check_pairs, check_random_state
from causal_disent.metrics.arrays import ACTIVE_RANGE, active_codes, find_varying, place_values, standardise
from causal_disent.metrics.contract import Result, fit_counted, metric
from causal_disent.metrics.draw import points
from causal_disent.metrics.information import (
    add_jitter,
    entropies,
    equal_width_bins,
    estimate_class_information,
    mutual_information_matrix,
)
from causal_disent.protocols import FloatArray, IntArray

ESTIMATORS = ("neighbours", "bins", "discrete")
#: Times the square root of the number of points: nats that ten nearest neighbours find in one of a hundred codes
#: of noise, on the best of four factors.
NEIGHBOUR_NOISE = 1.2


@dataclass(frozen=True)
class InfomecResult(Result, score="modularity"):
    """What `infomec` returns.

    Attributes:
        modularity: InfoM in [0, 1]; 1 if each active code is informed about one factor.
        explicitness: InfoE, at most 1; 1 if linear probes predict all factors surely.
        compactness: InfoC in [0, 1]; 1 if one active code is informed about each factor.
        explicitness_per_factor: (factors,); NaN if the factor never varies.
        matrix: (codes, factors) normalised mutual information; NaN if the factor never varies.
        active: (codes,) which codes modularity and compactness are about.
    """

    modularity: float
    explicitness: float
    compactness: float
    explicitness_per_factor: FloatArray
    matrix: FloatArray
    active: NDArray[np.bool_]


@metric(
    "infomec",
    needs=points(factors_in_bins=True),
    reports={
        "InfoM": "modularity",
        "InfoE": "explicitness",
        "InfoC": "compactness",
        "num_active_dims": lambda result, names: float(result.active.sum()),
        "InfoE_factor_{factor}": "explicitness_per_factor",
    },
    range=(-inf, 1),
    by_chance="InfoM and InfoC above 0 (0.16 and 0.14 for noise; InfoM 0.5 for permuted codes), InfoE 0",
    compared=(
        "the authors' program, 36 data sets, continuous and discrete codes, with scikit-learn's search for "
        "neighbours: the same to rounding, but for codes that tell nothing of any factor: theirs is NaN then, and "
        "here they count as even"
    ),
    summary="modularity, explicitness and compactness by information",
    assumes="discrete, independent factors, at least two; any number of codes",
    takes=("discrete", "binned"),
    also=("InfoE", "InfoC"),
    invariances=("permutation",),
    resampling={"points": 1000, "options": {"max_iterations": 0}},
)
def infomec(
    codes: FloatArray,
    factors: IntArray,
    *,
    estimator: str = "neighbours",
    num_neighbours: int = 10,
    num_bins: int = 20,
    max_iterations: int = 100,
    random_state: np.random.RandomState | int = 0,
) -> InfomecResult:
    r"""Does each code have one factor, each factor one code, and are the factors easy to read off?

    .. math::
        M_{ji} = \frac{I(z_j; g_i)}{H(g_i)}, \qquad
        InfoM = \frac{\frac1m \sum_j \frac{\max_i M_{ji}}{\sum_i M_{ji}} - \frac1n}{1 - \frac1n}, \qquad
        InfoC = \frac{\frac1n \sum_i \frac{\max_j M_{ji}}{\sum_j M_{ji}} - \frac1m}{1 - \frac1m}

    over the m active codes and n factors, and

    .. math:: InfoE = \frac1n \sum_i \frac{H_V(g_i) - H_V(g_i | z)}{H_V(g_i)}

    where :math:`H_V` is the log loss of a logistic regression that sees nothing, or all codes. As the authors
    do, the regression has no penalty and weighs classes evenly (so :math:`H_V(g_i)` is the log of the number
    of values), and its loss is taken on the points it was fitted to.

    A code that says nothing about any factor counts 0 in InfoM, a factor that no code says anything about
    counts 0 in InfoC, and of a single active code InfoC is 1; the formulas leave these cases open. Active codes
    are those by the first of the two published rules: a range of more than 1/20 of the widest code's. So codes
    should have one unit; a warning names informed codes that are left out, and active ones of noise. The search
    for neighbours agrees with scikit-learn's but where a value has few points, for which the latter's distances
    are rounded. Noise has an InfoM above 0, since one of its small values is the largest: read InfoM and InfoC
    along with InfoE.

    Assumes: discrete factors; independent ones, or else a code of one is informed about the others too; any
    number of codes.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, at least two that vary, the same rows.
        estimator: of mutual information. ``"neighbours"``, for continuous codes, counts nearest neighbours
            (Ross 2014), as the authors do; ``"bins"`` counts codes in equally wide bins, which is faster;
            ``"discrete"``, for quantised codes, takes each distinct value of a code as a class, one-hot in
            the regression too, and every code that varies as active.
        num_neighbours: of ``"neighbours"``.
        num_bins: of ``"bins"``, per code.
        max_iterations: of the logistic regression; without a penalty, perfect codes improve on and on. At 0 InfoE
            is left out, and is NaN.
        random_state: seed or generator; ``"neighbours"`` breaks ties at random.

    Returns:
        `InfomecResult`. All three are at most 1, higher is better. Factors that never vary are left out.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> result = infomec(v, v, estimator="discrete")
        >>> result.modularity, result.compactness, round(result.explicitness, 2)
        (1.0, 1.0, 1.0)
    """
    codes, factors = check_pairs(codes, factors, min_factors=2)
    codes = np.asarray(codes, dtype=np.float64)  # first, so that the numbers alone decide
    check_choice("estimator", estimator, ESTIMATORS)
    check_at_least(0, max_iterations=max_iterations)
    check_at_least(1, num_neighbours=num_neighbours)
    check_at_least(2, num_bins=num_bins)
    columns = find_varying(factors, "infomec", 2)
    labels = _labels(factors[:, columns])
    generator = check_random_state(random_state)
    noise = np.full(codes.shape[1], NEIGHBOUR_NOISE / np.sqrt(len(codes)))
    if estimator == "neighbours":
        information = _neighbour_information(codes, labels, num_neighbours, generator)
    else:
        binned = _labels(codes) if estimator == "discrete" else equal_width_bins(codes, num_bins)
        information = mutual_information_matrix(binned, labels)
        freedom = (np.array([len(np.unique(column)) for column in binned.T]) - 1.0) * labels.max()
        noise = (freedom + 3 * np.sqrt(2 * freedom)) / (2 * len(codes))
    normalised = information / entropies(labels)
    active = active_codes(codes, 0.0) if estimator == "discrete" else active_codes(codes)
    _warn_of_codes(information.max(axis=1) > noise, active)
    explicit = np.full(len(columns), np.nan)
    if max_iterations:
        explicit = _explicitness(_inputs(codes, estimator), labels, max_iterations)
    matrix = np.full((codes.shape[1], factors.shape[1]), np.nan)
    matrix[:, columns] = normalised
    return InfomecResult(
        modularity(normalised[active]),
        float(explicit.mean()),
        compactness(normalised[active]),
        place_values(explicit, columns, factors.shape[1]),
        matrix,
        active,
    )


def _warn_of_codes(informed: NDArray[np.bool_], active: NDArray[np.bool_]) -> None:
    """Warn of codes that InfoM and InfoC should not be of, or that are missing from them."""
    if (left_out := np.flatnonzero(informed & ~active)).size:
        warnings.warn(
            f"infomec: codes that tell of factors count as inactive, for their range is less than "
            f"{100 * ACTIVE_RANGE:.0f} % of the widest code's: {errors.listing(left_out.tolist())}. If codes have "
            "different units, divide each by its standard deviation.",
            stacklevel=3,
        )
    if (noise := np.flatnonzero(active & ~informed)).size:
        warnings.warn(
            f"infomec: active codes have no more information on any factor than chance gives: "
            f"{errors.listing(noise.tolist())}. Their shares in InfoM and InfoC are of noise, and differ with the "
            "seed where values repeat.",
            stacklevel=3,
        )


def modularity(normalised: FloatArray) -> float:
    """InfoM of (active codes, factors).

    Example:
        >>> modularity(np.array([[0.5, 0.0], [0.25, 0.25]]))
        0.5
    """
    return _peakedness(normalised)


def compactness(normalised: FloatArray) -> float:
    """InfoC of (active codes, factors).

    Example:
        >>> compactness(np.array([[0.5, 0.25], [0.0, 0.25]]))
        0.5
    """
    return _peakedness(normalised.T)


def _peakedness(rows: FloatArray) -> float:
    """Mean share of the largest entry in its row, from 0 for an even row to 1 for a single entry."""
    num_rows, width = rows.shape
    if not num_rows or not width:
        return 0.0
    if width == 1:
        return 1.0
    totals = rows.sum(axis=1)
    shares = np.full(num_rows, 1.0 / width)
    np.divide(rows.max(axis=1), totals, out=shares, where=totals > 0)
    return float((shares.mean() - 1.0 / width) / (1.0 - 1.0 / width))


def _labels(columns: NDArray[Any]) -> IntArray:
    """Each column's values as 0, 1, ... in their order."""
    return np.stack([np.unique(values, return_inverse=True)[1] for values in columns.T], axis=1)


def _neighbour_information(
    codes: FloatArray, labels: IntArray, num_neighbours: int, random_state: np.random.RandomState
) -> FloatArray:
    """Mutual information in nats (codes, factors) by nearest neighbours of the same label."""
    scaled, _ = standardise(codes, codes)
    found = np.empty((codes.shape[1], labels.shape[1]))
    for i, factor in enumerate(labels.T):
        apart = add_jitter(scaled, random_state)
        found[:, i] = [estimate_class_information(column, factor, num_neighbours) for column in apart.T]
    return found


def _inputs(codes: FloatArray, estimator: str) -> Any:
    """What the logistic regression sees: one-hot discrete codes, or standardised ones."""
    if estimator == "discrete":
        from sklearn.preprocessing import OneHotEncoder

        return OneHotEncoder().fit_transform(codes)
    return standardise(codes, codes)[0]


def _explicitness(inputs: Any, labels: IntArray, max_iterations: int) -> FloatArray:
    """Part of each factor's log loss that a linear probe takes away."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss

    gained = []
    for factor in labels.T:
        probe = LogisticRegression(C=np.inf, class_weight="balanced", max_iter=max_iterations)
        fit_counted(probe, inputs, factor)
        # Seeing nothing, evenly weighted classes are equally probable.
        nothing = np.log(len(probe.classes_))
        gained.append(1.0 - log_loss(factor, probe.predict_proba(inputs)) / nothing)
    return np.array(gained)
