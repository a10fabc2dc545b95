"""What metrics need besides their parameters, and how it is drawn: points in disentanglement_lib's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import Pairs, check_at_least
from causal_disent.data.independent_draws import IndependentDraws
from causal_disent.metrics.contract import bound
from causal_disent.metrics.information import discretizer
from causal_disent.protocols import FloatArray, GroundTruthData, IntArray, Representation, is_finite
from causal_disent.representation.code_table import BATCH_BYTES, CodeTable, checked_codes
from causal_disent.text import shown_value

# --- Points


class Draws:
    """Observations drawn one after the other, encoded together.

    The encoder uses no randomness, so it can run after the draws, on large batches, and once per
    distinct image where the data set is finite.
    """

    def __init__(self, data: GroundTruthData, representation: Representation) -> None:
        self._data: Any = data
        self._table = CodeTable.of(data, representation)
        self._finite = is_finite(data)
        self._waiting: list[Any] = []
        self._waiting_bytes = 0
        self._codes: list[FloatArray] = []

    def sample(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Draw `num` points; their factors."""
        if self._finite:
            factors = self._data.sample_factors(num, random_state)
            self.given(factors, random_state)
            return factors
        factors, images = self._data.sample(num, random_state)
        self._add_images(images)
        return factors

    def batches(self, num: int, batch_size: int, random_state: np.random.RandomState) -> IntArray:
        """Draw `num` points, `batch_size` at a time, as disentanglement_lib does; their factors."""
        at_once = IndependentDraws.of(self._data)
        if at_once is not None:
            indices, factors = at_once.points(num, batch_size, random_state)
            self._waiting.append(indices)
            return factors
        sizes = (min(batch_size, num - start) for start in range(0, num, batch_size))
        return np.concatenate([self.sample(size, random_state) for size in sizes])

    def given(self, factors: IntArray, random_state: np.random.RandomState) -> None:
        """Draw an observation for each row of factors."""
        if self._finite:
            self._waiting.append(self._data.sample_indices(factors, random_state))
        else:
            self._add_images(self._data.sample_observations_from_factors(factors, random_state))

    def codes(self) -> FloatArray:
        """The codes of all draws so far, in their order."""
        if self._finite:
            return self._table.codes_of(np.concatenate(self._waiting))
        self._encode_waiting()
        return np.concatenate(self._codes)

    def _add_images(self, images: FloatArray) -> None:
        self._waiting.append(np.asarray(images))
        self._waiting_bytes += self._waiting[-1].nbytes
        if self._waiting_bytes >= BATCH_BYTES:
            self._encode_waiting()

    def _encode_waiting(self) -> None:
        if self._waiting:
            self._codes.append(checked_codes(self._table, np.concatenate(self._waiting)))
            self._waiting.clear()
            self._waiting_bytes = 0


def sample_codes(
    data: GroundTruthData,
    representation: Representation,
    num_points: int,
    random_state: np.random.RandomState,
    batch_size: int,
) -> tuple[FloatArray, IntArray]:
    """Codes and factors of `num_points` points.

    Factors and observations are drawn `batch_size` at a time, as disentanglement_lib draws them, so the
    same seed gives the same points.

    Returns:
        codes (points, codes) and factors (points, factors).
    """
    for name, value in (("The number of points", num_points), ("`batch_size`", batch_size)):
        if value < 1:
            raise errors.InvalidInput(f"{name} must be at least 1; given: {shown_value(value)}.")
    draws = Draws(data, representation)
    factors = draws.batches(num_points, batch_size, random_state)
    return draws.codes(), factors


def fix_factor(
    data: Any, factors: IntArray, column: int, values: IntArray | int, random_state: np.random.RandomState
) -> IntArray:
    """Rows of factors whose `column` is set to `values`.

    The other columns stay as they were drawn, except on a confounded data set, where that could make a
    combination that does not exist: there they are drawn anew, given the value.
    """
    if getattr(data, "is_confounded", False):
        fixed = np.broadcast_to(values, len(factors)).reshape(-1, 1)
        return data.sample_factors_given([column], fixed, random_state)
    factors = np.array(factors)
    factors[:, column] = values
    return factors


def factor_names(data: Any) -> list[str]:
    """The data set's names of its factors, or their numbers."""
    return [str(name) for name in getattr(data, "factor_names", range(data.num_factors))]


def fork_generator(random_state: np.random.RandomState) -> np.random.RandomState:
    """A generator that depends on where `random_state` stands, and leaves it there for later draws."""
    copy = np.random.RandomState()
    copy.set_state(random_state.get_state())
    return np.random.RandomState(copy.randint(2**31 - 1))


# --- What a metric needs


@dataclass(frozen=True)
class Source:
    """What is drawn from: a data set, what encodes its observations, and the generator of the draws.

    `make_classifier` (name or object, data, parameter) gives the classifier that a config names.
    """

    data: Any
    representation: Any
    random_state: np.random.RandomState
    make_classifier: Any = None

    def points(self, num_train: int, batch_size: int) -> Pairs:
        """Codes and factors of so many points, drawn `batch_size` at a time."""
        return sample_codes(self.data, self.representation, num_train, self.random_state, batch_size)


