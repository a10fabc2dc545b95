"""A graph autoencoder in numpy (Ng et al. 2019, arXiv:1911.07420): who causes whom, and a layer that obeys it.

In numpy, because metrics ask for it where torch is not installed. plugins/causal_disent_crl has the same formula
as a layer that is trained within a model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_matrix, check_not_negative, check_random_state
from causal_disent.protocols import FloatArray
from causal_disent.registry import part

LEAK = 0.05
#: Growth of the penalty, what the cycles must shrink by to spare it, and its cap.
GROWTH, SHRUNK, MOST_PENALTY = 10.0, 0.25, 1e18
#: Stop where cycles are gone after some rounds, or where the fit becomes so much worse with hardly any left.
NO_CYCLES, LEAST_ROUNDS, FEW_CYCLES, WORSE = 1e-12, 5, 1e-7, 1.15

Weights = list[FloatArray]


@dataclass(frozen=True)
class Discovered:
    """Who causes whom among columns, and the layer that was learnt with it.

    Attributes:
        adjacency: (columns, columns) entry (i, j) is the weight of i -> j; the largest is 1 or -1.
        scale: what the layer multiplies the weights by: encoder and decoder can undo any.
        encoder: weights and biases in turn, shared by all columns.
        decoder: the same.
        cycles: how far the weights are from a graph without cycles, 0 for one.
        error: the mean squared distance of the columns from what the layer makes of their causes.
    """

    adjacency: FloatArray
    scale: float
    encoder: Weights
    decoder: Weights
    cycles: float
    error: float

    def causal_layer(self, values: FloatArray, adjacency: FloatArray | None = None) -> FloatArray:
        """Columns (n, columns), in the units fitted, from their causes alone, under this `adjacency` if given."""
        weights = self.adjacency if adjacency is None else adjacency
        mixed = _forward(values, self.encoder)[-1].reshape(values.shape) @ (self.scale * weights)
        return _forward(mixed, self.decoder)[-1].reshape(values.shape)


@part("gae_discovery", supplied=("values", "random_state"))
def gae_discovery(
    values: FloatArray,
    random_state: np.random.RandomState | int = 0,
    hidden: int = 16,
    l1: float = 0.0,
    learning_rate: float = 1e-3,
    rounds: int = 10,
    steps: int = 300,
    max_points: int | None = 300,
) -> Discovered:
    r"""Fit a graph autoencoder: each column from its causes, without cycles.

    .. math:: \hat X = g_2(W^\top g_1(X)), \qquad
        \min_W \tfrac1{2n}\|X - \hat X\|^2 + \lambda |W|_1 \;\text{ with }\; \operatorname{tr} e^{W \circ W} = d

    by an augmented Lagrangian and Adam on all points; g1 and g2 have two hidden layers, the same for all columns.
    The direction of an edge is that of the smaller error, which data need not settle: look at several seeds.

    Args:
        values: (points, columns) numbers, two columns at least, standardised for the defaults to make sense.
        random_state: seed or generator, of the first weights and of the points that are taken.
        hidden: units of each hidden layer.
        l1: weight of the edges' sum: 1 as published, where columns are not standardised; here that leaves no edge.
        learning_rate: of Adam.
        rounds: how often the penalty may grow; 20 as published.
        steps: of Adam in each round.
        max_points: points that it is fitted to, drawn where there are more; None for all, as published.

    Returns:
        `Discovered`. Its weights are divided by the largest; published is a threshold of 0.2 then, none here.

    Example:
        >>> cause = np.random.RandomState(0).normal(size=(300, 1))
        >>> found = gae_discovery(np.hstack([cause, cause]), steps=100, rounds=8)
        >>> found.adjacency.shape, float(found.adjacency[0, 0])
        ((2, 2), 0.0)
    """
    values = check_matrix("values", values, columns="columns")
    if values.shape[1] < 2:
        raise errors.InvalidInput(f"gae_discovery needs two columns or more; given: {values.shape[1]}.")
    check_at_least(1, hidden=hidden, rounds=rounds, steps=steps)
    if max_points is not None:
        check_at_least(1, max_points=max_points)
    check_not_negative(l1=l1, learning_rate=learning_rate)
    generator = check_random_state(random_state)
    if max_points is not None and len(values) > max_points:
        values = values[generator.choice(len(values), max_points, replace=False)]
    values = values.astype(np.float32)
    weights = _first_weights(values.shape[1], hidden, generator)
    adam = _Adam(weights, learning_rate)
    multiplier, penalty, before = 0.0, 1.0, (np.inf, np.inf)
    kept, error, cycles = [weight.copy() for weight in weights], np.inf, np.inf
    for number in range(rounds):
        for _ in range(steps):
            gradients, error, cycles = _gradients(values, weights, l1, multiplier, penalty)
            adam.step(gradients)
            np.fill_diagonal(weights[0], 0.0)
        if error > WORSE * before[0] and cycles <= FEW_CYCLES:
            weights, (error, cycles) = kept, before
            break
        kept = [weight.copy() for weight in weights]
        if cycles <= NO_CYCLES and number + 1 >= LEAST_ROUNDS:
            break
        multiplier += penalty * cycles
        if cycles > SHRUNK * before[1]:
            penalty = min(penalty * GROWTH, MOST_PENALTY)
        before = error, cycles
    scale = float(np.abs(weights[0]).max()) or 1.0
    return Discovered(weights[0].astype(np.float64) / scale, scale, weights[1:7], weights[7:], cycles, error)


def _first_weights(columns: int, hidden: int, generator: np.random.RandomState) -> Weights:
    adjacency = generator.uniform(-0.1, 0.1, size=(columns, columns))
    np.fill_diagonal(adjacency, 0.0)
    weights = [adjacency]
    for _ in range(2):
        for wide, tall in ((1, hidden), (hidden, hidden), (hidden, 1)):
            bound = np.sqrt(6 / (wide + tall))
            weights += [generator.uniform(-bound, bound, size=(wide, tall)), np.zeros(tall)]
    return [weight.astype(np.float32) for weight in weights]


def _forward(values: FloatArray, weights: Weights) -> list[FloatArray]:
    """What goes into each layer, (n * columns, units), and at the end what comes out."""
    seen = [values.reshape(-1, 1)]  # flat: one large product in place of n small ones
    for place in range(0, len(weights), 2):
        out = seen[-1] @ weights[place] + weights[place + 1]
        seen.append(out if place + 2 == len(weights) else np.maximum(out, LEAK * out))
    return seen


def _backward(seen: list[FloatArray], weights: Weights, gradient: FloatArray) -> tuple[Weights, FloatArray]:
    """Gradients of the weights, and of what went in, from that of what came out."""
    found: Weights = []
    for place in range(len(weights) - 2, -1, -2):
        before = seen[place // 2]
        found = [before.T @ gradient, gradient.sum(axis=0), *found]
        gradient = gradient @ weights[place].T
        if place:
            gradient *= np.where(before > 0, np.float32(1), np.float32(LEAK))
    return found, gradient


def _gradients(
    values: FloatArray, weights: Weights, l1: float, multiplier: float, penalty: float
) -> tuple[Iterator[FloatArray], float, float]:
    """Of the augmented Lagrangian; the squared error, and how far the graph is from having no cycles."""
    from scipy.linalg import expm

    adjacency, encoder, decoder = weights[0], weights[1:7], weights[7:]
    coded = _forward(values, encoder)
    sent = coded[-1].reshape(values.shape)
    mixed = _forward(sent @ adjacency, decoder)
    apart = mixed[-1] - values.reshape(-1, 1)
    of_decoder, back = _backward(mixed, decoder, apart / len(values))
    received = back.reshape(values.shape)
    of_encoder, _ = _backward(coded, encoder, (received @ adjacency.T).reshape(-1, 1))
    powers = expm(np.square(adjacency, dtype=np.float64))
    cycles = float(np.trace(powers)) - len(adjacency)
    of_graph = sent.T @ received + l1 * np.sign(adjacency)
    of_graph += (multiplier + penalty * cycles) * powers.T * 2 * adjacency
    return iter([of_graph, *of_encoder, *of_decoder]), float((apart**2).mean()), cycles


class _Adam:
    """Moves weights along gradients, in place."""

    def __init__(self, weights: Weights, rate: float, decays: tuple[float, float] = (0.9, 0.999)) -> None:
        self._weights, self._rate, self._decays, self._count = weights, rate, decays, 0
        self._means: list[Any] = [np.zeros((2, *weight.shape), dtype=weight.dtype) for weight in weights]

    def step(self, gradients: Iterator[FloatArray]) -> None:
        """One step."""
        self._count += 1
        first, second = self._decays
        for weight, mean, gradient in zip(self._weights, self._means, gradients, strict=True):
            mean[0] += (1 - first) * (gradient - mean[0])
            mean[1] += (1 - second) * (gradient**2 - mean[1])
            scaled = mean[0] / (1 - first**self._count)
            weight -= self._rate * scaled / (np.sqrt(mean[1] / (1 - second**self._count)) + 1e-8)
