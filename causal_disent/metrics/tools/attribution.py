"""Which codes belong to which factor: scores (codes, factors), and the choice of the rho best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice, check_fits_trees, check_pairs, check_random_state, check_rho
from causal_disent.metrics.irs import irs
from causal_disent.metrics.tools.code_groups import CodeGroups
from causal_disent.metrics.tools.fitting import fitted
from causal_disent.protocols import Attribution, FloatArray, IntArray
from causal_disent.registry import registry
from causal_disent.text import shown_value

CodeSets = list[tuple[int, ...]]

#: Scores closer than this count as tied, so that rescaling a code (a rounding error) changes no set.
TIE = 1e-9
SELECTIONS = ("top", "published")


def irs_attribution(codes: FloatArray, factors: IntArray, random_state: np.random.RandomState) -> FloatArray:
    """The matrix of the interventional robustness score: the sources' choice."""
    return irs(codes, factors).matrix


def mutual_information(codes: FloatArray, factors: IntArray, random_state: np.random.RandomState) -> FloatArray:
    """Mutual information in nats of each code, in 20 equally wide bins, with each factor."""
    from causal_disent.metrics.tools.discretize import histogram_discretizer
    from causal_disent.metrics.tools.information import mutual_information_matrix

    codes, factors = check_pairs(codes, factors)
    return mutual_information_matrix(histogram_discretizer(codes, 20), factors)


def neighbour_information(
    codes: FloatArray, factors: FloatArray | IntArray, random_state: np.random.RandomState
) -> FloatArray:
    """Mutual information in nats of each code with each factor by ten nearest neighbours, continuous ones too."""
    from causal_disent.metrics.tools import neighbours

    codes, factors = check_pairs(codes, factors)
    codes, columns = np.asarray(codes, dtype=np.float64), np.arange(factors.shape[1])
    generator = check_random_state(random_state)
    return neighbours.neighbour_information(codes, factors, columns, 10, generator).matrix


def dci_importance(codes: FloatArray, factors: IntArray, random_state: np.random.RandomState) -> FloatArray:
    """Importance of each code in gradient boosted trees that predict each factor (Eastwood 2018)."""
    from causal_disent.metrics.tools.exact_boosting import ExactBoosting

    codes, factors = check_pairs(codes, factors)
    check_fits_trees(codes)
    importance = np.zeros((codes.shape[1], factors.shape[1]))
    for i, factor in enumerate(factors.T):
        if np.unique(factor).size > 1:
            trees = fitted(ExactBoosting(random_state=check_random_state(random_state)), codes, factor)
            importance[:, i] = np.abs(trees.feature_importances_)
    return importance


def attribute(
    codes: FloatArray,
    factors: IntArray,
    attribution: str | Attribution,
    random_state: np.random.RandomState,
    code_groups: CodeGroups | None = None,
) -> FloatArray:
    """The scores of a registered attribution, or of one's own function; codes that never vary are NaN.

    Groups of codes in the place of codes are for that of the IRS.
    """
    if code_groups:
        if not is_irs(attribution):
            raise errors.InvalidInput(
                "`code_groups` are attributed by the IRS alone (attribution 'irs'); given: "
                f"{shown_value(attribution)}."
            )
        return irs(codes, factors, code_groups=code_groups).matrix
    function: Any = attribution
    if isinstance(attribution, str):
        function = registry.function("attributions", attribution)
    elif not callable(attribution):
        raise errors.InvalidInput(
            "`attribution` is a name or a function (codes, factors, random_state) -> (codes, factors) "
            f"scores; given: {shown_value(attribution)}."
        )
    with errors.readable(f"What the attribution {shown_value(attribution)} gives"):
        scores = np.array(function(codes, factors, random_state), dtype=np.float64)
    expected = (codes.shape[1], factors.shape[1])
    if scores.shape != expected:
        raise errors.InvalidInput(
            "The attribution "
            f"{shown_value(attribution)} must return scores of shape (codes, factors) = {expected}; "
            f"it returned {scores.shape}."
        )
    scores[codes.min(axis=0) == codes.max(axis=0)] = np.nan
    return scores


def is_irs(attribution: Any) -> bool:
    """Whether an attribution, or its name, is that of the IRS."""
    if isinstance(attribution, str):
        attribution = registry.function("attributions", attribution)
    return getattr(attribution, "__wrapped__", attribution) is irs_attribution  # gin wraps functions


def select_codes(scores: FloatArray, rho: int, selection: str = "top") -> CodeSets:
    """The codes of each factor.

    Args:
        scores: (codes, factors); NaN marks a code that never varies, which is chosen last.
        rho: how many codes a factor is given.
        selection: ``"top"``, the rho best, ties (within 1e-9) to the lower index; or ``"published"``, what
            the authors' code takes: ``argpartition(column, -1)[::-rho][:rho]`` of the codes that vary,
            which for rho > 1 is not the rho best. Only for comparing with the published tables.

    Returns:
        A tuple of code indices, ascending, for each factor.
    """
    check_choice("selection", selection, SELECTIONS)
    rho = check_rho(rho, len(scores))
    choose = _top if selection == "top" else _published
    return [tuple(sorted(choose(column, rho))) for column in scores.T]


def _top(column: FloatArray, rho: int) -> list[int]:
    filled = np.where(np.isnan(column), -np.inf, column)
    order = np.argsort(-filled, kind="stable")
    with np.errstate(invalid="ignore"):  # -inf minus -inf: codes that never vary tie with each other
        gaps = filled[order][:-1] - filled[order][1:]
    groups = np.concatenate([[0], np.cumsum(gaps > TIE)])
    return order[np.lexsort((order, groups))][:rho].tolist()


def _published(column: FloatArray, rho: int) -> list[int]:
    varying = np.flatnonzero(~np.isnan(column))
    if not varying.size:
        return list(range(rho))
    return varying[np.argpartition(column[varying], -1)[::-rho][:rho]].tolist()


def check_sets(sets: Sequence[Any], num_factors: int, num_codes: int) -> CodeSets:
    """Index sets given by hand, one per factor."""
    if len(sets) != num_factors:
        raise errors.InvalidInput(f"One set of codes per factor ({num_factors}) is needed; given: {len(sets)}.")
    checked: CodeSets = []
    for i, codes in enumerate(sets):
        indices = sorted({int(code) for code in codes})
        if not indices or indices[0] < 0 or indices[-1] >= num_codes:
            raise errors.InvalidInput(
                f"The set of factor {i} must hold code indices from 0 to {num_codes - 1}; given: "
                f"{shown_value(codes)}."
            )
        checked.append(tuple(indices))
    return checked
