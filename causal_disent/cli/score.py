"""``causal-disent score`` and ``compare``: codes against factors, from files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.cli._arguments import add_certainty, add_names, add_seed, seed_of
from causal_disent.figures import save_figure
from causal_disent.files import check_file_place, write_text
from causal_disent.tables import harmless_cells
from causal_disent.text import say

if TYPE_CHECKING:
    from causal_disent.report.score_table import ScoreTable
    from causal_disent.runs.compare import Comparison


def add_score(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "measures codes by a panel of metrics, from two files with a row per point: .npy, .npz "
        "(file.npz:name for one array of several), .csv with or without names in its first line, .parquet."
    )
    parser.add_argument("codes", metavar="CODES", help="file of numbers, a column per code")
    parser.add_argument("factors", metavar="FACTORS", help="file of numbers or text, a column per factor")
    add_names(
        parser,
        ["metrics"],
        "--metrics",
        nargs="+",
        help="names, all, or dlib (default: a panel of six)",
    )
    parser.add_argument("--bins", type=int, metavar="N", help="bins for continuous factors, where needed")
    parser.add_argument(
        "--neighbours", type=int, metavar="N", help="nearest neighbours for mutual information, in place of bins"
    )
    parser.add_argument(
        "--fast", action="store_true", help="boosted trees on binned codes: faster, about the same"
    )
    add_certainty(parser)
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS", help="for all of it: quick metrics first, and as much as fits"
    )
    _add_blocks(parser)
    parser.add_argument(
        "--robust", action="store_true", help="by quantiles where one point may decide: not the published scores"
    )
    parser.add_argument("--drop_missing", action="store_true", help="leave out points that lack a value")
    parser.add_argument(
        "--factor_groups", nargs="+", metavar="NAME=A,B", help="columns that are one factor: position=x,y"
    )
    parser.add_argument(
        "--code_groups", nargs="+", metavar="A,B", help="codes that are one concept, by name or number: 0,1 2,3"
    )
    parser.add_argument(
        "--output", type=Path, nargs="+", default=[], metavar="FILE", help=f"to write: {', '.join(WRITERS)}"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_seed(parser)
    parser.set_defaults(command=run_score)


def run_score(arguments: argparse.Namespace) -> int:
    """Measure, write the files that were asked for, print the table."""
    from causal_disent.api import score
    from causal_disent.runs.score import STOPPED

    _check_outputs(arguments.output, WRITERS)
    names = _names(arguments.metrics)
    scores = score(
        arguments.codes,
        arguments.factors,
        names,
        seed_of(arguments),
        bins=arguments.bins,
        neighbours=arguments.neighbours,
        drop_missing=arguments.drop_missing,
        blocks=_blocks(arguments.blocks),
        robust=arguments.robust,
        fast=arguments.fast,
        bootstrap=arguments.bootstrap,
        chance=arguments.chance,
        budget=arguments.budget,
        factor_groups=_factor_groups(arguments.factor_groups),
        code_groups=arguments.code_groups and [_columns(group) for group in arguments.code_groups],
    )
    for path in arguments.output:
        WRITERS[path.suffix](scores, path)
    say(json.dumps(scores.record(), indent=2) if arguments.json else scores)
    return errors.INTERRUPTED if scores.stopped == STOPPED else 0


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.description = (
        "compares encoders on the same points, from files as `causal-disent score` takes them: the codes of two "
        "or more encoders, then the factors. Differences have 95 % intervals over the same resampled points."
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="codes of each encoder (NAME=FILE names it); factors"
    )
    add_names(
        parser,
        ["metrics"],
        "--metrics",
        nargs="+",
        help="names, all, or dlib (default: a panel of six)",
    )
    parser.add_argument("--bins", type=int, metavar="N", help="bins for continuous factors, where needed")
    parser.add_argument(
        "--fast", action="store_true", help="boosted trees on binned codes: faster, about the same"
    )
    _add_blocks(parser)
    parser.add_argument("--bootstrap", type=int, default=200, metavar="N", help="resamples (%(default)s)")
    parser.add_argument(
        "--output", type=Path, nargs="+", default=[], metavar="FILE", help=f"to write: {', '.join(COMPARED)}"
    )
    add_seed(parser)
    parser.set_defaults(command=run_compare)


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare, write the files that were asked for, print the table."""
    from causal_disent.api import compare

    _check_outputs(arguments.output, COMPARED)
    *given, factors = arguments.files
    encoders = {}
    for text in given:
        name, named, file = text.partition("=")
        encoders[name if named else Path(text).stem] = file if named else text
    if len(encoders) < len(given):
        raise errors.InvalidInput("Two encoders have the same name; give NAME=FILE.")
    names = _names(arguments.metrics)
    found = compare(
        encoders,
        factors,
        metrics=names,
        random_state=seed_of(arguments),
        bootstrap=arguments.bootstrap,
        bins=arguments.bins,
        blocks=_blocks(arguments.blocks),
        fast=arguments.fast,
    )
    for path in arguments.output:
        COMPARED[path.suffix](found, path)
    say(found)
    return 0


def _add_blocks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--blocks", metavar="N", help="rows that depend on each other: so many in a row, or a column of FACTORS"
    )


def _blocks(given: str | None) -> int | str | None:
    """A length, or the name of a column."""
    return int(given) if given and given.removeprefix("-").isdecimal() else given


def _check_outputs(paths: Sequence[Path], writers: Mapping[str, Any]) -> None:
    """Raise before long work unless each file can be written."""
    for path in paths:
        if path.suffix not in writers:
            raise errors.InvalidInput(f"--output takes files that end in {', '.join(writers)}; given: {path}.")
        check_file_place(path)


def _names(given: list[str] | None) -> list[str] | None:
    """The names of metrics, with or without commas between them; None if nobody says which."""
    return None if given is None else [name for part in given for name in part.split(",") if name]


def _columns(given: str) -> list[str | int]:
    """Names or numbers between commas."""
    return [int(name) if name.isdecimal() else name for name in given.split(",")]


def _factor_groups(given: list[str] | None) -> dict[str, list[str | int]] | None:
    """Name -> columns, from ``name=column,column``."""
    for group in given or ():
        if not all(group.partition("=")):
            raise errors.InvalidInput(f"--factor_groups takes NAME=COLUMN,COLUMN; given: {group}.")
    parts = [group.partition("=") for group in given or ()]
    return {name: _columns(columns) for name, _, columns in parts} if parts else None


#: Ending of a file -> what writes it.
WRITERS: dict[str, Callable[[ScoreTable, Path], Any]] = {
    ".csv": lambda scores, path: write_text(path, harmless_cells(scores.table).to_csv()),
    ".json": lambda scores, path: write_text(path, json.dumps(scores.record(), indent=2) + "\n"),
    ".html": lambda scores, path: write_text(path, scores.to_html()),
    ".png": lambda scores, path: save_figure(scores.plot(), path),
    ".svg": lambda scores, path: save_figure(scores.plot(), path),
}
#: The same for comparisons.
COMPARED: dict[str, Callable[[Comparison, Path], Any]] = {
    ".csv": lambda found, path: write_text(path, harmless_cells(found.table).to_csv(index=False)),
    ".png": lambda found, path: save_figure(found.plot(), path),
    ".svg": lambda found, path: save_figure(found.plot(), path),
}
