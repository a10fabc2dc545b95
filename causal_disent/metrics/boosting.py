"""Gradient boosted trees: scikit-learn's own, grown sooner; and on binned codes, many times as fast."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE, Tree

from causal_disent import errors
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

# --- scikit-learn's gradient boosting, its trees grown from columns that are sorted once

#: Points times columns times trees of a stage below which scikit-learn is done before numba has started.
WORTH_COMPILED = 50_000

#: Where most of the first trees had to be left to scikit-learn, the others are too.
TRIED = 30

#: Settings that may be others than scikit-learn's own; with any other that is set, all is left to it.
FREE = ("learning_rate", "max_depth", "n_estimators", "random_state", "verbose")

#: Nodes of a tree are laid out for this depth.
DEEPEST = 8

#: A leaf with less curvature than this has nothing left to learn.
FLAT = 1e-150


class ExactBoosting(GradientBoostingClassifier):
    """``GradientBoostingClassifier`` that grows the same trees sooner, where numba is installed.

    Columns, thresholds and values of the leaves are equal for the same seed; impurities, and so importances,
    but for the last bits. Small data, settings other than those in `FREE`, weights and scikit-learn before 1.9,
    which summed in another way, are left to scikit-learn.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Any = None) -> ExactBoosting:
        """Warn of codes that single precision makes constant, and fit."""
        codes = np.asarray(X)
        single = codes.astype(np.float32)
        lost = (codes.min(axis=0) != codes.max(axis=0)) & (single.min(axis=0) == single.max(axis=0))
        if lost.any():
            warnings.warn(
                f"In float32, which trees work in, codes {errors.listing(np.flatnonzero(lost))} do not vary. "
                "Subtract their means, or give them in another unit.",
                stacklevel=2,
            )
        return super().fit(X, y, sample_weight, monitor)

    def _fit_stages(
        self, X: Any, y: Any, raw_predictions: FloatArray, sample_weight: Any, *more: Any, **named: Any
    ) -> int:
        plain = self._is_plain(X) and (sample_weight == 1).all()
        self._grower = _ExactGrower(X, int(self.n_classes_), int(self.max_depth)) if plain else None
        try:
            return super()._fit_stages(X, y, raw_predictions, sample_weight, *more, **named)
        finally:
            del self._grower

    def _is_plain(self, X: Any) -> bool:
        if X.shape[0] * X.shape[1] * self.n_trees_per_iteration_ < WORTH_COMPILED or not find_spec("numba"):
            return False
        usual, own = GradientBoostingClassifier().get_params(), self.get_params()
        return (
            isinstance(X, np.ndarray)
            and usual.get("criterion", "deprecated") == "deprecated"
            and all(own[name] == value for name, value in usual.items() if name not in FREE)
            and self.max_depth is not None
            and self.max_depth <= DEEPEST
        )

    def _fit_stage(
        self, i: int, X: Any, y: Any, raw_predictions: FloatArray, *more: Any, **named: Any
    ) -> FloatArray:
        if self._grower is None:
            return super()._fit_stage(i, X, y, raw_predictions, *more, **named)
        residuals = -self._loss.gradient(y_true=y, raw_prediction=raw_predictions).reshape(len(y), -1)
        for k in range(self.n_trees_per_iteration_):
            wanted = (y == k).astype(np.float64) if self._loss.is_multiclass else y
            tree, leaves = self._grower.grown(residuals[:, k].copy(), wanted, self._rng)
            raw_predictions[:, k] += self.learning_rate * tree.tree_.value[:, 0, 0].take(leaves)
            self.estimators_[i, k] = tree
        return raw_predictions


