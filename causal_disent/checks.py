"""Check and convert what users give: numbers, names, arrays, and arguments by their annotations."""

from __future__ import annotations

import ast
import errno
import inspect
import operator
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from itertools import islice
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from causal_disent import errors
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

if TYPE_CHECKING:
    import networkx as nx


#: Codes (points, codes) and factors (points, factors) of the same points.
Pairs = tuple[FloatArray, IntArray]
#: (codes, train points), (factors, train points), and the same of test points, to a (codes, factors) matrix.
MatrixFunction = Callable[..., FloatArray]

#: What to do with points that have no value.
LEAVE_OUT = (
    "Leave such points out of `codes` and `factors` alike (`drop_missing=True` of causal_disent.score does where "
    "a value is missing), or fill them in."
)
#: Of larger numbers, squares and cubes are no longer numbers.
LARGEST = 1e100
#: The same of float32: such codes are calculated with in float64.
LARGEST_SINGLE = 1e12

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
    asked = [(*BOUNDS[bound], limit) for bound, limit in bounds.items()]
    if not is_finite_number(value) or not all(holds(value, limit) for _, holds, limit in asked):
        limits = " and ".join(f"{words} {limit}" for words, _, limit in asked)
        raise errors.InvalidInput(
            f"{name} must be a finite number{limits and f', {limits}'}; given: {shown_value(value)}."
        )


def check_numbers(owner: str, **values: Any) -> None:
    """`check_number` for several parameters of `owner`, without bounds."""
    for name, value in values.items():
        check_number(f"{owner}.{name}", value)


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless `value` is a whole number, at least `least`."""
    if not is_whole(value) or value < least:
        raise errors.InvalidInput(f"{name} must be a whole number, at least {least}; given: {shown_value(value)}.")


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
        try:
            return tensor.numpy()
        except TypeError:  # numpy has no bfloat16
            return tensor.to_dense().double().numpy()
    if callable(getattr(given, "numpy", None)):
        return given.numpy()
    if hasattr(given, "toarray"):
        return given.toarray()
    if isinstance(given, Sequence) and any(hasattr(row, "detach") for row in given[:1]):
        return [as_array(what, row) for row in given]
    return given


def as_numbers(name: str, given: Any) -> np.ndarray:
    """`given` as an array of numbers that can be calculated with: float32, float64 or int64.

    Example:
        >>> as_numbers("`codes`", [[True], [False]]).dtype, as_numbers("`codes`", np.ones(2, np.float16)).dtype
        (dtype('int64'), dtype('float64'))
    """
    array = as_array(name, given)
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
    matrix = as_numbers(f"`{name}`", values)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise errors.InvalidInput(
            f"`{name}` must have shape (points, {columns}) with at least one of each; given: {matrix.shape}."
        )
    if matrix.dtype.kind == "f":
        size = max(-float(matrix.min()), float(matrix.max()))  # without a copy; NaN if one entry is
        if not size <= LARGEST:
            _tell_unfit(name, matrix)
        if size > LARGEST_SINGLE:
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

    Example:
        >>> check_random_state(np.random.default_rng(0)).randint(10) == check_random_state(0).randint(10)
        False
    """
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.BitGenerator):
        random_state = np.random.Generator(random_state)
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**32)))
    if is_whole(random_state) and 0 <= random_state < 2**32:
        return np.random.RandomState(int(random_state))
    raise errors.InvalidInput(
        "`random_state` is a seed from 0 to 2**32 - 1, or a generator (numpy.random.RandomState, "
        f"numpy.random.default_rng(...)); given: {shown_value(random_state)}."
    )


Function = TypeVar("Function", bound=Callable[..., Any])
#: Of a list, so many entries are looked at; a range may have a million times as many.
MOST_LISTED = 10_000_000
#: How a parameter is annotated that takes a generator; a seed is made into one.
GENERATOR = "np.random.RandomState"
#: (what it is called, the value) -> the value, as the type has it; None if it is of another type.
Reader = Callable[[str, Any], Any]


def _if(holds: Callable[[Any], bool], convert: Callable[[Any], Any] = lambda value: value) -> Reader:
    return lambda name, value: convert(value) if holds(value) else None


def _list_of(inner: Callable[[Any], bool] = lambda value: True) -> Reader:
    """Lists, tuples and arrays; text is none, though its letters could be counted."""

    def holds(value: Any) -> bool:
        listed = isinstance(value, (list, tuple, range)) or hasattr(value, "to_list")  # of a data frame's columns
        listed = listed or (isinstance(value, np.ndarray) and value.ndim > 0)
        return listed and len(value) <= MOST_LISTED and all(map(inner, value))

    return _if(holds)


