"""Unified scores, unsupervised metrics, and fairness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import (
    MatrixFunction,
    Pairs,
    check_at_least,
    check_matrix,
    check_pairs,
    check_random_state,
    varying_factors,
)
from causal_disent.metrics import information
from causal_disent.metrics.arrays import TEST_SHARE
from causal_disent.metrics.contract import Result, bound, configurable, metric
from causal_disent.metrics.dci import (
    completeness,
    completeness_per_factor,
    disentanglement,
    disentanglement_per_code,
)
from causal_disent.metrics.downstream import compute_matrix, factorwise_dci
from causal_disent.metrics.draw import Draws, Needs, Sample, Source, fix_factor, points, train_test
from causal_disent.metrics.fitting import (
    GIN_PREDICTOR,
    Estimator,
    Problem,
    check_classes,
    check_labelled,
    estimator_named,
    fit_each,
    name_of,
)
from causal_disent.metrics.gaps import find_mig_gaps
from causal_disent.metrics.information import GIN_BINS, Bins, bin_codes, count_information, label_columns
from causal_disent.metrics.linear import find_top_two_gaps, measure_modularities, sap_score
from causal_disent.protocols import FloatArray, IntArray

# --- Several scores from each of several matrices (Locatello et al. 2020, arXiv:2010.14766)
#
# DCI, MIG, SAP and modularity all reduce a matrix of codes and factors to a number. Here each way to fill the
# matrix meets each way to reduce it; the published metric is the one where the two belong together.


@dataclass(frozen=True)
class UnifiedResult(Result):
    """What `unified_scores` returns.

    Attributes:
        matrices: by name, (codes, factors); a factor that never varies has a column of 0.
        scores: by the name of the matrix, then of the score; higher is better.
    """

    matrices: dict[str, FloatArray]
    scores: dict[str, dict[str, float]]

    @property
    def score(self) -> float:
        """The gap ``mig`` of `mutual_information_matrix`, or of the first matrix if that is not there."""
        first = next(iter(self.scores))
        return self.scores.get("mutual_information_matrix", self.scores[first])["mig"]


@configurable("importance_gbt_matrix")
def importance_gbt_matrix(
    mus_train: FloatArray,
    ys_train: IntArray,
    mus_test: FloatArray,
    ys_test: IntArray,
    estimator_fn: str | Estimator = "gradient_boosting",
    random_state: np.random.RandomState | int = 0,
) -> FloatArray:
    """The importance (codes, factors) that `dci` finds; points are in the second axis of each argument."""
    return factorwise_dci(mus_train, ys_train, mus_test, ys_test, estimator_fn, random_state)


def importance_histogram_matrix(*points: Any, random_state: np.random.RandomState | int = 0) -> FloatArray:
    """The importance by the same trees on binned codes."""
    matrix: Any = bound(importance_gbt_matrix)
    return matrix(*points, estimator_fn="histogram_boosting", random_state=random_state)


@configurable("mutual_information_matrix")
def mutual_information_matrix(
    mus_train: FloatArray, ys_train: IntArray, mus_test: FloatArray, ys_test: IntArray
) -> FloatArray:
    """Mutual information (codes, factors) in nats, of training points in the bins of gin's ``discretizer``."""
    return information.mutual_information_matrix(information.bin_codes_by_config(mus_train.T), ys_train.T)


@configurable("accuracy_svm_matrix")
def accuracy_svm_matrix(
    mus_train: FloatArray, ys_train: IntArray, mus_test: FloatArray, ys_test: IntArray
) -> FloatArray:
    """Accuracy (codes, factors) of the support vector machines of `sap_score`."""
    return np.nan_to_num(sap_score(mus_train.T, ys_train.T, test=(mus_test.T, ys_test.T)).matrix)


#: What `unified_scores` accepts by name.
MATRICES = {
    made.__name__: made for made in (importance_gbt_matrix, mutual_information_matrix, accuracy_svm_matrix)
}


