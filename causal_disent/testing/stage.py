"""What all checks use: a check and its outcome, what an entry declares, and small data sets to try it on."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import is_number
from causal_disent.data.factorial import FactorialData
from causal_disent.data.state_space import StateSpace
from causal_disent.data.table_data import TableData
from causal_disent.data.view import view
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.registry import KINDS, Entry

if TYPE_CHECKING:
    import networkx as nx


class CheckFailed(AssertionError):
    """What an entry must do and does not."""


class NotApplicable(Exception):
    """A check that says nothing about this entry, and why."""


@dataclass(frozen=True)
class Outcome:
    """How a check went.

    Attributes:
        check: its name.
        status: ``"ok"``, ``"failed"`` or ``"skipped"``.
        reason: why it failed or was skipped.
        error: what was raised, if it failed.
    """

    check: str
    status: str
    reason: str = ""
    error: BaseException | None = None

    def __str__(self) -> str:
        line = f"{self.status:<8} {self.check}"
        return f"{line}: {self.reason}" if self.reason else line


@dataclass(frozen=True)
class Check:
    """A named check, ready to run.

    Attributes:
        name: what it checks.
        run: returns if all is well; raises `NotApplicable`, or `CheckFailed`, or whatever the entry raised.
        known_failure: why the entry need not pass, if it declares so; such a check is not run.
    """

    name: str
    run: Callable[[], None]
    known_failure: str = ""

    def __call__(self) -> None:
        """Run it, or raise `NotApplicable` for a known failure."""
        if self.known_failure:
            raise NotApplicable(f"known failure: {self.known_failure}")
        self.run()

    def outcome(self) -> Outcome:
        """Run it; whatever the entry does is told, not raised."""
        try:
            self()
        except NotApplicable as reason:
            return Outcome(self.name, "skipped", str(reason))
        except CheckFailed as error:
            return Outcome(self.name, "failed", str(error), error)
        except Exception as error:  # an entry is foreign code: anything may come out of it
            text = getattr(error, "message", None) or str(error)
            return Outcome(self.name, "failed", f"it raised {type(error).__name__}: {text}", error)
        return Outcome(self.name, "ok")


def checks_in(names: Mapping[str, Any]) -> tuple[Callable[[Any], None], ...]:
    """The checks among the `names` of a module, in their order: the functions that take a `trial`."""
    functions = (value for value in names.values() if inspect.isfunction(value))
    return tuple(function for function in functions if list(inspect.signature(function).parameters) == ["trial"])


def demand(condition: object, message: str) -> None:
    """Fail the check with `message` unless `condition` holds."""
    if not condition:
        raise CheckFailed(message)


BETTER = ("higher", "lower")
#: Scores may leave their range by a rounding error.
ROUNDING = 1e-9


def declared_range(entry: Entry) -> tuple[float, float] | None:
    """The ends of the range that the entry's headline score has, if it declares one."""
    ends = entry.facts.get("range")
    if ends is None:
        return None
    if not (
        isinstance(ends, (tuple, list)) and len(ends) == 2 and all(map(is_number, ends)) and ends[0] < ends[1]
    ):
        raise CheckFailed(f"`range` is a pair of numbers such as (0, 1), or (0, math.inf); given: {ends!r}.")
    return float(ends[0]), float(ends[1])


def is_within(value: float, ends: tuple[float, float]) -> bool:
    """Whether a score is where it should be, but for a rounding error.

    Example:
        >>> is_within(-0.5, (-1, 1)), is_within(2, (-1, 1)), is_within(2, (0, float("inf")))
        (True, False, True)
    """
    return ends[0] - ROUNDING <= value <= ends[1] + ROUNDING


def check_words(entry: Entry, fact: str) -> tuple[str, ...]:
    """The names that a fact lists."""
    given = entry.facts.get(fact, ())
    if isinstance(given, str) or not all(isinstance(word, str) for word in given):
        raise CheckFailed(f"`{fact}` is a tuple of names, such as ('permutation',); given: {given!r}.")
    return tuple(given)


def documented(trial: Any) -> None:
    """Listings and readers can tell what it is."""
    entry = trial.entry
    demand(entry.summary, "it has no summary; register with summary='one line for listings'.")
    demand(inspect.getdoc(entry.load()), f"what makes the {KINDS[entry.kind].thing} has no docstring.")


def known_failures(entry: Entry) -> dict[str, str]:
    """Check -> why the entry need not pass it."""
    stated = entry.facts.get("known_failures", {})
    if not isinstance(stated, Mapping):
        raise CheckFailed(f"`known_failures` is a dict of checks and reasons; given: {stated!r}.")
    return dict(stated)


