"""From a function of arrays and its declaration to what disentanglement_lib expects of a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from math import isnan
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_arguments, parameters_of
from causal_disent.metrics.tools.convergence import fits_of
from causal_disent.metrics.tools.fixed_data import VALIDATION_ARGUMENTS, encode_fixed, split
from causal_disent.metrics.tools.needs import Sample, Source
from causal_disent.metrics.tools.resampling import certainty, what_is_asked
from causal_disent.metrics.tools.sampling import factor_names
from causal_disent.metrics.tools.takes import arguments_for, asks_neighbours, or_by_neighbours, refusal
from causal_disent.protocols import GroundTruthData, Representation

if TYPE_CHECKING:
    from causal_disent.metrics.tools.declaration import Declaration

#: Of the ``*_validation`` metrics: observations encoded at a time, and the part of them that is fitted to.
FIXED = {"batch_size": 100}
#: What the program gives -> what it must be.
SUPPLIED = {"ground_truth_data": GroundTruthData, "representation_function": Representation}
FIXED_TRAIN = {"train_percentage": 0.9}

Scores = dict[str, Any]


def on_data(declaration: Declaration) -> Callable[..., Scores]:
    """The metric that draws what it needs; the draws come in disentanglement_lib's order."""
    needs = declaration.needs

    def measure(given: dict[str, Any]) -> Scores:
        data, representation, random_state, *rest = [given.pop(name) for name in needs.supplied]
        drawn = {name: given.pop(name) for name in needs.parameters}
        own = _own(declaration, data, given)
        own |= _asked_of(declaration, own)
        numbers = _numbers_of(declaration, data, own)
        if numbers is not None:
            own |= arguments_for(declaration.facts["takes"], data.continuous)
        if declaration.check is not None:
            known = {"num_factors": data.num_factors, **own}
            declaration.check(**{name: known[name] for name in signature(declaration.check).parameters})
        scores: Scores = {}
        for sample in needs.draw(Source(data, representation, random_state), **drawn):
            given_sample = sample if numbers is None else sample.with_factors(numbers)
            scores.update(_scores(declaration, given_sample, own, factor_names(data), *rest))
        return scores

    return _called(declaration, needs.supplied, needs.parameters, f"`{declaration.name}` of {needs.how}.", measure)


