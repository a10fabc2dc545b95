"""Several aggregations of several matrices of codes and factors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from causal_disent.metrics.linear import measure_modularities as compute_modularity_per_code
from disentanglement_lib._core import metric, part
from disentanglement_lib.evaluation.metrics import dci, modularity_explicitness, sap_score, utils
from disentanglement_lib.evaluation.metrics.mig import gaps as sap_compute_diff_top_two
from disentanglement_lib.utils import results
from disentanglement_lib.visualize import dendrogram, visualize_scores

compute_unified_scores = metric("unified_scores")
compute_unified_score_on_fixed_data = part("unified_score_validation")
importance_gbt_matrix = part("importance_gbt_matrix")
mutual_information_matrix = part("mutual_information_matrix")
accuracy_svm_matrix = part("accuracy_svm_matrix")


def unified_scores(
    mus_train: Any,
    ys_train: Any,
    mus_test: Any,
    ys_test: Any,
    matrix_fns: Iterable[Callable[..., Any]],
    artifact_dir: str | None = None,
    factor_names: Any = None,
) -> dict[str, Any]:
    """Every aggregation of every matrix (codes, factors), and pictures where there is a folder for them."""
    scores: dict[str, dict[str, Any]] = {}
    for function in matrix_fns:
        matrix, name = function(mus_train, ys_train, mus_test, ys_test), function.__name__
        scores[name] = {}
        if artifact_dir is not None:
            labels = ("Latent codes", "Factors of Variation")
            visualize_scores.heat_square(matrix.copy(), artifact_dir, name, *labels, factor_names=factor_names)
            visualize_scores.plot_recovery_vs_independent(matrix.T, artifact_dir, f"{name}_pr")
            place = f"{artifact_dir}/{name}_dendrogram"
            scores[name] |= dendrogram.dendrogram_plot(matrix.T, place, factor_names)
        scores[name] |= pr_curves_values(matrix)
        for aggregation in AGGREGATION_FN:
            scores[name] |= aggregation(matrix, ys_train)
    return results.namespaced_dict({}, **scores)


def pr_curves_values(matrix: Any) -> dict[str, Any]:
    """The most groups that the graph of codes and factors falls into, and the area under their number."""
    thresholds = np.sort(np.ravel(matrix))[::-1]
    groups = np.array([visualize_scores.precision(matrix, threshold) for threshold in thresholds])
    area = float(np.sum((groups[:-1] + groups[1:]) / 2 * -np.diff(thresholds)))
    return {"area_precision": area, "max_precision": int(groups.max())}


def aggregation_dci(matrix: Any, ys: Any) -> dict[str, Any]:
    """Disentanglement and completeness of an importance matrix."""
    return {
        "dci_disentanglement": dci.disentanglement(matrix),
        "dci_completeness": dci.completeness(matrix),
        "dci": dci.disentanglement(matrix),
        **_each("dci_disentanglement.code", dci.disentanglement_per_code(matrix)),
        **_each("dci_completeness.code", dci.completeness_per_factor(matrix)),
    }


def aggregation_mig(m: Any, ys_train: Any) -> dict[str, Any]:
    """MIG of an information matrix and factors (factors, points)."""
    of_factors = sap_compute_diff_top_two(m) / utils.discrete_entropy(ys_train)
    return {"mig": float(np.mean(of_factors)), **_each("mig.factor", of_factors)}


def aggregation_sap(matrix: Any, ys: Any) -> dict[str, Any]:
    """SAP of a matrix of accuracies."""
    score = sap_score.compute_avg_diff_top_two(matrix)
    return {"sap": score, **_each("sap.factor", sap_compute_diff_top_two(matrix))}


def aggregation_modularity(matrix: Any, ys: Any) -> dict[str, Any]:
    """Modularity of an information matrix."""
    score = modularity_explicitness.modularity(matrix)
    return {"modularity": score, **_each("modularity.code", compute_modularity_per_code(matrix))}


def _each(key: str, values: Iterable[Any]) -> dict[str, float]:
    return {f"{key}_{number}": float(value) for number, value in enumerate(values)}


AGGREGATION_FN = [aggregation_dci, aggregation_mig, aggregation_sap, aggregation_modularity]