def _unified_keys(result: UnifiedResult, names: Sequence[str]) -> dict[str, Any]:
    """``<matrix>.<score>`` (`reduce_matrix`), for each of the matrices. With `artifact_dir` each matrix is saved
    there as ``<matrix>.csv``, and the scores tell too after how many ties, from the strongest down, two factors
    share a group: ``<matrix>.merge_<i>_<j>``."""
    return {f"{name}.{key}": value for name, scores in result.scores.items() for key, value in scores.items()}


def _save(result: UnifiedResult, folder: Path, names: Sequence[str]) -> dict[str, float]:
    """Files with a row per code and a column per factor; the merges of factors."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = {}
    for name, matrix in result.matrices.items():
        np.savetxt(folder / f"{name}.csv", matrix, delimiter=",", header=",".join(names), comments="")
        merges = factor_merges(matrix)
        keys.update({f"{name}.merge_{i}_{j}": float(after) for (i, j), after in merges.items()})
    return keys


@metric(
    "unified_scores",
    needs=train_test(),
    reports=_unified_keys,
    headline="mutual_information_matrix.mig",
    range=(0, 1),
    by_chance="that of `mig`, `dci`, `sap_score` and modularity",
    compared="disentanglement_lib 1.5, 4 stored cases: as near as its own runs are to each other",
    summary="several aggregations of several matrices of codes and factors",
    assumes="discrete, independent factors; two or more codes",
    resampling={"options": {"matrices": ("mutual_information_matrix",)}},
    also=("importance_gbt_matrix.dci", "mutual_information_matrix.modularity", "accuracy_svm_matrix.sap"),
    invariances=("permutation", "rescaling"),
    fast={"matrices": (importance_histogram_matrix, "mutual_information_matrix", "accuracy_svm_matrix")},
    renamed={"matrices": "matrix_fns"},
    saves=_save,
    validation="unified_score_validation",
)
def unified_scores(
    codes: FloatArray,
    factors: IntArray,
    *,
    test: Pairs | float = TEST_SHARE,
    matrices: Sequence[str | MatrixFunction] = tuple(MATRICES),
    random_state: np.random.RandomState | int = 0,
) -> UnifiedResult:
    r"""Every reduction of every matrix.

    .. math:: s_{ab} = \mathrm{reduce}_b\left(M^{(a)}\right), \qquad M^{(a)} \in R^{codes \times factors}

    The reductions are those of DCI, MIG, SAP and modularity, and two of the graph that ties codes and factors
    whose entry reaches a threshold: the most groups it falls into, and the area under their number as the
    threshold falls.

    Assumes: discrete factors, at least two codes and two factors. Independent factors, as each of the metrics
    does.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows. Factors that never vary are left out, with a
            warning.
        test: codes and factors of other points, or the share of the points to hold out.
        matrices: ``"importance_gbt_matrix"``, ``"mutual_information_matrix"``, ``"accuracy_svm_matrix"``, or
            functions of codes (codes, points) and factors (factors, points) of the training points, then of
            the test points.
        random_state: seed or generator, of the points held out and the boosted trees.

    Returns:
        `UnifiedResult`. Higher is better.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> result = unified_scores(v, v, test=(v, v), matrices=["mutual_information_matrix"])
        >>> round(result.scores["mutual_information_matrix"]["mig"], 6)
        1.0
    """
    generator = check_random_state(random_state)
    train, held_out = check_labelled(codes, factors, test, generator, min_codes=2, min_factors=2)
    varying = varying_factors(train[1], "unified_scores")
    entropy = information.entropies(train[1][:, varying])
    made: dict[str, FloatArray] = {}
    scores = {}
    if not len(matrices):
        raise errors.InvalidInput(
            f"`matrices` is a list of one or more of {errors.listing(MATRICES)}; it is empty."
        )
    for function in [_matrix_named(matrix) for matrix in matrices]:
        name = name_of(function)
        made[name] = np.zeros((train[0].shape[1], train[1].shape[1]))
        made[name][:, varying] = compute_matrix(
            function, (train[0], train[1][:, varying]), (held_out[0], held_out[1][:, varying]), generator
        )
        scores[name] = reduce_matrix(made[name][:, varying], entropy, varying)
    return UnifiedResult(made, scores)


def reduce_matrix(matrix: FloatArray, entropy: FloatArray, numbers: IntArray | None = None) -> dict[str, float]:
    """Every score of one matrix.

    Args:
        matrix: (codes, factors).
        entropy: (factors,) in nats.
        numbers: (factors,) what to call the factors; by default their positions.
    """
    thresholds, groups = precision_curve(matrix)
    heights = (groups[:-1] + groups[1:]) / 2
    names = range(matrix.shape[1]) if numbers is None else numbers
    several = matrix.shape[1] > 1
    modularities = measure_modularities(matrix) if several else np.ones(len(matrix))
    gaps, top_two = find_mig_gaps(matrix, entropy), find_top_two_gaps(matrix)
    return {
        "area_precision": float(heights @ -np.diff(thresholds)),
        "max_precision": int(groups.max()),
        "dci_disentanglement": disentanglement(matrix),
        "dci_completeness": completeness(matrix),
        "dci": disentanglement(matrix),
        **_each("dci_disentanglement.code", range(len(matrix)), disentanglement_per_code(matrix)),
        # Factors these are, but disentanglement_lib calls them codes.
        **_each("dci_completeness.code", names, completeness_per_factor(matrix)),
        "mig": float(gaps.mean()),
        **_each("mig.factor", names, gaps),
        "sap": float(top_two.mean()),
        **_each("sap.factor", names, top_two),
        "modularity": float(modularities.mean()),
        **_each("modularity.code", range(len(matrix)), modularities),
    }


def _each(key: str, numbers: Sequence[int] | IntArray, values: FloatArray) -> dict[str, float]:
    return {f"{key}_{number}": float(value) for number, value in zip(numbers, values, strict=True)}


def _matrix_named(matrix: str | MatrixFunction) -> MatrixFunction:
    if isinstance(matrix, str):
        if matrix not in MATRICES:
            raise errors.unknown("`matrices` entry", matrix, MATRICES)
        return bound(MATRICES[matrix])
    return matrix


# --- Codes and factors as a graph, tied where a score is large: what falls together at which threshold


def precision_curve(matrix: FloatArray) -> tuple[FloatArray, IntArray]:
    """The entries of (codes, factors) as thresholds, descending, and the groups that each leaves.

    Example:
        >>> precision_curve(np.array([[0.9, 0.1], [0.2, 0.8]]))
        (array([0.9, 0.8, 0.2, 0.1]), array([1, 2, 1, 1]))
    """
    thresholds = np.sort(matrix, axis=None)[::-1]
    return thresholds, np.array([independent_groups(matrix, threshold) for threshold in thresholds])


def independent_groups(matrix: FloatArray, threshold: float) -> int:
    """Into how many groups codes and factors fall, tied where the score reaches `threshold` and is not 0."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    codes, factors = np.nonzero((matrix >= threshold) & (matrix != 0))
    num_codes, num_factors = matrix.shape
    size = num_codes + num_factors
    ties = coo_matrix((np.ones(len(codes)), (codes, factors + num_codes)), shape=(size, size))
    labels = connected_components(ties, directed=False)[1]
    return len(np.unique(labels[codes]))


