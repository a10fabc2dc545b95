"""A `Monitor` as a Lightning callback: ``pip install 'causal-disent[lightning]'``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from lightning.pytorch.callbacks import Callback

from causal_disent.monitor import TRACKED, Monitor


class MonitorCallback(Callback):
    """Measures the codes of a `LightningModule` while it is trained, and logs the scores with its loggers.

    The first process alone measures. All stop when the monitor's `should_stop` is True.

    Args:
        monitor: says what is measured, and when; its steps are ``trainer.global_step``.
        encode: of the module and a batch of inputs, to (points, codes); by default ``module(inputs)``.
    """

    def __init__(self, monitor: Monitor, encode: Callable[[Any, Any], Any] | None = None) -> None:
        self.monitor = monitor
        self._encode = encode
        self._logged = 0

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Measure the model that the training starts from, if its step is due."""
        self._logged = len(self.monitor.table)  # of a training before this one
        self._measure(trainer, pl_module)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *batch: Any) -> None:
        """Measure if the step is due; stop if the scores have not improved for long enough."""
        self._measure(trainer, pl_module)
        if self.monitor.patience is not None:
            stop = trainer.strategy.reduce_boolean_decision(self.monitor.should_stop, all=False)
            trainer.should_stop = trainer.should_stop or stop

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Log what is still at work."""
        if trainer.is_global_zero:
            table = self.monitor.finish()
            self._log(trainer, table.iloc[self._logged :].to_dict("records"))

    def _measure(self, trainer: Any, pl_module: Any) -> None:
        if trainer.is_global_zero:
            encode = pl_module if self._encode is None else partial(self._encode, pl_module)
            self._log(trainer, self.monitor(encode, trainer.global_step, model=pl_module))

    def _log(self, trainer: Any, rows: Iterable[Mapping[Any, Any]]) -> None:
        for row in rows:
            self._logged += 1
            terms = {f"{row['metric']}/{name}": row[name] for name in TRACKED if row[name] == row[name]}
            for logger in trainer.loggers:
                logger.log_metrics(terms, step=row["step"])
