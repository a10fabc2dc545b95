"""The scores of any tree of result folders as one tidy table: a row for each, plain values, nothing missing."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.checks import checked, is_finite_number, is_number, is_whole, literal
from causal_disent.files import check_file_place, check_place, new_file, read_bounded, within, write_text
from causal_disent.registry import registry
from causal_disent.report.published import published, published_metrics, published_models, published_table
from causal_disent.report.table import GAP, WIDTH, markdown_table, text_table
from causal_disent.runs.aggregate import INTEGERS, write_parquet
from causal_disent.runs.calibrate import headlines, without_size
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study_plan import FAILURES, LOGS, METRICS
from causal_disent.tables import harmless_cells
from causal_disent.text import shown, whole_text

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

    The columns are

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

    Args:
        folder: of a study, or any other.

    Returns:
        A data frame with a row for each score.
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
    measured = str(config.get("evaluation.evaluation_fn", "")).lstrip()
    names = [_reference(name) for name in re.findall(r"[@'][\w./]+", measured)]
    scores = parts["evaluation_results"]
    for name in names or [place[-1]]:
        own = scores
        if measured[:1] in ("[", "("):  # the keys of a list of metrics begin with the metric's name
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
    """Mean, standard deviation (0 for one run) and number of seeds of each combination, in the table's order.

    Runs of one seed that were copied count as one seed; ``runs`` counts them all.

    Args:
        table: as `results_table` gives it.
    """
    grouped = table.groupby([*GROUP, "better", "first", "trained_as", "original"], sort=False)
    found = grouped["value"].agg(mean="mean", spread="std", runs="size")
    found["seeds"] = grouped["seed"].nunique()
    return found.reset_index().fillna({"spread": 0.0})


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as the name of the file says: ``.csv`` or ``.parquet``."""
    if path.suffix not in (".csv", ".parquet"):
        raise errors.InvalidInput(f"A table is written as .csv or .parquet; given: {path}.")
    check_file_place(path)
    with new_file(path) as temporary:
        if path.suffix == ".csv":
            harmless_cells(table).to_csv(temporary, index=False, errors="backslashreplace")
        else:
            write_parquet(table, temporary)


def results_text(table: pd.DataFrame, published_name: str | None = None, *, markdown: bool = False) -> str:
    """Mean and standard deviation over seeds of every headline score.

    Args:
        table: as `causal_disent.runs.study_table.results_table` gives it.
        published_name: a published table (`causal_disent.report.published`); its numbers are in brackets, where
            it has the model, the data set and the score.
        markdown: whether tables are Markdown's; others are no wider than a terminal.
    """
    draw = markdown_table if markdown else _fitting
    beside = _published(published_name) if published_name else lambda row: ""
    means = summary(table)
    parts = []
    for (dataset, confounding), block in means.groupby(["dataset", "confounding"], sort=False):
        parts.append(f"{_heading(dataset, confounding)}\n{chr(10) * markdown}{_block(block, beside, draw)}")
    if means["runs"].max() > 1:
        parts.append(_over(means))
    if published_name:
        described = published_table(published_name)
        found = "in brackets" if any(map(beside, means.itertuples(index=False))) else "nothing of these runs is in"
        parts.append(
            f"{found}: {described.source.citation}, table {described.number}. {described.caption} "
            f"`causal-disent published {published_name}` tells what is known against its numbers."
        )
    return "\n\n".join(parts)


def _over(means: pd.DataFrame) -> str:
    """What means are over: seeds, or runs where several are of one seed."""

    def count(column: str) -> str:
        fewest, most = means[column].min(), means[column].max()
        return str(most) if fewest == most else f"{fewest} to {most}"

    if (means["runs"] == means["seeds"]).all():
        return f"mean ± standard deviation over {count('seeds')} seeds"
    return (
        f"mean ± standard deviation over {count('runs')} runs, of {count('seeds')} different seeds: runs of one "
        "seed are copies, or their seed is not known"
    )


def write_results(table: pd.DataFrame, path: Path, published_name: str | None = None) -> None:
    """Write every score, as `write_table` does, or the text of `results_text`, if the file is called ``.md``."""
    if path.suffix != ".md":
        write_table(table, path)
        return
    check_place(path)
    write_text(path, results_text(table, published_name, markdown=True) + "\n")