def _numbers_of(declaration: Declaration, data: Any, own: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    """What makes numbers of the places of values, where the data set has continuous factors, which are refused if
    the metric does not take them as they are."""
    takes, columns = declaration.facts["takes"], getattr(data, "continuous", ())
    if not takes or not columns:
        return None
    if "continuous" not in takes and not asks_neighbours(takes, own):
        which = errors.listing(factor_names(data)[column] for column in columns)
        how = "`evaluation.bins = 10` in a config, `data.in_bins(10)`" + or_by_neighbours(takes)
        raise errors.InvalidInput(refusal(which, how) + ".")
    return data.space.to_numbers if declaration.needs.arrays_suffice else None


def on_fixed_data(declaration: Declaration) -> Callable[..., Scores]:
    """The metric of given observations (points, ...) and labels (factors, points)."""
    tested = "test" in declaration.needs.gives
    line = f"`{declaration.name}` of given observations (points, ...) and labels (factors, points)."

    def measure(given: dict[str, Any]) -> Scores:
        train = encode_fixed(*(given.pop(name) for name in (*VALIDATION_ARGUMENTS, *FIXED)))
        keywords = {}
        if tested:
            train, keywords["test"] = split(*train, given.pop("train_percentage"))
        sample = Sample(train, None, keywords)
        names = [str(factor) for factor in range(train[1].shape[1])]
        return _scores(declaration, sample, _own(declaration, None, given), names)

    parameters = {**(FIXED_TRAIN if tested else {}), **FIXED}
    return _called(declaration, VALIDATION_ARGUMENTS, parameters, line, measure)


def _called(
    declaration: Declaration,
    supplied: Sequence[str],
    drawn: Mapping[str, Any],
    line: str,
    measure: Callable[[dict[str, Any]], Scores],
) -> Callable[..., Scores]:
    """A function with that signature, which hands what it is given to `measure`."""
    by_place = Parameter.POSITIONAL_OR_KEYWORD
    whole = Signature(
        [
            *(
                Parameter(
                    n,
                    by_place,
                    default=None if n == "artifact_dir" else Parameter.empty,
                    annotation=SUPPLIED.get(n, Parameter.empty),
                )
                for n in supplied
            ),
            *(Parameter(n, by_place, default=d, annotation=_annotation(d)) for n, d in drawn.items()),
            *(own.replace(name=name, kind=by_place) for name, own in _parameters(declaration).items()),
        ],
        return_annotation=Scores,
    )

    def adapted(*args: Any, **kwargs: Any) -> Scores:
        bound = whole.bind(*args, **kwargs)
        bound.apply_defaults()
        with fits_of(declaration.name):
            return measure(check_arguments(whole.parameters.values(), bound.arguments))

    adapted.__name__ = adapted.__qualname__ = declaration.name
    adapted.__module__ = declaration.function.__module__
    adapted.__doc__ = f"{line}\n\nReturns:\n    {_named_keys(declaration)}"
    adapted.__signature__ = whole  # type: ignore[attr-defined]
    adapted.declaration = declaration  # type: ignore[attr-defined]
    return adapted


def _annotation(default: Any) -> Any:
    """What may be given where that is the default of something that is drawn."""
    if isinstance(default, tuple):
        return int | Sequence[int]
    return type(default) if isinstance(default, (int, float)) else Parameter.empty


def _parameters(declaration: Declaration) -> dict[str, Parameter]:
    """By gin's name, the arguments of the function that configs may bind."""
    taken = {*declaration.needs.gives, *declaration.needs.parameters, *declaration.supplies, "random_state"}
    if declaration.each:
        taken.add(declaration.each[0])
    taken -= set(declaration.renamed)
    several = declaration.several[0] if declaration.several else ""
    return {
        declaration.renamed.get(name, name): parameter
        if name != several
        else parameter.replace(annotation=parameter.annotation | Sequence[parameter.annotation])  # type: ignore[name-defined]
        for name, parameter in parameters_of(declaration.function).items()
        if parameter.kind is Parameter.KEYWORD_ONLY and name not in taken
    }


def _own(declaration: Declaration, data: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The function's own keyword arguments: those that are given by gin's names, and those that are supplied."""
    names = {gin: name for name, gin in declaration.renamed.items()}
    own = {names.get(gin, gin): value for gin, value in given.items()}
    return own | {name: supply(data) for name, supply in declaration.supplies.items()}


def _asked_of(declaration: Declaration, own: Mapping[str, Any]) -> dict[str, int]:
    """How often a function that resamples what it has measured, as CG's does, is to do so: as often as others."""
    asked = what_is_asked()
    if not asked or declaration.needs.arrays_suffice:
        return {}
    return {name: getattr(asked, name) for name in ("bootstrap", "chance") if own.get(name) == 0}


def _scores(
    declaration: Declaration,
    sample: Sample,
    own: Mapping[str, Any],
    names: Sequence[str],
    artifact_dir: Any = None,
) -> Scores:
    """The entries of a result file for one sample."""
    scores: Scores = {}
    for prefix, labels, result, options in _results(declaration, sample, own):
        found = keys_of(declaration.reports, result, names, labels)
        if (asked := what_is_asked()) and declaration.needs.arrays_suffice:
            # Points that stand for something else are given to the whole function, which draws that itself.
            points, given = (sample.points, own) if sample.points else (sample.arguments, options)
            sure = certainty(declaration.facts, declaration.function, points, given, result.score, asked)
            found |= sure.keys(_headline(declaration, labels))
        if declaration.saves is not None and artifact_dir is not None:
            found |= declaration.saves(result, Path(artifact_dir), names)
        scores.update(
            {key if key in declaration.once else f"{prefix}{key}": value for key, value in found.items()}
        )
    return {f"{sample.prefix}{key}": value for key, value in scores.items()} | dict(sample.keys())


def _headline(declaration: Declaration, labels: Mapping[str, Any]) -> str:
    """The key of the score of one call."""
    if callable(declaration.reports):
        return declaration.facts["headline"].rpartition(":")[2]  # of a series of sizes, without the size
    return next(iter(declaration.reports)).format(**labels)


def _results(
    declaration: Declaration, sample: Sample, own: Mapping[str, Any]
) -> Iterable[tuple[str, dict[str, Any], Any, dict[str, Any]]]:
    """Prefix of the keys, what they are formatted with, result and options, of each call of the function."""
    function = declaration.needs.function(declaration.function)
    keywords = {**own, **sample.keywords}
    if sample.random_state is not None and "random_state" in signature(function).parameters:
        keywords["random_state"] = sample.random_state
    if declaration.each:
        name, values = declaration.each
        for value in values:
            options = {**keywords, name: value}
            yield "", {name: value}, function(*sample.arguments, **options), options
        return
    name, of_several = declaration.several or ("", None)
    if of_several is None or not isinstance(keywords[name], (list, tuple)):
        yield "", {}, function(*sample.arguments, **keywords), keywords
        return
    if not keywords[name]:
        raise errors.InvalidInput(f"`{name}` is one value or a list of them; given: an empty list.")
    for value, result in of_several(*sample.arguments, **keywords).items():
        yield f"{name}={value}:", {}, result, {**keywords, name: value}


def keys_of(
    reports: Mapping[str, Any] | Callable[..., Scores],
    result: Any,
    names: Sequence[str],
    labels: Mapping[str, Any],
) -> Scores:
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
        >>> keys_of(reports, found, ["hue", "size"], {})
        {'R2': 0.5, 'R2_factor_size': 0.5}
    """
    if callable(reports):
        return reports(result, names)
    scores: Scores = {}
    for key, source in reports.items():
        value = source(result, names) if callable(source) else attrgetter(source)(result)
        if value is None:
            continue
        if "{factor}" in key or "{index}" in key or "{code}" in key:
            for number, entry in enumerate(value):
                name = names[number] if "{factor}" in key else number
                plain = _plain(entry)
                if not (isinstance(plain, float) and isnan(plain)):
                    scores[key.format(factor=name, index=number, code=number, **labels)] = plain
        else:
            scores[key.format(**labels)] = _plain(value)
    return scores


def _plain(value: Any) -> Any:
    """Python's own numbers and lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _named_keys(declaration: Declaration) -> str:
    """The keys that are reported, for the docstring."""
    reports = declaration.reports
    if callable(reports):
        text = (reports.__doc__ or "").strip()
    else:
        text = ", ".join(f"``{key.replace('{', '<').replace('}', '>')}``" for key in reports) + "."
    if declaration.several:
        name = declaration.several[0]
        text += f" For a list of `{name}` they are prefixed, as in ``{name}=2:``."
    return text
