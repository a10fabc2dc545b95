"""Measure a representation while it is trained: `Monitor`."""

from __future__ import annotations

import json
import operator
import os
import queue
import random
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from inspect import signature
from itertools import islice
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from causal_disent import errors
from causal_disent.api import score
from causal_disent.checks import as_array, check_choice, check_options, check_random_state, checked, whole
from causal_disent.files import new_folder, read_bounded, remove, write_text
from causal_disent.protocols import Finished
from causal_disent.registry import registry
from causal_disent.report.panel import ALL, DEFAULT
from causal_disent.runs.engine import Worker, end
from causal_disent.runs.results import parse_object
from causal_disent.runs.score import STOPPED, choose_metrics, read_points, seed_of
from causal_disent.tables import read_table
from causal_disent.text import say, shown_value
from causal_disent.training.trackers import Trackers, clear_tracked

if TYPE_CHECKING:
    import pandas as pd

#: Points of a data set or a loader, unless somebody says how many, and those that are encoded at a time.
POINTS, BATCH = 1000, 256
#: What a measurement says of each metric.
COLUMNS = ("score", "low", "high", "chance", "share", "verdict", "remark")
#: What trackers follow of it.
TRACKED = ("score", "low", "high", "chance")
#: The file that names the best checkpoint, the folder of checkpoints, and the most bytes of the file.
BEST_FILE, CHECKPOINTS, MOST_BYTES = "best.json", "checkpoints", 2**20
#: Linux' numbers: of the class of processes that run when no other wants the processor.
IDLE = getattr(os, "SCHED_IDLE", None)

Whole = Annotated[int, whole(at_least=1)]