class _ExactGrower:
    """Grows trees on codes (points, columns) in single precision."""

    def __init__(self, codes: Any, num_classes: int, max_depth: int) -> None:
        self._codes, self._max_depth = codes, max_depth
        self._orders = np.argsort(codes.T, axis=1).astype(np.int32)
        self._values = np.take_along_axis(codes.T, self._orders, axis=1)
        self._shares = 1 / np.arange(1, len(codes) + 1)
        # Friedman's factor for several classes.
        self._factor = (num_classes - 1) / num_classes if num_classes > 2 else 1.0
        self.num_trees = self.num_left = 0

    def grown(
        self, residuals: FloatArray, wanted: FloatArray, random_state: np.random.RandomState
    ) -> tuple[DecisionTreeRegressor, IntArray]:
        """A tree that predicts `residuals` (points,) of what is `wanted`, and the leaf of each point."""
        tree = DecisionTreeRegressor(max_depth=self._max_depth, random_state=random_state)
        before, leaves = random_state.get_state(), None
        if self.num_trees < TRIED or 2 * self.num_left < self.num_trees:
            leaves = self._fill(tree, residuals, random_state.randint(0, 2**31 - 1))
            self.num_trees += 1
            self.num_left += leaves is None
        if leaves is None:
            random_state.set_state(before)
            leaves = tree.fit(self._codes, residuals, check_input=False).tree_.apply(self._codes)
        self._set_leaves(tree.tree_, leaves, residuals, wanted)
        return tree, leaves

    def _fill(self, tree: DecisionTreeRegressor, residuals: FloatArray, seed: int) -> IntArray | None:
        """Give `tree` its nodes; the leaf of each point, or None if a choice was too close."""
        from causal_disent.metrics.trees import grow

        most, columns = 2 ** (self._max_depth + 1) - 1, self._codes.shape[1]
        nodes, numbers = np.empty((most, 5), np.int64), np.empty((most, 3))
        leaves = np.empty(len(residuals), np.int64)
        num = grow(
            self._orders, self._values, residuals, self._shares, seed, self._max_depth, nodes, numbers, leaves
        )
        if num < 0:
            return None
        packed = np.zeros(num, NODE_DTYPE)
        for i, name in enumerate(("left_child", "right_child", "feature", "n_node_samples", "missing_go_to_left")):
            packed[name] = nodes[:num, i]
        packed["weighted_n_node_samples"] = nodes[:num, 3]
        packed["threshold"], packed["impurity"] = numbers[:num, 0], numbers[:num, 1]
        tree.n_features_in_, tree.n_outputs_, tree.max_features_ = columns, 1, columns
        tree.tree_ = Tree(columns, np.array([1], np.intp), 1)
        values = np.ascontiguousarray(numbers[:num, 2]).reshape(num, 1, 1)
        # The depth is that which was allowed: nothing asks for the depth of these trees but who prints them.
        tree.tree_.__setstate__(
            {"max_depth": self._max_depth, "node_count": num, "nodes": packed, "values": values}
        )
        return leaves

    def _set_leaves(self, tree: Any, leaves: IntArray, residuals: FloatArray, wanted: FloatArray) -> None:
        """One Newton step in each leaf, added up as scikit-learn does."""
        probabilities = wanted - residuals
        curvatures = probabilities * (1 - probabilities)
        for leaf in np.flatnonzero(tree.children_left < 0):
            inside = np.flatnonzero(leaves == leaf)
            slope = residuals[inside].sum() / len(inside) * self._factor
            curvature = curvatures[inside].sum() / len(inside)
            tree.value[leaf, 0, 0] = slope / curvature if abs(curvature) >= FLAT else 0.0


# --- Gradient boosted trees on binned codes, all trees of a stage grown together
#
# The model is that of scikit-learn's ``GradientBoostingClassifier`` with its default settings (Friedman 2001:
# deviance, squared-error splits of the residuals, one Newton step per leaf), and so is the importance of a
# code: the squared error that its splits remove, summed over all trees. Libraries that weight splits with the
# Hessian rank codes differently. Speed comes from the bins, and from one sparse product that sums the residuals
# per bin for many trees.

#: Bins are numbered in a byte.
MOST_BINS = 256

#: Trees grown together: enough to fill the sparse product's inner loop, few enough for the cache.
TREES_AT_ONCE = 16

#: Sums looked through together for the best split; they and four arrays more should fit into the cache.
SUMS_AT_ONCE = 40_000

#: Splits whose gains differ by less than this part of the best are tied, and one of them is drawn.
TIE = 1e-9


