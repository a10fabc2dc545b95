"""Running one metric on one representation of one data set."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_seed, checked, literal
from causal_disent.config import (
    REQUIRED,
    bindings_of,
    bound_texts,
    entry_of,
    gin_config,
    missing_told,
    operative_bindings,
    operative_config,
    parameters_of,
    query,
)
from causal_disent.files import check_free, inside, new_folder, read_bounded
from causal_disent.graphs import is_disentangled_causal_process
from causal_disent.metrics.certainty import Asked, asking
from causal_disent.metrics.contract import count_fits_of
from causal_disent.protocols import GroundTruthData, Representation
from causal_disent.registry import KINDS, part, registry
from causal_disent.report.remarks import evaluation_table
from causal_disent.representation.code_table import CodeTable
from causal_disent.runs.dataset import bind_dataset, dataset
from causal_disent.runs.representation import AS_FOUND, Reading, bind_folder, check_reading, load_model
from causal_disent.runs.results import MOST_BYTES, RESULTS, check_apart, parse_object, read_results, write_results
from causal_disent.text import say, shown_value


def run_metric(
    metric: Callable[..., dict[str, Any]],
    name: str,
    data: GroundTruthData,
    representation: Representation,
    random_seed: int,
    artifact_dir: Path,
) -> dict[str, Any]:
    """What `metric` says, or an error with its name.

    Args:
        metric: disentanglement_lib's signature; one without ``artifact_dir`` still works.
        name: what users call it.
        data: ground-truth data.
        representation: encoder, perhaps with a decoder.
        random_seed: of the draws.
        artifact_dir: where the metric may save files; it is made by the metric if needed.
    """
    arguments: dict[str, Any] = {"random_state": np.random.RandomState(random_seed)}
    if _takes(metric, "artifact_dir"):
        arguments["artifact_dir"] = str(artifact_dir)
    else:
        warnings.warn(
            f"The metric '{name}' takes no `artifact_dir`; give it `artifact_dir=None`.",
            DeprecationWarning,
            stacklevel=2,
        )
    try:
        with count_fits_of(name):
            scores = metric(data, CodeTable.of(data, representation), **arguments)
    except Exception as error:  # a metric is foreign code
        if isinstance(error, errors.CausalDisentError):
            raise errors.InvalidInput(f"{name}: {error.message}") from error
        raise errors.metric_failed(name, error, _file_of(metric)) from error
    if not isinstance(scores, dict):
        raise errors.metric_failed(name, TypeError(f"it returned {type(scores).__name__}, not a dict"))
    return scores


def _takes(function: Callable[..., Any], argument: str) -> bool:
    """Whether a function takes an argument of that name; gin's wrappers are looked through."""
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == argument or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _file_of(function: Callable[..., Any]) -> str:
    """The file that defines a function (of a declared metric, that of arrays), as tracebacks call it."""
    declaration = getattr(function, "declaration", None)
    code = getattr(inspect.unwrap(declaration.function if declaration else function), "__code__", None)
    return code.co_filename if code else ""


Metric = str | Callable[..., dict[str, Any]]

#: Where a result folder has the bindings that it was made with.
RECORDED = f"{RESULTS}/json/evaluation_config.json"
#: In the result folder of several metrics, their first scores.
TABLE = "scores.txt"
#: What was encoded, by what it was: shared by the runs of one command.
CodeTables = dict[Any, CodeTable]

#: Metrics that are defined for data whose factors do not cause each other.
OF_INDEPENDENT_MECHANISMS = {"uc", "cg", "causal_disentanglement"}


@checked
def evaluate_with_gin(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    gin_config_files: Sequence[str | Path] | None = None,
    gin_bindings: Sequence[str] | None = None,
    code_tables: CodeTables | None = None,
    reading: Reading = AS_FOUND,
) -> dict[str, Any]:
    """`evaluate` under a config that is cleared afterwards, also when the run fails.

    Args:
        model_dir: the folder with the representation.
        output_dir: the folder to write; it must not exist, unless `overwrite`.
        overwrite: replace `output_dir`.
        gin_config_files: paths, or names of shipped configs such as ``metrics/uc.gin``.
        gin_bindings: lines such as ``"uc.rho = 2"``.
        code_tables: pass the same dict to several calls to have each image encoded once in all of them.
        reading: where the decoder is and what reads it, for folders with a saved model.

    Returns:
        The scores.
    """
    with gin_config(gin_config_files, gin_bindings):
        return evaluate(model_dir, output_dir, overwrite, code_tables=code_tables, reading=reading)


