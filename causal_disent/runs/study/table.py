"""The scores of any tree of result folders as one tidy table: a row for each, plain values, nothing missing."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.arguments import is_finite_number, is_number, is_whole, literal
from causal_disent.files import check_file_place, new_file, read_bounded, within
from causal_disent.registry import registry
from causal_disent.runs.aggregate import INTEGERS, write_parquet
from causal_disent.runs.calibrate import headlines, without_size
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study.folders import FAILURES, LOGS, METRICS
from causal_disent.text import shown, whole_text
from causal_disent.typed import checked

if TYPE_CHECKING:
    import pandas as pd

#: What tells one combination from another, seeds apart.
GROUP = ("model", "dataset", "confounding", "varied", "representation", "metric", "rho", "setting", "score")
COLUMNS = (
    "run", "model", "trained_as", "dataset", "original", "confounding", "varied", "seed", "representation",
    "metric", "rho", "setting", "score", "value", "low", "high", "chance", "within_chance",
    "better", "first", "path",
)  # fmt: skip
#: What a metric may report beside a score, as in ``UC_low``: the ends of its interval over points, what codes that
#: say nothing get, and whether they might well get as much.
BESIDE = ("low", "high", "chance", "within_chance")
#: Digits of the number of a run.
MOST_DIGITS = 19
#: Folders in which no results are looked for.
NOT_RESULTS = {RESULTS, FAILURES, LOGS, "artifacts", "tensorboard", "tfhub"}
AGGREGATE = os.path.join(RESULTS, "aggregate", "evaluation.json")
SEEDS = ("model.random_seed", "model.model_seed")
#: What is told in columns of its own, or tells runs apart that are to be compared.
OWN = re.compile(
    r"study_task\.|tracking\.|evaluation\.|postprocess\.|representation\.name$|dataset\.(name|confounding)$"
    r"|model\.(name|model|model_num|random_seed|model_seed|(un)?supervised_data_seed)$"
)


@checked
def results_table(folder: str | Path) -> pd.DataFrame:
    """Every headline score in the result folders below `folder`.

    Args:
        folder: of a study, or any other.

    Returns:
        A data frame with a row for each score, and the columns

        - ``run`` (the number in a study, else the folder), ``model``, ``trained_as`` (the registered model; empty
          if it was not trained here), ``dataset``, ``original`` (what it stands for, if it is a miniature),
          ``confounding`` (``none`` if there is none), ``varied`` (what differs between runs of one model, as in
          ``vae.beta=4``), ``seed`` (of the model; of the evaluation where nothing was trained),
          ``representation`` (``mean``, say);
        - ``metric`` (its registered name), ``rho`` (0 if it has none), ``setting`` (what differs between
          evaluations by one metric), ``score`` (its key in the result file), ``value``, ``low`` and ``high`` (of
          its interval over points), ``chance`` (of codes that say nothing) and ``within_chance`` (1 if they might
          well score as much, else 0) where the metric reports them, ``better`` (``higher`` or ``lower``),
          ``first`` (whether it is the one score that stands for the metric), ``path``;
        - a column for each parameter that is varied, missing where it does not apply.

        Only numbers and the last may be missing, so that no row is lost in a pivot table.
        ``attrs["left_out"]`` lists files that are left out, and why, ``attrs["varied"]`` the varied parameters.

    Example:
        >>> results_table("output/study").pivot_table("value", "model", ["dataset", "score"])  # doctest: +SKIP
    """
    import pandas as pd

    root = Path(folder)
    left_out: list[tuple[str, str]] = []
    results = list(_results(root, left_out))
    if not results:
        raise errors.InvalidInput(
            f"There are no results below {root}: no folder has {AGGREGATE}, as dlib_evaluate and studies write it."
        )
    varied = _varying((result.model, result.settings) for result in results)
    settings = _varying((result.metric, result.evaluation) for result in results)
    rows = [row for result in results for row in _rows(result, varied, settings)]
    table = pd.DataFrame(rows, columns=[*COLUMNS, *sorted(varied), *sorted(settings - varied)])
    table.attrs.update(left_out=left_out, varied=sorted(varied), settings=sorted(settings - varied))
    return table


@dataclass
class _Result:
    """One evaluation: what it was of, and what it found."""

    path: str
    columns: dict[str, Any]
    model: str
    metric: str
    scores: dict[str, Any]
    settings: dict[str, str] = field(default_factory=dict)
    evaluation: dict[str, str] = field(default_factory=dict)


def _results(root: Path, left_out: list[tuple[str, str]]) -> Iterator[_Result]:
    known: dict[str, dict[str, str]] = {}
    seen: dict[bytes, str] = {}
    for at, names, _ in os.walk(root):
        names[:] = sorted((name for name in names if name not in NOT_RESULTS and name[0] != "."), key=numerically)
        file = os.path.join(at, AGGREGATE)
        if not os.path.exists(file):
            continue
        try:
            raw = read_bounded(within(root, Path(file)), MOST_BYTES)
            content = parse_object(raw)
            # No two evaluations have one: a copy, counted as another seed, would make its score look surer.
            original = (
                seen.setdefault(hashlib.sha256(raw).digest(), at) if "evaluation_results.uuid" in content else at
            )
            if original != at:
                left_out.append((file, f"it is a copy of the result in {shown(original)}"))
                continue
            yield from _evaluations(os.path.relpath(at, root), content, known)
        except errors.InvalidInput as error:
            left_out.append((file, error.message))


def _evaluations(path: str, content: Mapping[str, Any], known: dict[str, dict[str, str]]) -> Iterator[_Result]:
    """The evaluations that one result folder holds; a list of metrics is one for each."""
    parts: dict[str, dict[str, Any]] = {
        "train_config": {},
        "postprocess_config": {},
        "evaluation_config": {},
        "evaluation_results": {},
    }
    path = whole_text(path)
    identity = str(content.get("train_results.uuid", path))
    for key, value in content.items():
        part, _, name = key.partition(".")
        if part in parts:
            parts[part][name] = value
    train, made, config = parts["train_config"], parts["postprocess_config"], parts["evaluation_config"]
    dataset = _name(config.get("dataset.name") or train.get("dataset.name"))
    oracle = _name(config.get("representation.name"))
    trained_as = _reference(train.get("model.model", ""))
    place = Path(path).parts
    in_study = METRICS in place
    run = place[: place.index(METRICS)] if in_study else place[:-1] or place
    named = _name(made.get("postprocess.name")) or (place[-2] if in_study and len(place) > 1 else "")
    seeds = [plain_value(train.get(key)) for key in SEEDS] + [plain_value(config.get("evaluation.random_seed"))]
    columns = {
        "run": "/".join(run),
        "model": _name(train.get("model.name")) or trained_as or oracle or "/".join(run),
        "trained_as": trained_as,
        "dataset": dataset,
        "original": _original(dataset, {**train, **config}),
        "confounding": setting_text(config.get("dataset.confounding") or train.get("dataset.confounding")),
        "seed": next((seed for seed in seeds if is_whole(seed)), 0),
        "representation": named,
    }
    of_model = ("dataset.", f"{dataset}.", f"{oracle}.")
    settings = known.setdefault(
        identity,
        {
            key: str(text)
            for key, text in (train or {k: v for k, v in config.items() if k.startswith(of_model)}).items()
            if not OWN.match(key)
        },
    )
    evaluation = {
        key: str(text) for key, text in config.items() if not OWN.match(key) and not key.startswith(of_model)
    }
    names = [
        _reference(name) for name in re.findall(r"[@'][\w./]+", str(config.get("evaluation.evaluation_fn", "")))
    ]
    scores = parts["evaluation_results"]
    for name in names or [place[-1]]:
        own = scores
        if len(names) > 1:
            own = {key.partition(":")[2]: value for key, value in scores.items() if key.startswith(f"{name}:")}
        yield _Result(path, columns, str(columns["model"]), name, own, settings, evaluation)


def _original(dataset: str, settings: Mapping[str, Any]) -> str:
    """The data set that this is or stands for; where options decide, it was registered with ``stands_for``."""
    known = dataset in registry.names("datasets")
    told = registry.get("datasets", dataset).facts.get("stands_for", {}) if known else {}
    for option, original in told.items():
        name, _, value = option.partition("=")
        if setting_text(settings.get(f"{dataset}.{name}")) == value:
            return str(original)
    return str(dataset).removesuffix("_mini")


def numerically(name: str) -> tuple[bool, int, str]:
    """To sort folders by: 2 comes before 10, and what has no number, such as somebody's copy, comes last."""
    number = int(name) if name.isdecimal() and len(name) < MOST_DIGITS else -1
    return (number < 0, number, name)


