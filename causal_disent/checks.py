"""Check and convert what users give: numbers, names, arrays, and arguments by their annotations."""

from __future__ import annotations

import ast
import builtins
import errno
import inspect
import operator
import os
import sys
import warnings
from collections import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, wraps
from itertools import islice
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from causal_disent import errors
from causal_disent.protocols import Engine, FloatArray, GroundTruthData, IntArray
from causal_disent.text import shown_value

if TYPE_CHECKING:
    import networkx as nx


#: Codes (points, codes) and factors (points, factors) of the same points.
Pairs = tuple[FloatArray, IntArray]
#: (codes, train points), (factors, train points), and the same of test points, to a (codes, factors) matrix.
MatrixFunction = Callable[..., FloatArray]

#: What to do with points that have no value.
LEAVE_OUT = (
    "Leave such points out of `codes` and `factors` alike (`drop_missing=True` of causal_disent.score, or "
    "--drop_missing of `causal-disent score`, does this for missing values), or fill them in."
)
#: Of larger numbers, squares and cubes are no longer numbers; of smaller ones they are 0.
LARGEST, SMALLEST = 1e100, 1e-100
#: The same of float32, and its inverse: such codes are calculated with in float64.
LARGEST_SINGLE = 1e12

#: Of larger whole numbers, a float64 does not hold each.
EXACT = 2**53

#: What Python and numpy count among whole numbers: truth values, and spans of time.
NOT_NUMBERS = (bool, np.timedelta64)

#: Bounds of `check_number` -> their words, and when they hold.
BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "at_least": ("at least", operator.ge),
    "above": ("greater than", operator.gt),
    "at_most": ("at most", operator.le),
    "below": ("less than", operator.lt),
}


def is_whole(value: object) -> bool:
    """Whether it is a whole number; truth values and text are none.

    Example:
        >>> is_whole(3), is_whole(np.int64(3)), is_whole(3.0), is_whole(True), is_whole("3")
        (True, True, False, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, NOT_NUMBERS)


def is_number(value: object) -> bool:
    """Whether it is a real number; truth values and text are none."""
    return isinstance(value, Real) and not isinstance(value, NOT_NUMBERS)


def is_finite_number(value: Any) -> bool:
    """Whether it is a number that a float can hold."""
    return is_number(value) and bool(abs(value) <= sys.float_info.max)


def check_number(name: str, value: Any, **bounds: float) -> None:
    """Raise unless `value` is a finite number within the bounds.

    Args:
        name: of the parameter, as users call it.
        value: what is given for it.
        bounds: any of ``at_least``, ``above``, ``at_most`` and ``below``.

    Example:
        >>> check_number("AdamOptimizer.beta1", 0.9, at_least=0, below=1)
    """
    _value(name, value, [number(**bounds)])


def check_numbers(owner: str, **values: Any) -> None:
    """`check_number` for several parameters of `owner`, without bounds."""
    for name, value in values.items():
        check_number(f"{owner}.{name}", value)


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless `value` is a whole number, at least `least`."""
    if type(value) is not int or value < least:
        _value(name, value, [whole(at_least=least)])


def check_at_least(least: int, **values: Any) -> None:
    """Whole numbers, none of them below `least`."""
    for name, value in values.items():
        check_whole(f"`{name}`", value, least)


def check_not_negative(**values: Any) -> None:
    """Finite numbers, none of them below 0."""
    for name, value in values.items():
        check_number(f"`{name}`", value, at_least=0)


def check_seed(name: str, value: Any) -> None:
    """Raise unless `value` can be a seed."""
    if not is_whole(value) or not 0 <= value < 2**32:
        raise errors.InvalidInput(
            f"{name} must be a whole number from 0 to 2**32 - 1; given: {shown_value(value)}."
        )


def check_truth(name: str, value: Any) -> None:
    """Raise unless `value` is True or False; 'False' in quotes, say, would count as true."""
    if not isinstance(value, bool):
        raise errors.InvalidInput(f"{name} must be True or False; given: {shown_value(value)}.")


def literal(text: str) -> Any:
    """The Python literal that `text` is, else the text itself.

    Example:
        >>> literal("16"), literal("candle_color")
        (16, 'candle_color')
    """
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # the last of what is nested deeply
        return text