class Monitor:
    """Measures a representation at fixed points every so many steps of a training.

    A call encodes the points where the model is; a worker process of low priority measures the codes. The trainer
    waits for the encoding alone. If a measurement is due while the one before is at work, it is dropped (and
    counted), or queued, with its codes. If scores cannot be computed, this is noted, and the training goes on; an
    error in `encode` is raised.

    The model encodes in evaluation mode and without gradients. Its mode, that of each of its parts, and the random
    state of Python, numpy, torch and Keras are restored bit for bit: the training is the same with and without a
    monitor.

    Args:
        points: the inputs to encode (an array, a tensor, or a mapping of them) with their `factors`; or a data
            set, of which `num_points` are drawn; or an iterable of batches ``(inputs, factors)``, such as a
            loader, of which the first `num_points` are taken.
        factors: (points, factors), as `causal_disent.score` takes them.
        every: steps between measurements: those of 0, `every`, 2 `every`, ...
        metrics: as `causal_disent.score` takes them.
        folder: where trackers write (``curves/curves.csv``), and checkpoints are kept. None: nothing is written.
        trackers: their names (``causal-disent trackers``); by default those that follow every training.
        best: the metric whose best score decides on the checkpoint and on stopping.
        save: writes the model into the folder that it is called with; by default the weights of a torch module, as
            ``model.safetensors``, or of a Keras model, as ``model.weights.h5``; nothing if `encode` is a function
            whose `model` the call does not name. Only the checkpoint of the best score is kept. The trainer waits
            for it.
        patience: `should_stop` is True when so many measurements in a row were not better than the best so far: no
            score was outside its 95 % interval, on the better side.
        num_points: how many points, drawn by `random_state` where there are more. By default 1,000 of a data set
            or a loader, and all of arrays.
        batch_size: points that are encoded at a time.
        random_state: seed of the points and of the scores.
        worker: measure in a worker process; if False, the trainer waits for the scores.
        busy: what becomes of a measurement that is due while another is at work: ``"drop"`` or ``"queue"``.
        options: further arguments of `causal_disent.score`: ``bootstrap``, ``chance``, ``bins``, ``fast``, ...

    Attributes:
        dropped: how many measurements were left out because one was at work.
        failures: step -> why there is no score.

    Example:
        >>> factors = np.indices((4, 4)).reshape(2, -1).T
        >>> monitor = Monitor(factors, factors, every=10, metrics="mig", best="mig", worker=False, bootstrap=0)
        >>> for step in range(21):
        ...     rows = monitor(lambda inputs: inputs @ [[20.0 - step, step], [step, 20.0 - step]], step)
        >>> monitor.finish()[["step", "metric", "score"]].round(2).to_dict("list")
        {'step': [0, 10, 20], 'metric': ['mig', 'mig', 'mig'], 'score': [1.0, 0.0, 1.0]}
        >>> monitor.best["step"]
        0
    """

    @checked
    def __init__(
        self,
        points: Any,
        factors: Any = None,
        *,
        every: Whole = 1000,
        metrics: str | Iterable[str] | None = None,
        folder: str | Path | None = None,
        trackers: Iterable[str] | None = None,
        best: str | None = None,
        save: Callable[[Path], Any] | None = None,
        patience: Whole | None = None,
        num_points: Whole | None = None,
        batch_size: Whole = BATCH,
        random_state: int | np.random.RandomState = 0,
        worker: bool = True,
        busy: str = "drop",
        **options: Any,
    ) -> None:
        generator, self._seed = check_random_state(random_state), seed_of(random_state)
        self._metrics = _names(metrics, best)
        self._best_metric = best
        self._lower = best is not None and registry.get("metrics", best).facts.get("better") == "lower"
        if best is None and (patience or save):
            raise errors.InvalidInput("`patience` and `save` go by a score: give its metric, best='mig', say.")
        if folder is None and (save or trackers):
            raise errors.InvalidInput("`save` and `trackers` need a `folder` to write to.")
        self._every, self._batch_size, self.patience = every, batch_size, patience
        self._queued = check_choice("`busy`", busy, ("drop", "queue")) == "queue"
        self._folder, self._save = None if folder is None else Path(folder), save
        self._tracker_names = None if trackers is None else list(trackers)
        self._options = options
        with _kept(None):
            self._inputs, self._factors, self._are_images = _read_points(points, factors, num_points, generator)
        self._uses_worker = worker
        self._background: _Background | None = None
        self._trackers: Trackers | None = None
        self._due: int | None = None
        #: Step -> what the worker has not answered.
        self._pending: dict[int, Any] = {}
        self._rows: list[dict[str, Any]] = []
        self._best: dict[str, Any] = {}
        self._reference: dict[str, Any] = {}
        self._since_better = 0
        self.dropped = 0
        self.failures: dict[int, str] = {}
        _check_score(self._factors, self._metrics, options)

    def __call__(self, encode: Callable[[Any], Any], step: int, *, model: Any = None) -> list[dict[str, Any]]:
        """Measure `encode` if `step` is due; take the results that have come.

        Args:
            encode: of a batch of inputs, to (points, codes): a function, or a model. A torch module gets tensors
                on its device, images of data sets channels first; anything else gets the inputs as they are.
            step: the number of the step, which grows from call to call.
            model: what `encode` uses, if it is neither a model nor a method of one.

        Returns:
            The rows of `table` that have come since the last call.
        """
        step = _whole_step(step)
        known = len(self._rows)
        self._collect()
        if self._due is None:
            self._begin(step)
        if self._due is None or step >= self._due:
            self._due = (step // self._every + 1) * self._every
            if self._pending and not self._queued:
                self.dropped += 1
            else:
                self._measure(encode, step, model)
        return [dict(row) for row in self._rows[known:]]

    def _measure(self, encode: Callable[[Any], Any], step: int, model: Any) -> None:
        """Encode, save, and have the codes measured."""
        module = _module_of(encode, model)
        codes = self._encode(encode, module)
        if self._best_metric is not None and self._folder is not None:
            self._write_checkpoint(step, module)
        work = (step, codes, self._factors, self._metrics, self._seed, self._options)
        self._pending[step] = work
        if not self._uses_worker:
            self._measure_pending()
            return
        if self._background is None:
            self._background = _Background()
            weakref.finalize(self, self._background.todo.put, None)
        self._background.todo.put(work)

    @property
    def table(self) -> pd.DataFrame:
        """A row per step and metric: ``score``, ``low`` and ``high`` of the 95 % interval, ``chance``, ..."""
        import pandas as pd

        return pd.DataFrame(self._rows, columns=["step", "metric", *COLUMNS])

    @property
    def best(self) -> dict[str, Any]:
        """``step``, ``metric``, ``score``, ``low`` and ``high`` of the best score so far, its ``checkpoint``, and
        ``alike``: the steps whose scores its interval holds. Empty before the first score."""
        if not self._best:
            return {}
        low, high = _interval(self._best)
        rows = (row for row in self._rows if row["metric"] == self._best_metric and low <= row["score"] <= high)
        return {**self._best, "alike": [row["step"] for row in rows if row["step"] != self._best["step"]]}

    @property
    def should_stop(self) -> bool:
        """Whether `patience` measurements in a row were not better than the best before them."""
        return self.patience is not None and self._since_better >= self.patience

    def finish(self) -> pd.DataFrame:
        """End the worker, measure here what it has not, end the trackers; return the `table`."""
        self._collect()
        if self._background is not None:
            self._background.stop()
            self._background = None
        try:
            self._measure_pending()  # a worker of low priority may take long on a busy machine
        finally:
            if self._trackers is not None:
                self._trackers.close()
                self._trackers = None
            self._due = None
        return self.table

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.finish()

    def __getstate__(self) -> dict[str, Any]:
        """What another process gets of a monitor that has not begun."""
        if self._background is not None or self._trackers is not None:
            raise errors.InvalidInput("A monitor that is at work stays in its process; call `finish` first.")
        return self.__dict__

    def _begin(self, step: int) -> None:
        """Open the folder at the first step of a training, or of one that goes on."""
        self._due = -(-step // self._every) * self._every
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._best_metric is not None and not self._best:
            self._best = self._reference = _read_best(self._folder, self._best_metric, step)
            for path in (self._folder / CHECKPOINTS).glob("*"):
                if path.name.isdecimal() and path.name != str(self._best.get("step")):
                    remove(path)  # of a run that was killed before it was measured, or that starts over
        if step <= 1:
            clear_tracked(self._folder)  # of another run
        self._trackers = Trackers(self._folder, max(step - 1, 0), names=self._tracker_names)

    def _encode(self, encode: Callable[[Any], Any], module: Any) -> np.ndarray:
        """The codes of all points; the model and the random state are afterwards what they were."""
        codes = []
        number = _count_rows(self._inputs)
        with _kept(module):
            for start in range(0, number, self._batch_size):
                batch = _take_rows(self._inputs, slice(start, start + self._batch_size))
                given = _on_device(batch, module, self._are_images) if _is_torch(module) else batch
                found = as_array("what `encode` returns", encode(given))
                expected = min(self._batch_size, number - start)
                if found.ndim != 2 or len(found) != expected:
                    raise errors.InvalidInput(
                        f"`encode` must return codes of shape (points, codes), here ({expected}, ...); it "
                        f"returned {found.shape}. Of several outputs, return one: lambda x: model(x)[0]."
                    )
                codes.append(np.array(found))  # a copy: the model may reuse its memory in the next step
        return _stack("the codes", codes)

    def _write_checkpoint(self, step: int, module: Any) -> None:
        """Have the model saved as it is at this step, until its score is known."""
        assert self._folder is not None
        if self._save is None and module is None:
            return
        place = self._folder / CHECKPOINTS / str(step)
        place.parent.mkdir(exist_ok=True)
        with new_folder(place, overwrite=True) as temporary, _kept(None):
            if self._save is not None:
                self._save(temporary)
            elif _is_keras(module):
                module.save_weights(str(temporary / "model.weights.h5"))
            else:
                from safetensors.torch import save_model

                save_model(module, str(temporary / "model.safetensors"))

    def _measure_pending(self) -> None:
        """Measure in this process what has been encoded."""
        for step, work in list(self._pending.items()):
            del self._pending[step]
            with _kept(None):
                found = _score_codes(work)
            self._take(Finished(work, found))

    def _collect(self) -> None:
        """Take the results that have come, and wait for none."""
        while self._pending and self._background is not None:
            try:
                finished = self._background.done.get_nowait()
            except queue.Empty:
                return
            del self._pending[finished.work[0]]
            self._take(finished)

    def _take(self, finished: Finished) -> None:
        """Note what a measurement has found."""
        step = finished.work[0]
        rows, failure = finished.result or ([], finished.failure)
        if failure:
            self.failures[step] = failure
            say(f"step {step}: nothing was measured: {failure}", error=True)
        self._rows += [{"step": step, **row} for row in rows]
        if self._trackers is not None:
            for row in rows:
                terms = {key: row[key] for key in TRACKED if isfinite(row[key])}
                name = row["metric"]
                self._trackers.add({name if k == "score" else f"{name}/{k}": v for k, v in terms.items()}, step)
        if self._best_metric is not None:
            found = [row for row in rows if row["metric"] == self._best_metric and isfinite(row["score"])]
            self._judge(step, found[0] if found else None)

    def _judge(self, step: int, row: Mapping[str, Any] | None) -> None:
        """Keep the checkpoint of a step if its score is the best, and count the steps without progress."""
        place = None if self._folder is None else self._folder / CHECKPOINTS / str(step)
        if row is None or (self._best and not self._beats(row["score"], self._best["score"])):
            self._since_better += row is not None
            if place is not None:
                remove(place)
            return
        former = self._best
        self._best = {key: row[key] for key in ("metric", "score", "low", "high")} | {"step": step}
        if self._folder is not None and place is not None:
            if place.is_dir():
                self._best["checkpoint"] = f"{CHECKPOINTS}/{step}"
            content = {key: value if value == value else None for key, value in self._best.items()}
            write_text(self._folder / BEST_FILE, json.dumps(content, indent=2) + "\n")
            if former:
                remove(self._folder / CHECKPOINTS / str(former["step"]))
        low, high = _interval(self._reference) if self._reference else (nan, nan)
        if not self._reference or self._beats(row["score"], low if self._lower else high):
            self._reference, self._since_better = self._best, 0
        else:
            self._since_better += 1

    def _beats(self, one: float, other: float) -> bool:
        return one < other if self._lower else one > other


class _Background:
    """A worker process of low priority, and the thread that talks to it, so that the trainer need not wait.

    Attributes:
        todo: the pieces of work; None ends the thread.
        done: what became of each.
    """

    def __init__(self) -> None:
        self.todo: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.done: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._worker: Worker | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process and the thread, whatever they are at."""
        self._stopping = True
        self.todo.put(None)
        while self._thread.is_alive():
            if self._worker is not None:
                self._worker.process.kill()
            self._thread.join(0.1)

    def _serve(self) -> None:
        """Hand work to a worker process, one piece after the other."""
        while (work := self.todo.get()) is not None and not self._stopping:
            try:
                if self._worker is None or not self._worker.alive:
                    self._worker = Worker(threads=1)
                self._worker.begin(_score_idly, work)
                self.done.put(self._worker.finished())
            except OSError as error:  # no process can be started
                self.done.put(Finished(work, failure=errors.described(error)))
        if self._worker is not None:
            end([self._worker])


def _score_idly(work: Sequence[Any]) -> tuple[list[dict[str, Any]], str]:
    """`_score_codes`, in a process that runs when nothing else wants the processor."""
    with suppress(OSError, AttributeError):  # a session has a priority of its own on some systems
        Path("/proc/self/autogroup").write_text("19")
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, 19)
    if IDLE is not None:
        with suppress(OSError):
            os.sched_setscheduler(0, IDLE, os.sched_param(0))
    return _score_codes(work)


def _score_codes(work: Sequence[Any]) -> tuple[list[dict[str, Any]], str]:
    """The rows of a measurement, or why there are none."""
    _, codes, factors, metrics, seed, options = work
    try:
        scores = score(codes, factors, metrics, seed, progress=False, **options)
    except errors.CausalDisentError as error:
        return [], error.message
    if scores.stopped == STOPPED:  # `score` keeps what it has; a training is to end
        raise KeyboardInterrupt
    table = scores.table
    rows = zip(table.index, *(table[column].tolist() for column in COLUMNS), strict=True)
    return [dict(zip(["metric", *COLUMNS], row, strict=True)) for row in rows], ""


def _check_score(factors: Any, metrics: list[str], options: Mapping[str, Any]) -> None:
    """Raise before the training what would fail at every step: factors, names of metrics, options of `score`."""
    given = {"codes", "factors", "metrics", "random_state", "progress"} & set(options)
    if given:
        raise errors.InvalidInput(f"A monitor chooses these itself: {errors.listing(sorted(given))}.")
    stated = check_options(score, options, "Monitor")
    reading = {key: value for key, value in stated.items() if key in signature(read_points).parameters}
    reading.pop("code_groups", None)  # of codes that are not there yet
    table = read_table("factors", factors)
    choose_metrics(metrics, read_points(table.values, factors, **reading))


def _names(metrics: str | Iterable[str] | None, best: str | None) -> list[str]:
    """The names of metrics, that of the best score among them."""
    named = [DEFAULT] if metrics is None else metrics.split(",") if isinstance(metrics, str) else list(metrics)
    named = [name.strip() for name in named]
    return named if best is None or best in named or ALL in named else [*named, best]


def _read_points(
    points: Any, factors: Any, num_points: int | None, generator: np.random.RandomState
) -> tuple[Any, Any, bool]:
    """Inputs, factors, and whether the inputs are images of a data set, channels last."""
    if factors is not None:
        factors = _without_tensors(factors)
        inputs = (
            points if isinstance(points, Mapping) or hasattr(points, "detach") else as_array("`points`", points)
        )
        number, labelled = _count_rows(inputs), len(read_table("factors", factors).values)
        if number != labelled:
            raise errors.InvalidInput(
                f"`points` has {number:,} rows and `factors` {labelled:,}: they must be of the same points."
            )
        if num_points is None or num_points >= number:
            return inputs, factors, False
        chosen = np.sort(generator.permutation(number)[:num_points])
        return _take_rows(inputs, chosen), _take_rows(factors, chosen), False
    if hasattr(points, "sample") and hasattr(points, "num_factors"):
        factors, images = points.sample(num_points or POINTS, generator)
        names = getattr(points, "factor_names", None)
        return np.asarray(images), dict(zip(names, factors.T, strict=True)) if names else factors, True
    if isinstance(points, (str, bytes, Mapping)) or not isinstance(points, Iterable):
        raise errors.InvalidInput(
            "`points` are inputs, with their factors as the second argument; a data set; or batches (inputs, "
            f"factors); given: {shown_value(type(points).__name__)} alone."
        )
    return _read_batches(points, num_points or POINTS)


def _without_tensors(factors: Any) -> Any:
    """Factors that another process can read without a framework."""
    if isinstance(factors, Mapping):
        return {name: as_array(f"the factor '{name}'", column) for name, column in factors.items()}
    return factors if hasattr(factors, "iloc") else as_array("`factors`", factors)


def _read_batches(batches: Iterable[Any], num_points: int) -> tuple[Any, Any, bool]:
    """The first points of a loader."""
    inputs, factors, number = [], [], 0
    for batch in batches:
        if not isinstance(batch, (tuple, list)) or len(batch) != 2:
            raise errors.InvalidInput(
                f"A loader must give batches (inputs, factors); it gave {shown_value(type(batch).__name__)}. "
                "A generator can choose: ((b['image'], b['label']) for b in loader)."
            )
        rows = as_array("the factors of a batch", batch[1])
        given = _count_rows(batch[0])
        if rows.ndim not in (1, 2) or len(rows) != given:
            raise errors.InvalidInput(
                f"The factors of a batch must be (points, factors), a row for each of its {given:,} inputs; "
                f"given: {rows.shape}."
            )
        inputs.append(batch[0])
        factors.append(rows)
        number += given
        if number >= num_points:
            break
    if not inputs:
        raise errors.InvalidInput("The loader gives no batch.")
    first = slice(0, num_points)
    return _take_rows(_join(inputs), first), _stack("the factors", factors)[first], False


def _join(batches: Sequence[Any]) -> Any:
    """Batches as one: of mappings, each entry."""
    if isinstance(batches[0], Mapping):
        if any(not isinstance(batch, Mapping) or set(batch) != set(batches[0]) for batch in batches):
            raise errors.InvalidInput("The inputs of all batches must be mappings with the same keys.")
        return {key: _join([batch[key] for batch in batches]) for key in batches[0]}
    return _stack("the inputs", [as_array("the inputs of a batch", batch) for batch in batches])


def _stack(what: str, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays below one another, if they agree in all but the number of rows."""
    shapes = list(dict.fromkeys(array.shape[1:] for array in arrays))
    if len(shapes) > 1:
        raise errors.InvalidInput(
            f"All batches must agree in the shape of {what} of a point; given: {errors.listing(shapes)}."
        )
    return np.concatenate(arrays)


def _whole_step(step: Any) -> int:
    """A step as an int; loops have numpy's and torch's integers too."""
    try:
        return operator.index(step)
    except TypeError:
        raise errors.InvalidInput(f"`step` must be a whole number; given: {shown_value(step)}.") from None


def _count_rows(inputs: Any) -> int:
    if isinstance(inputs, Mapping):
        counts = {_count_rows(value) for value in inputs.values()}
        if len(counts) != 1:
            raise errors.InvalidInput("`points` is a mapping of one or more arrays of equal length.")
        return counts.pop()
    try:
        return len(inputs)
    except TypeError:
        raise errors.InvalidInput(
            f"Inputs must be arrays with a row for each point; given: {shown_value(type(inputs).__name__)}."
        ) from None


def _take_rows(inputs: Any, rows: Any) -> Any:
    """Some rows of an array, a tensor, a data frame, lists, or each array of a mapping."""
    if isinstance(inputs, Mapping):
        return {key: _take_rows(value, rows) for key, value in inputs.items()}
    if hasattr(inputs, "iloc"):
        return inputs.iloc[rows]
    return (np.asarray(inputs) if isinstance(inputs, (list, tuple)) else inputs)[rows]


def _is_torch(module: Any) -> bool:
    return module is not None and not _is_keras(module)


def _is_keras(module: Any) -> bool:
    return hasattr(module, "non_trainable_variables")


def _module_of(encode: Any, model: Any) -> Any:
    """The model behind a function: a torch module, or a model of Keras; None if nobody can tell."""
    torch = sys.modules.get("torch")
    for one in (model, encode, getattr(encode, "__self__", None)):
        if _is_keras(one) or (torch is not None and isinstance(one, torch.nn.Module)):
            return one
    if model is not None:
        raise errors.InvalidInput(
            f"`model` is a torch module or a model of Keras; given: {shown_value(type(model).__name__)}."
        )
    return None


def _on_device(batch: Any, module: Any, are_images: bool) -> Any:
    """A batch as a torch module takes it."""
    torch = sys.modules["torch"]
    if isinstance(batch, Mapping):
        return {key: _on_device(value, module, are_images) for key, value in batch.items()}
    weights = next(islice(module.parameters(), 1), None)
    given = batch
    if not isinstance(batch, torch.Tensor):
        given = torch.from_numpy(np.ascontiguousarray(batch))
        if weights is not None and given.is_floating_point() and weights.is_floating_point():
            given = given.to(weights.dtype)
    if are_images and given.ndim == 4:
        given = given.permute(0, 3, 1, 2).contiguous()
    return given if weights is None else given.to(weights.device, non_blocking=True)


@contextmanager
def _kept(module: Any) -> Iterator[None]:
    """A block without gradients, in evaluation mode, which leaves the model and all random state as they were."""
    torch = sys.modules.get("torch")
    with ExitStack() as restored:
        restored.callback(random.setstate, random.getstate())
        restored.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002  # the trainer may use it
        if torch is not None:
            restored.callback(torch.set_rng_state, torch.get_rng_state())
            if torch.cuda.is_initialized():
                restored.callback(torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all())
            if torch.backends.mps.is_available():
                restored.callback(torch.mps.set_rng_state, torch.mps.get_rng_state())
            restored.enter_context(torch.no_grad())
        if _is_keras(module):  # its random generators and moving averages are variables
            for variable in module.non_trainable_variables:
                restored.callback(variable.assign, np.array(as_array("a variable", variable)))
        elif module is not None:
            for part in module.modules():
                restored.callback(setattr, part, "training", part.training)
            module.eval()
        yield


def _interval(row: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a score; the score alone if nobody asked for one."""
    low, high = row.get("low"), row.get("high")
    known = low is not None and high is not None and isfinite(low) and isfinite(high)
    return (low, high) if known else (row["score"], row["score"])  # type: ignore[return-value]


def _read_best(folder: Path, metric: str, step: int) -> dict[str, Any]:
    """The best score of the steps before `step` that an earlier run has kept; nothing if there is none."""
    path = folder / BEST_FILE
    if not path.exists():
        return {}
    try:
        found = parse_object(read_bounded(path, MOST_BYTES))
    except errors.InvalidInput as error:
        raise errors.InvalidInput(f"{path} cannot be read: {error.message}") from None
    numbers = all(isinstance(found.get(key), (int, float)) for key in ("step", "score")) and all(
        isinstance(found.get(key), (int, float, type(None))) for key in ("low", "high")
    )
    return found if numbers and found["step"] < step and found.get("metric") == metric else {}
