"""Reading ``tables.json``: each block of a printed table becomes one record per number.

A block looks as it is printed, rows of cells under columns. ``rows_are`` and ``columns_are`` say which field of a
record their names are; ``common`` holds the fields that all cells share. A note applies to every record whose
fields are among those that it lists.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.report.table import WIDTH as LISTING
from causal_disent.report.table import text_table

if TYPE_CHECKING:
    import pandas as pd


#: The columns of `published`.
COLUMNS = (
    "table",
    "source",
    "caption",
    "dataset",
    "confounding",
    "model",
    "metric",
    "rho",
    "factor",
    "other_factor",
    "given",
    "printed",
    "value",
    "spread",
    "note",
)
#: ``0.40``, ``53.0±4.5``, ``10^-5`` or ``3×10^-5``.
NUMBER = re.compile(r"(?P<value>\d+(\.\d+)?)(±(?P<spread>\d+(\.\d+)?))?|((?P<times>\d+)×)?10\^(?P<power>-\d+)")


@dataclass(frozen=True)
class Source:
    """A paper.

    Attributes:
        title: of the paper.
        authors: in the paper's order.
        venue: where it appeared.
        arxiv: its arXiv number, empty where it has none.
    """

    title: str
    authors: str
    venue: str
    arxiv: str

    @property
    def citation(self) -> str:
        """Title, venue and arXiv number in one line."""
        return f"{self.title} ({self.venue}{f', arXiv:{self.arxiv}' if self.arxiv else ''})"


@dataclass(frozen=True)
class PublishedTable:
    """What a published table holds, without its numbers.

    Attributes:
        name: the name that `published` takes.
        source: the paper.
        number: of the table in the paper.
        caption: what the table shows, in our words.
        datasets: the data sets, in the order of the table.
        metrics: the metrics, in the order of the table.
        num_values: how many numbers there are.
        scale: what the paper multiplied the scores by; 1 or 100.
        notes: what a reader of the numbers must know; each is also the ``note`` of the numbers that it concerns.
    """

    name: str
    source: Source
    number: int
    caption: str
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    num_values: int
    scale: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """A part of a table as it is printed: a heading, the columns, and a name and the cells of each row."""

    common: dict[str, str]
    rows_are: str
    columns_are: str
    columns: list[str]
    rows: dict[str, list[str | None]]


def published_tables() -> list[PublishedTable]:
    """Every published table, paper by paper.

    Example:
        >>> table = published_tables()[4]
        >>> table.name, table.number, table.metrics, table.num_values
        ('aaai_7', 7, ('IRS', 'DCI(D)', 'UC', 'CG'), 16)
        >>> table.source.citation
        'On Causally Disentangled Representations (AAAI 2022, arXiv:2112.05746)'
    """
    return [published_table(name) for name in _content()["tables"]]


@checked
def published_table(name: str) -> PublishedTable:
    """The description of one table, by its name."""
    known = _content()["tables"]
    if name not in known:
        raise errors.unknown("published table", name, known)
    records = [record for record in _records() if record["table"] == name]
    entry = known[name]
    return PublishedTable(
        name=name,
        source=_source(entry["source"]),
        number=entry["number"],
        caption=entry["caption"],
        datasets=_distinct(records, "dataset"),
        metrics=_distinct(records, "metric"),
        num_values=len(records),
        scale=entry["scale"],
        notes=tuple(
            note["text"]
            for note in _content()["notes"]
            if any(note["text"] in record["notes"] for record in records)
        ),
    )


@dataclass(frozen=True)
class Settings:
    """The hyper-parameters that a paper states for the models of a table.

    Attributes:
        place: where the paper states them.
        study: the shipped study that trains with them; empty if there is none.
        stated: registered name of a model -> parameter of a config -> value.
        not_stated: what the paper leaves open.
    """

    place: str
    study: str
    stated: dict[str, dict[str, Any]]
    not_stated: str


@checked
def published_settings(table: str) -> Settings:
    """The hyper-parameters that the paper of a table states; of a table without any, an empty dict.

    Example:
        >>> published_settings("aaai_1").stated["factor_vae"]
        {'model.batch_size': 64, 'encoder.num_latent': 64, 'factor_vae.gamma': 4}
    """
    published_table(table)  # which knows the names that there are
    entry = _content()["tables"][table]
    found = _content()["settings"].get(entry.get("settings"), {"models": {}, "common": {}})
    models = {record["model"]: None for record in _records() if record["table"] == table}
    names = [published_models()[model]["registered"] for model in models if model]
    stated = {name: {**found["common"], **found["models"].get(name, {})} for name in names}
    return Settings(
        found.get("place", ""),
        entry.get("study", ""),
        {name: values for name, values in stated.items() if values},
        found.get("not_stated", "hyper-parameters"),
    )


@checked
def published(
    table: str | None = None, *, dataset: str | None = None, metric: str | None = None, model: str | None = None
) -> pd.DataFrame:
    """The published numbers, one row each.

    Args:
        table: a name that `published_tables` lists; all tables if not given.
        dataset: only this data set, by its registered name, such as ``dsprites_full``.
        metric: only this metric, as the papers name it, such as ``UC`` or ``DCI(D)``.
        model: only this model, such as ``beta-VAE``.

    Returns:
        A data frame with the columns ``table``, ``source``, ``caption``, ``dataset``, ``confounding`` (the name of
        a rule set, or ``none``), ``model``, ``metric``, ``rho`` (0 where there is none); ``factor``,
        ``other_factor`` and ``given`` of independence tests; ``printed``, the number as the paper prints it;
        ``value`` and ``spread`` on the metric's own scale, in [0, 1], to compare with; and ``note``, what is known
        against the number. Text that does not apply is empty; only ``spread`` may be missing: a pivot table keeps
        all rows. Known names that never meet give no rows.

    Example:
        >>> rows = published("aaai_7", metric="UC")
        >>> rows[["model", "rho", "printed", "value"]].values.tolist()[0]
        ['beta-VAE', 1, '0.00', 0.0]
    """
    import pandas as pd

    records = list(_records())
    for field, name in (("table", table), ("dataset", dataset), ("metric", metric), ("model", model)):
        if name is None:
            continue
        known = _distinct(_records(), field)
        if name not in known:
            raise errors.unknown(f"published {field}", name, known)
        records = [record for record in records if record[field] == name]
    rows = [{**record, "note": " ".join(record["notes"])} for record in records]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"rho": int, "value": float, "spread": float})


def published_metrics() -> dict[str, dict[str, str]]:
    """Each metric: its ``meaning``, which scores are ``better``, and the name it is ``registered`` by, if any.

    Example:
        >>> published_metrics()["DCI(D)"]
        {'meaning': 'disentanglement of DCI', 'better': 'higher', 'registered': 'dci'}
    """
    return {name: dict(entry) for name, entry in _content()["metrics"].items()}


def published_models() -> dict[str, dict[str, str]]:
    """Each model: its ``supervision``, and the name that a plugin has ``registered`` it by.

    Example:
        >>> published_models()["SS-FVAE-BB"]["registered"]
        's2_factor_vae_bb'
    """
    return {name: dict(entry) for name, entry in _content()["models"].items()}


def blocks(table: str) -> list[Block]:
    """The parts of a table as they are printed."""
    return [Block(**block) for block in _content()["tables"][table]["blocks"]]


@cache
def _content() -> dict[str, Any]:
    return json.loads(
        resources.files("causal_disent.report").joinpath("published.json").read_text(encoding="utf-8")
    )


def _source(key: str) -> Source:
    return Source(**_content()["sources"][key])


@cache
def _records() -> tuple[dict[str, Any], ...]:
    return tuple(record for name in _content()["tables"] for record in _records_of(name))


def _records_of(name: str) -> Iterator[dict[str, Any]]:
    """One record per number of a table, with the notes that apply to it."""
    entry = _content()["tables"][name]
    for block in blocks(name):
        for row, cells in block.rows.items():
            for column, printed in zip(block.columns, cells, strict=True):
                if printed is None:  # the diagonal of a table of pairs
                    continue
                record: dict[str, Any] = dict.fromkeys(COLUMNS, "")
                record |= {"table": name, "caption": entry["caption"], "rho": 0, **block.common}
                record |= {block.rows_are: row, **_column(block.columns_are, column)}
                record |= {"printed": printed, **_numbers(printed, entry["scale"])}
                record["notes"] = _notes({**record, "source": entry["source"]})
                record["source"] = f"{_source(entry['source']).citation}, table {entry['number']}"
                yield record


def _column(field: str, name: str) -> dict[str, Any]:
    """``UC rho=2`` as a metric and its rho; any other name as it is."""
    name, sign, rho = name.partition(" rho=")
    return {field: name, "rho": int(rho)} if sign else {field: name}


def _numbers(printed: str, scale: int) -> dict[str, float | None]:
    match = NUMBER.fullmatch(printed)
    if match is None:
        raise ValueError(f"The published number {printed!r} cannot be read.")
    if match["power"]:
        return {"value": float(f"{match['times'] or 1}e{match['power']}") / scale, "spread": None}
    spread = match["spread"]
    return {"value": float(match["value"]) / scale, "spread": float(spread) / scale if spread else None}


def _notes(record: dict[str, Any]) -> list[str]:
    return [
        note["text"]
        for note in _content()["notes"]
        if all(record[field] in allowed for field, allowed in note["applies_to"].items())
    ]


def _distinct(records: Iterable[dict[str, Any]], field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(record[field] for record in records if record[field]))


PRINTED_WIDTH = 115


def published_list() -> str:
    """The tables, and under them the papers."""
    tables = published_tables()
    rows = [
        [table.name, table.number, table.num_values, _metrics(table.metrics), table.caption] for table in tables
    ]
    papers = dict.fromkeys(f"{table.name.rpartition('_')[0]}: {table.source.citation}" for table in tables)
    told = [textwrap.fill(paper, LISTING, subsequent_indent="  ") for paper in papers]
    return "\n".join([text_table(["table", "number", "values", "metrics", "shows"], rows, LISTING), "", *told])


def _metrics(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) < 5 else f"{names[0]}, ..., {names[-1]}"


@checked
def published_text(name: str) -> str:
    """One table with its source, its numbers as they are printed, and its notes.

    Example:
        >>> print(published_text("aaai_7")[:79])
        On Causally Disentangled Representations (AAAI 2022, arXiv:2112.05746), table 7
    """
    table = published_table(name)
    notes = [textwrap.fill(f"- {note}", PRINTED_WIDTH, subsequent_indent="  ") for note in table.notes]
    parts = [
        f"{table.source.citation}, table {table.number}\n{table.caption}",
        *(_block_text(block) for block in blocks(name)),
        "\n".join(notes),
        _settings_text(published_settings(name)),
    ]
    return "\n\n".join(filter(None, parts))


def _settings_text(settings: Settings) -> str:
    """The hyper-parameters that the paper states, and the study that has them."""
    several = list(settings.stated.values())
    first = several[0] if several else {}
    shared = {name: value for name, value in first.items() if all(name in one for one in several)}
    lines = [f"settings that the paper states ({settings.place}): {_bound(shared)}"] if several else []
    for model, values in settings.stated.items():
        own = {name: value for name, value in values.items() if name not in shared}
        lines += [f"    {model:<17} {_bound(own)}"] if own else []
    lines += [f"not stated: {settings.not_stated}"]
    if settings.study:
        lines.append(f"`causal-disent study {settings.study}` trains these models.")
    return "\n".join(lines) if settings.study or several else ""


def _bound(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _block_text(block: Block) -> str:
    common = block.common
    heading = f"data set {common['dataset']}" if "dataset" in common else "data sets"
    if common["confounding"] != "none":
        heading += f", confounded by {common['confounding']}"
    if "factor" in common:
        heading += f": {common['factor']} and {common['other_factor']}"
    if "metric" in common:
        heading += f": {common['metric']}"
    rows = [[row, *("" if cell is None else cell for cell in cells)] for row, cells in block.rows.items()]
    return f"{heading}\n{text_table([block.rows_are, *block.columns], rows)}"