def factor_merges(matrix: FloatArray) -> dict[tuple[int, int], int]:
    """After how many ties, from the strongest down, two factors are in one group.

    Args:
        matrix: (codes, factors) scores.

    Returns:
        The number of earlier ties for each pair of factors.

    Example:
        >>> factor_merges(np.array([[0.9, 0.1], [0.2, 0.8]]))
        {(0, 1): 2}
    """
    num_factors = matrix.shape[1]
    groups: list[list[int]] = [[i] for i in range(num_factors)] + [[] for _ in matrix]
    merges = {}
    for position, tie in enumerate(np.argsort(matrix, axis=None, kind="stable")[::-1]):
        code, factor = divmod(int(tie), num_factors)
        first, second = groups[factor], groups[num_factors + code]
        if first is second:
            continue
        # Factors alone count, so a code that is new to a group brings none along.
        merges.update(
            {(a, b): position for a in _factors(first, num_factors) for b in _factors(second, num_factors)}
        )
        joined = first + (second or [num_factors + code])
        for member in joined:
            groups[member] = joined
    return merges


def _factors(group: list[int], num_factors: int) -> list[int]:
    return [member for member in group if member < num_factors]


# --- How far codes depend on each other; no factors needed (Locatello et al. 2019, arXiv:1811.12359)


