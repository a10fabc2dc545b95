"""The regression trees of scikit-learn's boosting, grown from columns that are sorted once (numba).

A tree of scikit-learn sorts every column in every node. Here a node inherits its columns in order. What decides
between splits is kept, to the last bit: the order in which scikit-learn visits the columns (its generator), that
in which it adds up the points, the gap that two values need, its limits of rounding.

One thing cannot be had from sorted columns: where points with the same value stand among each other after
scikit-learn's sort, which is not stable. Sums over such points may differ in the last bits. Where a choice is
closer than those bits, `grow` gives up, and the caller asks scikit-learn for that tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import numba
except ImportError:  # an extra; without it nothing but a listing of the modules comes here
    numba = None  # type: ignore[assignment]

#: Values must be further apart than this, in single precision, for a split to go between them.
GAP = np.float32(1e-7)
#: Impurities up to this are those of a leaf.
EPSILON = float(np.finfo(np.float64).eps)
#: Splits are looked at closely if they are not worse than the best by more than this part.
CLOSE = 1e-6
#: What scikit-learn writes into leaves.
NO_CHILD, NO_COLUMN = -1, -2


def _compiled(function: Any) -> Any:
    """Compiled when first called, and kept in the package's ``__pycache__`` or the user's own cache."""
    if numba is None:
        return function
    try:
        return numba.njit(function, cache=True)
    except RuntimeError:  # neither can be written
        return numba.njit(function)


@_compiled
def _drawn(state: Any, low: Any, high: Any) -> Any:
    """A number from `low` to `high` - 1 by the xorshift of scikit-learn's trees, and the next state."""
    state = 1 if state == 0 else state
    state ^= (state << 13) & 0xFFFFFFFF
    state ^= state >> 17
    state ^= (state << 5) & 0xFFFFFFFF
    return low + (state & 0x7FFFFFFF) % (high - low), state


@_compiled
def _scan(order: Any, values: Any, targets: Any, start: Any, end: Any, total: Any, shares: Any, best: Any) -> Any:
    """The best split of one column in the node of points `start` to `end`, if it is better than `best`.

    Returns:
        Its gain (or `best`) and place (or -1), the next best gain if that is close, and whether points that the
        sort may exchange have different targets.
    """
    place, next_best, loose = -1, -1.0, False
    left, done = 0.0, start  # the sum up to `done`
    running = targets[order[start]]
    before = values[start]
    for p in range(start + 1, end):
        value = values[p]
        if value <= before + GAP:
            if value == before and targets[order[p]] != targets[order[p - 1]]:
                loose = True
        else:
            if p - done <= end - p:
                left = running
            else:  # the way from the other end is shorter
                left = total
                for q in range(end - 1, p - 1, -1):
                    left -= targets[order[q]]
                running = left
            done = p
            right = total - left
            # Products first: a division takes several times as long.
            if left * left * shares[p - start - 1] + right * right * shares[end - p - 1] > best * (1 - CLOSE):
                gain = left * left / (p - start) + right * right / (end - p)
                if gain > best:
                    next_best = max(next_best, best)
                    best, place = gain, p
                else:
                    next_best = max(next_best, gain)
        running += targets[order[p]]
        before = value
    return best, place, next_best, loose


@_compiled
def _sums(samples: Any, targets: Any, start: Any, end: Any) -> Any:
    """The sums of the targets, of their squares and of their sizes, in the order of `samples`."""
    total, squares, sizes = 0.0, 0.0, 0.0
    for p in range(start, end):
        target = targets[samples[p]]
        total += target
        squares += target * target
        sizes += abs(target)
    return total, squares, sizes


@_compiled
def _parted(samples: Any, goes_right: Any, start: Any, end: Any) -> Any:
    """Put those of the left child first, exchanging points as scikit-learn does."""
    while start < end:
        if goes_right[samples[start]]:
            end -= 1
            samples[start], samples[end] = samples[end], samples[start]
        else:
            start += 1