class HistogramBoosting(ClassifierMixin, BaseEstimator):
    """Boosted trees that predict one factor.

    Args:
        num_stages: rounds of boosting.
        learning_rate: how far each round goes.
        depth: of each tree.
        num_bins: at most this many bins per code, with about equally many points each; a code with no more
            distinct values than that is not changed by binning.
        random_state: seed or generator; it decides between codes that split equally well.
    """

    def __init__(
        self,
        num_stages: int = 100,
        learning_rate: float = 0.1,
        depth: int = 3,
        num_bins: int = 255,
        random_state: np.random.RandomState | int | None = None,
    ) -> None:
        self.num_stages = num_stages
        self.learning_rate = learning_rate
        self.depth = depth
        self.num_bins = num_bins
        self.random_state = random_state

    def fit(self, codes: FloatArray, factor: IntArray) -> HistogramBoosting:
        """Learn the values (points,) of a factor, at least two of them, from codes (points, codes)."""
        self.classes_, labels = np.unique(factor, return_inverse=True)
        self._check(len(self.classes_))
        self._edges = [bin_edges(column, self.num_bins) for column in np.asarray(codes).T]
        binned = _binned(codes, self._edges)
        grower = _Grower(binned, self.depth, np.random.RandomState(_seed(self.random_state)))
        wanted = _wanted(labels, len(self.classes_))
        self._start = _log_odds(wanted)
        raw = np.tile(self._start, (1, len(labels)))
        self._stages = []
        for _ in range(self.num_stages):
            probabilities = _probabilities(raw)
            residuals = wanted - probabilities
            levels, leaves = grower.grow(residuals)
            steps = _newton_steps(residuals, probabilities, leaves, 2**self.depth)
            stage = _Stage(levels, (self.learning_rate * steps).astype(np.float32))
            raw += stage.steps_of(leaves)
            self._stages.append(stage)
        self.feature_importances_ = grower.importances()
        return self

    def predict(self, codes: FloatArray) -> NDArray[Any]:
        """The most probable value of the factor (points,)."""
        binned = _binned(codes, self._edges)
        raw = np.tile(self._start, (1, len(codes)))
        for stage in self._stages:
            raw += stage.steps_of(stage.leaves(binned))
        best = raw.argmax(axis=0) if len(raw) > 1 else (raw[0] > 0).astype(np.intp)
        return self.classes_[best]

    def _check(self, num_classes: int) -> None:
        if num_classes < 2:
            raise errors.InvalidInput("A factor that is to be predicted needs at least two values; given: one.")
        if not 2 <= self.num_bins <= MOST_BINS:
            raise errors.InvalidInput(f"`num_bins` is from 2 to {MOST_BINS}; given: {shown_value(self.num_bins)}.")


