"""``gae``: a graph from a table of numbers, by a graph autoencoder (Ng et al. 2019, arXiv:1911.07420)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from causal_disent import errors
from causal_disent.arguments import check_matrix, check_number, check_numbers, check_truth, check_whole
from causal_disent.protocols import FloatArray
from causal_disent_crl.models.layers import GaeLayer

#: The penalty grows until h is so small, and no larger than this.
SMALLEST_H, LARGEST_RHO = 1e-12, 1e18
#: The weights of before are taken where the error grows by more than this while h is below the second.
GROWTH, NEARLY_ACYCLIC = 1.15, 1e-7
#: h must fall to this part of what it was, or the penalty grows.
FALL = 0.25
#: Rounds before the first may end it.
FIRST_ROUNDS = 5


@dataclass(frozen=True)
class GaeFit:
    """What `gae` found.

    Attributes:
        adjacency: (d, d) floats; entry (i, j) is the weight of i -> j, 0 where it is below the threshold.
        weights: (d, d), before the threshold, divided by the largest.
        h: how far from acyclic the weights are.
        error: the mean of half the squared distance between rows and what the layer says of them.
        rounds: how many were made.
        layer: the fitted layer; `predict` applies it.
    """

    adjacency: FloatArray
    weights: FloatArray
    h: float
    error: float
    rounds: int
    layer: Any = field(repr=False)

    def predict(self, values: FloatArray) -> FloatArray:
        """(n, d): what the causes of each column say of it, in the units that were fitted."""
        rows = torch.from_numpy(np.asarray(values, dtype=np.float64))
        with torch.no_grad():
            return self.layer.expected(rows[:, :, None])[:, :, 0].numpy().astype(np.float64)


def gae(
    values: Any,
    *,
    standardise: bool = False,
    hidden: int = 16,
    hidden_layers: int = 2,
    sparsity: float = 1.0,
    max_rounds: int = 20,
    steps: int = 300,
    learning_rate: float = 1e-3,
    rho: float = 1.0,
    rho_factor: float = 10.0,
    threshold: float = 0.2,
    seed: int = 0,
) -> GaeFit:
    r"""The graph with which each column is best said by the others, without cycles.

    .. math:: \min_{W, g} \tfrac1{2n} \|X - g_2(W^T g_1(X))\|^2 + \lambda \|W\|_1
        \quad\text{such that}\quad \operatorname{tr} e^{W \circ W} = d

    by an augmented Lagrangian. The direction of an edge is that of the smaller error, which data alone need not
    settle: look at several seeds.

    Args:
        values: (n, d) floats: labels, or codes.
        standardise: bring each column to mean 0 and variance 1 first, which the published program does not.
            `sparsity` then is to be smaller: at 1 no edge is worth its weight.
        hidden: units of a hidden layer of either network.
        hidden_layers: how many such layers.
        sparsity: lambda.
        max_rounds: of the Lagrangian, at the most.
        steps: of Adam in each round.
        learning_rate: of Adam.
        rho: penalty on h squared, at first.
        rho_factor: what it is multiplied by while h does not fall to a quarter.
        threshold: edges whose weight, relative to the largest, is smaller are cut.
        seed: of the weights at the start.

    Returns:
        `GaeFit`.

    Example:
        >>> x = np.random.RandomState(0).normal(size=(200, 2))
        >>> x[:, 1] = np.sin(2 * x[:, 0])
        >>> gae(x, max_rounds=2, steps=50).adjacency.shape
        (2, 2)
    """
    values = check_matrix("values", values, columns="columns")
    check_truth("gae.standardise", standardise)
    if values.shape[1] < 2 or len(values) < 2:
        raise errors.InvalidInput(f"gae needs at least 2 rows and 2 columns; given: {values.shape}.")
    for name, number in (("hidden", hidden), ("hidden_layers", hidden_layers), ("max_rounds", max_rounds)):
        check_whole(f"gae.{name}", number, 1)
    check_whole("gae.steps", steps, 1)
    check_numbers("gae", sparsity=sparsity, rho=rho)
    check_number("gae.learning_rate", learning_rate, above=0)
    check_number("gae.rho_factor", rho_factor, above=1)
    check_number("gae.threshold", threshold, at_least=0)
    if standardise:
        spread = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    rows = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float64))[:, :, None]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layer = GaeLayer(values.shape[1], 1, hidden=hidden, hidden_layers=hidden_layers, latent=1)
    layer.double()  # h of small weights is lost in half as many digits
    return _fit(layer, rows, sparsity, max_rounds, steps, learning_rate, rho, rho_factor, threshold)


def _fit(
    layer: GaeLayer,
    rows: Tensor,
    sparsity: float,
    max_rounds: int,
    steps: int,
    learning_rate: float,
    rho: float,
    rho_factor: float,
    threshold: float,
) -> GaeFit:
    optimizer = torch.optim.Adam(layer.parameters(), lr=learning_rate)
    alpha, before, error_before, rounds = 0.0, np.inf, np.inf, 0
    kept = {name: value.clone() for name, value in layer.state_dict().items()}
    while rounds < max_rounds:
        for _ in range(steps):
            optimizer.zero_grad()
            h = layer.acyclicity()
            loss = _error(layer, rows) + sparsity * layer.adjacency.abs().sum() + alpha * h + rho / 2 * h.square()
            loss.backward()
            optimizer.step()
        rounds += 1
        with torch.no_grad():
            now, error = float(layer.acyclicity()), float(_error(layer, rows))
        if rounds > 1 and now <= NEARLY_ACYCLIC and error > GROWTH * error_before:
            layer.load_state_dict(kept)
            break
        kept = {name: value.clone() for name, value in layer.state_dict().items()}
        if now <= SMALLEST_H and rounds > FIRST_ROUNDS:
            break
        alpha += rho * now
        if now > FALL * before:
            rho = min(rho * rho_factor, LARGEST_RHO)
        before, error_before = now, error
    return _found(layer, rows, rounds, threshold)


def _error(layer: GaeLayer, rows: Tensor) -> Tensor:
    return layer.noise(rows).square().sum((1, 2)).mean() / 2


@torch.no_grad()
def _found(layer: GaeLayer, rows: Tensor, rounds: int, threshold: float) -> GaeFit:
    weights = layer.adjacency.numpy().astype(np.float64)
    largest = float(np.abs(weights).max())
    weights = weights / largest if largest > 0 else weights
    adjacency = np.where(np.abs(weights) < threshold, 0.0, weights)
    return GaeFit(adjacency, weights, float(layer.acyclicity()), float(_error(layer, rows)), rounds, layer)