def check_known_failures(entry: Entry, names: Iterable[str]) -> None:
    """Each known failure is one of the checks `names`, and has a reason."""
    names = list(names)
    for name, reason in known_failures(entry).items():
        if name not in names:
            raise CheckFailed(f"`known_failures`: {errors.unknown('check', name, names).message}")
        demand(reason, f"`known_failures` gives no reason for {name}; write {{'{name}': 'reason'}}.")


@contextmanager
def touched_generators() -> Iterator[list[str]]:
    """A list that holds, after the block, which of ``random`` and ``numpy.random`` the block changed."""
    touched: list[str] = []
    before = _states()
    yield touched
    touched += [name for name, state in _states().items() if state != before[name]]


def check_untouched(touched: list[str]) -> None:
    """Fail if there are any."""
    demand(
        not touched,
        f"it changes the global generator {' and '.join(touched)}; draw from a generator of its own instead.",
    )


def _states() -> dict[str, object]:
    numpy_state: Any = np.random.get_state()  # noqa: NPY002
    _, keys, *rest = numpy_state
    return {"random": random.getstate(), "numpy.random": (keys.tobytes(), *rest)}


#: Images of each combination, told apart by a factor that is not ground truth. Codes of noise then differ
#: between images of the same factors, so that nothing can be learnt from them by heart.
NUM_VARIANTS = 6


class StageData(FactorialData):
    """Square images with a vertical band for each factor, brighter the higher its value.

    Args:
        sizes: how many values each factor has.
        width: of the images, in pixels.
    """

    def __init__(self, sizes: tuple[int, ...], width: int) -> None:
        names = [f"factor_{i}" for i in range(len(sizes))]
        super().__init__(StateSpace(dict(zip(names, map(range, sizes), strict=True))), (width, width, 3))

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, width, width, 3) of these indices, uint8."""
        return self.drawn(self.space.to_factors(indices))

    def drawn(self, values: np.ndarray) -> np.ndarray:
        """The same of factors (n, factors), which may lie between those that there are."""
        sizes = np.asarray(self.space.sizes)
        levels = (255 * (values + 1) // sizes).astype(np.uint8)
        width = self.observation_shape[0]
        bands = levels[:, np.arange(width) * len(sizes) // width]
        return np.broadcast_to(bands[:, None, :, None], (len(bands), *self.observation_shape))


def stage_data(sizes: tuple[int, ...] = (3, 4, 5), width: int = 8) -> Any:
    """Three factors that are ground truth, and one that is not."""
    data = StageData((*sizes, NUM_VARIANTS), width)
    return view(data, factors=data.factor_names[: len(sizes)])


def read_only(value: Any) -> Any:
    """Arrays, also those in a tuple, as views that cannot be written to."""
    if isinstance(value, tuple):
        return tuple(read_only(part) for part in value)
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


class ReadOnlyData:
    """A data set that hands out arrays that cannot be written to."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._data, name)
        if not callable(value):
            return read_only(value)
        return lambda *args, **kwargs: read_only(value(*args, **kwargs))


class CausalStage(TableData):
    """factor_0 + factor_1 = factor_2, each a band of the image; a last band, no factor, tells images apart.

    Args:
        sizes: how many values the two causes have.
        width: of the images, in pixels.
    """

    def __init__(self, sizes: tuple[int, ...], width: int = 8) -> None:
        whole = StageData((*sizes, sum(sizes) - 1, NUM_VARIANTS), width)
        rows = whole.space.to_factors(np.arange(whole.space.num_combinations))
        images = np.flatnonzero(rows[:, 0] + rows[:, 1] == rows[:, 2])
        self._bands = rows.astype(np.float64)
        super().__init__(whole, whole.space.subspace(range(3)), rows[images, :3], images=images)

    @cached_property
    def graph(self) -> nx.DiGraph:
        """Both causes make the effect, and all three the image."""
        import networkx as nx

        first, second, effect = self.factor_names
        image = [(name, "image") for name in self.factor_names]
        return nx.DiGraph([(first, effect), (second, effect), *image])

    def factor_values(self, indices: IntArray) -> FloatArray:
        """(n, 3)."""
        return self._bands[np.asarray(indices), :3]

    def counterfactual_values(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, 3): the factors, had some been set."""
        values = self.factor_values(indices).copy()
        for place, name in enumerate(self.factor_names):
            if place == 2 and not {*self.factor_names[:2]}.isdisjoint(do):
                values[:, 2] = values[:, 0] + values[:, 1]
            if name in do:
                values[:, place] = do[name]
        return values

    def counterfactual(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """(n, width, width, 3): the images, had factors been set."""
        bands = self._bands[np.asarray(indices)].copy()
        bands[:, :3] = self.counterfactual_values(indices, do)
        return self.source.drawn(bands).astype(np.float32) / 255  # type: ignore[attr-defined]
