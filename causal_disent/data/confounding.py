"""Rules and correlations that make the factors of a data set depend on each other.

A confounding is a list of statements. Each gives every combination of factor values a
weight; the product of the weights is the distribution that is sampled. In gin and in
Python a statement can be written as text:

    only object=cube: color=red|blue          where the object is a cube, the color is red or blue
    never size=large scene=hall               no large object in the hall
    never size=large scene=indoor unless object=torus
    only shape=heart: scale=4..5              from the value 4 to the value 5, both included
    never angle=-10..22.5                     of a continuous factor, all values between these numbers
    correlate object color 0.2                a bell of width 0.2 over the diagonal
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_value, checked, is_number
from causal_disent.data.state_space import StateSpace, as_number
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value

Values = Mapping[str, Sequence[str]]

#: Above this a table of all combinations would not fit in memory (about 0.5 GB).
MAX_COMBINATIONS = 20_000_000


@runtime_checkable
class Statement(Protocol):
    """One line of a confounding."""

    def weights(self, space: StateSpace, combinations: IntArray) -> FloatArray:
        """A weight >= 0 for each combination (n, factors); 0 forbids it."""


@dataclass(frozen=True)
class Only:
    """Where `condition` holds, each factor of `then` takes one of the values listed.

    Example:
        >>> space = StateSpace({"object": ("cube", "sphere"), "color": ("red", "blue")})
        >>> rule = Only({"object": ["cube"]}, {"color": ["red"]})
        >>> len(allowed_combinations(space, [rule])[0])
        3
    """

    condition: Values
    then: Values

    def __post_init__(self) -> None:
        _check_values(self.condition, self.then)

    def weights(self, space: StateSpace, combinations: IntArray) -> FloatArray:
        held = _matches(space, combinations, self.condition)
        return (~held | _matches(space, combinations, self.then)).astype(np.float64)


@dataclass(frozen=True)
class Never:
    """No combination matches all of `values`, except those that match `unless`."""

    values: Values
    unless: Values | None = None

    def __post_init__(self) -> None:
        _check_values(self.values, {} if self.unless is None else self.unless)

    def weights(self, space: StateSpace, combinations: IntArray) -> FloatArray:
        forbidden = _matches(space, combinations, self.values)
        if self.unless:
            forbidden &= ~_matches(space, combinations, self.unless)
        return (~forbidden).astype(np.float64)


@dataclass(frozen=True)
class Correlate:
    r"""A soft link of two factors.

    With :math:`u, v \in [0, 1]` the places of the two values among their factor's values (of a continuous factor:
    between the least and the greatest), the weight is :math:`\exp(-(u-v)^2 / (2 s^2))`. Width 0 keeps the pairs
    with :math:`u = v` alone (full confounding); an infinite width leaves the factors independent.
    """

    first: str
    second: str
    width: float

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            check_value(f"`{name}`", getattr(self, name), str)
        if not is_number(self.width) or not self.width >= 0:
            raise errors.InvalidInput(
                f"The width of a correlation is 0 (full confounding) or more; given: {shown_value(self.width)}."
            )

    def weights(self, space: StateSpace, combinations: IntArray) -> FloatArray:
        first, second = (self._place(space, combinations, factor) for factor in (self.first, self.second))
        distance = np.abs(first - second)
        if self.width == 0:
            return (distance < 1e-12).astype(np.float64)
        with np.errstate(over="ignore"):  # of a width next to nothing, which is as good as 0
            return np.exp(-0.5 * (distance / np.float64(self.width)) ** 2)

    @staticmethod
    def _place(space: StateSpace, combinations: IntArray, factor: str) -> FloatArray:
        column = space.position(factor)
        if space.is_continuous(factor):
            numbers = space.numbers[factor]
            return ((numbers - numbers.min()) / max(np.ptp(numbers), np.finfo(float).tiny))[
                combinations[:, column]
            ]
        return combinations[:, column] / max(space.sizes[column] - 1, 1)


def _check_values(*given: Values) -> None:
    """Raise unless each is factor -> values, of which a text alone is not a list."""
    for values in given:
        with errors.readable("The values of a confounding"):
            listed = isinstance(values, Mapping) and all(
                isinstance(factor, str) and isinstance(names, (list, tuple, range))
                for factor, names in values.items()
            )
        if not listed:
            raise errors.InvalidInput(
                "The values of a confounding are a dict such as {'color': ['red', 'blue']}; given: "
                f"{shown_value(values)}."
            )


def _matches(space: StateSpace, combinations: IntArray, values: Values) -> np.ndarray:
    """Which combinations have, for every factor of `values`, one of the values listed."""
    matched = np.ones(len(combinations), dtype=bool)
    for factor, names in values.items():
        wanted = [value for name in names for value in _values(space, factor, name)]
        matched &= np.isin(combinations[:, space.position(factor)], wanted)
    return matched


def _values(space: StateSpace, factor: str, name: str) -> Iterable[int]:
    """The indices that one value, or a range ``first..last`` of values, stands for."""
    with errors.readable(f"The value of the factor '{factor}'"):
        first, dots, last = str(name).partition("..")
    if not dots:
        return [space.value(factor, first)]
    space.position(factor)
    if factor in space.numbers:
        return _interval(space, factor, first, last)
    start, stop = space.value(factor, first), space.value(factor, last)
    if stop < start:
        raise _empty_range(factor, first, last)
    return range(start, stop + 1)


def _interval(space: StateSpace, factor: str, first: str, last: str) -> IntArray:
    """The indices of the numbers from `first` to `last`."""
    numbers, ends = space.numbers[factor], (as_number(first), as_number(last))
    for text, end in zip((first, last), ends, strict=True):
        # Beyond the values there are is a mistake, except where nobody knows these to the last digit.
        if np.isnan(end) or not (space.is_continuous(factor) or numbers.min() <= end <= numbers.max()):
            raise errors.unknown(f"value of the factor '{factor}'", text, space.value_names[factor])
    if ends[1] < ends[0]:
        raise _empty_range(factor, first, last)
    inside = np.flatnonzero((numbers >= ends[0]) & (numbers <= ends[1]))
    if not inside.size:
        raise errors.InvalidInput(
            f"None of the {len(numbers):,} values of the factor '{factor}', which are from {numbers.min():g} to "
            f"{numbers.max():g}, is in the range {first}..{last}."
        )
    return inside


def _empty_range(factor: str, first: str, last: str) -> errors.InvalidInput:
    return errors.InvalidInput(
        f"The range {first}..{last} of the factor '{factor}' is empty, since {last} comes before {first}. Write "
        f"{last}..{first}."
    )


_FORMS = (
    "'only FACTOR=VALUE: FACTOR=VALUE|VALUE', 'never FACTOR=VALUE FACTOR=VALUE [unless FACTOR=VALUE]' "
    "or 'correlate FACTOR FACTOR WIDTH'; a value with a space in it goes in quotes"
)
_PAIR = re.compile(r"""(\w+)=((?:"[^"]*"|'[^']*'|[^\s|"':]+)(?:\|(?:"[^"]*"|'[^']*'|[^\s|"':]+))*)\s*""")


@checked
def parse_statement(text: str) -> Statement:
    """Read one statement from text.

    Example:
        >>> parse_statement("never size=large|medium scene='city square'")
        Never(values={'size': ('large', 'medium'), 'scene': ('city square',)}, unless=None)
    """
    keyword, _, rest = text.strip().partition(" ")
    try:
        if keyword == "only":
            condition, then = rest.split(":")
            return Only(_pairs(condition), _pairs(then))
        if keyword == "never":
            values, _, unless = rest.partition(" unless ")
            return Never(_pairs(values), _pairs(unless) if unless else None)
        if keyword == "correlate":
            first, second, width = rest.split()
            return Correlate(first, second, float(width))
    except errors.CausalDisentError:
        raise
    except ValueError:
        pass
    raise errors.InvalidInput(f"Cannot read the confounding statement {shown_value(text)}. Write {_FORMS}.")


def _pairs(text: str) -> dict[str, tuple[str, ...]]:
    """``size=large scene='city square'|hall`` as factor -> values."""
    pairs: dict[str, tuple[str, ...]] = {}
    rest = text.strip()
    while rest:
        match = _PAIR.match(rest)
        if match is None:
            raise ValueError(text)
        pairs[match[1]] = tuple(value.strip("'\"") for value in match[2].split("|"))
        rest = rest[match.end() :]
    if not pairs:
        raise ValueError(text)
    return pairs


def check_statements(space: StateSpace, statements: Iterable[Statement]) -> None:
    """An error where a statement names a factor or a value that `space` lacks; nothing is enumerated."""
    one = np.zeros((1, space.num_factors), dtype=np.int64)
    for statement in statements:
        statement.weights(space, one)


@checked
def allowed_combinations(space: StateSpace, statements: Iterable[Statement]) -> tuple[IntArray, FloatArray]:
    """The combinations that no statement forbids.

    Returns:
        Their numbers in `space`, ascending, and their probabilities.
    """
    if space.num_combinations > MAX_COMBINATIONS:
        raise errors.InvalidInput(
            f"Confounding needs a table of all combinations, and the factors "
            f"{errors.listing(space.factor_names)} have {space.num_combinations:,}; at most "
            f"{MAX_COMBINATIONS:,} can be handled."
        )
    indices = np.arange(space.num_combinations)
    weights = np.ones(space.num_combinations)
    combinations = space.to_factors(indices)
    for statement in statements:
        weights *= statement.weights(space, combinations)
    allowed = weights > 0
    if not allowed.any():
        raise errors.InvalidInput(
            "The confounding forbids every combination of "
            + "; ".join(f"{name}: {errors.listing(names)}" for name, names in space.value_names.items())
            + "."
        )
    return indices[allowed], weights[allowed] / weights.sum()
