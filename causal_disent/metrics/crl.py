"""Metrics of a causal layer and of the graph that it obeys."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_choice, check_not_negative, check_pairs, check_random_state
from causal_disent.graphs import CausalGraph, edge_scores, shd, sid
from causal_disent.metrics.certainty import centred_interval
from causal_disent.metrics.concepts import CausalPoints, Concepts
from causal_disent.metrics.contract import Result, metric
from causal_disent.metrics.mic import LEAST_POINTS, mic_floor, score_pairs
from causal_disent.protocols import FloatArray

# --- PosMIC/TIC, NegMIC/TIC and F1 of a causal layer (Zhu et al. 2023, arXiv:2308.05707)

TAPS, DIMENSIONS = ("z", "w"), ("mean", "max")

#: The scores, by key: higher is better but for Neg.
KEYS = ("F1_MIC", "F1_TIC", "PosMIC", "PosTIC", "NegMIC", "NegTIC")


@dataclass(frozen=True)
class CrlScores(Result, score="f1_mic"):
    """What `crl_scores` returns. TIC is normalised; arrays have NaN where a factor has no such role.

    Attributes:
        f1_mic: harmonic mean of `pos_mic` and 1 - `neg_mic`, in [0, 1], higher is better.
        f1_tic: the same of TIC.
        pos_mic: mean over effects, higher is better.
        pos_tic: the same of TIC.
        neg_mic: mean over causes, lower is better.
        neg_tic: the same of TIC.
        per_factor: (4, factors) PosMIC, PosTIC, NegMIC, NegTIC of each factor.
        floor_mic: what noise scores, mean over the factors.
        floor_tic: the same of TIC.
        intervals: key -> 95 % interval, if asked for.
        edges: between the factors, above the threshold: "angle -> length".
        conventions: estimator, alpha, c, joint, tap, threshold, dimensions, points, and how concepts were found.
    """

    f1_mic: float
    f1_tic: float
    pos_mic: float
    pos_tic: float
    neg_mic: float
    neg_tic: float
    per_factor: FloatArray
    floor_mic: float
    floor_tic: float
    intervals: dict[str, tuple[float, float]]
    edges: tuple[str, ...]
    conventions: dict[str, Any]


def _crl_keys(result: CrlScores, names: Sequence[str]) -> dict[str, Any]:
    """The keys of a result file."""
    attributes = ("f1_mic", "f1_tic", "pos_mic", "pos_tic", "neg_mic", "neg_tic")
    keys: dict[str, Any] = {key: getattr(result, name) for key, name in zip(KEYS, attributes, strict=True)}
    for key, ends in result.intervals.items():
        keys |= {f"{key}_low": ends[0], f"{key}_high": ends[1]}
    if not np.isnan(result.floor_mic):
        keys |= {"floor_MIC": result.floor_mic, "floor_TIC": result.floor_tic}
    for key, row in zip(KEYS[2:], result.per_factor, strict=True):
        keys |= {f"{key}_factor_{n}": float(v) for n, v in zip(names, row, strict=True) if not np.isnan(v)}
    return keys | {"edges": list(result.edges)} | {f"convention_{k}": v for k, v in result.conventions.items()}


@metric(
    "crl_scores",
    needs=CausalPoints("crl_scores", discovery="gae_discovery", layer=True, graph=True),
    reports=_crl_keys,
    headline="F1_MIC",
    also=("F1_TIC", "PosMIC", "PosTIC", "NegMIC (lower)", "NegTIC (lower)"),
    range=(0, 1),
    by_chance="`floor_MIC`, reported beside (0.11 at 1,826 points, an F1 of 0.19)",
    compared="MIC and TIC: the C core of minepy 1.2.6, 28 stored cases; the scores: sums written out",
    summary="do effects follow from their causes through the causal layer, and causes from nothing?",
    assumes="a known graph; factors that are numbers; a concept for each factor",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "codes alone have no layer, and one that is found may point backwards"},
)
def crl_scores(
    noise: FloatArray,
    factors: FloatArray,
    concepts: Concepts,
    graph: Any,
    *,
    names: Sequence[str] | None = None,
    estimator: str = "mic_approx",
    alpha: float = 0.6,
    c: float = 15,
    joint: bool = False,
    tap: str = "z",
    threshold: float = 0.05,
    dimensions: str = "mean",
    roles: Mapping[str, str] | None = None,
    floor_draws: int = 3,
    resamples: int = 0,
    num_jobs: int | None = None,
    random_state: np.random.RandomState | int = 0,
) -> CrlScores:
    r"""Does the causal layer make effects of their causes, and nothing of the causes themselves?

    With :math:`z(\epsilon)` the causal layer and :math:`\epsilon_{\setminus i}` the noise with concept i set to 0,

    .. math::
        Pos = \frac1{|E|} \sum_{i \in E} MIC(g_i, z_i(\epsilon_{\setminus i})), \quad
        Neg = \frac1{|C|} \sum_{i \in C} MIC(g_i, z_i(\epsilon_{\setminus i})), \quad
        F_1 = \frac{2\, Pos (1 - Neg)}{Pos + 1 - Neg}

    over the effects E and the causes C of the graph (a factor may be both), and the same with normalised TIC. The
    paper leaves conventions open; each is an argument, and stands in the result. MIC ignores scale, so that an
    edge of 1e-8 would count in full: edges below the threshold are cut. A model without a causal layer is given
    one that `discovery` finds in its codes, and the result says so. Noise does not score 0: see the floor.

    Assumes: a graph over the factors; a concept for each of them; zero as a value that means nothing to the layer.

    Args:
        noise: (points, codes) what goes into the layer, at least 4 points.
        factors: (points, factors) numbers, the same rows.
        concepts: the model's, from `find_concepts`.
        graph: a `CausalGraph` over the factors, or edges (cause, effect).
        names: of the factors; by default the graph's nodes in their order.
        estimator: ``"mic_approx"`` or ``"mic_e"``.
        alpha: as in `mic_statistics`.
        c: as in `mic_statistics`.
        joint: set all effects (or all causes) to 0 together, in place of one at a time.
        tap: where codes are taken: ``"z"`` behind the layer, or ``"w"`` behind what the model adds to it, by its
            method ``masked(codes)``.
        threshold: edges whose weight is below are cut before.
        dimensions: of a concept with several codes the ``"mean"`` of their scores, or the ``"max"``.
        roles: factor -> ``"cause"`` or ``"effect"``, for one that is both and is to count once.
        floor_draws: codes of noise per factor for the floor; 0 for none.
        resamples: halves of the points to draw for 95 % intervals (the spread of halves is that of the whole, Shao
            and Wu 1989); 0 for none.
        num_jobs: pairs at a time; by default as many as there are cores.
        random_state: seed or generator, of the halves.

    Returns:
        `CrlScores`. The score, F1 of MIC, is in [0, 1], higher is better.

    Example:
        >>> class Twice:  # z_1 = 2 z_0 + noise_1
        ...     concepts, concept_names = [[0], [1]], ["a", "b"]
        ...     adjacency = np.array([[0.0, 2.0], [0.0, 0.0]])
        ...     def noise(self, images): return images
        ...     def causal_layer(self, noise): return noise @ np.array([[1.0, 2.0], [0.0, 1.0]])
        ...     def concept_values(self, codes): return codes
        >>> a = np.random.RandomState(0).normal(size=(200, 1))
        >>> noise, factors = np.hstack([a, 0 * a]), np.hstack([a, 2 * a])
        >>> from causal_disent.metrics.concepts import find_concepts
        >>> found = find_concepts(Twice(), noise, factors, ["a", "b"], metric="", random_state=None)
        >>> scores = crl_scores(noise, factors, found, [("a", "b")])
        >>> scores.score, scores.pos_mic, scores.neg_mic
        (1.0, 1.0, 0.0)
    """
    noise, factors = check_pairs(noise, factors)
    true = CausalGraph(graph)
    names = list(true.nodes) if names is None else list(names)
    _check(noise, factors, names, concepts, true, tap)
    check_choice("dimensions", dimensions, DIMENSIONS)
    check_not_negative(threshold=threshold)
    check_at_least(0, floor_draws=floor_draws)
    _check_resamples(resamples, len(noise))
    layer, num_cut, was_cut = concepts.layer(threshold)
    if not was_cut:
        warnings.warn(
            f"crl_scores: {num_cut} edges below the threshold of {threshold} stay: the model's causal_layer takes "
            "no `adjacency` and is not linear.",
            stacklevel=2,
        )
    taken = (lambda without: concepts.model.masked(layer(without))) if tap == "w" else layer
    columns = list(_columns(noise, concepts.blocks, taken, _roles(true, names, roles or {}), joint))
    settings: dict[str, Any] = {"estimator": estimator, "alpha": alpha, "c": c}

    def measured(rows: Any) -> FloatArray:
        pairs = [(factors[rows, i], code[rows]) for _, i, codes in columns for code in codes.T]
        return _per_factor(columns, score_pairs(pairs, num_jobs=num_jobs, **settings), dimensions, len(names))

    per_factor = measured(slice(None))
    scores = _summary(per_factor)
    f1_mic, f1_tic, pos_mic, pos_tic, neg_mic, neg_tic = scores
    floor = mic_floor(factors, draws=floor_draws, num_jobs=num_jobs, **settings)
    generator = check_random_state(random_state)
    halves = [
        _summary(measured(generator.choice(len(noise), len(noise) // 2, replace=False))) for _ in range(resamples)
    ]
    return CrlScores(
        f1_mic,
        f1_tic,
        pos_mic,
        pos_tic,
        neg_mic,
        neg_tic,
        per_factor,
        float(floor.mic.mean()),
        float(floor.tic_normalised.mean()),
        {
            key: centred_interval(score, halves_of, (0.0, 1.0))
            for key, score, *halves_of in zip(KEYS, scores, *halves, strict=True)
            if halves
        },
        tuple(
            f"{names[i]} -> {names[j]}"
            for i, j in np.argwhere(np.abs(concepts.adjacency) >= max(threshold, 1e-300))
        ),
        {
            **settings,
            "joint": joint,
            "tap": tap,
            "threshold": threshold,
            "edges_cut": num_cut if was_cut else 0,
            "dimensions": dimensions,
            "roles": dict(roles or {}),
            "floor_draws": floor_draws,
            "num_points": len(noise),
            "concepts": concepts.how,
        },
    )


def _check(
    noise: FloatArray, factors: FloatArray, names: Sequence[str], concepts: Concepts, graph: CausalGraph, tap: str
) -> None:
    if len(noise) < LEAST_POINTS:
        raise errors.InvalidInput(f"crl_scores needs at least {LEAST_POINTS} points; given: {len(noise)}.")
    if set(graph.nodes) != set(names) or len({len(names), factors.shape[1], len(concepts.places)}) != 1:
        raise errors.InvalidInput(
            f"The graph's nodes must be the {factors.shape[1]} factors {errors.listing(names)}; they are: "
            f"{errors.listing(graph.nodes)}."
        )
    if not graph.edges:
        raise errors.InvalidInput(
            f"crl_scores needs a graph in which a factor causes another; between {errors.listing(names)} there is "
            "no edge."
        )
    if check_choice("tap", tap, TAPS) == "w" and not hasattr(concepts.model, "masked"):
        raise errors.InvalidInput("`tap` is 'w' for models with a `masked(codes)`; this one has none: use 'z'.")
    still = [
        n for n, block in zip(names, concepts.blocks, strict=True) if not np.ptp(noise[:, block], axis=0).any()
    ]
    roots = [name for name in still if name in graph.roots]  # an effect may well have no noise of its own
    if roots:
        warnings.warn(
            f"crl_scores: the concepts of these causes never vary: {errors.listing(roots)}.", stacklevel=3
        )


def _check_resamples(resamples: int, num_points: int) -> None:
    check_at_least(0, resamples=resamples)
    if resamples == 1 or (resamples and num_points < 2 * LEAST_POINTS):
        raise errors.InvalidInput(
            f"Intervals need two `resamples` or more, and {2 * LEAST_POINTS} points of which to take halves; "
            f"given: {resamples} and {num_points}. With resamples = 0 there are none."
        )


def _roles(graph: CausalGraph, names: Sequence[str], given: Mapping[str, str]) -> list[list[int]]:
    """Where the effects stand among the names, and where the causes."""
    for name, role in given.items():
        if name not in names:
            raise errors.unknown("factor in `roles`:", name, names)
        check_choice(f"roles['{name}']", role, ("cause", "effect"))
    found = {"effect": graph.effects, "cause": graph.causes}
    chosen = {role: [n for n in nodes if given.get(n, role) == role] for role, nodes in found.items()}
    for role, nodes in chosen.items():
        if not nodes:
            raise errors.InvalidInput(f"`roles` leaves no {role} among {errors.listing(found[role])}.")
    return [[names.index(name) for name in nodes] for nodes in chosen.values()]


def _columns(
    noise: FloatArray, blocks: Sequence[Sequence[int]], layer: Any, roles: Sequence[Sequence[int]], joint: bool
) -> Iterator[tuple[int, int, FloatArray]]:
    """Role (0 effect, 1 cause), factor, and (points, codes) what the layer makes of its concept once that is 0."""
    for role, factors in enumerate(roles):
        together = [code for i in factors for code in blocks[i]]
        for i in factors:
            without = np.array(noise, dtype=np.float64)
            without[:, together if joint else blocks[i]] = 0.0
            codes = np.asarray(layer(without), dtype=np.float64)[:, blocks[i]]
            if not np.isfinite(codes).all():
                raise errors.InvalidInput(f"The causal layer makes codes that are not finite, in concept {i}.")
            yield role, i, codes


def _per_factor(
    columns: Sequence[tuple[int, int, FloatArray]], scores: FloatArray, dimensions: str, num_factors: int
) -> FloatArray:
    """(4, factors): PosMIC, PosTIC, NegMIC, NegTIC."""
    result, start = np.full((4, num_factors), np.nan), 0
    for role, i, codes in columns:
        own = scores[start : start + codes.shape[1]]
        result[2 * role : 2 * role + 2, i] = own.mean(axis=0) if dimensions == "mean" else own.max(axis=0)
        start += codes.shape[1]
    return result


def _summary(per_factor: FloatArray) -> tuple[float, ...]:
    """The scores, as in `KEYS`."""
    pos_mic, pos_tic, neg_mic, neg_tic = np.nanmean(per_factor, axis=1).tolist()
    return f1(pos_mic, neg_mic), f1(pos_tic, neg_tic), pos_mic, pos_tic, neg_mic, neg_tic


def f1(pos: float, neg: float) -> float:
    """The harmonic mean of Pos and 1 - Neg, 0 if both are 0.

    Example:
        >>> f1(1.0, 0.0), f1(0.0, 1.0), round(f1(0.53, 0.466), 3)
        (1.0, 0.0, 0.532)
    """
    return 2 * pos * (1 - neg) / (pos + 1 - neg) if pos + 1 - neg > 0 else 0.0


# --- How far the graph that a model learnt is from the true one: SHD, SID and F1 of edges over thresholds

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class GraphRecovery(Result, score="f1"):
    """What `graph_recovery` returns.

    Attributes:
        f1: of the edges above the threshold, in [0, 1], higher is better.
        precision: part of the found edges that are true.
        recall: part of the true edges that are found.
        shd: pairs of factors whose edge is wrong, lower is better.
        sid: pairs of factors for which the found graph predicts a wrong effect, lower is better; None where the
            found graph has a cycle, or gadjid is not installed.
        cycle: "a -> b -> a" in the found graph, empty if it has none.
        over_thresholds: threshold -> F1 and SHD of the edges above it.
        best_f1: the largest F1 that any threshold gives: what the weights' order is worth.
        best_threshold: the largest threshold that gives it; edges above it are kept.
        edges: above the threshold, "angle -> length".
        how: how concepts got their factors, and where the graph comes from.
    """

    f1: float
    precision: float
    recall: float
    shd: int
    sid: int | None
    cycle: str
    over_thresholds: dict[float, tuple[float, int]]
    best_f1: float
    best_threshold: float
    edges: tuple[str, ...]
    how: str


def _graph_keys(result: GraphRecovery, names: Sequence[str]) -> dict[str, Any]:
    keys: dict[str, Any] = {"edge_F1": result.f1, "SHD": result.shd}
    keys |= {} if result.sid is None else {"SID": result.sid}
    keys |= {"edge_precision": result.precision, "edge_recall": result.recall}
    keys |= {"best_edge_F1": result.best_f1, "best_threshold": result.best_threshold}
    for threshold, (f1, distance) in result.over_thresholds.items():
        keys |= {f"edge_F1_at_{threshold:g}": f1, f"SHD_at_{threshold:g}": distance}
    keys |= {"cycle": result.cycle} if result.cycle else {}
    return keys | {"edges": list(result.edges), "concepts": result.how}


@metric(
    "graph_recovery",
    needs=CausalPoints("graph_recovery", discovery="gae_discovery", graph=True),
    reports=_graph_keys,
    headline="edge_F1",
    also=("SHD (lower)", "SID (lower)", "best_edge_F1"),
    ranges={"SHD": (0, inf), "SID": (0, inf)},
    range=(0, 1),
    by_chance="edges at random have the precision of the graph's own share of edges; no edges 0",
    compared=(
        "distances of the graphs of Pendulum and Flow from others, counted by hand, and all matchings tried out"
    ),
    summary="does the model have the true causal graph?",
    assumes="a known graph; a concept for each factor",
    takes=("discrete", "continuous"),
    known_failures={"perfect_beats_noise": "codes alone have no graph, and one that is found may point backwards"},
)
def graph_recovery(
    concepts: Any,
    graph: Any,
    *,
    names: Sequence[str] | None = None,
    threshold: float = 0.3,
    thresholds: Sequence[float] = THRESHOLDS,
) -> GraphRecovery:
    r"""Compare the edges between a model's concepts with those between the factors.

    .. math:: F_1 = \frac{2 |E \cap \hat E|}{|E| + |\hat E|}

    and the structural Hamming and intervention distances (`causal_disent.graphs.shd`, `causal_disent.graphs.sid`).
    Where a model has no names for its concepts, each factor is given one by the assignment of the largest sum of
    correlations, or of MIC (``matching``); a representation without concepts has the graph that ``discovery``
    finds between its codes, and the result says so.

    Assumes: a concept for each factor; weights whose size tells how sure an edge is.

    Args:
        concepts: the model's, from `find_concepts`; or a matrix (factors, factors) of weights, row i causes j.
        graph: a `CausalGraph` over the factors, or edges (cause, effect).
        names: of the factors, in the order of the weights; by default the graph's nodes in their order.
        threshold: an edge is found where its weight is above, positive or negative.
        thresholds: others, for a series.

    Returns:
        `GraphRecovery`. The score, F1 of the edges, is in [0, 1], higher is better.

    Example:
        >>> found = graph_recovery(np.array([[0, 0.9], [0.2, 0]]), [("a", "b")])
        >>> found.f1, found.shd, found.over_thresholds[0.1][0].__round__(3), found.best_f1
        (1.0, 0, 0.667, 1.0)
    """
    true = CausalGraph(graph)
    weights = np.asarray(getattr(concepts, "adjacency", concepts), dtype=np.float64)
    names = list(true.nodes) if names is None else list(names)
    if set(names) != set(true.nodes) or weights.shape != (len(names),) * 2 or not np.isfinite(weights).all():
        raise errors.InvalidInput(
            f"graph_recovery needs a finite weight for each pair of the factors {errors.listing(names)}, and a "
            f"graph with these nodes; given: weights of shape {weights.shape}, nodes {errors.listing(true.nodes)}."
        )
    check_not_negative(threshold=threshold)
    true = CausalGraph(true, names).among(names)
    found = _above(weights, threshold)
    f1, precision, recall = edge_scores(true, weights, threshold=threshold)
    cycle = _cycle(found, names)
    series = {
        float(at): (edge_scores(true, weights, threshold=at).f1, shd(true, _above(weights, at)))
        for at in thresholds
    }
    best_f1, best_threshold = _best_threshold(true, weights)
    return GraphRecovery(
        f1,
        precision,
        recall,
        shd(true, found),
        None if cycle else _sid(true, found),
        cycle,
        series,
        best_f1,
        best_threshold,
        tuple(f"{names[i]} -> {names[j]}" for i, j in np.argwhere(found)),
        getattr(concepts, "how", "weights given"),
    )


def _above(weights: FloatArray, threshold: float) -> FloatArray:
    found = (np.abs(weights) > threshold).astype(np.float64)
    np.fill_diagonal(found, 0.0)
    return found


def _cycle(found: FloatArray, names: Sequence[str]) -> str:
    import networkx as nx

    try:
        edges = nx.find_cycle(nx.from_numpy_array(found, create_using=nx.DiGraph))
    except nx.NetworkXNoCycle:
        return ""
    return " -> ".join(names[edge[0]] for edge in [*edges, edges[0]])


def _sid(true: CausalGraph, found: FloatArray) -> int | None:
    try:
        import gadjid  # noqa: F401
    except ImportError:
        return None
    return sid(true, found)


def _best_threshold(true: CausalGraph, weights: FloatArray) -> tuple[float, float]:
    """The largest F1, and the largest threshold at which it is reached: below a weight that there is, or 0."""
    sizes = np.abs(weights[~np.eye(len(weights), dtype=bool)])
    steps = [float(step) for step in np.unique(np.concatenate([[0.0], sizes]))]
    scored = [(edge_scores(true, weights, threshold=at).f1, at) for at in steps]
    return max(scored)