@dataclass(frozen=True)
class _Level:
    """The splits of one level: (nodes, trees) code to look at, and the last bin that goes left."""

    codes: IntArray
    cuts: NDArray[np.uint8]

    def children(self, inside: NDArray[np.bool_], binned: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """The points of each node (nodes, trees, points), passed on to its two children."""
        nodes, trees, points = inside.shape
        passed = np.empty((nodes, 2, trees, points), dtype=bool)
        # A call per node and tree reads one row of bins; a single call for all would gather them.
        for node, tree in np.ndindex(nodes, trees):
            right = passed[node, 1, tree]
            np.greater(binned[self.codes[node, tree]], self.cuts[node, tree], out=right)
            right &= inside[node, tree]
            np.greater(inside[node, tree], right, out=passed[node, 0, tree])
        return passed.reshape(2 * nodes, trees, points)


@dataclass(frozen=True)
class _Stage:
    """Trees of one round: their levels, from the root down, and the steps (trees, leaves) of their leaves."""

    levels: Sequence[_Level]
    steps: NDArray[np.float32]

    def leaves(self, binned: NDArray[np.uint8]) -> IntArray:
        """The leaf (trees, points) of each point, given bins (codes, points)."""
        trees, points = len(self.steps), binned.shape[1]
        inside, leaves = np.ones((1, trees, points), dtype=bool), np.zeros((trees, points), dtype=np.uint8)
        for level in self.levels:
            inside = level.children(inside, binned)
            leaves = _deeper(leaves, inside)
        return _numbered(leaves, self.steps.shape[1])

    def steps_of(self, leaves: IntArray) -> NDArray[np.float32]:
        """The step (trees, points) of each point, given its leaf."""
        return np.take(self.steps, leaves)


class _Grower:
    """Grows trees for residuals of the same points, and keeps account of the codes' importance.

    Sums of residuals and numbers of points are added up in one float64 each, as whole numbers below 2**53:
    a point counts `unit`, and its residual is a multiple of `1 / scale`. Such sums are exact in any order, so
    that the sums of a right child, which are those of its parent less those of the left, are exact too.
    """

    def __init__(self, binned: NDArray[np.uint8], depth: int, random_state: np.random.RandomState) -> None:
        self._binned = binned
        self._depth = depth
        self._random_state = random_state
        num_codes, points = binned.shape
        self._num_bins = int(binned.max()) + 1
        self._gains = np.zeros(num_codes)
        self._rooms = [np.empty(0), np.empty(0)]
        self._unit = 2.0 ** floor(53 - log2(points))
        self._scale = 2.0 ** floor(log2(self._unit / points) - 1)
        columns = binned.T + np.arange(num_codes) * self._num_bins
        self._bins_of_points = sparse.csr_matrix(
            (np.ones(columns.size), columns.ravel(), np.arange(points + 1) * num_codes),
            shape=(points, num_codes * self._num_bins),
        ).T

    def importances(self) -> FloatArray:
        """(codes,), with sum 1; all 0 if no split gained anything."""
        total = self._gains.sum()
        return self._gains / total if total > 0 else self._gains.copy()

    def grow(self, residuals: FloatArray) -> tuple[list[_Level], IntArray]:
        """Trees for residuals (trees, points): their levels, and the leaf (trees, points) of each point."""
        parts = [
            self._grow_some(residuals[start : start + TREES_AT_ONCE])
            for start in range(0, len(residuals), TREES_AT_ONCE)
        ]
        levels = [
            _Level(
                *(np.concatenate([getattr(level, name) for level in same], axis=1) for name in ("codes", "cuts"))
            )
            for same in zip(*(levels for levels, _ in parts), strict=True)
        ]
        return levels, _numbered(np.concatenate([leaves for _, leaves in parts]), 2**self._depth)

    def _grow_some(self, residuals: FloatArray) -> tuple[list[_Level], NDArray[np.uint8]]:
        trees, points = residuals.shape
        summands = np.multiply(residuals, self._scale, dtype=np.float64)
        np.rint(summands, out=summands)
        summands += self._unit
        inside, leaves = np.ones((1, trees, points), dtype=bool), np.zeros((trees, points), dtype=np.uint8)
        sums: FloatArray = np.empty((1, trees, len(self._binned), self._num_bins))
        self._sum_up_to_each_bin([summands], out=sums)
        levels: list[_Level] = []
        for depth in range(self._depth):
            if depth:
                sums = self._sums_of_children(sums, summands, inside)
            level = self._best_level(sums)
            inside = level.children(inside, self._binned)
            leaves = _deeper(leaves, inside)
            levels.append(level)
        return levels, leaves

    def _sums_of_children(
        self, parents: FloatArray, summands: FloatArray, inside: NDArray[np.bool_]
    ) -> FloatArray:
        """The sums of nodes, a left and a right one for each parent."""
        sums = np.empty((len(parents), 2, *parents.shape[1:]))
        masked = self._room(1, summands.size).reshape(summands.shape)
        self._sum_up_to_each_bin((np.multiply(summands, left, out=masked) for left in inside[::2]), out=sums[:, 0])
        np.subtract(parents, sums[:, 0], out=sums[:, 1])
        return sums.reshape(-1, *parents.shape[1:])

    def _sum_up_to_each_bin(self, summands: Iterable[FloatArray], out: FloatArray) -> None:
        """Put the sums of each node's summands (trees, points) into `out`, (nodes, trees, codes, bins)."""
        points, nodes, trees = self._binned.shape[1], *out.shape[:2]
        by_point = self._room(0, points * nodes * trees).reshape(points, nodes, trees)
        for node, values in enumerate(summands):
            by_point[:, node] = values.T
        sums = self._bins_of_points @ by_point.reshape(len(by_point), -1)
        np.cumsum(sums.T.reshape(out.shape), axis=-1, out=out)

    def _room(self, number: int, size: int) -> FloatArray:
        """Memory that is kept between calls: asking for new pages each time takes longer than filling them."""
        if self._rooms[number].size < size:
            self._rooms[number] = np.empty(size)
        return self._rooms[number][:size]

    def _best_level(self, sums: FloatArray) -> _Level:
        """The best split of each node of each tree, given sums (nodes, trees, codes, bins)."""
        nodes, trees, num_codes, num_bins = sums.shape
        in_a_row = sums.reshape(nodes * trees, num_codes, num_bins)
        step = max(1, SUMS_AT_ONCE // (num_codes * num_bins))
        splits = [self._best_splits(in_a_row[start : start + step]) for start in range(0, len(in_a_row), step)]
        codes, cuts = (np.concatenate(parts).reshape(nodes, trees) for parts in zip(*splits, strict=True))
        return _Level(codes, cuts)

    def _best_splits(self, sums: FloatArray) -> tuple[IntArray, NDArray[np.uint8]]:
        """Code and cut (nodes,) that remove most squared error from nodes, given sums (nodes, codes, bins).

        With N points of sum T, of which n with sum S go left, a split removes (N S - n T)^2 / (N n (N - n)).
        """
        counts = sums * (1 / self._unit)
        np.rint(counts, out=counts)
        gains = counts * -self._unit
        gains += sums
        total, points = gains[:, :1, -1:].copy(), counts[:, :1, -1:].copy()
        gains *= points
        spare = counts * total
        gains -= spare
        gains *= gains
        np.subtract(points, counts, out=spare)
        spare *= counts
        spare += TIE  # a side without points: its gain becomes 0 / TIE
        gains /= spare
        cuts = gains.argmax(axis=-1)
        nodes, codes = np.indices(cuts.shape, sparse=True)
        if not gains[nodes, codes, cuts].any(axis=1).all():
            gains[spare < 0.5] = -1.0  # where no split gains, still rather one with points on both sides
            cuts = gains.argmax(axis=-1)
        return self._choose(gains[nodes, codes, cuts], cuts, points[:, 0, 0])

    def _choose(
        self, gain_of_code: FloatArray, cuts: IntArray, points: FloatArray
    ) -> tuple[IntArray, NDArray[np.uint8]]:
        """The best code (nodes,) and its cut, given the best cut (nodes, codes) of each code and its gain."""
        best = gain_of_code.max(axis=-1)
        lots = self._random_state.random_sample(gain_of_code.shape)
        lots[gain_of_code < (best * (1 - TIE))[:, None]] = -1.0
        codes = lots.argmax(axis=-1)
        np.add.at(self._gains, codes, np.maximum(best, 0.0) / np.maximum(points, 1.0) / self._scale**2)
        return codes, cuts[np.arange(len(cuts)), codes].astype(np.uint8)


def bin_edges(values: FloatArray, num_bins: int) -> FloatArray:
    """Edges between at most `num_bins` bins of about equally many values, halfway between neighbours.

    Example:
        >>> bin_edges(np.array([0.0, 1.0, 1.0, 4.0]), 3)
        array([0.5, 2.5])
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    distinct = np.unique(ordered)
    if len(distinct) <= num_bins:
        return distinct[:-1] / 2 + distinct[1:] / 2
    starts = np.arange(1, num_bins) * len(ordered) // num_bins
    return np.unique(ordered[starts - 1] / 2 + ordered[starts] / 2)


def _binned(codes: FloatArray, edges: Sequence[FloatArray]) -> NDArray[np.uint8]:
    """The bin of each code (codes, points)."""
    columns = np.asarray(codes, dtype=np.float64).T
    return np.stack([np.searchsorted(e, column) for e, column in zip(edges, columns, strict=True)]).astype(
        np.uint8
    )


def _seed(random_state: np.random.RandomState | int | None) -> Any:
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31 - 1)
    return random_state


def _wanted(labels: IntArray, num_classes: int) -> NDArray[np.float32]:
    """(trees, points): 1 where a point has a tree's class. Two classes need one tree only.

    Single precision, here and in the probabilities: their exponential is ten times as fast.
    """
    classes = np.arange(num_classes) if num_classes > 2 else np.array([1])
    return (labels == classes[:, None]).astype(np.float32)


def _log_odds(wanted: NDArray[np.float32]) -> NDArray[np.float32]:
    """(trees, 1): what to predict before the first stage."""
    part = wanted.mean(axis=1, keepdims=True, dtype=np.float64)
    return (np.log(part) if len(part) > 1 else np.log(part / (1 - part))).astype(np.float32)


def _probabilities(raw: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of each tree's class (trees, points)."""
    if len(raw) == 1:
        # Clipped where single precision cannot tell the result from 0 or 1, before it overflows.
        return (1 / (1 + np.exp(np.clip(-raw, -80, 80)))).astype(np.float32)
    powers = np.exp(raw - raw.max(axis=0))
    powers /= powers.sum(axis=0)
    return powers


def _newton_steps(
    residuals: NDArray[np.float32], probabilities: NDArray[np.float32], leaves: IntArray, num_leaves: int
) -> FloatArray:
    """One Newton step (trees, leaves) towards the least deviance."""
    trees = len(residuals)
    slopes, curvatures = (
        np.bincount(leaves.ravel(), weights.ravel(), trees * num_leaves).reshape(trees, num_leaves)
        for weights in (residuals, probabilities * (1 - probabilities))
    )
    # Friedman's factor for several classes, (k - 1) / k, which is 1 in the case of two.
    factor = (trees - 1) / trees if trees > 1 else 1.0
    return factor * np.divide(slopes, curvatures, out=np.zeros_like(slopes), where=curvatures > FLAT)


def _numbered(leaves: NDArray[np.uint8], num_leaves: int) -> IntArray:
    """Leaves of each tree (trees, points), numbered through all trees."""
    return leaves + (np.arange(len(leaves)) * num_leaves)[:, None]


def _deeper(leaves: NDArray[np.uint8], inside: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Numbers of the nodes a level further down; odd ones are right children."""
    return leaves << 1 | np.logical_or.reduce(inside[1::2], axis=0)
