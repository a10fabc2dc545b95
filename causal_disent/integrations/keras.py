"""A `Monitor` as a Keras callback: ``pip install 'causal-disent[keras]'``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from keras.callbacks import Callback

from causal_disent.monitor import Monitor


class MonitorCallback(Callback):  # type: ignore[misc,unused-ignore]  # unknown where Keras is not installed
    """Measures the codes of a Keras model while `fit` trains it.

    Args:
        monitor: says what is measured, and when; its steps are batches.
        encode: of the model and a batch of inputs, to (points, codes); by default ``model(inputs)``, not training.
        first_step: the number of batches before this training.
    """

    def __init__(
        self, monitor: Monitor, encode: Callable[[Any, Any], Any] | None = None, first_step: int = 0
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self._encode = _call if encode is None else encode
        self._step = first_step

    def on_train_begin(self, logs: Any = None) -> None:
        """Measure the model that the training starts from, if its step is due."""
        self._measure()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Measure if the step is due; stop if the scores have not improved for long enough."""
        self._step += 1
        self._measure()

    def on_train_end(self, logs: Any = None) -> None:
        """Wait for what is still at work."""
        self.monitor.finish()

    def _measure(self) -> None:
        self.monitor(partial(self._encode, self.model), self._step, model=self.model)
        if self.monitor.should_stop:
            self.model.stop_training = True


def _call(model: Any, inputs: Any) -> Any:
    return model(inputs, training=False)
