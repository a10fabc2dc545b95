"""Several scores from each of several matrices (Locatello et al. 2020, arXiv:2010.14766).

DCI, MIG, SAP and modularity all reduce a matrix of codes and factors to a number. Here each way to fill the
matrix meets each way to reduce it; the published metric is the one where the two belong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import MatrixFunction, Pairs, check_random_state, varying_factors
from causal_disent.metrics.dci import (
    completeness,
    completeness_per_factor,
    disentanglement,
    disentanglement_per_code,
)
from causal_disent.metrics.mig import mig_gaps
from causal_disent.metrics.modularity_explicitness import code_modularities
from causal_disent.metrics.sap_score import sap_score, top_two_gaps
from causal_disent.metrics.tools import information
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.estimators import name_of
from causal_disent.metrics.tools.fitting import check_labelled
from causal_disent.metrics.tools.matrices import importance_gbt_matrix, matrix_of
from causal_disent.metrics.tools.merges import factor_merges, precision_curve
from causal_disent.metrics.tools.needs import train_test
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.splitting import TEST_SHARE
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import part


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


def importance_histogram_matrix(*points: Any) -> FloatArray:
    """The importance by the same trees on binned codes."""
    return importance_gbt_matrix(*points, estimator_fn="histogram_boosting")


@part("mutual_information_matrix")
def mutual_information_matrix(
    mus_train: FloatArray, ys_train: IntArray, mus_test: FloatArray, ys_test: IntArray
) -> FloatArray:
    """Mutual information (codes, factors) in nats, of training points in the bins of gin's ``discretizer``."""
    return information.mutual_information_matrix(information.codes_in_bins(mus_train.T), ys_train.T)


@part("accuracy_svm_matrix")
def accuracy_svm_matrix(
    mus_train: FloatArray, ys_train: IntArray, mus_test: FloatArray, ys_test: IntArray
) -> FloatArray:
    """Accuracy (codes, factors) of the support vector machines of `sap_score`."""
    return np.nan_to_num(sap_score(mus_train.T, ys_train.T, test=(mus_test.T, ys_test.T)).matrix)


#: What `unified_scores` accepts by name.
MATRICES = {made.name: made for made in (importance_gbt_matrix, mutual_information_matrix, accuracy_svm_matrix)}


def _keys(result: UnifiedResult, names: Sequence[str]) -> dict[str, Any]:
    """``<matrix>.<score>`` (`reductions`), for each of the matrices. With `artifact_dir` each matrix is saved
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
    reports=_keys,
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
        made[name][:, varying] = matrix_of(
            function, (train[0], train[1][:, varying]), (held_out[0], held_out[1][:, varying]), generator
        )
        scores[name] = reductions(made[name][:, varying], entropy, varying)
    return UnifiedResult(made, scores)


def reductions(matrix: FloatArray, entropy: FloatArray, numbers: IntArray | None = None) -> dict[str, float]:
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
    modularities = code_modularities(matrix) if several else np.ones(len(matrix))
    gaps, top_two = mig_gaps(matrix, entropy), top_two_gaps(matrix)
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
        return MATRICES[matrix]
    return matrix
