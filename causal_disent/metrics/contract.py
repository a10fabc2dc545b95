"""The contract of a metric: its result, its record (`@metric`), the factors it takes, warnings of its fits."""

from __future__ import annotations

import inspect
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import wraps
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from causal_disent import errors
from causal_disent.checks import (
    NUMBERS,
    as_numbers,
    check_at_least,
    check_columns,
    check_number,
    check_value,
    constraints_of,
)
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    from causal_disent.metrics.draw import Needs

Function = TypeVar("Function", bound=Callable[..., Any])


# --- Results


class Result:
    """Base of a metric's result, a frozen dataclass: ``score`` is the headline, ``repr`` fits a line or two.

    A class whose headline has another name says which: ``class DciResult(Result, score="disentanglement")``.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class GapResult(Result, score="gap"):
        ...     gap: float
        ...     matrix: np.ndarray
        >>> found = GapResult(2 / 3, np.zeros((10, 5)))
        >>> found, round(found.score, 3)
        (GapResult(score=0.6667, matrix=(10, 5) array), 0.667)
    """

    if TYPE_CHECKING:

        @property
        def score(self) -> float: ...

    _headline = "score"

    def __init_subclass__(cls, score: str = "") -> None:
        if score:
            cls._headline, cls.score = score, property(attrgetter(score))  # type: ignore[assignment]
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]  # or the dataclass would make a long one

    def __repr__(self) -> str:
        others = (field.name for field in fields(self) if field.name != self._headline)  # type: ignore[arg-type]
        known = {name: value for name in others if (value := getattr(self, name)) is not None}
        shown = {"score": self.score, **known}
        return f"{type(self).__name__}({', '.join(f'{name}={_short(value)}' for name, value in shown.items())})"


class Bounded(Result):
    """A result with a 95 % ``interval`` of the score, if one was asked for."""

    interval: tuple[float, float] | None

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.interval and self.interval[0]

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.interval and self.interval[1]


def _short(value: Any) -> str:
    """Show a value in a few characters."""
    if isinstance(value, np.ndarray):
        return f"{value.shape} array"
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = repr(value)
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, Sized) and len(text) > 60 else text


class NotDefined(UserWarning):
    """A score is not a number on these points."""


#: By how much rounding may take a score out of its range.
ROUNDING = 1e-6


def _warn_of_score(name: str, score: Any, bounds: tuple[float, float]) -> None:
    """Warn of a score that is not a number, infinite, or out of its range."""
    if not isinstance(score, float):
        return
    if not bounds[0] - ROUNDING <= score <= bounds[1] + ROUNDING:
        undefined = math.isnan(score)
        reason = "it is not defined on these points" if undefined else "rounding has spoiled it"
        kind = NotDefined if undefined else UserWarning
        warnings.warn(f"{name}: the score is {score}: {reason}. Do not use it.", kind, stacklevel=3)
    elif math.isinf(score):
        warnings.warn(f"{name}: the score is infinite on these points.", stacklevel=3)


# --- Fits that stop before the optimum: counted over one call of a metric, and reported once

#: The warnings of one fit: their categories and texts.
Caught = list[tuple[type[Warning], str]]


@dataclass
class _Count:
    fits: int = 0
    stopped: int = 0


_OPEN: ContextVar[_Count | None] = ContextVar("fits of the metric that is being computed", default=None)


@contextmanager
def count_fits_of(metric: str) -> Iterator[_Count]:
    """Count the fits of one metric in a block; the outermost block warns of those that stopped early."""
    outer = _OPEN.get()
    if outer is not None:
        yield outer
        return
    count = _Count()
    token = _OPEN.set(count)
    try:
        yield count
    finally:
        _OPEN.reset(token)
    if count.stopped:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{metric}: {count.stopped} of {count.fits} fits stopped at their limit of steps, before the best. "
            "Their scores may differ in the second decimal on another processor: compare no finer than that. Fits "
            "end sooner with codes on one scale, or with an estimator or solver that converges.",
            ConvergenceWarning,
            stacklevel=4,  # the caller of what is decorated
        )


def count_fits(fits: int, stopped: int) -> None:
    """Add to the count of the metric that is being computed."""
    with count_fits_of("A metric") as count:
        count.fits += fits
        count.stopped += stopped


