"""Unfairness of predictions under interventions on another factor (Locatello et al. 2019, arXiv:1905.13662)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.checks import check_at_least, check_matrix, check_pairs, check_random_state
from causal_disent.metrics.tools.declaration import metric
from causal_disent.metrics.tools.estimators import GIN_PREDICTOR, Estimator, estimator_named
from causal_disent.metrics.tools.fitting import Problem, check_classes, fit_each
from causal_disent.metrics.tools.needs import Needs, Sample, Source
from causal_disent.metrics.tools.result import Result
from causal_disent.metrics.tools.sampling import Draws, fix_factor
from causal_disent.protocols import FloatArray, IntArray

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


def _keys(result: FairnessResult, names: Sequence[str]) -> dict[str, float]:
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
    reports=_keys,
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
        estimator: what predicts (`causal_disent.metrics.tools.estimators`).
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