def chosen_scores(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The rows of the scores, and of the metrics' scores, that are named; all if none is."""
    known = {*table["metric"], *table["score"]}
    for name in names:
        if name not in known:
            raise errors.unknown("metric or score", name, sorted(known))
    return table[table["metric"].isin(names) | table["score"].isin(names)] if names else table


def _fitting(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """One text table, or several that have the same first column, each of them no wider than a terminal."""
    widths = [max(len(one[i]) for one in (header, *rows)) + len(GAP) for i in range(len(header))]
    room = shutil.get_terminal_size((WIDTH, 0)).columns + len(GAP)
    parts = [[0]]
    for i in range(1, len(header)):
        if len(parts[-1]) > 1 and sum(widths[j] for j in (*parts[-1], i)) > room:
            parts.append([0])
        parts[-1].append(i)
    return "\n\n".join(
        text_table([header[i] for i in one], [[row[i] for i in one] for row in rows]) for one in parts
    )


def _heading(dataset: object, confounding: object) -> str:
    confounded = "" if confounding == "none" else f", confounded by {shown(confounding)}"
    return f"data set {shown(dataset)}{confounded}"


def _block(block: pd.DataFrame, beside: Callable[[Any], str], draw: Callable[..., str]) -> str:
    """One data set: a row for each model and what is varied, a column for each score."""
    several = block["representation"].nunique() > 1
    owners = block.groupby("score")["metric"].nunique().to_dict()
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    columns: dict[str, None] = {}
    row: Any
    for row in block.itertuples(index=False):
        name = (row.model, row.varied, row.representation if several else "")
        score = row.score if owners[row.score] == 1 else f"{row.metric}:{row.score}"
        column = f"{score} {row.setting}".strip()
        columns[column] = None
        number = beside(row)
        cells.setdefault(name, {})[column] = _mean_text(row) + (f" ({number})" if number else "")
    leading = [i for i in range(3) if any(name[i] for name in cells)]
    header = [("model", "varied", "representation")[i] for i in leading]
    rows = [[*(name[i] for i in leading), *map(lambda c: own.get(c, ""), columns)] for name, own in cells.items()]
    return draw([*header, *columns], rows)


def _mean_text(row: Any) -> str:
    return f"{row.mean:.3f} ± {row.spread:.3f}" if row.runs > 1 else f"{row.mean:.3f}"


def published_here(name: str | None = None) -> pd.DataFrame:
    """A published table, or all, with ``trained_as`` and ``measured_by``, what models and metrics are here."""
    rows = published(name)
    models = {model: entry.get("registered") for model, entry in published_models().items()}
    metrics = {metric: entry.get("registered") for metric, entry in published_metrics().items()}
    return rows.assign(trained_as=rows["model"].map(models), measured_by=rows["metric"].map(metrics))


def _published(name: str) -> Callable[[Any], str]:
    """What the published table has for a row of a summary; empty if it has nothing."""
    rows = published_here(name)

    def beside(row: Any) -> str:
        same_score = (rows["metric"] == row.score) | (row.first & (rows["measured_by"] == row.metric))
        same_rho = (rows["rho"] == 0) | (rows["rho"] == row.rho)
        found = rows[
            (rows["dataset"] == row.original) & (rows["trained_as"] == row.trained_as) & same_score & same_rho
        ]
        if not len(found):
            return ""
        # Ours are not in per cent: beside them, neither are those that the paper multiplied by 100.
        value, spread, printed = found[["value", "spread", "printed"]].iloc[0]
        return str(printed) if published_table(name).scale == 1 else f"{value:.3f} ± {spread:.3f}"

    return beside


def scores_text(table: pd.DataFrame) -> str:
    """Every score, one a line."""
    columns = ["representation", "metric", "score", "setting", "value"]
    return text_table(columns, table[columns].to_numpy().tolist())


def best_text(table: pd.DataFrame, metric: str) -> str:
    """All combinations, the best by a metric first, for each data set.

    Args:
        table: as `causal_disent.runs.study_table.results_table` gives it.
        metric: the name of a metric, or of a score.
    """
    by_metric = table[(table["metric"] == metric) & table["first"]]
    chosen = by_metric if len(by_metric) else table[table["score"] == metric]
    if not len(chosen):
        raise errors.unknown("metric or score", metric, sorted({*table["metric"], *table["score"]}))
    found = summary(chosen)
    lower = found["better"].iloc[0] == "lower"
    found = found.sort_values("mean", ascending=lower, kind="stable")
    columns = ("model", "varied", "representation", "setting")
    shown = [name for name in columns if found[name].nunique() > 1] or ["model"]
    parts = []
    for (dataset, confounding), block in found.groupby(["dataset", "confounding"]):
        rows = [
            [place, *(getattr(row, name) for name in shown), _mean_text(row), row.seeds]
            for place, row in enumerate(block.itertuples(index=False), 1)
        ]
        score = f"{chosen['score'].iloc[0]} ({found['better'].iloc[0]} is better)"
        parts.append(f"{_heading(dataset, confounding)}\n{text_table(['', *shown, score, 'seeds'], rows)}")
    return "\n\n".join(parts)
