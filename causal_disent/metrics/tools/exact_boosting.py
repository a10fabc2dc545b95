"""scikit-learn's gradient boosting, its trees grown from columns that are sorted once."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE, Tree

from causal_disent.protocols import FloatArray, IntArray

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

    def _fit_stages(
        self, X: Any, y: Any, raw_predictions: FloatArray, sample_weight: Any, *more: Any, **named: Any
    ) -> int:
        plain = self._is_plain(X) and (sample_weight == 1).all()
        self._grower = _Grower(X, int(self.n_classes_), int(self.max_depth)) if plain else None
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


class _Grower:
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
        from causal_disent.metrics.tools.exact_trees import grow

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
