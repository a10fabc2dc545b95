"""One check of types for all: what a parameter's annotation says is what its callers, and configs, must give.

An annotation is read as text: nothing is imported for it. What is not in `TYPES` (a function, say) is not judged
here, but by the one who uses it.
"""

from __future__ import annotations

import errno
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from typing import Any, TypeVar

import numpy as np

from causal_disent import errors
from causal_disent.arguments import as_array, as_numbers, check_random_state, is_finite_number, is_whole
from causal_disent.text import shown_value

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