def fit_counted(model: Any, *data: Any) -> Any:
    """Fit scikit-learn's `model` in this process, and count the fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data)
    report_fits([[(warning.category, str(warning.message)) for warning in caught]])
    return model


def report_fits(fits: Sequence[Caught]) -> None:
    """Count the fits whose warnings are given, and pass on what else they warned of, once for all."""
    from sklearn.exceptions import ConvergenceWarning

    stopped = [any(issubclass(category, ConvergenceWarning) for category, _ in caught) for caught in fits]
    count_fits(len(fits), sum(stopped))
    for (category, message), times in Counter(warning for caught in fits for warning in caught).items():
        if not issubclass(category, ConvergenceWarning):
            warnings.warn(f"{message} (in {times} of the fits)", category, stacklevel=4)


# --- Which factors a metric takes

#: Kind of factors that a metric takes -> the arguments that it needs then: ``"discrete"``; ``"continuous"``,
#: numbers as they are; ``"binned"``, continuous factors in equally filled bins, where the definition allows;
#: ``"neighbours"``, continuous ones as they are, by counting nearest neighbours; ``"code_groups"``, blocks of
#: codes in the place of codes.
Takes = Mapping[str, Mapping[str, Any]]
#: A factor is continuous if it has more different values than this part of the number of points.
ALL_DIFFERENT = 0.5
#: From this many points on, whole numbers that measure can be told from whole numbers that name.
TELLING = 20
#: Bins of continuous factors where a metric takes them in bins, and nobody says how many.
BINS = 10
#: More bins than points could fill.
MOST_BINS = 10_000_000
#: Placeholders among the arguments that a metric needs: the columns of the continuous factors, the number of
#: nearest neighbours, the groups of codes. A metric that looks at all codes together takes ``"code_groups"``
#: without an argument.
COLUMNS, NEIGHBOURS, GROUPS = "<columns of the continuous factors>", "<number of neighbours>", "<groups of codes>"
#: What a metric of mutual information declares.
BY_NEIGHBOURS: Takes = {"neighbours": {"estimator": "neighbours", "num_neighbours": NEIGHBOURS}}
IN_GROUPS: Takes = {"code_groups": {"code_groups": GROUPS}}


def continuous_columns(factors: Any) -> list[int]:
    """Find the columns of (points, factors) numbers with nearly as many values as points.

    Example:
        >>> continuous_columns(np.column_stack([np.arange(40) % 4, np.linspace(0, 1, 40)]))
        [1]
    """
    factors = np.asarray(factors)
    if factors.dtype.kind in "iu":  # whole numbers of few values, as most are, need not be sorted
        spans = factors.max(axis=0).astype(np.float64) - factors.min(axis=0)
        if len(factors) < TELLING or (spans < ALL_DIFFERENT * len(factors)).all():
            return []
    return [i for i, column in enumerate(factors.T) if _is_continuous(column)]


def _is_continuous(column: FloatArray | IntArray) -> bool:
    """Whether a column holds numbers that measure: finite, and nearly all of them different."""
    most = ALL_DIFFERENT * len(column)
    if column.dtype.kind not in "iuf" or (
        column.dtype.kind != "f" and (len(column) < TELLING or int(column.max()) - int(column.min()) < most)
    ):
        return False
    # What is no number is for the metric to refuse.
    return (
        bool(np.isfinite(column).all())
        and are_all_different(column)
        and (len(column) >= TELLING or not are_whole(column))
    )


def are_all_different(column: FloatArray | IntArray) -> bool:
    """Whether nearly every point has a value of its own."""
    return len(np.unique(column)) > ALL_DIFFERENT * len(column)


def are_whole(values: FloatArray | IntArray) -> bool:
    """Whether all are whole numbers that a float holds exactly."""
    return bool((np.abs(values) < 2**53).all() and (values == np.round(values)).all())


def equally_filled(factors: Any, bins: int, columns: Sequence[int] | None = None) -> Any:
    """`factors` with the continuous ones in bins of about equally many points; equal values share a bin.

    Args:
        factors: (points, factors) numbers.
        bins: how many.
        columns: which factors; by default those with nearly as many values as points.

    Example:
        >>> equally_filled(np.linspace(0, 1, 6)[:, None], 3, [0])[:, 0].tolist()
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    """
    from causal_disent.data.factor_columns import equal_bins

    check_at_least(2, bins=bins)
    check_number("`bins`", bins, at_most=MOST_BINS)
    columns = check_value("`columns`", columns, Sequence[int] | None)
    matrix = np.array(as_numbers("`factors`", factors))
    if matrix.ndim != 2 or not matrix.size:
        raise errors.InvalidInput(f"`factors` must be of shape (points, factors); given: {matrix.shape}.")
    check_columns("columns", () if columns is None else columns, matrix.shape[1])
    for i in continuous_columns(matrix) if columns is None else columns:
        matrix[:, i] = equal_bins(matrix[:, i], bins)
    return matrix


def arguments_for(
    takes: Takes,
    columns: Sequence[int],
    code_groups: Sequence[Sequence[int]] | None = None,
    neighbours: int | None = None,
) -> dict[str, Any]:
    """The arguments of a metric that takes these continuous factors as they are, perhaps by nearest neighbours,
    and these groups of codes."""
    needed = dict(takes.get("continuous" if columns else "discrete", {}))
    needed |= takes.get("code_groups", {}) if code_groups else {}
    needed |= takes["neighbours"] if neighbours and counts_neighbours(takes) else {}
    values = {COLUMNS: tuple(columns), GROUPS: code_groups, NEIGHBOURS: neighbours}
    return {
        name: values[value] if isinstance(value, str) and value in values else value
        for name, value in needed.items()
    }


def counts_neighbours(takes: Takes) -> bool:
    """Whether a metric takes a number of nearest neighbours."""
    return NEIGHBOURS in takes.get("neighbours", {}).values()


def calculates(takes: Takes) -> bool:
    """Whether a metric reads all factors as numbers: it is called alike, whatever they are."""
    return takes.get("continuous") == takes.get("discrete", 0)


def names_columns(takes: Takes) -> bool:
    """Whether an argument says which factors are continuous, so that the others may be of any kind."""
    return COLUMNS in takes.get("continuous", {}).values()


def _choices_of_neighbours(takes: Takes) -> dict[str, Any]:
    """The arguments that choose nearest neighbours, without their number."""
    return {name: value for name, value in takes.get("neighbours", {}).items() if value != NEIGHBOURS}


def asks_neighbours(takes: Takes, options: Mapping[str, Any]) -> bool:
    """Whether `options` have a metric count nearest neighbours."""
    asked = False
    for name, value in takes.get("neighbours", {}).items():
        if value != NEIGHBOURS:
            asked = options.get(name) == value
            if not asked:
                return False
    return asked


def mention_neighbours(takes: Takes) -> str:
    """Extend a message about continuous factors by the choice of nearest neighbours."""
    choices = _choices_of_neighbours(takes).items()
    return "".join(f"; or as they are, `{name}={value!r}`" for name, value in choices)


def describe_takes(takes: Takes) -> str:
    """Describe what a metric takes. Several columns may be one factor where a value is no more than a name.

    Example:
        >>> describe_takes({"discrete": {}, "binned": {}})
        'discrete factors, groups of them, continuous ones in 10 bins'
    """
    words = {
        "discrete": "discrete factors" if calculates(takes) else "discrete factors, groups of them",
        "continuous": "continuous ones",
        "binned": f"continuous ones in {BINS} bins",
        "neighbours": "continuous ones by nearest neighbours",
        "code_groups": "groups of codes",
    }
    return ", ".join(words.get(kind, kind) for kind in takes) or "no factors"


def refusal(which: str, how: str) -> str:
    """The message about continuous factors that a metric does not take."""
    return (
        f"takes discrete factors, and these have nearly as many values as there are points: {which}. Put them "
        f"into bins ({how}), leave them out, or use a metric that takes them"
    )


def refuse_continuous(name: str, takes: Takes, factors: Any, options: Mapping[str, Any]) -> None:
    """Raise if `factors` (points, factors) are continuous, and a metric with such `options` does not take them."""
    if not takes or getattr(factors, "ndim", 0) != 2 or not factors.size:
        return
    needed = takes.get("continuous")
    if needed is not None:
        if not any(needed.values()):  # it sees what the factors are
            return
        for argument in needed:
            option = options.get(argument)
            if option.size if isinstance(option, np.ndarray) else option:
                return
    if asks_neighbours(takes, options):
        return
    if columns := continuous_columns(factors):
        how = "`equally_filled(factors, 10)` of causal_disent.metrics, `bins=10` of causal_disent.score"
        how += f"; or say so, `{next(iter(needed))}=...`" if needed else ""
        how += mention_neighbours(takes)
        raise errors.InvalidInput(f"{name} {refusal(f'factor {errors.listing(columns)}', how)}.")


# --- The record


@dataclass(frozen=True)
class Declaration:
    """The record of a metric: what `metric` was called with. `causal_disent.adapter` reads it."""

    name: str
    function: Callable[..., Any]
    needs: Needs
    reports: Mapping[str, Any] | Callable[..., dict[str, Any]]
    summary: str
    facts: Mapping[str, Any]
    renamed: Mapping[str, str] = field(default_factory=dict)
    supplies: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    several: tuple[str, Callable[..., Mapping[Any, Any]]] | None = None
    once: Sequence[str] = ()
    each: tuple[str, Sequence[Any]] | None = None
    check: Callable[..., Any] | None = None
    saves: Callable[..., dict[str, Any]] | None = None
    validation: str = ""


def metric(
    name: str,
    *,
    needs: Needs,
    reports: Mapping[str, Any] | Callable[..., dict[str, Any]],
    range: tuple[float, float],
    better: str = "higher",
    by_chance: str = "",
    compared: str = "",
    summary: str = "",
    assumes: str = "",
    takes: Sequence[str] | Mapping[str, Mapping[str, Any]] = ("discrete",),
    headline: str = "",
    also: Sequence[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    invariances: Sequence[str] = (),
    known_failures: Mapping[str, str] | None = None,
    fast: Mapping[str, Any] | None = None,
    robust: Mapping[str, Any] | None = None,
    resampling: Mapping[str, Any] | None = None,
    **how: Any,
) -> Callable[[Function], Function]:
    """Decorator: make a metric of a function of arrays, ``function(codes, factors, *, ...) -> Result``.

    The function stays what it is; its options are checked by their annotations, and factors that it does not take
    are refused. Given to a hook's ``register``, it becomes known by `name`, with disentanglement_lib's signature:
    configs bind what `needs` draws and the function's own keyword arguments.

    Args:
        name: what configs and commands call it; that of the function, as a rule.
        needs: what it takes besides its parameters, such as ``points(num_train=10_000)`` or ``train_test()``.
        reports: key of the result file -> attribute of the function's result, the headline first. A key with
            ``{factor}``, ``{index}`` or ``{code}`` stands for one key for each entry of an array (by the factor's
            name, or its number), those that are NaN left out; None is left out. Or a function (result, names of
            the factors) -> keys and values.
        range: smallest and largest headline score that can come out.
        better: ``"higher"`` or ``"lower"``.
        by_chance: the score of codes that are independent of the factors.
        compared: with what the numbers were compared, and what came of it.
        summary: one line for listings, what it asks; else the first line of the docstring.
        assumes: of which factors and codes it can be used.
        takes: which factors the function takes: ``"discrete"``; ``"continuous"``, numbers as they are;
            ``"binned"``, continuous ones in equally filled bins; ``"neighbours"``, as they are by nearest
            neighbours; and ``"code_groups"`` if blocks of codes may be one concept each. Each perhaps with the
            arguments that it needs then; none if it does not look at factors. Continuous factors that it does not
            take are refused.
        headline: the key that matters most, if it is not the first of `reports`.
        also: keys that tables show beside it; a key that is better lower ends in " (lower)".
        ranges: key of `also` -> smallest and largest value, where these are not those of the headline.
        invariances: changes of the codes that leave the headline as it is (``"permutation"``, ``"rescaling"``).
        known_failures: check -> why it fails.
        fast: of a metric that takes long, the arguments that have its boosted trees work on binned codes, if any.
        robust: the arguments with which no single point decides the score, if there are such.
        resampling: how intervals and chance levels are found of a metric that takes long: ``points``, the most
            that a resample has; ``options``, arguments that differ; ``words``, how that is told, ``unless`` an
            argument is true with which they change nothing; ``interval=False`` if repeated points spoil the score;
            ``again``, a function (codes, factors, options) -> `Again`, which scores other draws of these points as
            the function would, but faster (None where it cannot); ``by_range`` if the score follows the range of
            the codes, so that codes without bounds have no score in the limit of many points.
        how: where gin and the function differ.
            ``renamed``: argument -> gin's name of it.
            ``supplies``: argument -> function (data, or None) -> its value, so that configs cannot bind it.
            ``several``: an argument of which a config may give a list, and the function that takes the list and
            returns the result of each; ``once``, the keys that are the same for each of them.
            ``each``: an argument and the values that it takes in turn, which stand in braces in the keys.
            ``check``: called before anything is drawn, with the arguments that it names (also ``num_factors``).
            ``saves``: function (result, folder, names of the factors) -> further keys, called where there is a
            folder for files.
            ``validation``: the name of the variant that is given observations and labels.

    Example:
        >>> from causal_disent.metrics import Result, points
        >>> @dataclass(frozen=True)
        ... class SpreadResult(Result):
        ...     score: float
        >>> @metric("spread", needs=points(100), reports={"spread": "score"}, range=(0, float("inf")))
        ... def spread(codes, factors):
        ...     return SpreadResult(float(codes.std()))
        >>> spread(np.array([[0.0], [2.0]]), np.array([[0], [1]])).score, spread.declaration.name
        (1.0, 'spread')
    """

    def declare(function: Function) -> Function:
        taken = dict(takes) if isinstance(takes, Mapping) else {kind: {} for kind in takes}
        public = _checked_once(name, function, (float(range[0]), float(range[1])), needs.arrays_suffice, taken)
        facts = {
            "headline": headline or ("" if callable(reports) else next(iter(reports))),
            "also": tuple(also),
            "ranges": {**{key.removesuffix(" (lower)"): range for key in also}, **(ranges or {})},
            "better": better,
            "by_chance": by_chance,
            "compared": compared,
            "range": (float(range[0]), float(range[1])),
            "invariances": tuple(invariances),
            "assumes": assumes,
            "known_failures": dict(known_failures or {}),
            "needs": needs,
            "takes": taken,
            "fast": fast,
            "robust": dict(robust or {}),
            "resampling": dict(resampling or {}),
            "function": public,
        }
        line = summary or (function.__doc__ or name).strip().splitlines()[0]
        public.declaration = Declaration(name, public, needs, reports, line, facts, **how)  # type: ignore[attr-defined]
        return cast(Function, public)

    return declare


def _checked_once(
    name: str, function: Callable[..., Any], bounds: tuple[float, float], of_arrays: bool, takes: Takes
) -> Callable[..., Any]:
    """The entry of a metric: check its options, refuse factors that it does not take, and look at the score.

    Codes and factors are left to the function, which checks them together (`check_pairs`); lists, data frames and
    tensors become arrays here.
    """
    whole_signature = inspect.signature(function)
    options = constraints_of(function)
    arrays = {argument for argument, (_, allowed) in options.items() if all(one is NUMBERS for one in allowed)}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = whole_signature.bind(*args, **kwargs)
        except TypeError as error:
            raise errors.WrongCall(_explain_call(name, whole_signature, args, kwargs, error)) from None
        given = bound.arguments
        for argument, value in given.items():
            if argument in arrays:
                if type(value) is not np.ndarray or value.dtype.kind not in "iufb":
                    given[argument] = _read_matrix(argument, value)
                if argument in ("codes", "factors") and np.ndim(given[argument]) == 1:
                    given[argument] = given[argument][:, None]  # one column
            elif argument in options and value is not options[argument][0].default:
                given[argument] = check_value(f"`{argument}`", value, options[argument][0].annotation)
        try:
            if of_arrays and _OPEN.get() is None:  # one metric may ask another, and knows what it gives
                refuse_continuous(name, takes, given.get("factors"), given)
            with count_fits_of(name):
                result = function(*bound.args, **bound.kwargs)
        except errors.CausalDisentError:
            raise
        except MemoryError as error:
            raise errors.OutOfMemory(f"{name} needs more memory than there is for this: {error}.") from error
        except (ArithmeticError, np.linalg.LinAlgError) as error:  # scipy's is numpy's
            raise errors.InvalidInput(f"{name} cannot be calculated on these points: {error}.") from error
        _warn_of_score(name, getattr(result, "score", 0.0), bounds)
        return result

    call.is_checked = True  # type: ignore[attr-defined]
    call.__signature__ = whole_signature  # type: ignore[attr-defined]  # gin does not look behind what is wrapped
    return call


def _explain_call(
    name: str, takes: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any], error: TypeError
) -> str:
    """What does not fit a function's parameters, and the nearest of them."""
    strange = [word for word in kwargs if word not in takes.parameters]
    if strange:
        hint = f"it has no argument '{strange[0]}'.{errors.nearest(strange[0], takes.parameters)}"
    else:
        required = [p.name for p in takes.parameters.values() if p.default is p.empty and p.name not in kwargs]
        missing = required[len(args) :]
        hint = f"it also needs {errors.listing(f'`{word}`' for word in missing)}." if missing else f"{error}."
    return f"{name}: {hint} It takes {errors.listing(takes.parameters)}."


