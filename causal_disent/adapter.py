"""From a metric's record to what disentanglement_lib expects of it: drawn points, bindings, keys of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_arguments, check_pairs, check_rho, parameters_of
from causal_disent.metrics.certainty import asked_of_run, certainty
from causal_disent.metrics.cg import BEST, find_dead_codes
from causal_disent.metrics.contract import (
    BINS,
    Configurable,
    Declaration,
    arguments_for,
    asks_neighbours,
    binding,
    count_fits_of,
    equally_filled,
    mention_neighbours,
    refusal,
    report_keys,
)
from causal_disent.metrics.draw import (
    VALIDATION_ARGUMENTS,
    Sample,
    Source,
    encode_fixed,
    factor_names,
    sample_codes,
    split,
)
from causal_disent.metrics.information import discretizer
from causal_disent.metrics.irs_uc import attribute
from causal_disent.protocols import Attribution, FloatArray, GroundTruthData, IntArray, Representation
from causal_disent.registry import Entry, registry
from causal_disent.text import shown_value

#: Of the ``*_validation`` metrics: observations encoded at a time, and the part of them that is fitted to.
FIXED = {"batch_size": 100}
FIXED_TRAIN = {"train_percentage": 0.9}
#: What the program gives -> what it must be.
SUPPLIED = {"ground_truth_data": GroundTruthData, "representation_function": Representation}

#: The parameters that come first in disentanglement_lib, where its order is not what is drawn and then the rest.
FIRST = {
    "irs": ("diff_quantile",),
    "reduced_downstream_task": ("num_factors_to_remove",),
    "unified_scores": ("num_train", "num_test", "matrix_fns"),
}

Scores = dict[str, Any]


# --- Entries of the registry


def entries_of(thing: Any, owner: str) -> Iterator[Entry]:
    """The entries of what a hook registers: a metric and perhaps its variant, or a function that configs bind."""
    record = thing.declaration
    if isinstance(record, Configurable):
        summary = (thing.__doc__ or record.name).strip().splitlines()[0].rstrip(".")
        yield Entry("parts", record.name, owner, thing, summary, {"supplied": record.supplied})
    elif isinstance(record, Declaration):
        facts = dict(record.facts) | (
            {} if record.needs.kind == "metrics" else {"supplied": record.needs.supplied}
        )
        yield Entry(record.needs.kind, record.name, owner, on_data(thing), record.summary, facts)
        if record.validation:
            summary, facts = f"{record.name} of given observations and labels", {"supplied": VALIDATION_ARGUMENTS}
            yield Entry("parts", record.validation, owner, on_fixed_data(thing), summary, facts)
    else:
        yield from record.entries(owner)


def bind(function: Callable[..., Any]) -> Callable[..., Any]:
    """A configurable function with what the config binds of it, unless another one stands in for its name."""
    name = function.declaration.name  # type: ignore[attr-defined]
    if any(entry.load() is function for entry in registry.variants("parts", name)):
        return registry.function("parts", name)
    return function


def takers(*kinds: str) -> Iterator[str]:
    """The metrics of codes and factors that take one of `kinds`: by default continuous factors, as they are or in
    stated bins."""
    wanted = set(kinds or ("continuous", "binned"))
    for entry in registry.entries("metrics"):
        if wanted & set(entry.facts.get("takes", ())) and entry.facts["needs"].arrays_suffice:
            yield entry.name


def refusal_with_takers(which: str, how: str) -> str:
    """`refusal`, and the metrics that take continuous factors."""
    return f"{refusal(which, how)}: {errors.listing(takers(), most=40)}"


# --- The metric with disentanglement_lib's signature


def on_data(metric: Callable[..., Any]) -> Callable[..., Scores]:
    """The metric that draws what it needs, in disentanglement_lib's order."""
    record: Declaration = metric.declaration  # type: ignore[attr-defined]
    needs = record.needs

    def measure(given: dict[str, Any]) -> Scores:
        data, representation, random_state, *rest = [given.pop(name) for name in needs.supplied]
        drawn = {name: given.pop(name) for name in needs.parameters}
        own = _own_arguments(record, data, given)
        own |= _resamples_for(record, own)
        to_numbers = _reader_of_numbers(record, data, own)
        if to_numbers is not None:
            own |= arguments_for(record.facts["takes"], data.continuous)
        if record.check is not None:
            known = {"num_factors": data.num_factors, **own}
            record.check(**{name: known[name] for name in signature(record.check).parameters})
        scores: Scores = {}
        for sample in needs.draw(Source(data, representation, random_state, make_classifier), **drawn):
            sample = sample if to_numbers is None else sample.with_factors(to_numbers)
            scores.update(_scores(record, sample, own, factor_names(data), *rest))
        return scores

    return _with_signature(metric, needs.supplied, needs.parameters, f"`{record.name}` of {needs.how}.", measure)