def _varying(results: Any) -> set[str]:
    """The parameters that take several values for one owner."""
    seen: dict[tuple[str, str], str] = {}
    found: set[str] = set()
    for owner, settings in results:
        for key, text in settings.items():
            if seen.setdefault((owner, key), text) != text:
                found.add(key)
    return found


def _rows(result: _Result, varied: set[str], settings: set[str]) -> Iterator[dict[str, Any]]:
    own = {key: plain_value(text) for key, text in result.settings.items() if key in varied}
    measured = {key: plain_value(text) for key, text in result.evaluation.items() if key in settings}
    common = {
        **own,
        **measured,
        **result.columns,
        "varied": " ".join(f"{key}={setting_text(value)}" for key, value in own.items()),
        "metric": result.metric,
        "rho": rho if is_whole(rho := plain_value(result.evaluation.get(f"{result.metric}.rho"))) else 0,
        "setting": " ".join(f"{key.rpartition('.')[2]}={setting_text(value)}" for key, value in measured.items()),
        "path": result.path,
    }
    stated = _headlines(result)
    order = list(stated)
    keyed = [(*_of_rho(key), value, key) for key, value in result.scores.items()]
    found = [one for one in keyed if without_size(one[1]) in stated and (is_number(one[2]) or one[2] is None)]
    for rho, score, value, key in sorted(found, key=lambda one: order.index(without_size(one[1]))):
        name = without_size(score)
        of_rho = {"rho": rho, "setting": f"rho={rho} {common['setting']}".strip()} if rho else {}
        yield {
            **common,
            **of_rho,
            "score": score,
            "value": _number(value),
            **{end: _number(result.scores.get(f"{key}_{end}")) for end in BESIDE},
            "better": "lower" if stated[name] else "higher",
            "first": name == order[0],
        }