def _read_matrix(name: str, value: Any) -> np.ndarray:
    """The numbers of whatever holds them. Factors may be text, dates or categories, and columns may have names."""
    try:
        return as_numbers(f"`{name}`", value)
    except errors.InvalidInput:
        if name not in ("codes", "factors"):
            raise
        from causal_disent.tables import read_table  # with pandas, which plain arrays do without

        values = read_table(name, value).values
        return values.astype(np.int64) if are_whole(values) else values


def report_keys(
    reports: Mapping[str, Any] | Callable[..., dict[str, Any]],
    result: Any,
    names: Sequence[str],
    labels: Mapping[str, Any],
) -> dict[str, Any]:
    """The entries of a result file, by what the declaration says of them.

    Args:
        reports: as for `metric`.
        result: what the function returned.
        names: of the factors.
        labels: what else stands in braces in the keys.

    Example:
        >>> from types import SimpleNamespace
        >>> found = SimpleNamespace(score=np.float64(0.5), per_factor=np.array([np.nan, 0.5]), low=None)
        >>> reports = {"R2": "score", "R2_factor_{factor}": "per_factor", "R2_low": "low"}
        >>> report_keys(reports, found, ["hue", "size"], {})
        {'R2': 0.5, 'R2_factor_size': 0.5}
    """
    if callable(reports):
        return reports(result, names)
    scores: dict[str, Any] = {}
    for key, source in reports.items():
        value = source(result, names) if callable(source) else attrgetter(source)(result)
        if value is None:
            continue
        if "{factor}" in key or "{index}" in key or "{code}" in key:
            for number, entry in enumerate(value):
                name = names[number] if "{factor}" in key else number
                plain = _plain(entry)
                if not (isinstance(plain, float) and math.isnan(plain)):
                    scores[key.format(factor=name, index=number, code=number, **labels)] = plain
        else:
            scores[key.format(**labels)] = _plain(value)
    return scores