def on_fixed_data(metric: Callable[..., Any]) -> Callable[..., Scores]:
    """The metric of given observations (points, ...) and labels (factors, points)."""
    record: Declaration = metric.declaration  # type: ignore[attr-defined]
    tested = "test" in record.needs.gives
    line = f"`{record.name}` of given observations (points, ...) and labels (factors, points)."

    def measure(given: dict[str, Any]) -> Scores:
        train = encode_fixed(*(given.pop(name) for name in (*VALIDATION_ARGUMENTS, *FIXED)))
        keywords = {}
        if tested:
            train, keywords["test"] = split(*train, given.pop("train_percentage"))
        names = [str(factor) for factor in range(train[1].shape[1])]
        return _scores(record, Sample(train, None, keywords), _own_arguments(record, None, given), names)

    parameters = {**(FIXED_TRAIN if tested else {}), **FIXED}
    return _with_signature(metric, VALIDATION_ARGUMENTS, parameters, line, measure)


def _reader_of_numbers(record: Declaration, data: Any, own: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    """What makes numbers of the places of values, where the data set has continuous factors.

    They are refused if the metric does not take them as they are.
    """
    takes, columns = record.facts["takes"], getattr(data, "continuous", ())
    if not takes or not columns:
        return None
    if "continuous" not in takes and not asks_neighbours(takes, own):
        which = errors.listing(factor_names(data)[column] for column in columns)
        how = "`evaluation.bins = 10` in a config, `data.in_bins(10)`" + mention_neighbours(takes)
        raise errors.InvalidInput(refusal_with_takers(which, how) + ".")
    return data.space.to_numbers if record.needs.arrays_suffice else None


def _with_signature(
    metric: Callable[..., Any],
    supplied: Sequence[str],
    drawn: Mapping[str, Any],
    line: str,
    measure: Callable[[dict[str, Any]], Scores],
) -> Callable[..., Scores]:
    """A function with that signature, which hands its arguments to `measure`."""
    record: Declaration = metric.declaration  # type: ignore[attr-defined]
    by_place = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        Parameter(
            name,
            by_place,
            default=None if name == "artifact_dir" else Parameter.empty,
            annotation=SUPPLIED.get(name, Parameter.empty),
        )
        for name in supplied
    ]
    bindable = {
        **{n: Parameter(n, by_place, default=d, annotation=_annotation(d)) for n, d in drawn.items()},
        **{name: own.replace(name=name, kind=by_place) for name, own in _bindable(record).items()},
    }
    parameters += [bindable.pop(name) for name in FIRST.get(record.name, ()) if name in bindable]
    parameters += bindable.values()
    whole = Signature(parameters, return_annotation=Scores)

    def adapted(*args: Any, **kwargs: Any) -> Scores:
        given = whole.bind(*args, **kwargs)
        given.apply_defaults()
        with count_fits_of(record.name), binding(bind):
            return measure(check_arguments(whole.parameters.values(), given.arguments))

    adapted.__name__ = adapted.__qualname__ = record.name
    adapted.__module__ = metric.__module__
    adapted.__doc__ = f"{line}\n\nReturns:\n    {_described_keys(record)}"
    adapted.__signature__ = whole  # type: ignore[attr-defined]
    adapted.declaration = record  # type: ignore[attr-defined]
    return adapted


def _annotation(default: Any) -> Any:
    """The type of something that is drawn, by its default."""
    if isinstance(default, tuple):
        return int | Sequence[int]
    return type(default) if isinstance(default, (int, float)) else Parameter.empty


def _bindable(record: Declaration) -> dict[str, Parameter]:
    """By gin's name, the arguments of the function that configs may bind."""
    taken = {*record.needs.gives, *record.needs.parameters, *record.supplies, "random_state"}
    taken |= {record.each[0]} if record.each else set()
    taken -= set(record.renamed)
    several = record.several[0] if record.several else ""
    return {
        record.renamed.get(name, name): parameter
        if name != several
        else parameter.replace(annotation=parameter.annotation | Sequence[parameter.annotation])  # type: ignore[name-defined]
        for name, parameter in parameters_of(record.function).items()
        if parameter.kind is Parameter.KEYWORD_ONLY and name not in taken
    }