def as_array(what: str, given: Any) -> np.ndarray:
    """`given` as an array, or an error that calls it `what`; tensors by their methods, on any device."""
    try:
        array = np.asanyarray(_without_framework(what, given))
        if array.dtype.kind == "V" and array.dtype.names is None:  # the small floats of tensorflow and jax
            array = array.astype(np.float64)
    except errors.InvalidInput:
        raise
    except ValueError:
        raise errors.InvalidInput(
            f"{what} must be an array, or lists of equal lengths; the lists given differ in length or depth."
        ) from None
    except Exception as error:  # of a stranger's class: anything may come out of it
        raise errors.InvalidInput(f"{what} must be an array; given: {type(given).__name__}.") from error
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array)
        if masked.any():
            place = tuple(int(i) for i in np.argwhere(masked)[0])
            raise errors.InvalidInput(f"{what} has masked entries, the first at {place}. {LEAVE_OUT}")
        array = array.data
    return array if isinstance(array, np.memmap) else np.asarray(array)


def _without_framework(what: str, given: Any) -> Any:
    """What numpy can read of a tensor or a sparse matrix; anything else as it is."""
    if hasattr(given, "detach"):
        tensor = given.detach().cpu()
        for lazy in ("resolve_conj", "resolve_neg"):  # views that torch has not computed yet
            tensor = getattr(tensor, lazy, lambda tensor=tensor: tensor)()
        try:
            return tensor.numpy()
        except TypeError:  # numpy has no bfloat16
            return tensor.to_dense().double().numpy()
    if isinstance(given, memoryview):
        return np.asarray(given)
    if callable(getattr(given, "numpy", None)):
        return given.numpy()
    if hasattr(given, "toarray"):
        return given.toarray()
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        rows = list(given)
        return [as_array(what, row) for row in rows] if any(hasattr(row, "detach") for row in rows[:1]) else rows
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        return np.from_dlpack(given)
    return given


def as_numbers(name: str, given: Any) -> np.ndarray:
    """`given` as an array of numbers that can be calculated with: float32, float64 or int64.

    Example:
        >>> as_numbers("`codes`", [[True], [False]]).dtype, as_numbers("`codes`", np.ones(2, np.float16)).dtype
        (dtype('int64'), dtype('float64'))
    """
    plain = type(given) is np.ndarray and given.dtype.kind in "biuf"
    array = given if plain else as_array(name, given)
    if array.dtype.kind == "O" and all(isinstance(value, (Real, np.bool_)) for value in array.flat):
        try:
            array = array.astype(np.float64)
        except (OverflowError, TypeError, ValueError):
            raise errors.InvalidInput(f"{name} holds a number that is too large for a float.") from None
    if array.dtype.kind not in "biuf":
        raise errors.InvalidInput(f"{name} must hold numbers; given: dtype {shown_value(array.dtype)}.")
    if array.dtype.kind == "f":
        kept = array.dtype.itemsize in (4, 8) and array.dtype.isnative
        return array if kept else _quietly_cast(array)
    fits = array.dtype.kind != "u" or not array.size or array.max() < 2**63
    return array.astype(np.int64 if fits else np.float64, copy=False)


def as_exact(labels: Any) -> Any:
    """Factors whose values a float64 can tell apart: whole numbers beyond 2**53 less the least of their column,
    or the rank of each where the column spans more than that.

    Example:
        >>> as_exact(np.array([[2**63], [2**63 + 1]], dtype=np.uint64)).tolist()
        [[0], [1]]
    """
    if getattr(getattr(labels, "dtype", None), "kind", "") not in ("i", "u") or not labels.size:
        return labels
    if int(labels.min()) >= -EXACT and int(labels.max()) <= EXACT:
        return labels
    exact = np.empty(labels.shape, dtype=np.int64)
    for i, column in enumerate(labels.T.reshape(-1, len(labels))):
        least, most = int(column.min()), int(column.max())
        if least >= -EXACT and most <= EXACT:
            shifted = column
        elif most - least <= EXACT:
            shifted = column - column.min()
        else:
            shifted = np.unique(column, return_inverse=True)[1]
        exact.T.reshape(-1, len(labels))[i] = shifted
    return exact


def _quietly_cast(array: np.ndarray) -> FloatArray:
    with np.errstate(all="ignore"):  # what becomes infinite is told of where entries are looked at
        return array.astype(np.float64)