def check_with_gin(
    gin_config_files: Sequence[str | Path] | None, gin_bindings: Sequence[str] | None, reading: Reading
) -> None:
    """Raise what `evaluate_with_gin` would raise for every folder, whatever is in it."""
    with gin_config(gin_config_files, gin_bindings):
        for metric in _as_list(settings().evaluation_fn):
            _named(metric)
        check_reading(reading)


def settings_that_differ(
    model_dir: str | Path,
    output_dir: str | Path,
    gin_config_files: Sequence[str | Path] | None,
    gin_bindings: Sequence[str] | None,
) -> list[str]:
    """What the result in `output_dir` was made with and `evaluate_with_gin` would not use now, one setting each.

    Parameters that no config binds now have their defaults; what the model's folder says of itself is bound.
    """
    try:
        before = parse_object(read_bounded(inside(Path(output_dir), RECORDED), MOST_BYTES))
    except errors.InvalidInput:  # it does not say what it was made with
        return []
    with gin_config(gin_config_files, gin_bindings):
        source, owners = Path(model_dir), registry.in_configs()
        try:
            bind_dataset(source, bind_folder(source))
        except errors.CausalDisentError:  # the folder has gone, or changed: what is done stays done
            owners = {}
        now = {key: literal(text) for key, text in bound_texts().items()}
    for key in before.keys() - now.keys():
        owner, _, name = key.rpartition(".")
        default = parameters_of(owners[owner]).get(name, REQUIRED) if owner in owners else REQUIRED
        if default is None or isinstance(default, (bool, int, float, str, list, tuple)):
            now[key] = literal(repr(default))
    return [
        f"{key} was {text}, is {now[key]!r}"
        for key, text in before.items()
        if key in now and literal(str(text)) != now[key]
    ]


@dataclass(frozen=True)
class Settings:
    """What a config binds under ``evaluation``."""

    evaluation_fn: Any
    random_seed: int
    name: str
    bins: int | None = None
    bootstrap: int = 0
    chance: int = 0


@part("evaluation")
def settings(
    evaluation_fn: Any = REQUIRED,
    random_seed: int = REQUIRED,
    name: str = "",
    bins: int | None = None,
    bootstrap: int = 0,
    chance: int = 0,
) -> Settings:
    """``evaluation.*``, for `evaluate` and for ``dlib_udr``."""
    check_seed("evaluation.random_seed", random_seed)
    return Settings(evaluation_fn, random_seed, name, bins, bootstrap, chance)


