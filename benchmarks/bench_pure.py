"""Ten metrics beside their formulas in bare numpy, scipy and scikit-learn, at 500 points x 3 factors.

    python benchmarks/bench_pure.py

Prints the best of several turns. Both sides find the same score; ours also checks what it is given, leaves out
factors that never vary, and returns more than the score.
"""

from __future__ import annotations

import timeit
import warnings
from collections.abc import Callable

from _timing import pin_threads

pin_threads()

import numpy as np  # noqa: E402
from scipy.optimize import linear_sum_assignment  # noqa: E402
from scipy.stats import entropy  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402

from causal_disent.metrics import (  # noqa: E402
    dci,
    dcimig,
    irs,
    jemmig,
    mcc,
    mig,
    mig_sup,
    r2,
    uc,
    unsupervised_metrics,
)
from causal_disent.report.table import text_table  # noqa: E402

BINS, TURNS = 20, 9


def points() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.RandomState(0)
    factors = generator.randint(4, size=(500, 3))
    return factors + 0.3 * generator.normal(size=(500, 3)), factors


def binned(codes: np.ndarray) -> np.ndarray:
    columns = [np.digitize(c, np.histogram_bin_edges(c, BINS)[:-1]) - 1 for c in codes.T]
    return np.stack(columns, axis=1)