def columns_of(factors: Any, names: Sequence[str]) -> list[int]:
    """Where the `factors`, a list of names, stand among the `names` that there are."""
    # A name alone is iterable as well: its letters are no factors.
    listed = not isinstance(factors, str) and isinstance(factors, Iterable)
    with errors.readable("`factors`"):
        given = list(islice(factors, len(names) + 1)) if listed else []  # which may go on for ever
    for factor in given:
        if not isinstance(factor, str) or factor not in names:
            raise errors.unknown("factor", factor, names)
    if not given or len(set(given)) != len(given):
        raise errors.InvalidInput(
            f"`factors` is a list of one or more names, none twice; given: {shown_value(factors)}. There are: "
            f"{errors.listing(names)}."
        )
    return [names.index(factor) for factor in given]


def as_digraph(graph: Any) -> nx.DiGraph:
    """The ``networkx.DiGraph`` that `graph` is, or that it has (a `CausalGraph`)."""
    import networkx as nx

    with errors.readable("`graph`"):
        found = getattr(graph, "digraph", graph)
    if not isinstance(found, nx.DiGraph):
        raise errors.InvalidInput(
            "`graph` must be a networkx.DiGraph over the factors, their confounders and 'image'; given: "
            f"{type(graph).__name__}."
        )
    return found


def graph_for(data: Any, graph: Any = None) -> nx.DiGraph:
    """The graph that was given, or that of the data set."""
    found = getattr(data, "graph", None) if graph is None else graph
    if found is None:
        raise errors.InvalidInput(
            f"The data set {type(data).__name__} has no causal graph. Give one with the argument `graph`."
        )
    return as_digraph(found)


def check_train_test(
    train: Pairs, test: Pairs, *, min_codes: int = 1, min_factors: int = 1
) -> tuple[Pairs, Pairs]:
    """Two sets of points with the same codes and factors."""
    checked = []
    for name, pair in (("train", train), ("test", test)):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise errors.InvalidInput(f"`{name}` must be a pair (codes, factors); given: {type(pair).__name__}.")
        try:
            checked.append(check_pairs(*pair, min_codes=min_codes, min_factors=min_factors))
        except errors.InvalidInput as error:
            raise errors.InvalidInput(f"`{name}`: {error.message}") from None
    shapes = [(codes.shape[1], factors.shape[1]) for codes, factors in checked]
    if shapes[0] != shapes[1]:
        raise errors.InvalidInput(
            "`train` and `test` must have the same codes and factors; given: "
            + " and ".join(f"{codes} codes, {factors} factors" for codes, factors in shapes)
            + "."
        )
    return checked[0], checked[1]


def varying_factors(factors: FloatArray | IntArray, metric: str) -> IntArray:
    """The columns of `factors` that vary; of the others nothing can be said, and a warning says that."""
    varies = factors.min(axis=0) != factors.max(axis=0)
    if not varies.any():
        raise errors.InvalidInput(f"{metric} needs a factor that varies; all {len(varies)} are constant.")
    if not varies.all():
        constant = errors.listing(np.flatnonzero(~varies))
        warnings.warn(f"{metric} leaves out factors that never vary: {constant}.", stacklevel=4)
    return np.flatnonzero(varies)


def check_matrix(name: str, values: Any, *, columns: str) -> FloatArray:
    """`values` as a finite matrix (points, `columns`) with at least one row and one column."""
    matrix = as_numbers(f"`{name}`", as_exact(values) if name == "factors" else values)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise errors.InvalidInput(
            f"`{name}` must have shape (points, {columns}) with at least one of each; given: {matrix.shape}."
        )
    if matrix.dtype.kind == "f":
        sizes = np.maximum(-matrix.min(axis=0), matrix.max(axis=0))  # without a copy; NaN if one entry is
        size = float(sizes.max())
        if not size <= LARGEST:
            _tell_unfit(name, matrix)
        for column in np.flatnonzero((sizes > 0) & (sizes < SMALLEST)):
            raise errors.InvalidInput(
                f"`{name}` must be 0 or beyond +-{SMALLEST}; all of column {column} is within "
                f"+-{sizes[column]:.3g}. Squares of it underflow: give the column in another unit."
            )
        if size > LARGEST_SINGLE or size < 1 / LARGEST_SINGLE:
            matrix = matrix.astype(np.float64, copy=False)
    return np.ascontiguousarray(matrix)  # sums are rounded by the order in memory: the numbers alone decide


