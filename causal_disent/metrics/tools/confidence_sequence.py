"""Intervals that stay valid however often one looks at them.

The sequence is the empirical Bernstein one for draws without replacement (Waudby-Smith and Ramdas 2020,
arXiv:2006.04347; the inequality is that of Howard et al. 2021, arXiv:1810.08240).
"""

from __future__ import annotations

from math import log

import numpy as np

from causal_disent.protocols import FloatArray

#: The largest bet; nearer to 1 it would gain where numbers hardly vary, and lose where they do.
MOST = 0.75


class ConfidenceSequence:
    r"""95 % intervals of the means of a finite population of numbers in [0, 1], drawn in random order.

    .. math::
        \mu \in \frac{\sum_t \lambda_t (X_t + S_{t-1} / (N-t+1)) \pm (\log(2/\alpha) +
        \sum_t (X_t - \hat\mu_{t-1})^2 \psi(\lambda_t))}{\sum_t \lambda_t N / (N-t+1)}

    with S the sums so far, :math:`\psi(\lambda) = -\log(1-\lambda) - \lambda`, and bets
    :math:`\lambda_t = \text{tolerance} / \hat\sigma^2_{t-1}`, which make it narrowest where it is about as narrow
    as is wanted. With probability 0.95 the mean is in all of the intervals at once, so one may stop at any time.

    Args:
        population: N, how many numbers there are.
        tolerance: half the width that is wanted; any value keeps the promise.
        alpha: one minus the confidence.

    Example:
        >>> numbers = np.random.RandomState(0).uniform(size=(5000, 1))
        >>> sequence = ConfidenceSequence(5000, tolerance=0.05)
        >>> sequence.add(numbers[:1000])
        >>> bool(sequence.half_widths[0] < 0.05), bool(sequence.low[0] < numbers.mean() < sequence.high[0])
        (True, True)
    """

    def __init__(self, population: int, tolerance: float, alpha: float = 0.05) -> None:
        self._population, self._tolerance, self._doubt = population, tolerance, log(2 / alpha)
        self._count = 0
        self._sum: FloatArray | float = 0.0
        self._squares: FloatArray | float = 0.0
        self._centre: FloatArray | float = 0.0
        self._weight: FloatArray | float = 0.0
        self._variation: FloatArray | float = 0.0
        self.low: FloatArray = np.zeros(1)
        self.high: FloatArray = np.ones(1)

    @property
    def half_widths(self) -> FloatArray:
        """Half the width of each interval."""
        return (self.high - self.low) / 2

    def add(self, values: FloatArray) -> None:
        """Take the next numbers (n, means), in the order in which they were drawn."""
        size = self._population
        drawn = self._count + np.arange(1, len(values) + 1)[:, None]  # t
        sums = self._sum + np.cumsum(values, axis=0)
        before = sums - values
        # Half a number of 0 and half of 1 are thought to have come first.
        squares = self._squares + np.cumsum((values - (0.5 + sums) / (drawn + 1)) ** 2, axis=0)
        earlier = np.concatenate([np.broadcast_to(self._squares, (1, values.shape[1])), squares[:-1]])
        bets = np.minimum(self._tolerance * drawn / (0.25 + earlier), MOST)
        left = size - drawn + 1
        centre = self._centre + np.cumsum(bets * (values + before / left), axis=0)
        weight = self._weight + np.cumsum(bets * size / left, axis=0)
        surprise = (values - (0.5 + before) / drawn) ** 2
        variation = self._variation + np.cumsum(surprise * (-np.log1p(-bets) - bets), axis=0)
        half = (self._doubt + variation) / weight
        # What is drawn is known, and the rest is between 0 and 1.
        low = np.maximum(centre / weight - half, sums / size)
        high = np.minimum(centre / weight + half, (sums + size - drawn) / size)
        self.low = np.maximum(self.low, low.max(axis=0))
        self.high = np.minimum(self.high, high.min(axis=0))
        self._count += len(values)
        self._sum, self._squares = sums[-1], squares[-1]
        self._centre, self._weight, self._variation = centre[-1], weight[-1], variation[-1]