@_compiled
def _loose_sides(order: Any, values: Any, targets: Any, goes_right: Any, start: Any, end: Any) -> Any:
    """Whether the sums of the left and of the right child change if a sort exchanges equal points."""
    left, right = False, False
    for p in range(start + 1, end):
        if values[p] == values[p - 1]:
            i, j = order[p - 1], order[p]
            if goes_right[i] != goes_right[j]:
                return True, True
            if targets[i] != targets[j]:
                left, right = left or not goes_right[i], right or goes_right[i] == 1
    return left, right


@_compiled
def _columns_parted(
    orders: Any, values: Any, new_orders: Any, new_values: Any, goes_right: Any, start: Any, place: Any, end: Any
) -> Any:
    """Divide every column between two children; both remain in order."""
    rest_order = np.empty(end - place + 1, np.int32)
    rest_values = np.empty(end - place + 1, np.float32)
    for c in range(orders.shape[0]):
        at, rest = start, 0
        for p in range(start, end):
            # Written to both and kept in one: a branch would be guessed wrongly half of the time.
            i, value, right = orders[c, p], values[c, p], goes_right[orders[c, p]]
            new_orders[c, at], new_values[c, at] = i, value
            rest_order[rest], rest_values[rest] = i, value
            at += 1 - right
            rest += right
        new_orders[c, place:end] = rest_order[:-1]
        new_values[c, place:end] = rest_values[:-1]


@_compiled
def _visited(
    state: Any, columns: Any, constant: Any, known: Any, values: Any, start: Any, end: Any, visits: Any
) -> Any:
    """The order in which scikit-learn looks at the columns of a node: drawn without replacement.

    `columns` and `constant` are its lists, which nodes hand on: all columns as last drawn, and those that do not
    vary; the first `known` of them were found by the node's ancestors.

    Returns:
        How many of `visits` are columns that vary, how many columns do not vary, the column by which the points
        are sorted in the end, and the generator's state.
    """
    num, rest, drawn, found, sorted_by = 0, len(columns), 0, 0, -1
    for _ in range(len(columns)):
        if rest <= known + found:
            break
        j, state = _drawn(state, drawn, rest - found)
        if j < known:
            columns[drawn], columns[j] = columns[j], columns[drawn]
            drawn += 1
            continue
        j += found
        column = columns[j]
        low, high = values[column, start], values[column, end - 1]
        if high > low:
            sorted_by = column
        if high <= low + GAP:
            columns[j], columns[known + found] = columns[known + found], columns[j]
            found += 1
            continue
        rest -= 1
        columns[rest], columns[j] = columns[j], columns[rest]
        visits[num] = column
        num += 1
    columns[:known] = constant[:known]
    constant[known : known + found] = columns[known : known + found]
    return num, known + found, sorted_by, state