def _tell_unfit(name: str, matrix: FloatArray) -> None:
    """Raise, with the first entry that is not finite or too large."""
    for unfit, what in ((~np.isfinite(matrix), "be finite"), (np.abs(matrix) > LARGEST, f"be within +-{LARGEST}")):
        for row, column in np.argwhere(unfit):
            hint = "" if what == "be finite" else " Squares of it overflow: give the column in another unit."
            raise errors.InvalidInput(
                f"`{name}` must {what}; point {row} has {matrix[row, column]} in column {column}.{hint}"
            )


def not_finite(matrix: np.ndarray) -> np.ndarray:
    """(number, 2): the rows and columns of the entries that are no finite numbers."""
    # One pass that allocates nothing; a sum is finite unless an entry is not (or it overflows).
    with np.errstate(all="ignore"):
        suspicious = matrix.dtype.kind == "f" and not np.isfinite(matrix.sum(dtype=np.float64))
    return np.argwhere(~np.isfinite(matrix)) if suspicious else np.empty((0, 2), dtype=np.int64)


def check_pairs(codes: Any, factors: Any, *, min_codes: int = 1, min_factors: int = 1) -> tuple[Any, Any]:
    """Codes (points, codes) and the factors (points, factors) of the same points."""
    codes = check_matrix("codes", codes, columns="codes")
    factors = check_matrix("factors", factors, columns="factors")
    if len(codes) != len(factors):
        raise errors.InvalidInput(
            f"`codes` and `factors` must describe the same points; given: {len(codes)} and {len(factors)} rows."
        )
    if codes.shape[1] < min_codes:
        raise errors.InvalidInput(f"At least {min_codes} codes are needed; given: {codes.shape[1]}.")
    if factors.shape[1] < min_factors:
        raise errors.InvalidInput(f"At least {min_factors} factors are needed; given: {factors.shape[1]}.")
    return codes, factors


def check_fits_trees(codes: FloatArray) -> None:
    """Raise where scikit-learn's trees, which work in float32, cannot hold a code."""
    size = max(-float(codes.min()), float(codes.max()))
    if size > np.finfo(np.float32).max:
        raise errors.InvalidInput(
            f"`codes` are given to trees that work in float32, and one has the size {size:.3g}: give the codes in "
            "another unit."
        )


def check_rho(rho: Any, num_codes: int) -> int:
    """How many codes a factor is given: a whole number from 1 to `num_codes`."""
    if not is_whole(rho) or not 1 <= rho <= num_codes:
        raise errors.InvalidInput(
            f"`rho`, the number of codes that a factor is given, is a whole number from 1 to {num_codes} "
            f"(the number of codes); given: {shown_value(rho)}."
        )
    return int(rho)


def check_columns(name: str, columns: Any, num_factors: int) -> None:
    """Raise unless `columns` are places of factors."""
    strange = [i for i in columns if i not in range(num_factors)]
    if strange:
        raise errors.InvalidInput(
            f"`{name}` holds indices of factors, from 0 to {num_factors - 1}; given: {shown_value(strange[0])}."
        )


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise errors.unknown(f"`{name}`", value, choices)
    return value


def check_random_state(random_state: Any) -> np.random.RandomState:
    """A seed or a generator, as a generator: a ``RandomState`` itself; of numpy's new ones a seed is drawn.

    None stands for a seed that the system draws, as in scikit-learn.

    Example:
        >>> check_random_state(np.random.default_rng(0)).randint(10) == check_random_state(0).randint(10)
        False
    """
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if random_state is None:
        return np.random.RandomState()
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.RandomState(np.random.MT19937(random_state))
    if isinstance(random_state, np.random.BitGenerator):
        random_state = np.random.Generator(random_state)
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**32)))
    if is_whole(random_state) and 0 <= random_state < 2**32:
        return np.random.RandomState(int(random_state))
    raise errors.InvalidInput(
        "`random_state` is a seed from 0 to 2**32 - 1, a numpy.random.SeedSequence, a generator "
        "(numpy.random.RandomState, numpy.random.default_rng(...)) or None; given: "
        f"{shown_value(random_state)}."
    )


