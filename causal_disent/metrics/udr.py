"""Unsupervised disentanglement ranking, UDR (Duan et al. 2020, arXiv:1905.12614)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_numbers, check_at_least, check_choice, check_matrix, check_pairs
from causal_disent.metrics.arrays import standardise
from causal_disent.metrics.contract import Result, fit_counted, metric
from causal_disent.metrics.draw import Needs, Sample, Source
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value

CORRELATIONS = ("lasso", "spearman")

#: The weight of the L1 penalty in the regression of one model's codes on another's.
LASSO_PENALTY = 0.1

#: Codes of less divergence than this, in nats, carry no information and are set to 0 before models are compared.
LEAST_DIVERGENCE = 0.01

#: The exponential of more is not a number.
LARGEST_LOG_VARIANCE = 700


@dataclass(frozen=True)
class UdrResult(Result):
    """What `udr_sklearn` returns.

    Attributes:
        scores: (models,) in [0, 1], higher is better.
        pairwise: (models, models); entry (i, j) tells how well the codes of i and of j match one to one. The
            diagonal is 0.
        correlations: entry [i][j] is (codes of i, codes of j), how strongly they are tied; [i][i] is 0.
            None if they were not asked for.
    """

    scores: FloatArray
    pairwise: FloatArray
    correlations: list[list[FloatArray]] | None

    @property
    def score(self) -> float:
        """Mean score of the models."""
        return float(self.scores.mean())


@dataclass(frozen=True)
class SeveralRepresentations(Needs):
    """Codes of several representations of the same points, and the divergence of each code."""

    words = "the codes of several representations"
    arrays_suffice = False
    how = (
        "models on `num_data_points` sampled points, drawn `batch_size` at a time. A model is a function "
        "observations -> (codes (points, codes), mean divergence (codes,) as `gaussian_kl` tells it)"
    )
    kind = "parts"
    supplied = ("ground_truth_data", "representation_functions", "random_state")

    @property
    def parameters(self) -> dict[str, Any]:
        return {"batch_size": 10, "num_data_points": 1_000}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        batch_size, num_points = drawn["batch_size"], drawn["num_data_points"]
        check_at_least(1, batch_size=batch_size, num_data_points=num_points)
        if num_points % batch_size:
            raise errors.InvalidInput(
                f"`num_data_points` must be a multiple of `batch_size`; given: {num_points} and {batch_size}."
            )
        batches = []
        for _ in range(num_points // batch_size):
            observations = source.data.sample_observations(batch_size, source.random_state)
            batches.append([function(observations) for function in source.representation])
        by_model = [list(zip(*outputs, strict=True)) for outputs in zip(*batches, strict=True)]
        codes = [np.concatenate(codes) for codes, _ in by_model]
        yield Sample((codes, [np.mean(divergences, axis=0) for _, divergences in by_model]))


@metric(
    "udr_sklearn",
    needs=SeveralRepresentations(),
    reports={
        "model_scores": "scores",
        "pairwise_disentanglement_scores": lambda result, names: result.pairwise[..., None],
        "raw_correlations": lambda result, names: (
            result.correlations and [[matrix.tolist() for matrix in row] for row in result.correlations]
        ),
    },
    range=(0, 1),
    by_chance="near 0: models with nothing in common",
    compared=(
        "the definition, with scikit-learn's Lasso and scipy's rank correlation; the wheel of disentanglement_lib "
        "has no program"
    ),
    summary="how alike models of one kind are",
    assumes="at least two models of the same data; no factors",
    takes=(),
    renamed={"correlation": "correlation_matrix"},
)
def udr_sklearn(
    codes: Sequence[FloatArray],
    kl: Sequence[FloatArray] | None = None,
    *,
    correlation: str = "lasso",
    filter_low_kl: bool = True,
    include_raw_correlations: bool = True,
    kl_filter_threshold: float = 0.01,
) -> UdrResult:
    r"""Do models trained alike, from different seeds, find the same codes?

    .. math::
        U_{ij} = \frac12 \left(\frac1m \sum_b \frac{\max_a R_{ab}^2}{\sum_a R_{ab}} +
        \frac1m \sum_a \frac{\max_b R_{ab}^2}{\sum_b R_{ab}}\right), \qquad
        UDR_j = \operatorname{median}_{i \ne j} U_{ij}

    where :math:`R_{ab}` is the absolute rank correlation of code a of model i with code b of model j, or the
    absolute weight of a in a lasso regression of b. The sums are over codes with enough divergence from the
    prior.

    Assumes: at least two models of the same data, run on the same points; no factors. What disentangled models
    have in common is taken for the factors, so models that share a flaw rank high.

    Args:
        codes: (points, codes) of each model, the same points.
        kl: (codes,) for each model, the mean divergence of each code from its prior in nats
            (`gaussian_kl`); None if every code counts.
        correlation: ``"lasso"`` or ``"spearman"``.
        filter_low_kl: leave out codes whose divergence is not above the threshold.
        include_raw_correlations: return the correlations too.
        kl_filter_threshold: the threshold, in nats.

    Returns:
        `UdrResult`. Scores are in [0, 1] up to the regression's error, higher is better.

    Example:
        >>> z = np.random.RandomState(0).normal(size=(500, 3))
        >>> udr_sklearn([z, -z[:, ::-1]], correlation="spearman").scores.round(1)
        array([1., 1.])
    """
    check_choice("correlation", correlation, CORRELATIONS)
    models, divergences = _check(codes, kl)
    prepared = [_prepare(c, divergence) for c, divergence in zip(models, divergences, strict=True)]
    counted = [d > kl_filter_threshold if filter_low_kl else np.full(d.shape, True) for d in divergences]
    relate = _lasso if correlation == "lasso" else _spearman
    num_models = len(models)
    pairwise = np.zeros((num_models, num_models))
    correlations: list[list[FloatArray]] = []
    for i in range(num_models):
        correlations.append([np.zeros((models[i].shape[1], other.shape[1])) for other in models])
        for j in (j for j in range(num_models) if j != i):
            correlations[i][j] = relate(prepared[i], prepared[j])
            pairwise[i, j] = relative_strength(correlations[i][j][np.ix_(counted[i], counted[j])])
    scores = [np.median(np.delete(pairwise[:, j], j)) for j in range(num_models)]
    return UdrResult(np.array(scores), pairwise, correlations if include_raw_correlations else None)


def relative_strength(correlation: FloatArray) -> float:
    """1 if each row and each column of a matrix has a single entry, of 1; 0 if all entries are 0.

    Example:
        >>> relative_strength(np.eye(3)), relative_strength(np.full((2, 2), 0.5))
        (1.0, 0.25)
    """
    if not correlation.size:
        return 0.0
    means = []
    for axis in (0, 1):
        total = correlation.sum(axis=axis)
        squares = np.square(correlation.max(axis=axis))
        means.append(np.divide(squares, total, out=np.zeros_like(total), where=total > 0).mean())
    return float(np.mean(means))


def gaussian_kl(means: FloatArray, log_variances: FloatArray) -> FloatArray:
    """Mean divergence (codes,) in nats of normal codes from the standard normal, given (points, codes).

    Example:
        >>> gaussian_kl(np.array([[0.0, 2.0]]), np.zeros((1, 2)))
        array([0., 2.])
    """
    means, log_variances = check_pairs(means, log_variances)
    if means.shape != log_variances.shape or log_variances.max() > LARGEST_LOG_VARIANCE:
        raise errors.InvalidInput(
            f"`means` and `log_variances` have one shape, and no log-variance is above {LARGEST_LOG_VARIANCE}; "
            f"given: {means.shape} and {log_variances.shape}, at most {log_variances.max()}."
        )
    return np.mean(0.5 * (np.square(means) + np.exp(log_variances) - log_variances - 1), axis=0)


def _check(
    codes: Sequence[FloatArray], kl: Sequence[FloatArray] | None
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Codes and divergences of each model."""
    if len(codes) < 2:
        raise errors.InvalidInput(f"UDR compares models and needs the codes of at least two; given: {len(codes)}.")
    models = [check_matrix(f"codes[{i}]", model, columns="codes") for i, model in enumerate(codes)]
    lengths = sorted({len(model) for model in models})
    if len(lengths) > 1:
        raise errors.InvalidInput(
            f"All models must encode the same points; given: {errors.listing(lengths)} rows."
        )
    if kl is None:
        return models, [np.full(model.shape[1], np.inf) for model in models]
    if len(kl) != len(models):
        raise errors.InvalidInput(f"`kl` must hold an array per model ({len(models)}); given: {len(kl)}.")
    divergences: list[FloatArray] = [as_numbers("`kl`", divergence) for divergence in kl]
    for i, (model, divergence) in enumerate(zip(models, divergences, strict=True)):
        if divergence.shape != (model.shape[1],) or np.isnan(divergence).any():
            raise errors.InvalidInput(
                f"`kl[{i}]` must hold a number for each of the {model.shape[1]} codes; given: "
                f"{shown_value(kl[i])}."
            )
    return models, divergences


def _prepare(codes: FloatArray, divergence: FloatArray) -> FloatArray:
    """Standardised codes, those without information 0."""
    return standardise(codes, codes)[0] * (divergence > LEAST_DIVERGENCE)


def _lasso(codes: FloatArray, others: FloatArray) -> FloatArray:
    """Absolute weights (codes, others) in predicting each of `others`."""
    from sklearn.linear_model import Lasso

    weights = fit_counted(Lasso(alpha=LASSO_PENALTY), codes, others).coef_
    return np.abs(np.reshape(weights, (others.shape[1], codes.shape[1]))).T


def _spearman(codes: FloatArray, others: FloatArray) -> FloatArray:
    """Absolute rank correlations (codes, others); 0 for a code that never varies."""
    from scipy.stats import rankdata

    ranks = [_standardised(rankdata(part, axis=0)) for part in (codes, others)]
    return np.minimum(np.abs(ranks[0].T @ ranks[1]), 1.0)


def _standardised(ranks: FloatArray) -> FloatArray:
    """Centred columns of length 1, or 0 where all ranks are equal."""
    centred = ranks - ranks.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    return np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0)