def _own_arguments(record: Declaration, data: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The function's own keyword arguments: those that are given by gin's names, and those that are supplied."""
    names = {gin: name for name, gin in record.renamed.items()}
    own = {names.get(gin, gin): value for gin, value in given.items()}
    return own | {name: supply(data) for name, supply in record.supplies.items()}


def _resamples_for(record: Declaration, own: Mapping[str, Any]) -> dict[str, int]:
    """How often a function that resamples what it has measured, as CG's does, is to do so: as often as others."""
    asked = asked_of_run()
    if not asked or record.needs.arrays_suffice:
        return {}
    return {name: getattr(asked, name) for name in ("bootstrap", "chance") if own.get(name) == 0}


def _scores(
    record: Declaration, sample: Sample, own: Mapping[str, Any], names: Sequence[str], artifact_dir: Any = None
) -> Scores:
    """The entries of a result file for one sample."""
    scores: Scores = {}
    for prefix, labels, result, options in _results(record, sample, own):
        found = report_keys(record.reports, result, names, labels)
        if (asked := asked_of_run()) and record.needs.arrays_suffice:
            # Points that stand for something else are given to the whole function, which draws that itself.
            points, given = (sample.points, own) if sample.points else (sample.arguments, options)
            sure = certainty(record.facts, record.function, points, given, result.score, asked)
            found |= sure.keys(_headline(record, labels))
        if record.saves is not None and artifact_dir is not None:
            found |= record.saves(result, Path(artifact_dir), names)
        scores.update({key if key in record.once else f"{prefix}{key}": value for key, value in found.items()})
    return {f"{sample.prefix}{key}": value for key, value in scores.items()} | dict(sample.keys())


def _headline(record: Declaration, labels: Mapping[str, Any]) -> str:
    """The key of the score of one call."""
    if callable(record.reports):
        return record.facts["headline"].rpartition(":")[2]  # of a series of sizes, without the size
    return next(iter(record.reports)).format(**labels)


def _results(
    record: Declaration, sample: Sample, own: Mapping[str, Any]
) -> Iterable[tuple[str, dict[str, Any], Any, dict[str, Any]]]:
    """Prefix of the keys, what they are formatted with, result and options, of each call of the function."""
    function = record.needs.function(record.function)
    keywords = {**own, **sample.keywords}
    if sample.random_state is not None and "random_state" in signature(function).parameters:
        keywords["random_state"] = sample.random_state
    if record.each:
        name, values = record.each
        for value in values:
            options = {**keywords, name: value}
            yield "", {name: value}, function(*sample.arguments, **options), options
        return
    name, of_several = record.several or ("", None)
    if of_several is None or not isinstance(keywords[name], (list, tuple)):
        yield "", {}, function(*sample.arguments, **keywords), keywords
        return
    if not keywords[name]:
        raise errors.InvalidInput(f"`{name}` is one value or a list of them; given: an empty list.")
    for value, result in of_several(*sample.arguments, **keywords).items():
        yield f"{name}={value}:", {}, result, {**keywords, name: value}


def _described_keys(record: Declaration) -> str:
    """The keys that are reported, for the docstring."""
    reports = record.reports
    if callable(reports):
        text = (reports.__doc__ or "").strip()
    else:
        text = ", ".join(f"``{key.replace('{', '<').replace('}', '>')}``" for key in reports) + "."
    if record.several:
        name = record.several[0]
        text += f" For a list of `{name}` they are prefixed, as in ``{name}=2:``."
    return text


# --- Classifiers, and attributed points: what metrics and pictures of a model share


def classifier_name(name: str) -> str:
    """`name`, or in place of ``'best'`` the name of the best classifier that is installed."""
    if name != BEST:
        return name
    return next(entry.name for entry in registry.ranked("classifiers") if "rank" in entry.facts)


def make_classifier(classifier: Any, data: GroundTruthData, parameter: str = "classifier") -> Any:
    """A classifier for `data` from a registered name, a factory ``data -> classifier``, or itself.

    Args:
        classifier: ``'best'`` is the best that is installed: one that is trained, or else ``'nearest_image'``.
        data: what it is to judge.
        parameter: what users bind it to, for messages.
    """
    if isinstance(classifier, str):
        classifier = registry.function("classifiers", classifier_name(classifier))
    if isinstance(classifier, type) or (callable(classifier) and not hasattr(classifier, "predict_proba")):
        try:
            classifier = classifier(data)
        except errors.InvalidInput as error:
            raise errors.InvalidInput(f"{error.message} {parameter} says which classifier is used.") from error
    if not hasattr(classifier, "predict_proba"):
        raise errors.InvalidInput(
            "`classifier` is a registered name, a function data set -> classifier, or an object with "
            f"`predict_proba(images)`; given: {shown_value(classifier)}."
        )
    return classifier


@dataclass(frozen=True)
class AttributedSample:
    """Codes and factors of points, the factors as gin's discretizer leaves them too, and the scores.

    `names` and `image_shape` are those of the data set; `dead` are the codes that change nothing that one sees.
    """

    codes: FloatArray
    factors: IntArray
    discrete: IntArray
    scores: FloatArray
    names: list[str]
    image_shape: tuple[int, ...]
    dead: tuple[int, ...]

    def code_title(self, code: int) -> str:
        """What pictures call a code."""
        return f"code {code}: dead" if code in self.dead else f"code {code}"


def attributed_sample(
    data: GroundTruthData,
    representation: Representation,
    random_state: np.random.RandomState,
    num_train: int,
    batch_size: int,
    attribution: str | Attribution,
    rho: int,
) -> AttributedSample:
    """Draw points, encode them, and attribute their codes; a `rho` above their number is an error.

    The representation has a decoder.
    """
    codes, factors = sample_codes(data, representation, num_train, random_state, batch_size)
    # Continuous factors in bins, as `irs` and `uc` have them in a suite.
    codes, discrete = check_pairs(codes, equally_filled(bind(discretizer)(factors), BINS))
    check_rho(rho, codes.shape[1])
    scores = attribute(codes, discrete, attribution, random_state)
    shape, decode = tuple(data.observation_shape), representation.decode  # type: ignore[attr-defined]
    return AttributedSample(
        codes, factors, discrete, scores, factor_names(data), shape, find_dead_codes(codes, decode)
    )