@checked
def evaluate(
    model_dir: str | Path,
    output_dir: str | Path,
    overwrite: bool = False,
    *,
    code_tables: CodeTables | None = None,
    reading: Reading = AS_FOUND,
    **bound: Any,
) -> dict[str, Any]:
    """Run the bound metric on the representation in `model_dir` and write a result folder.

    Args:
        model_dir: the folder with the representation.
        output_dir: the folder to write.
        overwrite: replace `output_dir` if it exists.
        code_tables: as for `evaluate_with_gin`.
        reading: as for `evaluate_with_gin`.
        bound: what the config leaves open of ``evaluation_fn`` (the metric, ``@uc`` in a config, or its name; or
            a list of metrics, whose keys are then prefixed as in ``uc:UC``), ``random_seed`` (of the draws; each
            metric starts from it), ``name`` (of the evaluation; part of the saved config) ``bins`` (equally
            filled bins for the continuous factors of the data set), and, for the headlines of metrics of codes and
            factors, ``bootstrap`` (resamples of the points for a 95 % interval, ``<key>_low`` and ``<key>_high``;
            200 is usual; ``<key>_undefined_resamples`` tells on how many the score is not defined, if any) and
            ``chance`` (permutations of the codes, for ``<key>_chance``, what codes that say nothing score,
            ``<key>_chance_share``, how many of them reach the score, and ``<key>_within_chance``).

    Returns:
        The scores, with ``elapsed_time`` in seconds and, for a saved model, ``backend`` and the folders it was
        read from.
    """
    started = time.perf_counter()
    source, target = Path(model_dir), Path(output_dir)
    check_apart([target], reading.folders(source))
    check_free(target, overwrite=overwrite)
    with missing_told():
        chosen = settings(**bound)
    bind_dataset(source, bind_folder(source))
    earlier = read_results(source)
    table, recorded = _code_table(source, reading, {} if code_tables is None else code_tables)
    # A backend may have found the decoder in a folder that nobody named.
    check_apart([target], [Path(value) for key, value in recorded.items() if key.startswith("folder_of_")])
    metrics = [_named(metric) for metric in _as_list(chosen.evaluation_fn)]
    asked = Asked(chosen.bootstrap, chosen.chance, chosen.random_seed)
    data = table.data if chosen.bins is None else _in_bins(table.data, chosen.bins)
    _note_domain(data, {name for name, _ in metrics})
    with new_folder(target, overwrite=overwrite) as folder:
        scores: dict[str, Any] = {}
        for metric, function in metrics:
            artifacts = folder / "artifacts" / (chosen.name or metric)
            with asking(asked):
                found = run_metric(function, metric, data, table, chosen.random_seed, artifacts)
            prefix = f"{metric}:" if isinstance(chosen.evaluation_fn, (list, tuple)) else ""
            scores.update({f"{prefix}{key}": value for key, value in found.items()})
        scores.update(recorded)
        scores["elapsed_time"] = time.perf_counter() - started
        if table_of_all := evaluation_table(scores):
            (folder / TABLE).write_text(f"{table_of_all}\n", encoding="utf-8")
        write_results(folder, "evaluation", scores, operative_config(), operative_bindings(), earlier)
    return scores


def _note_domain(data: Any, metrics: set[str]) -> None:
    """Say where UC and CG are measured on data whose factors cause each other."""
    graph = getattr(data, "graph", None)
    if graph is not None and metrics & OF_INDEPENDENT_MECHANISMS and not is_disentangled_causal_process(graph):
        say(
            "factors of this data set cause each other: UC and CG are defined for factors that do not "
            "(definition 1), and a high UC is no evidence here",
            error=True,
        )


def _in_bins(data: Any, bins: int) -> Any:
    if not hasattr(data, "in_bins"):
        raise errors.InvalidInput(
            f"`evaluation.bins` is for data sets with continuous factors, of which {type(data).__name__} has none."
        )
    return data.in_bins(bins)


def _as_list(metrics: Metric | Sequence[Metric]) -> Sequence[Metric]:
    return metrics if isinstance(metrics, (list, tuple)) else [metrics]  # type: ignore[list-item]


def _named(metric: Metric) -> tuple[str, Callable[..., Any]]:
    """What users call a metric, and the metric."""
    if isinstance(metric, str):
        return metric, registry.function("metrics", metric)
    if not callable(metric):
        raise errors.InvalidInput(
            "`evaluation.evaluation_fn` is a metric (@uc, say), its name, or a list of metrics; given: "
            f"{shown_value(metric)}."
        )
    function = getattr(metric, "__wrapped__", metric)
    for entry in registry.entries("metrics"):
        if entry.load() is function:
            return entry.name, metric
    other = entry_of(metric)
    if other is not None and not _can_measure(metric):
        raise errors.InvalidInput(
            f"`evaluation.evaluation_fn` is a metric; '@{other.in_config}' is {KINDS[other.kind].one}."
        )
    return getattr(metric, "__name__", type(metric).__name__), metric


def _can_measure(function: Callable[..., Any]) -> bool:
    """Whether it takes what disentanglement_lib gives a metric."""
    try:
        inspect.signature(function).bind("data", "representation", random_state=0)
    except TypeError:
        return False
    return True


def _code_table(source: Path, reading: Reading, code_tables: CodeTables) -> tuple[CodeTable, dict[str, Any]]:
    """The data set and the representation, with the codes that an earlier run found for the same ones."""
    data = dataset()
    model, recorded = load_model(source, data, reading)
    table = CodeTable(data, model)
    names = [name for name in (query("dataset.name"), query("representation.name")) if name]
    key = (source.resolve(), reading, bindings_of("dataset", "representation", *names))
    if key in code_tables:
        table.adopt(code_tables[key])
    code_tables[key] = table
    return table, recorded