@dataclass(frozen=True)
class UnsupervisedResult(Result, score="gaussian_total_correlation"):
    """What `unsupervised_metrics` returns; 0 means independent, and lower is better.

    Attributes:
        gaussian_total_correlation: in nats, at least 0.
        gaussian_wasserstein_correlation: squared distance, at least 0, in the codes' squared units.
        gaussian_wasserstein_correlation_norm: the same over the total variance.
        mutual_info_score: mean over the pairs of codes, in nats, at least 0.
        information: (codes, codes) mutual information of the binned codes.
    """

    gaussian_total_correlation: float
    gaussian_wasserstein_correlation: float
    gaussian_wasserstein_correlation_norm: float
    mutual_info_score: float
    information: FloatArray


def covariance_of(codes: FloatArray) -> FloatArray:
    covariance = np.cov(codes, rowvar=False)
    constant = codes.min(axis=0) == codes.max(axis=0)
    # The mean of equal numbers may be off by a rounding error.
    covariance[constant] = covariance[:, constant] = 0.0
    return covariance


@metric(
    "unsupervised_metrics",
    needs=points(),
    reports={
        name: name
        for name in (
            "gaussian_total_correlation",
            "gaussian_wasserstein_correlation",
            "gaussian_wasserstein_correlation_norm",
            "mutual_info_score",
        )
    },
    range=(0, inf),
    better="lower",
    by_chance="none: no factor is looked at",
    compared="disentanglement_lib 1.5, 13 stored cases: the same to rounding",
    summary="how far the codes are from independent",
    assumes="nothing of the factors; two or more codes",
    takes=(),
    also=("gaussian_wasserstein_correlation_norm", "mutual_info_score"),
    invariances=("permutation", "rescaling"),
    known_failures={"perfect_beats_noise": "codes of noise are as independent as perfect ones"},
    supplies=GIN_BINS,
)
def unsupervised_metrics(codes: FloatArray, factors: Any = None, *, num_bins: Bins = 20) -> UnsupervisedResult:
    r"""How far the codes are from independent.

    With :math:`\Sigma` the covariance of the codes and :math:`D` its diagonal,

    .. math::
        TC = \tfrac12 (\log\det D - \log\det\Sigma), \quad
        W = 2 \operatorname{tr} \Sigma - 2 \operatorname{tr} (D^{1/2} \Sigma D^{1/2})^{1/2}, \quad
        MI = \frac{1}{m (m - 1)} \sum_{j \ne k} I(z_j; z_k)

    TC and W compare a Gaussian of that covariance with the product of its marginals.

    Assumes: nothing of the factors. At least two codes; TC and W see linear dependence alone.

    Args:
        codes: (points, codes) floats, at least two of each.
        factors: not looked at.
        num_bins: as for `mig`, for MI.

    Returns:
        `UnsupervisedResult`. All scores are at least 0, lower is more independent. Codes that never vary
        depend on nothing; TC is infinite where a code is a linear function of others.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        >>> unsupervised_metrics(v).mutual_info_score
        0.0
    """
    codes = check_matrix("codes", codes, columns="codes")
    if min(codes.shape) < 2:
        raise errors.InvalidInput(
            f"At least 2 points and 2 codes are needed; given: {codes.shape[0]} and {codes.shape[1]}."
        )
    covariance = covariance_of(codes)
    distance, total = gaussian_wasserstein_correlation(covariance), float(np.trace(covariance))
    binned = bin_codes(codes, num_bins)
    labels = label_columns(binned)
    information = count_information(labels, labels, len(codes))[0]
    pairs = information[~np.eye(len(information), dtype=bool)]
    return UnsupervisedResult(
        gaussian_total_correlation(covariance),
        distance,
        distance / total if total > 0 else 0.0,
        float(pairs.mean()),
        information,
    )


