"""Work that several metrics of one call share: whatever is asked for again with equal arguments is done once."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import wraps
from hashlib import blake2b
from typing import Any, TypeVar, cast
from weakref import ref

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

#: Bytes of results that are kept; those that were not asked for the longest are dropped first.
MOST_BYTES = 2**28

_KEPT: ContextVar[_Kept | None] = ContextVar("what is kept while metrics share their work", default=None)


class _Kept:
    """Results by the function and what it was given."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        #: Digests of arrays that nobody can write to, by their number, for as long as they are anywhere else.
        self._digests: dict[int, tuple[ref[np.ndarray], Hashable]] = {}

    def get(self, key: Hashable) -> Any:
        """The result, or None."""
        if key not in self._found:
            return None
        self._found.move_to_end(key)
        return self._found[key][0]

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result, from now on read-only."""
        size = _freeze(result)
        self._found[key] = (result, size)
        self._bytes += size
        while self._bytes > MOST_BYTES and len(self._found) > 1:
            self._bytes -= self._found.popitem(last=False)[1][1]

    def digest(self, array: np.ndarray) -> Hashable:
        """What tells arrays of other numbers, shapes or types apart."""
        number, digests = id(array), self._digests
        if number in digests:
            return digests[number][1]
        content = blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()
        found = (array.shape, array.dtype.str, content)
        if not array.flags.writeable:
            digests[number] = (ref(array, lambda _: digests.pop(number, None)), found)
        return found


@contextmanager
def reusing() -> Iterator[None]:
    """A block in which functions that are `reused` do the same work once; one inside another shares with it."""
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set(_Kept())
    try:
        yield
    finally:
        _KEPT.reset(token)


def is_reusing() -> bool:
    """Whether a block of `reusing` is open."""
    return _KEPT.get() is not None


def reused(function: Function) -> Function:
    """Decorate a function whose result depends on its arguments alone; nobody may write to what it returns.

    Example:
        >>> double = reused(lambda numbers: 2 * numbers)
        >>> with reusing():
        ...     one, other = double(np.ones(3)), double(np.ones(3))
        >>> one is other, double(np.ones(3)) is one
        (True, False)
    """
    takes = inspect.signature(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if (kept := _KEPT.get()) is None:
            return function(*args, **kwargs)
        bound = takes.bind(*args, **kwargs)
        bound.apply_defaults()
        try:
            key = (function, *(_key(kept, value) for value in bound.arguments.items()))
        except TypeError:  # of something that cannot be compared
            return function(*args, **kwargs)
        if (found := kept.get(key)) is None:
            kept.put(key, found := function(*args, **kwargs))
        return found

    return cast(Function, call)


def find_kept(key: tuple[Any, ...]) -> Any:
    """The result that `keep` was given for an equal key, or None."""
    kept = _KEPT.get()
    return None if kept is None else kept.get(_key(kept, key))


def keep(key: tuple[Any, ...], result: Any) -> None:
    """Keep a result by what it is of, where a block of `reusing` is open."""
    if (kept := _KEPT.get()) is not None:
        kept.put(_key(kept, key), result)


def _key(kept: _Kept, value: Any) -> Hashable:
    """Equal for equal values, arrays by their content."""
    if isinstance(value, np.ndarray):
        return kept.digest(value)
    if hasattr(value, "indptr"):  # a sparse matrix
        return (value.format, value.shape, *map(kept.digest, (value.data, value.indices, value.indptr)))
    if isinstance(value, (tuple, list)):
        return tuple(_key(kept, one) for one in value)
    if isinstance(value, dict):
        return tuple((name, _key(kept, one)) for name, one in value.items())
    hash(value)
    return (type(value), value)


def _freeze(result: Any) -> int:
    """Make the arrays of a result read-only; their bytes."""
    if isinstance(result, np.ndarray):
        result.flags.writeable = False
        return int(result.nbytes)
    if isinstance(result, (tuple, list)):
        return sum(map(_freeze, result))
    if is_dataclass(result):
        return sum(_freeze(getattr(result, one.name)) for one in fields(result))
    return 0
