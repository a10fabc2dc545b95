"""``@metric(...)``: what a metric says of itself, beside the function on arrays that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

from causal_disent.checks import checked
from causal_disent.metrics.tools.adapter import on_data, on_fixed_data
from causal_disent.metrics.tools.convergence import fits_of, is_inside
from causal_disent.metrics.tools.fixed_data import VALIDATION_ARGUMENTS
from causal_disent.metrics.tools.needs import Needs
from causal_disent.metrics.tools.takes import refuse
from causal_disent.metrics.tools.trusted import told
from causal_disent.registry import Entry

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Declaration:
    """What `metric` was given, and what it makes of the function."""

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

    @cached_property
    def on_data(self) -> Callable[..., dict[str, Any]]:
        """The metric with disentanglement_lib's signature: draws points, encodes them, reports scores by key."""
        return on_data(self)

    @cached_property
    def on_fixed_data(self) -> Callable[..., dict[str, Any]]:
        """The same of given observations (points, ...) and labels (factors, points)."""
        return on_fixed_data(self)

    def entries(self, owner: str) -> Iterator[Entry]:
        """What becomes known when a hook registers the function."""
        facts = dict(self.facts) | ({} if self.needs.kind == "metrics" else {"supplied": self.needs.supplied})
        yield Entry(self.needs.kind, self.name, owner, self.on_data, self.summary, facts)
        if self.validation:
            summary, facts = f"{self.name} of given observations and labels", {"supplied": VALIDATION_ARGUMENTS}
            yield Entry("parts", self.validation, owner, self.on_fixed_data, summary, facts)


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
    invariances: Sequence[str] = (),
    known_failures: Mapping[str, str] | None = None,
    fast: Mapping[str, Any] | None = None,
    resampling: Mapping[str, Any] | None = None,
    **how: Any,
) -> Callable[[Function], Function]:
    """Decorator: make a metric of a function of arrays, ``function(codes, factors, *, ...) -> Result``.

    The function stays what it is. Given to a hook's ``register``, it becomes known by `name`, with
    disentanglement_lib's signature: configs bind what `needs` draws and the function's own keyword arguments.

    Args:
        name: what configs and commands call it; that of the function, as a rule.
        needs: what it takes besides its parameters, such as ``points(num_train=10_000)`` or ``train_test()``.
        reports: key of the result file -> attribute of the function's result, the headline first. A key with
            ``{factor}``, ``{index}`` or ``{code}`` stands for one key for each entry of an array (by the factor's
            name, or its number), those that are NaN left out; None is left out. Or a function (result, names of
            the factors) -> keys and values.
        range: smallest and largest headline score that can come out.
        better: ``"higher"`` or ``"lower"``.
        by_chance: what codes that say nothing of the factors score.
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
        invariances: changes of the codes that leave the headline as it is (``"permutation"``, ``"rescaling"``).
        known_failures: check -> why it fails.
        fast: of a metric that takes long, the arguments that have its boosted trees work on binned codes, if any.
        resampling: how intervals and chance levels are found of a metric that takes long: ``points``, the most
            that a resample has; ``options``, arguments that differ; ``words``, how that is told, ``unless`` an
            argument is true with which they change nothing; ``interval=False`` if repeated points spoil the score;
            ``again``, a function (codes, factors, options) -> `Again`, which scores other draws of these points as
            the function would, but faster (None where it cannot).
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
        >>> from causal_disent.metrics.tools.needs import points
        >>> from causal_disent.metrics.tools.result import Result
        >>> @dataclass(frozen=True)
        ... class SpreadResult(Result):
        ...     score: float
        >>> @metric("spread", needs=points(100), reports={"spread": "score"}, range=(0, float("inf")))
        ... def spread(codes, factors):
        ...     return SpreadResult(float(codes.std()))
        >>> [entry.name for entry in spread.declaration.entries("me")]
        ['spread']
    """

    def declare(function: Function) -> Function:
        @wraps(function)
        def judged(*args: Any, **kwargs: Any) -> Any:
            # One metric may ask another, and knows what it gives.
            if needs.arrays_suffice and not is_inside():
                refuse(name, taken, *args[1:], **kwargs)
            with fits_of(name):
                return function(*args, **kwargs)

        public = told(name, range, checked(judged))
        first = headline or ("" if callable(reports) else next(iter(reports)))
        taken = dict(takes) if isinstance(takes, Mapping) else {kind: {} for kind in takes}
        facts = {
            "headline": first,
            "also": tuple(also),
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
            "resampling": dict(resampling or {}),
            "function": public,
        }
        line = summary or (function.__doc__ or name).strip().splitlines()[0]
        public.declaration = Declaration(name, public, needs, reports, line, facts, **how)  # type: ignore[attr-defined]
        return cast(Function, public)

    return declare
