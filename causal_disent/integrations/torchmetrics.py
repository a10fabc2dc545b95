"""Metrics of codes and factors as a `torchmetrics.Metric`: ``pip install 'causal-disent[torchmetrics]'``."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any

from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from causal_disent import errors
from causal_disent.api import score
from causal_disent.report.score_table import ScoreTable


class Disentanglement(Metric):
    """Keeps codes and factors of all batches, and measures them together.

    With several processes, the points of all are concatenated: each has the scores of all points.

    Args:
        metrics: as `causal_disent.score` takes them. By default MIG, which takes milliseconds.
        options: further arguments of `causal_disent.score` (``random_state``, ``bins``, ...), or of
            `torchmetrics.Metric` (``sync_on_compute``, ``compute_on_cpu``, ...). Intervals and chance levels are
            measured if `bootstrap` and `chance` say so; they are in `table`.

    Example:
        >>> import torch
        >>> metric = Disentanglement(["mig", "r2"])
        >>> factors = torch.cartesian_prod(torch.arange(4), torch.arange(4))
        >>> metric.update(factors[:8] * 2.0, factors[:8])
        >>> metric.update(factors[8:] * 2.0, factors[8:])
        >>> {name: round(value.item(), 3) for name, value in metric.compute().items()}
        {'mig': 1.0, 'r2': 1.0}
    """

    is_differentiable = False
    full_state_update = False
    codes: Any
    factors: Any

    def __init__(self, metrics: str | Iterable[str] = "mig", **options: Any) -> None:
        ours = {name: options.pop(name) for name in list(options) if name in signature(score).parameters}
        super().__init__(**options)
        self._metrics = metrics if isinstance(metrics, str) else list(metrics)
        self._options = {"bootstrap": 0, "chance": 0, "progress": False, **ours}
        self.add_state("codes", default=[], dist_reduce_fx="cat")
        self.add_state("factors", default=[], dist_reduce_fx="cat")

    def update(self, codes: Any, factors: Any) -> None:
        """Take a batch.

        Args:
            codes: (points, codes) tensor.
            factors: (points, factors) or (points,) tensor, the same rows.
        """
        for name, given in (("codes", codes), ("factors", factors)):
            if not hasattr(given, "detach"):
                raise errors.InvalidInput(f"`{name}` must be a tensor; given: {type(given).__name__}.")
        if codes.ndim != 2 or factors.ndim not in (1, 2) or len(codes) != len(factors):
            raise errors.InvalidInput(
                "`codes` must be (points, codes) and `factors` (points, factors), of the same points; given: "
                f"{tuple(codes.shape)} and {tuple(factors.shape)}."
            )
        self.codes.append(codes.detach())
        self.factors.append(factors.detach() if factors.ndim == 2 else factors.detach()[:, None])

    def table(self) -> ScoreTable:
        """All that `causal_disent.score` says of the points of this process."""
        if not len(self.codes):
            raise errors.InvalidInput("There are no points: call `update` first.")
        return score(dim_zero_cat(self.codes), dim_zero_cat(self.factors), self._metrics, **self._options)

    def compute(self) -> dict[str, Any]:
        """Metric -> its score, a tensor; NaN where a metric does not take such points (`table` says why)."""
        scores = self.table().table["score"]
        codes = dim_zero_cat(self.codes)
        like = codes if codes.is_floating_point() and codes.element_size() >= 4 else codes.float()
        return {str(name): like.new_tensor(float(value)) for name, value in scores.items()}
