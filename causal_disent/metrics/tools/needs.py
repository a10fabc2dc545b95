"""What metrics need besides their own parameters, and how it is drawn: in disentanglement_lib's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from causal_disent.checks import Pairs, check_at_least
from causal_disent.metrics.tools.discretize import discretizer
from causal_disent.metrics.tools.sampling import sample_codes
from causal_disent.registry import KINDS


@dataclass(frozen=True)
class Source:
    """What is drawn from: a data set, what encodes its observations, and the generator of the draws."""

    data: Any
    representation: Any
    random_state: np.random.RandomState

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
    supplied = KINDS["metrics"].supplied

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
        yield Sample((codes, discretizer(factors) if self.factors_in_bins else factors), source.random_state)


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
