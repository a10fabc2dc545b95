"""What users give, checked before it is used: numbers, names, arrays, graphs.

Every message names the argument, what it may be, and the place of the first fault.
"""

from __future__ import annotations

import ast
import operator
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

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