Function = TypeVar("Function", bound=Callable[..., Any])
#: Of a list, so many entries are inspected; a range may have a million times as many.
MOST_LISTED = 10_000_000
#: What a constraint returns for a value that it does not allow.
NO_MATCH = object()
#: (name of an argument, value) -> the value as the function takes it, or `NO_MATCH`.
Reader = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Constraint:
    """What an argument may be.

    Attributes:
        words: for messages, such as ``"a whole number"``.
        read: a `Reader`. It raises `errors.InvalidInput` itself where it has more to say.
        plural: for lists, such as ``"whole numbers"``.
    """

    words: str
    read: Reader
    plural: str = ""

    def allows(self, value: Any) -> bool:
        """Whether a value satisfies the constraint."""
        return _read(self, "", value) is not NO_MATCH


def _as_float(value: Any) -> Any:
    """A number that numpy can calculate with: a fraction becomes a float, others stay."""
    return value if isinstance(value, (int, float, np.number)) else float(value)


def _only_if(holds: Callable[[Any], bool], convert: Callable[[Any], Any] | None = None) -> Reader:
    """Read a value as it is, or converted, where `holds` says so."""
    if convert is None:
        return lambda name, value: value if holds(value) else NO_MATCH
    return lambda name, value: convert(value) if holds(value) else NO_MATCH


def _path(name: str, value: Any) -> Any:
    """Check that the file system can be asked for the path."""
    if not isinstance(value, (str, os.PathLike)) or b"\0" in os.fsencode(value):
        return NO_MATCH
    try:
        os.lstat(value)
    except OSError as error:
        # Whoever opens the path words the other errors better.
        if error.errno in (errno.ENAMETOOLONG, errno.EACCES):
            raise errors.InvalidInput(f"{name} is a path that cannot be used: {error.strerror}.") from None
    return value


def instance_of(*classes: str) -> Constraint:
    """Allow instances of the classes of these names, so that no module is imported for a check."""
    holds = _only_if(lambda value: not {one.__name__ for one in type(value).__mro__}.isdisjoint(classes))
    return Constraint(" or ".join(f"a `{name}`" for name in classes), holds, f"`{classes[0]}`")


def number(**bounds: float) -> Constraint:
    """Allow finite numbers within these of `BOUNDS`: ``Annotated[float, number(above=0)]``."""
    holds = _only_if(_within(is_finite_number, bounds), _as_float)
    return Constraint(f"a finite number{_limits(bounds)}", holds, "numbers")


def whole(**bounds: int) -> Constraint:
    """Allow whole numbers within these of `BOUNDS`: ``Annotated[int, whole(at_least=1)]``."""
    return Constraint(f"a whole number{_limits(bounds)}", _only_if(_within(is_whole, bounds)), "whole numbers")


def _limits(bounds: Mapping[str, float]) -> str:
    """Word bounds for a message."""
    limits = " and ".join(f"{BOUNDS[bound][0]} {limit:,}" for bound, limit in bounds.items())
    return limits and f", {limits}"


def _within(is_kind: Callable[[Any], bool], bounds: Mapping[str, float]) -> Callable[[Any], bool]:
    """Return a function that tells whether a value is of a kind and within the bounds."""
    return lambda value: is_kind(value) and all(BOUNDS[bound][1](value, limit) for bound, limit in bounds.items())


def offers(words: str, *names: str) -> Constraint:
    """Allow objects that have these attributes."""
    return Constraint(words, _only_if(lambda value: all(hasattr(value, name) for name in names)))


def list_of(inner: Sequence[Constraint]) -> Constraint:
    """Allow lists, tuples, ranges and arrays whose entries satisfy one of `inner`; text is no list."""

    def holds(value: Any) -> bool:
        listed = isinstance(value, (list, tuple, range)) or hasattr(value, "to_list")  # of a data frame's columns
        listed = listed or (isinstance(value, np.ndarray) and value.ndim > 0)
        if not listed or len(value) > MOST_LISTED:
            return False
        return not inner or all(any(one.allows(entry) for one in inner) for entry in value)

    plural = " and ".join(dict.fromkeys(one.plural for one in inner if one.plural))
    return Constraint(f"a list of {plural}" if plural else "a list", _only_if(holds), "lists")