@dataclass(frozen=True)
class Sample:
    """What one call of a metric's function is given.

    Attributes:
        arguments: by position, codes and factors as a rule.
        random_state: for a function that takes one; None for its own default.
        keywords: further arguments.
        prefix: before the keys of what this call reports.
        keys: called at the end, for what else to report.
        points: codes and factors, if `arguments` are something else and the run asks how sure scores are.
    """

    arguments: tuple[Any, ...]
    random_state: np.random.RandomState | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict)
    prefix: str = ""
    keys: Callable[[], Mapping[str, Any]] = dict
    points: tuple[Any, ...] = ()

    def with_factors(self, changed: Callable[[Any], Any]) -> Sample:
        """The same with the factors, of points to fit to and to test on, changed."""
        codes, factors, *more = self.arguments
        keywords = dict(self.keywords)
        if isinstance(keywords.get("test"), tuple):
            keywords["test"] = (keywords["test"][0], changed(keywords["test"][1]))
        return replace(self, arguments=(codes, changed(factors), *more), keywords=keywords)


class Needs:
    """What a metric needs. A kind of need that others may have is a subclass.

    Attributes:
        words: what it is, for listings and messages.
        arrays_suffice: whether codes and factors of points are all it takes.
        how: how the adapter's metric gets it, to follow ```mig` of ``.
        parameters: what configs may bind of the draws, with defaults.
        gives: arguments of the function that `draw` gives, so that configs cannot bind them.
        causal: whether it is of causal models, or of data whose factors cause each other; most have neither.
        kind: of the entry that is registered.
        supplied: the arguments of that entry which the program gives.
    """

    words = "points"
    arrays_suffice = True
    how = "sampled points"
    gives: tuple[str, ...] = ()
    causal = False
    kind = "metrics"
    supplied: tuple[str, ...] = ("ground_truth_data", "representation_function", "random_state", "artifact_dir")

    @property
    def parameters(self) -> dict[str, Any]:
        raise NotImplementedError

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        """What the function is called with, once or several times, given `parameters`."""
        raise NotImplementedError

    def function(self, declared: Any) -> Any:
        """What is called with a sample: the declared function, unless the draws have done its first part."""
        return declared

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Points(Needs):
    """Codes and factors of points: ``needs=points(num_train=10_000)``.

    Attributes:
        num_train: how many are drawn unless a config says otherwise.
        batch_size: how many at a time.
        at_least: fewer are refused.
        factors_in_bins: whether gin's ``discretizer`` is to bin the factors, where a config binds it.
    """

    num_train: int = 10_000
    batch_size: int = 16
    at_least: int = 1
    factors_in_bins: bool = False

    how = "`num_train` sampled points, drawn `batch_size` at a time"

    @property
    def parameters(self) -> dict[str, Any]:
        return {"num_train": self.num_train, "batch_size": self.batch_size}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        check_at_least(self.at_least, num_train=drawn["num_train"])
        codes, factors = source.points(**drawn)
        yield Sample(
            (codes, bound(discretizer)(factors) if self.factors_in_bins else factors), source.random_state
        )


@dataclass(frozen=True)
class TrainTest(Needs):
    """Points to fit to, and others to test on, which the function takes as ``test=(codes, factors)``.

    Attributes:
        num_train: how many points to fit to, unless a config says otherwise.
        num_test: how many to test on.
        batch_size: how many are drawn at a time.
        test_at_least: fewer points to test on are refused.
    """

    num_train: int = 10_000
    num_test: int = 5_000
    batch_size: int = 16
    test_at_least: int = 1

    words = "points to fit to and points to test on"
    how = "`num_train` sampled points, tested on `num_test` others, drawn `batch_size` at a time"
    gives = ("test",)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"num_train": self.num_train, "num_test": self.num_test, "batch_size": self.batch_size}

    def draw(self, source: Source, **drawn: Any) -> Iterator[Sample]:
        check_at_least(self.test_at_least, num_test=drawn["num_test"])
        train, test = (source.points(drawn[size], drawn["batch_size"]) for size in ("num_train", "num_test"))
        yield Sample(train, source.random_state, {"test": test})


points, train_test = Points, TrainTest


# --- Points given as observations and labels, for disentanglement_lib's ``*_validation`` metrics

#: What the caller of a ``*_validation`` metric gives; configs bind the rest.
VALIDATION_ARGUMENTS = ("observations", "labels", "representation_function")


def encode_fixed(
    observations: FloatArray, labels: IntArray, representation: Representation, batch_size: int
) -> Pairs:
    """Codes and factors of given observations.

    Args:
        observations: (points, ...), images as a rule.
        labels: (factors, points): disentanglement_lib has the points in the second axis here.
        representation: the encoder.
        batch_size: observations to encode at a time.

    Returns:
        codes (points, codes) and factors (points, factors).
    """
    check_at_least(1, batch_size=batch_size)
    observations, labels = np.asarray(observations), np.asarray(labels)
    if labels.ndim != 2 or labels.shape[1] != len(observations):
        raise errors.InvalidInput(
            f"`labels` must have shape (factors, {len(observations)}), a column for each of the "
            f"{len(observations)} observations; given: {labels.shape}."
        )
    if not len(observations):
        raise errors.InvalidInput("`observations` must hold at least one; given: none.")
    starts = range(0, len(observations), batch_size)
    codes = [checked_codes(representation, observations[start : start + batch_size]) for start in starts]
    return np.concatenate(codes), labels.T


def split(codes: FloatArray, factors: IntArray, train_percentage: Any) -> tuple[Pairs, Pairs]:
    """The first points for training, the rest for testing.

    Args:
        codes: (points, codes).
        factors: (points, factors).
        train_percentage: despite its name in disentanglement_lib, the part for training, between 0 and 1.
    """
    num_train = ceil(len(codes) * train_percentage) if 0 < train_percentage < 1 else 0
    if not 0 < num_train < len(codes):
        raise errors.InvalidInput(
            "`train_percentage` is a number between 0 and 1 that leaves points for training and for testing; "
            f"given: {shown_value(train_percentage)} of {len(codes)} points."
        )
    return (codes[:num_train], factors[:num_train]), (codes[num_train:], factors[num_train:])