def gaussian_total_correlation(covariance: FloatArray) -> float:
    """Kullback-Leibler divergence of a Gaussian from the product of its marginals, in nats.

    Example:
        >>> round(gaussian_total_correlation(np.array([[1.0, 0.9], [0.9, 1.0]])), 3)
        0.83
    """
    variances = np.diag(covariance)
    varies = variances > 0
    deviations = np.sqrt(variances[varies])
    correlation = covariance[np.ix_(varies, varies)] / np.outer(deviations, deviations)
    if not varies.any():
        return 0.0
    eigenvalues = np.linalg.eigvalsh(correlation)
    # The tolerance of np.linalg.matrix_rank: below it an eigenvalue is a rounded zero.
    if eigenvalues[0] <= eigenvalues[-1] * len(eigenvalues) * np.finfo(np.float64).eps:
        return float("inf")
    return max(float(-0.5 * np.linalg.slogdet(correlation)[1]), 0.0)


def gaussian_wasserstein_correlation(covariance: FloatArray) -> float:
    """Squared 2-Wasserstein distance of a Gaussian to the product of its marginals.

    Example:
        >>> gaussian_wasserstein_correlation(np.diag([1.0, 4.0]))
        0.0
    """
    deviations = np.sqrt(np.diag(covariance))
    # D Sigma, whose root the distance needs, has the eigenvalues of this symmetric matrix.
    eigenvalues = np.linalg.eigvalsh(covariance * np.outer(deviations, deviations))
    roots = np.sqrt(np.clip(eigenvalues, 0.0, None))
    return max(float(2 * np.trace(covariance) - 2 * roots.sum()), 0.0)


# --- Unfairness of predictions under interventions on another factor (Locatello et al. 2019, arXiv:1905.13662)

#: (predicted factor, sensitive factor) -> codes (points, codes) for each value of the sensitive factor.
SetByHand = Mapping[tuple[int, int], Sequence[FloatArray]]


@dataclass(frozen=True)
class FairnessResult(Result):
    """What `fairness` returns.

    Attributes:
        score: mean unfairness over all pairs of factors, in [0, 1], lower is better.
        mean: (factors, factors) unfairness of predicting the row's factor, averaged over the values of the
            column's, which is the sensitive one. NaN on the diagonal.
        maximum: (factors, factors) that of the worst value.
    """

    score: float
    mean: FloatArray
    maximum: FloatArray