def set_of(inner: Sequence[Constraint]) -> Constraint:
    """Allow lists, tuples, sets, ranges and arrays whose entries satisfy one of `inner`."""

    def holds(value: Any) -> bool:
        collection = isinstance(value, (list, tuple, set, frozenset, range, np.ndarray))
        return collection and all(any(one.allows(entry) for one in inner) for entry in value)

    plural = inner[0].plural if inner else "values"
    return Constraint(f"a set of {plural}", _only_if(holds), f"sets of {plural}")


def _iterable_of(inner: Sequence[Constraint]) -> Constraint:
    """Read what can be gone through once into a list."""

    def read(name: str, value: Any) -> Any:
        found = []
        for entry in value:
            if inner and not any(one.allows(entry) for one in inner):
                return NO_MATCH
            found.append(entry)
        return found

    return Constraint(inner[0].plural if inner else "a list", read)


def _tuple_of(length: int) -> Constraint:
    words = "a pair" if length == 2 else f"{length} values"
    return Constraint(words, _only_if(lambda value: isinstance(value, (tuple, list)) and len(value) == length))


NONE = Constraint("None", _only_if(lambda value: value is None))
TEXT = Constraint("text", _only_if(lambda value: isinstance(value, str)), "texts")
PATH = Constraint("a path", lambda name, value: _path(name, value) if isinstance(value, os.PathLike) else NO_MATCH)
TEXT_OR_PATH = Constraint("text or a path", _path, "paths")
FUNCTION = Constraint("a function", _only_if(callable), "functions")
MAPPING = Constraint("a dict", _only_if(lambda value: isinstance(value, Mapping)), "dicts")
ARRAY = Constraint("an array", lambda name, value: as_array(name, value), "arrays")
NUMBERS = Constraint("an array of numbers", lambda name, value: as_numbers(name, value), "arrays")
GENERATOR = Constraint("a generator of numpy", lambda name, value: check_random_state(value))

#: What a class means as an annotation.
BY_CLASS: dict[Any, Constraint] = {
    int: Constraint("a whole number", _only_if(lambda v: is_whole(v) and abs(v) < 2**63), "whole numbers"),
    float: Constraint("a finite number", _only_if(is_finite_number, _as_float), "numbers"),
    bool: Constraint("True or False", _only_if(lambda v: isinstance(v, (bool, np.bool_)), bool), "truth values"),
    str: TEXT,
    Path: PATH,
    type(None): NONE,
    dict: MAPPING,
    Mapping: MAPPING,
    Callable: FUNCTION,
    np.ndarray: ARRAY,
    np.random.RandomState: GENERATOR,
    GroundTruthData: offers("a data set", "sample", "num_factors"),
    Engine: offers("an engine", "run"),
}
#: What a name means that is imported for type checkers alone, where it is used.
DEFERRED = {
    "nx.DiGraph": Constraint("a graph", _only_if(lambda value: True)),  # `as_digraph` reads it
    "torch.device": Constraint("a device", _only_if(lambda value: True)),
    **{name: instance_of(name) for name in ("Entry", "Reading", "StateSpace", "Study", "CodeTable")},
}


class _Name:
    """The name of something that is imported for type checkers alone; evaluates ``a.b | None`` and ``a[b]``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Name(f"{self.name}.{name}")

    def __getitem__(self, _: Any) -> _Name:
        return self

    def __or__(self, other: Any) -> Any:
        return self._hint() | other

    def __ror__(self, other: Any) -> Any:
        return other | self._hint()

    def _hint(self) -> Any:
        return Annotated[object, self]

    def __call__(self) -> None:
        """Let ``typing`` take it for a type."""


class _Names(dict[str, Any]):
    """Evaluates annotations: names of a module, of Python, else a `_Name`."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, None) or _Name(name)


@cache
def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function by name, with annotations that are objects and not text.

    Example:
        >>> parameters_of(check_rho)["num_codes"].annotation
        <class 'int'>
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # it does not tell them
        return {}
    names = _Names(_globals_of(function))
    found = {}
    for name, parameter in parameters.items():
        annotation = parameter.annotation
        if isinstance(annotation, str):
            with suppress(Exception):  # an annotation of a stranger; `constraints_on` refuses text
                annotation = eval(annotation, {}, names)
        if name == "indices" and annotation == IntArray:
            annotation = NDArray[Any]  # as they are: of truth values, a mask, numbers would make indices 0 and 1
        found[name] = parameter.replace(annotation=annotation)
    if is_dataclass(inspect.unwrap(function)):  # of which a signature shows no default that is made anew each time
        for one in fields(inspect.unwrap(function)):
            if one.default_factory is not MISSING and one.name in found:
                found[one.name] = found[one.name].replace(default=one.default_factory())
    return found