def _plain(value: Any) -> Any:
    """Python's own numbers and lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


# --- Functions whose parameters configs bind


@dataclass(frozen=True)
class Configurable:
    """The record of a function whose parameters configs bind; `supplied` are those that the program gives."""

    name: str
    supplied: tuple[str, ...] = ()


def configurable(name: str, *, supplied: Sequence[str] = ()) -> Callable[[Function], Function]:
    """Decorator: record that configs may bind a function's parameters under `name`; the function stays as it is.

    Example:
        >>> @configurable("doubled", supplied=("number",))
        ... def doubled(number, times=2):
        ...     return number * times
        >>> doubled(3), doubled.declaration.supplied
        (6, ('number',))
    """

    def record(function: Function) -> Function:
        function.declaration = Configurable(name, tuple(supplied))  # type: ignore[attr-defined]
        return function

    return record


_BIND: ContextVar[Callable[..., Any] | None] = ContextVar(
    "puts a config's bindings around functions", default=None
)


@contextmanager
def binding(bind: Callable[..., Any]) -> Iterator[None]:
    """A block in which `bound` puts a config's bindings around functions, by `bind`."""
    token = _BIND.set(bind)
    try:
        yield
    finally:
        _BIND.reset(token)


def bound(function: Function) -> Function:
    """A `configurable` function with what the config binds, where a config runs the metric; else as it is."""
    bind = _BIND.get()
    return function if bind is None else bind(function)


def find_registered(kind: str, name: str) -> Callable[..., Any]:
    """Look up what a plugin offers: an attribution, a classifier, a discovery.

    This is the only place where a metric asks the layers above it, and only for a name that is not its own: the
    registry loads the plugins when it is first asked.
    """
    return import_module("causal_disent.registry").registry.function(kind, name)
