"""A `Monitor` as a callback of Hugging Face's `Trainer`: ``pip install 'causal-disent[transformers]'``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from transformers import TrainerCallback

from causal_disent import errors
from causal_disent.monitor import TRACKED, Monitor


class MonitorCallback(TrainerCallback):
    """Measures codes of a model while a `Trainer` trains it; the scores join ``trainer.state.log_history``.

    The first process alone measures.

    Args:
        monitor: says what is measured, and when; its steps are ``state.global_step``. Its points may be a mapping,
            as a tokenizer or an image processor returns it.
        encode: of the model and a batch of inputs, to (points, codes), such as
            ``lambda model, inputs: model(**inputs).last_hidden_state[:, 0]``.
    """

    def __init__(self, monitor: Monitor, encode: Callable[[Any, Any], Any]) -> None:
        self.monitor = monitor
        self._encode = encode
        self._logged = 0

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **given: Any) -> None:
        """Measure the model that the training starts from, if its step is due."""
        if args.world_size > 1 and self.monitor.patience is not None:
            raise errors.InvalidInput(
                f"`patience` works with one process; there are {args.world_size}. Let the training go on, and "
                "take the checkpoint of the best score."
            )
        self._logged = len(self.monitor.table)  # of a training before this one
        self._measure(state, model)

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **given: Any) -> None:
        """Measure if the step is due; stop if the scores have not improved for long enough."""
        self._measure(state, model)
        if self.monitor.should_stop:
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Log what is still at work."""
        if state.is_world_process_zero:
            table = self.monitor.finish()
            self._log(state, table.iloc[self._logged :].to_dict("records"))

    def _measure(self, state: Any, model: Any) -> None:
        if state.is_world_process_zero:
            self._log(state, self.monitor(partial(self._encode, model), state.global_step, model=model))

    def _log(self, state: Any, rows: Iterable[Mapping[Any, Any]]) -> None:
        for row in rows:
            self._logged += 1
            terms = {f"{row['metric']}/{name}": row[name] for name in TRACKED if row[name] == row[name]}
            state.log_history.append({**terms, "step": row["step"]})