def _globals_of(function: Any) -> dict[str, Any]:
    """The names known where a function, a class or an object that can be called is defined."""
    inner = inspect.unwrap(function)
    if isinstance(inner, type):
        inner = inner.__init__  # type: ignore[misc]
    elif not inspect.isroutine(inner):
        inner = getattr(inner, "func", type(inner).__call__)
    return getattr(inspect.unwrap(inner), "__globals__", {})


def constraints_on(annotation: Any) -> list[Constraint]:
    """The constraints of which an argument must satisfy one; none if anything goes.

    Raises:
        TypeError: if the annotation means nothing to the validator.

    Example:
        >>> [one.words for one in constraints_on(int | None)]
        ['a whole number', 'None']
    """
    if annotation in (Any, object, inspect.Parameter.empty):
        return []
    if annotation is None:
        return [NONE]
    if isinstance(annotation, _Name):
        if annotation.name not in DEFERRED:
            raise TypeError(f"the name '{annotation.name}' is not known where the function is defined")
        return [DEFERRED[annotation.name]]
    origin, inner = get_origin(annotation), get_args(annotation)
    if hasattr(origin, "__value__"):  # numpy 2.5 makes NDArray an alias as Python 3.12 has them
        return constraints_on(origin.__value__[inner])
    if origin is Annotated:
        stated = [one for one in inner[1:] if isinstance(one, Constraint)]
        return stated or constraints_on(inner[1] if isinstance(inner[1], _Name) else inner[0])
    if origin in (Union, UnionType):
        if {str, Path} <= set(inner):
            rest = [one for one in inner if one not in (str, Path)]
            return [TEXT_OR_PATH, *(found for one in rest for found in constraints_on(one))]
        several = [constraints_on(one) for one in inner]
        return [found for one in several for found in one] if all(several) else []
    if origin is Literal:
        return [Constraint(f"one of {errors.listing(map(repr, inner))}", _only_if(lambda value: value in inner))]
    if origin is np.ndarray:
        anything = get_args(inner[1])[:1] in ((Any,), (np.bool_,), (np.str_,))
        return [ARRAY if anything else NUMBERS]
    if origin in (abc.Sequence, list):
        return [list_of(constraints_on(inner[0]))]
    if origin in (abc.Collection, set, frozenset):
        return [set_of(constraints_on(inner[0]))]
    if origin is abc.Iterable:
        return [_iterable_of(constraints_on(inner[0]))]
    if origin is tuple and inner[-1] is not Ellipsis:
        return [_tuple_of(len(inner))]
    if origin is tuple:
        return [list_of(constraints_on(inner[0]))]
    kind = origin or annotation
    if kind in BY_CLASS:
        return [BY_CLASS[kind]]
    if getattr(kind, "_is_protocol", False):
        return [FUNCTION] if "__call__" in vars(kind) else []
    if isinstance(kind, type):
        return [instance_of(kind.__name__)]
    raise TypeError(f"{annotation!r} is no annotation that can be checked")


def check_value(name: str, value: Any, annotation: Any) -> Any:
    """`value` as the annotation has it, or an error that calls it `name`.

    Example:
        >>> check_value("uc.rho", 2, int), check_value("uc.rho", [1, 2], int | Sequence[int])
        (2, [1, 2])
        >>> check_value("uc.rho", "2", int)
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: uc.rho must be a whole number; given: '2'.
    """
    return _value(name, value, constraints_on(annotation))