def information(codes: np.ndarray, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mutual information (codes, factors), and the entropies of both, in nats."""

    def surprise(labels: np.ndarray) -> float:
        shares = np.bincount(labels) / len(labels)
        shares = shares[shares > 0]
        return float(-(shares * np.log(shares)).sum())

    bins, num_values = binned(codes), factors.max(axis=0) + 1
    of_codes = np.array([surprise(b) for b in bins.T])
    of_factors = np.array([surprise(f) for f in factors.T])
    pairs = [[surprise(b * n + f) for f, n in zip(factors.T, num_values, strict=True)] for b in bins.T]
    return np.add.outer(of_codes, of_factors) - np.array(pairs), of_codes, of_factors


def bare_mig(codes: np.ndarray, factors: np.ndarray) -> float:
    matrix, _, of_factors = information(codes, factors)
    second, first = np.sort(matrix, axis=0)[-2:]
    return float(((first - second) / of_factors).mean())


def bare_mig_sup(codes: np.ndarray, factors: np.ndarray) -> float:
    matrix, _, of_factors = information(codes, factors)
    ordered = np.sort(matrix / of_factors, axis=1)
    return float((ordered[:, -1] - ordered[:, -2]).mean())


def bare_dcimig(codes: np.ndarray, factors: np.ndarray) -> float:
    matrix, _, of_factors = information(codes, factors)
    ordered, best = np.sort(matrix, axis=1), np.zeros(matrix.shape[1])
    np.maximum.at(best, matrix.argmax(axis=1), ordered[:, -1] - ordered[:, -2])
    return float(best.sum() / of_factors.sum())


def bare_jemmig(codes: np.ndarray, factors: np.ndarray) -> float:
    matrix, of_codes, of_factors = information(codes, factors)
    ordered, best = np.sort(matrix, axis=0), matrix.argmax(axis=0)
    raw = of_codes[best] + of_factors - 2 * ordered[-1] + ordered[-2]
    return float((1 - raw / (of_factors + np.log(BINS))).mean())


def robustness(codes: np.ndarray, factors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    overall = np.abs(codes - codes.mean(axis=0)).max(axis=0)
    within = []
    for factor in factors.T:
        groups = [codes[factor == value] for value in np.unique(factor)]
        within.append(np.mean([np.percentile(np.abs(g - g.mean(axis=0)), 99, axis=0) for g in groups], axis=0))
    return 1 - np.stack(within, axis=1) / overall[:, None], overall


def bare_irs(codes: np.ndarray, factors: np.ndarray) -> float:
    matrix, overall = robustness(codes, factors)
    return float(np.average(matrix.max(axis=1), weights=overall))


def bare_uc(codes: np.ndarray, factors: np.ndarray) -> float:
    best = robustness(codes, factors)[0].argmax(axis=0)
    pairs = [best[i] == best[j] for i in range(len(best)) for j in range(i)]
    return 1 - float(np.mean(pairs))


def bare_mcc(codes: np.ndarray, factors: np.ndarray) -> float:
    matrix = np.abs(np.corrcoef(codes, factors, rowvar=False)[: codes.shape[1], codes.shape[1] :])
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum() / factors.shape[1])


def held_out(num_points: int) -> tuple[np.ndarray, np.ndarray]:
    order, num_test = np.random.RandomState(0).permutation(num_points), round(num_points / 3)
    return order[num_test:], order[:num_test]


def bare_r2(codes: np.ndarray, factors: np.ndarray) -> float:
    train, test = held_out(len(codes))
    scores = []
    for inputs, outputs in ((codes, factors), (factors, codes)):  # the metric is of both directions
        design = np.column_stack([inputs, np.ones(len(inputs))])
        weights = np.linalg.lstsq(design[train], outputs[train], rcond=None)[0]
        errors = ((outputs[test] - design[test] @ weights) ** 2).sum(axis=0)
        scores.append(1 - errors / ((outputs[test] - outputs[test].mean(axis=0)) ** 2).sum(axis=0))
    return float(scores[0].mean())


def bare_dci(codes: np.ndarray, factors: np.ndarray) -> float:
    generator = np.random.RandomState(0)
    order, num_test = generator.permutation(len(codes)), round(len(codes) / 3)
    train, test = order[num_test:], order[:num_test]
    columns = []
    for factor, seed in zip(factors.T, generator.randint(2**31 - 1, size=factors.shape[1]), strict=True):
        forest = RandomForestClassifier(100, random_state=int(seed)).fit(codes[train], factor[train])
        columns.append(forest.feature_importances_)
        for points in (train, test):  # the metric is of both accuracies, too
            forest.predict(codes[points])
    matrix = np.stack(columns, axis=1)
    scores = 1 - entropy(matrix + 1e-11, base=matrix.shape[1], axis=1)
    return float(np.average(scores, weights=matrix.sum(axis=1)))


def bare_unsupervised(codes: np.ndarray, factors: np.ndarray) -> float:
    covariance, bins = np.cov(codes, rowvar=False), binned(codes)
    correlation = np.corrcoef(codes, rowvar=False)
    np.sqrt(np.linalg.eigvalsh(covariance * np.outer(*2 * [np.sqrt(np.diag(covariance))])))
    information(codes, bins)
    return float(-0.5 * np.linalg.slogdet(correlation)[1])


METRICS: dict[str, tuple[Callable[..., object], Callable[..., float]]] = {
    "mig": (mig, bare_mig),
    "mig_sup": (mig_sup, bare_mig_sup),
    "dcimig": (dcimig, bare_dcimig),
    "jemmig": (jemmig, bare_jemmig),
    "irs": (irs, bare_irs),
    "uc": (uc, bare_uc),
    "mcc": (mcc, bare_mcc),
    "r2": (r2, bare_r2),
    "dci": (lambda codes, factors: dci(codes, factors, estimator="random_forest", num_jobs=1), bare_dci),
    "unsupervised_metrics": (unsupervised_metrics, bare_unsupervised),
}


def main() -> None:
    warnings.simplefilter("ignore")
    codes, factors = points()
    rows = []
    for name, (ours, bare) in METRICS.items():
        score: float = ours(codes, factors).score  # type: ignore[attr-defined]
        assert abs(score - bare(codes, factors)) < 1e-9, (name, score, bare(codes, factors))
        number = 1 if name == "dci" else 100
        seconds: dict[Callable[..., object], float] = {}
        for _ in range(TURNS):  # in turns, so that a busy moment meets both
            for side in (ours, bare):
                took = timeit.timeit(lambda: side(codes, factors), number=number) / number  # noqa: B023
                seconds[side] = min(seconds.get(side, took), took)
        rows.append(
            [
                name,
                f"{seconds[ours] * 1e6:,.0f}",
                f"{seconds[bare] * 1e6:,.0f}",
                f"{seconds[ours] / seconds[bare]:.2f}",
            ]
        )
    print(text_table(["metric", "microseconds", "bare numpy", "ratio"], rows))


if __name__ == "__main__":
    main()