def _number(value: Any) -> float:
    return float(value) if isinstance(value, bool) or is_finite_number(value) else float("nan")


def _of_rho(key: str) -> tuple[int, str]:
    """``rho=2:UC`` as the rho and the score; a metric that was given a list of rho has such keys."""
    found = re.fullmatch(rf"rho=(\d{{1,{MOST_DIGITS - 1}}}):(.*)", key)
    return (int(found[1]), found[2]) if found else (0, key)


def _headlines(result: _Result) -> dict[str, bool]:
    """The scores that a metric is known by, each with whether lower is better."""
    scores = {key: value for key, value in result.scores.items() if key != "elapsed_time"}
    if result.metric in registry.names("metrics"):
        return headlines(registry.get("metrics", result.metric), [scores])
    numbers = [key for key, value in scores.items() if is_number(value)]
    return {without_size(_of_rho(key)[1]): False for key in numbers}


def plain_value(text: Any) -> Any:
    """The value that a config's text stands for: ``candle_mini`` of ``'candle_mini'``.

    What a table cannot hold stays the text: half a character, a number of more than 64 bits.
    """
    value = literal(text)
    return value if _fits(value) else whole_text(text)


def _fits(value: Any) -> bool:
    """Whether files of every kind can hold a value."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, (list, tuple)):
        return all(map(_fits, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _fits(key) and _fits(inner) for key, inner in value.items())
    return value is None or isinstance(value, (bool, float)) or (isinstance(value, int) and value in INTEGERS)


def setting_text(given: Any) -> str:
    """A value, or a config's text of one, for people; 4 and 4.0, as which a column with gaps has it, are alike.

    Example:
        >>> setting_text("4"), setting_text(4.0), setting_text("0.5"), setting_text("'candle_color'")
        ('4', '4', '0.5', 'candle_color')
    """
    value = plain_value(given)
    if isinstance(value, float) and value.is_integer() and int(value) in INTEGERS:
        value = int(value)
    return "none" if value is None else whole_text(value)


def _name(text: Any) -> str:
    """What something is called: text, whatever the file says."""
    return whole_text(plain_value(text) or "")


def _reference(text: Any) -> str:
    """``vae`` of ``@some/scope/vae()``."""
    return re.split(r"[./@']", str(text).removesuffix("()"))[-1]


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation (0 for one seed) and number of seeds of each combination, in the table's order.

    Args:
        table: as `results_table` gives it.
    """
    grouped = table.groupby([*GROUP, "better", "first", "trained_as", "original"], sort=False)["value"]
    found = grouped.agg(mean="mean", spread="std", seeds="size").reset_index()
    return found.fillna({"spread": 0.0})


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as the name of the file says: ``.csv`` or ``.parquet``."""
    if path.suffix not in (".csv", ".parquet"):
        raise errors.InvalidInput(f"A table is written as .csv or .parquet; given: {path}.")
    check_file_place(path)
    with new_file(path) as temporary:
        if path.suffix == ".csv":
            table.to_csv(temporary, index=False, errors="backslashreplace")
        else:
            write_parquet(table, temporary)