def _value(name: str, value: Any, allowed: Sequence[Constraint]) -> Any:
    if not allowed or (value is None and NONE in allowed):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0 and ARRAY not in allowed and NUMBERS not in allowed:
        value = value[()]  # a number that numpy has wrapped
    if GENERATOR in allowed:
        generator = check_random_state(value)
        # Where a seed is allowed it stays one: it may be used more than once.
        return value if BY_CLASS[int] in allowed and is_whole(value) else generator
    for constraint in allowed:
        found = _read(constraint, name, value)
        if found is not NO_MATCH:
            return found
    words = list(dict.fromkeys(one.words for one in allowed if one is not NONE))
    raise errors.InvalidInput(f"{name} must be {' or '.join(words)}; given: {shown_value(value)}.")


def _read(constraint: Constraint, name: str, value: Any) -> Any:
    try:
        return constraint.read(name, value)
    except errors.CausalDisentError:
        raise
    except Exception:  # of a stranger's class: whatever is asked of it may fail
        return NO_MATCH


def check_arguments(
    parameters: Iterable[inspect.Parameter], given: Mapping[str, Any], owner: str = ""
) -> dict[str, Any]:
    """What is given by name, each as its parameter has it; a default is right as it is.

    Args:
        parameters: of `parameters_of`.
        given: name -> value.
        owner: what configs call the function; without it, parameters are called as Python has them.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    found = dict(given)
    for name, value in given.items():
        parameter = by_name.get(name)
        if parameter is None or value is parameter.default or isinstance(parameter.annotation, str):
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        found[name] = check_value(f"{owner}.{name}" if owner else f"`{name}`", value, parameter.annotation)
    return found


def check_options(function: Callable[..., Any], options: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The options of what `owner` names in configs, each as `function` has it, or an error."""
    parameters = parameters_of(function)
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in options:
            if name not in parameters:
                raise errors.unknown_parameter(owner, name, parameters)
    return check_arguments(parameters.values(), options, owner)


def constraints_of(function: Callable[..., Any]) -> dict[str, tuple[inspect.Parameter, list[Constraint]]]:
    """The parameters of a function that are checked, with their constraints.

    Raises:
        TypeError: if an annotation means nothing to the validator.
    """
    found = {}
    for name, parameter in parameters_of(function).items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        try:
            constraints = constraints_on(parameter.annotation)
        except TypeError as error:
            place = f"The parameter '{name}' of {getattr(function, '__qualname__', function)}"
            raise TypeError(f"{place} cannot be checked: {error}.") from None
        if constraints:
            found[name] = (parameter, constraints)
    return found


def checked(function: Function, owner: str = "") -> Function:
    """Decorator: check arguments by their annotations, convert where that loses nothing, or raise.

    An annotation that means nothing to the validator is a ``TypeError`` when the module is imported; ``Any`` says
    that the function checks the argument itself.

    Args:
        function: whose arguments are checked.
        owner: what configs call it; without it, messages call arguments as Python has them.

    Example:
        >>> @checked
        ... def double(number: int) -> int:
        ...     return 2 * number
        >>> double(np.int64(2)).item()
        4
        >>> double(2.5)
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: `number` must be a whole number; given: 2.5.
    """
    if getattr(function, "is_checked", False):
        return function
    whole = inspect.signature(function)
    stated = {  # read once: methods of data sets are called for every batch
        name: (parameter.default, f"{owner}.{name}" if owner else f"`{name}`", constraints)
        for name, (parameter, constraints) in constraints_of(function).items()
    }

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = whole.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # which says what is missing, or too much
        for name, value in bound.arguments.items():
            if name in stated and value is not stated[name][0]:
                bound.arguments[name] = _value(stated[name][1], value, stated[name][2])
        try:
            return function(*bound.args, **bound.kwargs)
        except errors.CausalDisentError:
            raise
        except MemoryError as error:  # of a size that was asked for
            raise errors.OutOfMemory(f"There is no memory for that: {errors.text_of(error)}.") from error

    call.__signature__ = whole  # type: ignore[attr-defined]  # gin does not look behind what is wrapped
    call.is_checked = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


class Checked:
    """Base of what people call by hand: every public method is `checked`, those of subclasses too.

    How it is made, and what a class tells of its files, is not: that may take options in its own words.

    Example:
        >>> class Counter(Checked):
        ...     def up_to(self, number: int) -> list[int]:
        ...         return list(range(number))
        >>> Counter().up_to("3")
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: `number` must be a whole number; given: '3'.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, method in list(vars(cls).items()):
            if inspect.isfunction(method) and (name == "__call__" or not name.startswith("_")):
                setattr(cls, name, checked(method))