def _is_path(value: Any) -> bool:
    """Whether the file system can be asked for it."""
    return isinstance(value, (str, os.PathLike)) and b"\0" not in os.fsencode(value)


def _path(name: str, value: Any) -> Any:
    if not _is_path(value):
        return None
    try:
        os.lstat(value)
    except OSError as error:
        # Python takes none of these for "it is not there", which whoever opens it tells in better words.
        if error.errno in (errno.ENAMETOOLONG, errno.EACCES):
            raise errors.InvalidInput(f"{name} is a path that cannot be used: {error.strerror}.") from None
    return value


def _offers(*names: str) -> Reader:
    """What has these methods and values."""
    return _if(lambda value: all(hasattr(value, name) for name in names))


def _instance_of(name: str) -> Reader:
    """What is of a class of that name, or of one below it; the class is not imported for it."""
    return _if(lambda value: name in [one.__name__ for one in type(value).__mro__])


def _is_set(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, range, np.ndarray)) and all(map(is_whole, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(name: str, value: Any) -> list[str] | None:
    """What can be gone through once, as a list."""
    found: list[str] = []
    for one in value:
        if not _is_text(one):
            return None
        found.append(one)
    return found


#: An alternative of an annotation -> what it is in words, and how it is read.
TYPES: dict[str, tuple[str, Reader]] = {
    "int": ("a whole number", _if(lambda value: is_whole(value) and abs(value) < 2**63)),
    "float": ("a finite number", _if(is_finite_number)),
    "bool": ("True or False", _if(lambda value: isinstance(value, (bool, np.bool_)), bool)),
    "str": ("text", _if(_is_text)),
    "str | Path": ("text or a path", _path),
    "Path": ("a path", lambda name, value: _path(name, value) if isinstance(value, os.PathLike) else None),
    "None": ("None", _if(lambda value: False)),
    "Sequence[int]": ("a list of whole numbers", _list_of(is_whole)),
    "Sequence[float]": ("a list of numbers", _list_of(is_finite_number)),
    "Sequence[str]": ("a list of texts", _list_of(_is_text)),
    "Sequence[int | str]": (
        "a list of names and whole numbers",
        _list_of(lambda value: _is_text(value) or is_whole(value)),
    ),
    "Sequence[FloatArray]": ("a list of arrays", _list_of()),
    "Sequence[str | MatrixFunction]": (
        "a list of names and functions",
        _list_of(lambda value: isinstance(value, str) or callable(value)),
    ),
    **dict.fromkeys(
        ("Sequence[Collection[int]]", "Sequence[Sequence[int]]"),
        ("a list of sets of whole numbers", _list_of(_is_set)),
    ),
    "Iterable[str]": ("texts", _texts),
    "Iterable[Entry | str]": (
        "a list of names and entries",
        _list_of(lambda value: _is_text(value) or _instance_of("Entry")("", value) is not None),
    ),
    "Sequence[str | Path]": ("a list of paths", _list_of(_is_path)),
    "Sequence[Shift]": (
        "a list of `Shift`",
        _list_of(lambda value: _instance_of("Shift")("", value) is not None),
    ),
    **dict.fromkeys(
        (
            "Attribution",
            "Decode",
            "Discretizer",
            "Estimator",
            "MatrixFunction",
            "PredictProba",
            "Redraw",
            "Representation",
        ),
        ("a function", _if(callable)),
    ),
    **dict.fromkeys(
        (
            "CodeTables",
            "Mapping[str, float]",
            "Mapping[str, Iterable[object]]",
            "Mapping[str, Mapping[str, Any]]",
            "Mapping[str, str]",
            "Mapping[str, Sequence[object]]",
            "SetByHand",
        ),
        ("a dict", _if(lambda value: isinstance(value, Mapping))),
    ),
    "GroundTruthData": ("a data set", _offers("sample", "num_factors")),
    **{name: (f"a `{name}`", _instance_of(name)) for name in ("Entry", "Reading", "StateSpace", "Study")},
    "ValueNames": ("a dict or a list", _if(lambda value: isinstance(value, (Mapping, list, tuple)))),
    "Counterfactual": ("points with counterfactuals", _offers("codes")),
    "Engine": ("an engine", _offers("run")),
    "NDArray[Any]": ("an array", as_array),
    "FloatArray": ("an array of numbers", as_numbers),
    "IntArray": ("an array of numbers", as_numbers),
    GENERATOR: ("a generator of numpy", lambda name, value: check_random_state(value)),
}


def check_value(name: str, value: Any, annotation: str) -> Any:
    """`value`, as the annotation has it, or an error that calls it `name`.

    Example:
        >>> check_value("uc.rho", 2, "int"), check_value("uc.rho", [1, 2], "int | Sequence[int]")
        (2, [1, 2])
        >>> check_value("uc.rho", "2", "int")
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: uc.rho must be a whole number; given: '2'.
    """
    allowed = _alternatives(annotation)
    if not allowed or (value is None and "None" in allowed):
        return value
    if GENERATOR in allowed:
        generator = check_random_state(value)
        # Where a seed is allowed it stays one: it may be used more than once.
        return value if "int" in allowed and is_whole(value) else generator
    for alternative in allowed:
        found = _read(alternative, name, value)
        if found is not None:
            return found
    words = list(dict.fromkeys(TYPES[alternative][0] for alternative in allowed))
    raise errors.InvalidInput(f"{name} must be {' or '.join(words)}; given: {shown_value(value)}.")


def _read(alternative: str, name: str, value: Any) -> Any:
    try:
        return TYPES[alternative][1](name, value)
    except errors.CausalDisentError:
        raise
    except Exception:  # of a stranger's class: whatever is asked of it may fail
        return None


@cache
def _alternatives(annotation: str) -> tuple[str, ...]:
    """What an annotation allows; nothing if it allows something that cannot be judged."""
    found = tuple(re.split(r" \| (?![^\[]*\])(?!Path)", annotation))  # not inside brackets; a path may be text
    return found if all(one in TYPES for one in found) else ()


def annotation_of(parameter: inspect.Parameter) -> str:
    """The annotation as text, which may be a type itself where annotations are not postponed."""
    kind = parameter.annotation
    text = "" if kind is parameter.empty else kind.__name__ if isinstance(kind, type) else str(kind)
    if parameter.name == "random_state" and text != GENERATOR:
        return f"int | {GENERATOR}"  # whatever a plugin's function says of its generator, it is one, or a seed
    if parameter.name == "indices" and text == "IntArray":
        return "NDArray[Any]"  # as they are: of truth values, a mask, numbers would make indices 0 and 1
    return text


def check_arguments(
    parameters: Iterable[inspect.Parameter], given: Mapping[str, Any], owner: str = ""
) -> dict[str, Any]:
    """What is given by name, each as its parameter has it; a default is right as it is.

    Args:
        parameters: of a function.
        given: name -> value.
        owner: what configs call the function; without it, parameters are called as Python has them.
    """
    return _as_stated(_stated(parameters, owner), given)


#: Name of a parameter -> its default, what it is called in a message, its annotation.
Stated = dict[str, tuple[Any, str, str]]


def _stated(parameters: Iterable[inspect.Parameter], owner: str = "") -> Stated:
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    called = f"{owner}.{{}}" if owner else "`{}`"
    return {
        one.name: (one.default, called.format(one.name), annotation_of(one))
        for one in parameters
        if one.kind not in variadic
    }


def _as_stated(stated: Stated, given: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(given)
    for name, value in given.items():
        default, called, annotation = stated.get(name, (value, "", ""))
        if value is not default:
            found[name] = check_value(called, value, annotation)
    return found


def check_options(function: Callable[..., Any], options: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The options of what `owner` names in configs, each as `function` has it, or an error."""
    parameters = inspect.signature(function).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in options:
            if name not in parameters:
                raise errors.unknown_parameter(owner, name, parameters)
    return check_arguments(parameters.values(), options, owner)


def checked(function: Function) -> Function:
    """Decorator: arguments are what the annotations say, converted where that changes nothing, or an error.

    Example:
        >>> @checked
        ... def doubled(number: int) -> int:
        ...     return 2 * number
        >>> doubled(np.int64(2)).item()
        4
        >>> doubled(2.5)
        Traceback (most recent call last):
        causal_disent.errors.InvalidInput: `number` must be a whole number; given: 2.5.
    """
    if getattr(function, "is_checked", False):
        return function
    whole = inspect.signature(function)
    stated = _stated(whole.parameters.values())  # once: methods of data sets are called for every batch

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = whole.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # which says what is missing, or too much
        bound.arguments.update(_as_stated(stated, bound.arguments))
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