@_compiled
def grow(
    orders: Any, values: Any, targets: Any, shares: Any, state: Any, max_depth: Any, nodes: Any,
    numbers: Any, leaves: Any
) -> Any:  # fmt: skip
    """Grow one tree of at most `max_depth` on `targets` (points,).

    Args:
        orders: (columns, points) the points in the order of each column.
        values: (columns, points) the columns, sorted.
        targets: (points,) what the tree predicts.
        shares: (points,) 1, 1 / 2, 1 / 3, ...
        state: of scikit-learn's generator, 32 bits.
        max_depth: of the tree.
        nodes: (nodes, 5) integers to be filled: children, column, points, whether more of them go left.
        numbers: (nodes, 3) to be filled: threshold, impurity, mean.
        leaves: (points,) to be filled: the leaf of each point.

    Returns:
        How many nodes the tree has, or -1: a choice is too close.
    """
    num_columns, num_points = orders.shape
    own_orders, own_values = np.empty_like(orders), np.empty_like(values)
    columns, constant = np.arange(num_columns), np.empty(num_columns, np.int64)
    visits = np.empty(num_columns, np.int64)
    samples = np.arange(num_points).astype(np.int32)
    goes_right = np.zeros(num_points, np.uint8)
    # Of nodes to come: start, end, depth, parent, whether right, known constants, whether the order is unsure.
    waiting = np.zeros((max_depth + 2, 7), np.int64)
    waiting[0, 1], waiting[0, 3] = num_points, NO_CHILD
    impurities = np.zeros((max_depth + 2, 2))  # and how far each may be off
    num_waiting, num_nodes = 1, 0
    while num_waiting:
        num_waiting -= 1
        start, end, depth, parent, is_right, known, unsure = waiting[num_waiting]
        impurity, doubt = impurities[num_waiting]
        node, size = num_nodes, end - start
        num_nodes += 1
        if parent >= 0:
            nodes[parent, is_right] = node
        place, column, total, squares, sizes = -1, NO_COLUMN, 0.0, 0.0, 0.0
        if depth < max_depth:
            total, squares, sizes = _sums(samples, targets, start, end)
            if node == 0:
                impurity = squares / size - (total / size) * (total / size)
        if depth < max_depth and size > 1:
            if doubt and abs(impurity - EPSILON) <= doubt:
                return -1
            if impurity > EPSILON:
                here, there = (orders, values) if depth == 0 else (own_orders, own_values)
                num, known, sorted_by, state = _visited(state, columns, constant, known, there, start, end, visits)
                best, next_best, loose = -1.0, -1.0, unsure == 1
                for c in visits[:num]:
                    best, at, close, ties = _scan(here[c], there[c], targets, start, end, total, shares, best)
                    next_best, loose = max(next_best, close), loose or ties
                    if at >= 0:
                        column, place = c, at
        threshold = float(NO_COLUMN)
        if place >= 0:
            for p in range(start, end):
                goes_right[here[column, p]] = p >= place
            loose_left, loose_right = _loose_sides(
                here[sorted_by], there[sorted_by], targets, goes_right, start, end
            )
            samples[start:end] = here[sorted_by, start:end]
            _parted(samples, goes_right, start, end)
            on_left, on_right = place - start, end - place
            left, left_squares, _ = _sums(samples, targets, start, place)
            forward = on_left <= on_right
            if not forward:
                left = total
                for p in range(end - 1, place - 1, -1):
                    left -= targets[samples[p]]
            right = total - left
            # n numbers may be added up so wrongly: n eps times the sum of their sizes.
            wrong = 4 * EPSILON * size * sizes * (abs(left) / on_left + abs(right) / on_right)
            if loose and (wrong > CLOSE * best or next_best >= best - wrong):
                return -1
            left_impurity = left_squares / on_left - (left / on_left) * (left / on_left)
            right_impurity = (squares - left_squares) / on_right - (right / on_right) * (right / on_right)
            gained = (size / num_points) * (
                impurity - (on_right / size * right_impurity) - (on_left / size * left_impurity)
            )
            wrong = 4 * EPSILON * size * squares if unsure or loose_left or loose_right else 0.0
            doubtful_gain = (doubt + 2 * wrong / size) * (size / num_points)
            if doubtful_gain and abs(gained + EPSILON) <= doubtful_gain:
                return -1
            if gained + EPSILON < 0:
                place, column = -1, NO_COLUMN
        if place >= 0:
            threshold = there[column, place - 1] / 2.0 + there[column, place] / 2.0
            if depth + 1 < max_depth:
                _columns_parted(here, there, own_orders, own_values, goes_right, start, place, end)
            waiting[num_waiting] = np.array([place, end, depth + 1, node, 1, known, loose_right])
            impurities[num_waiting] = right_impurity, wrong / on_right
            waiting[num_waiting + 1] = np.array([start, place, depth + 1, node, 0, known, loose_left])
            # The left sums are the left points' own, unless the way from the other end was shorter.
            impurities[num_waiting + 1] = left_impurity, 0.0 if forward and not loose_left else wrong / on_left
            num_waiting += 2
        else:
            nodes[node, 0] = nodes[node, 1] = NO_CHILD
            leaves[samples[start:end]] = node
        nodes[node, 2], nodes[node, 3], nodes[node, 4] = column, size, 2 * (place - start) > size
        numbers[node, 0], numbers[node, 1], numbers[node, 2] = threshold, impurity, total / size
    return num_nodes