@dataclass(frozen=True)
class Interventions(Needs):
    """Points to fit to, then for each pair of factors one set of points with every value of the sensitive one."""

    words = "interventions on each factor"
    arrays_suffice = False
    how = (
        "`num_train` sampled points, and of `num_test_points_per_class` for each value of each factor that is set "
        "by hand, with gin's ``predictor``"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        return {"num_train": 10_000, "num_test_points_per_class": 100, "batch_size": 16}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        check_at_least(1, **drawn)
        num_train, num_test = drawn["num_train"], drawn["num_test_points_per_class"]
        data, random_state = source.data, source.random_state
        draws = Draws(data, source.representation)
        factors = draws.batches(num_train, drawn["batch_size"], random_state)
        num_values = list(data.factors_num_values)
        pairs = [(i, j) for i in range(len(num_values)) for j in _others(i, len(num_values))]
        for _, sensitive in pairs:
            points = data.sample_factors(num_test, random_state)
            for value in range(num_values[sensitive]):
                draws.given(fix_factor(data, points, sensitive, value, random_state), random_state)
        codes = draws.codes()
        interventions, start = {}, num_train
        for pair in pairs:
            stop = start + num_values[pair[1]] * num_test
            interventions[pair] = np.split(codes[start:stop], num_values[pair[1]])
            start = stop
        yield Sample((codes[:num_train], factors, interventions), random_state)


def _fairness_keys(result: FairnessResult, names: Sequence[str]) -> dict[str, float]:
    """``mean_fairness:pred<i>:sens<j>`` for each pair of factors, its mean and maximum over one index
    (``mean_fairness:pred<i>:mean_sens``) and over both (``mean_fairness:mean_pred:max_sens``); and the same of
    ``max_fairness``. The paper's score is ``mean_fairness:mean_pred:mean_sens``."""
    return {**_summaries(result.mean, "mean_fairness"), **_summaries(result.maximum, "max_fairness")}


def _summaries(unfairness: FloatArray, prefix: str) -> dict[str, float]:
    """The entries of a result file for one (predicted, sensitive) matrix."""
    keys: dict[str, float] = {}
    for (i, j), value in np.ndenumerate(unfairness):
        if i != j:
            keys[f"{prefix}:pred{i}:sens{j}"] = float(value)
    for own, other, rows in (("pred", "sens", unfairness), ("sens", "pred", unfairness.T)):
        summaries = {"mean": np.nanmean(rows, axis=1), "max": np.nanmax(rows, axis=1)}
        for name, values in summaries.items():
            keys.update({f"{prefix}:{own}{i}:{name}_{other}": float(value) for i, value in enumerate(values)})
            keys[f"{prefix}:mean_{own}:{name}_{other}"] = float(values.mean())
            keys[f"{prefix}:max_{own}:{name}_{other}"] = float(values.max())
    return keys


@metric(
    "fairness",
    needs=Interventions(),
    reports=_fairness_keys,
    headline="mean_fairness:mean_pred:mean_sens",
    range=(0, 1),
    better="lower",
    by_chance="near 0, which is the best: predictions from nothing depend on nothing",
    compared="disentanglement_lib 1.5, 2 stored cases: as near as its own runs are to each other",
    summary="do predictions of one factor depend on another?",
    assumes="discrete, independent factors, several; any number of codes",
    invariances=("rescaling",),
    supplies=GIN_PREDICTOR,
)
def fairness(
    codes: FloatArray,
    factors: IntArray,
    interventions: SetByHand,
    *,
    estimator: str | Estimator = "gradient_boosting_classifier",
    random_state: np.random.RandomState | int = 0,
    num_jobs: int | None = None,
) -> FairnessResult:
    r"""How far predictions of one factor move when another is set by hand.

    .. math:: U_{ij} = E_v\, TV\left(p(f_i(z)),\; p(f_i(z) \mid do(g_j = v))\right)

    where :math:`f_i` has learnt factor i from the training points, TV is the total variation, and v runs over
    the values of the sensitive factor j.

    Assumes: discrete factors, at least two, that can be set one at a time. Predicted and sensitive factor
    independent: if one causes the other, predictions ought to move.

    Args:
        codes: (points, codes) floats.
        factors: (points, factors) integers, the same rows.
        interventions: for each pair (i, j) of different factors, codes (points, codes) of points at which
            factor j was set to each of its values in turn.
        estimator: what predicts (`causal_disent.metrics.fitting`).
        random_state: seed or generator, for the classifiers.
        num_jobs: factors to fit at a time; by default as many as there are cores.

    Returns:
        `FairnessResult`. Unfairness is in [0, 1], lower is better; 0 if predictions never move.

    Example:
        >>> v = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        >>> first = [np.column_stack([np.full(40, value), v[:, 1]]) for value in (0, 1)]
        >>> second = [np.column_stack([v[:, 0], np.full(40, value)]) for value in (0, 1)]
        >>> fairness(v, v, {(0, 1): second, (1, 0): first}, estimator="histogram_boosting").score
        0.0
    """
    codes, factors = check_pairs(codes, factors, min_factors=2)
    check_classes("train", factors)
    num_factors = factors.shape[1]
    checked = _check_interventions(interventions, num_factors, codes.shape[1])
    nothing = np.empty(0)  # only predictions are wanted
    problems = [
        Problem(codes, factors[:, i], np.concatenate(_all_codes(checked, i, num_factors)), nothing)
        for i in range(num_factors)
    ]
    generator = check_random_state(random_state)
    predicted = fit_each(estimator_named(estimator), problems, _predictions, generator, num_jobs)
    mean, maximum = np.full((2, num_factors, num_factors), np.nan)
    for i, predictions in enumerate(predicted):
        start = 0
        for j in _others(i, num_factors):
            sizes = [len(c) for c in checked[i, j]]
            parts = np.split(predictions[start : start + sum(sizes)], np.cumsum(sizes)[:-1])
            mean[i, j], maximum[i, j] = total_variation(_counts(parts))
            start += sum(sizes)
    return FairnessResult(float(np.nanmean(mean)), mean, maximum)


def total_variation(counts: IntArray) -> tuple[float, float]:
    """Mean and largest distance of a column's distribution from that of all columns together.

    Args:
        counts: (predicted values, sensitive values) how often each was predicted.

    Example:
        >>> total_variation(np.array([[10, 0], [0, 10]]))
        (0.5, 0.5)
    """
    # Single precision, as in disentanglement_lib, so that scores are the same to the last digit.
    columns = counts.sum(axis=0)
    overall = counts.sum(axis=1, dtype=np.float32)
    overall /= overall.sum()
    distances = np.abs((counts / columns).astype(np.float32) - overall[:, None]).sum(axis=0) / np.float32(2)
    return float((distances * columns / columns.sum()).sum()), float(distances.max())


def _predictions(model: Any, problem: Problem) -> NDArray[Any]:
    return model.predict(problem.test_codes)


def _counts(predictions: Sequence[NDArray[Any]]) -> IntArray:
    """(predicted values, sensitive values), given the predictions for each sensitive value."""
    values = np.unique(np.concatenate(predictions))
    return np.stack([(values[:, None] == part).sum(axis=1) for part in predictions], axis=1)


def _all_codes(interventions: SetByHand, predicted: int, num_factors: int) -> list[FloatArray]:
    return [codes for j in _others(predicted, num_factors) for codes in interventions[predicted, j]]


def _others(factor: int, num_factors: int) -> list[int]:
    return [j for j in range(num_factors) if j != factor]


def _check_interventions(interventions: SetByHand, num_factors: int, num_codes: int) -> SetByHand:
    checked = {}
    for pair in ((i, j) for i in range(num_factors) for j in _others(i, num_factors)):
        if pair not in interventions or not len(interventions[pair]):
            raise errors.InvalidInput(
                f"`interventions` must hold codes for each value of factor {pair[1]}, for predicting factor "
                f"{pair[0]}, under the key {pair}."
            )
        checked[pair] = [check_matrix("interventions", codes, columns="codes") for codes in interventions[pair]]
        for codes in checked[pair]:
            if codes.shape[1] != num_codes:
                raise errors.InvalidInput(
                    f"`interventions` must have the codes of `train`, {num_codes}; given: {codes.shape[1]}."
                )
    return checked
