"""What else the folders hold: pictures, training curves, codes of each factor, failures, configs."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import is_finite_number, is_whole
from causal_disent.files import read_bounded
from causal_disent.report.page import charts
from causal_disent.report.page.parts import MOST_POINTS, Cell, Chart, Fold, Picture, Section, Table
from causal_disent.report.page.pictures import Thumbnails
from causal_disent.runs.aggregate import INTEGERS
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study.folders import FAILURES, LOGS
from causal_disent.runs.study.table import numerically
from causal_disent.text import number_of
from causal_disent.training.trackers import CURVES_FILE

#: Endings of pictures, and what they show by the folder they lie in.
PICTURES = (".png", ".jpg", ".jpeg", ".gif")
KINDS = {
    "reconstructions": "images and their reconstructions",
    "traversals": "traversals: one code at a time",
    "counterfactuals": "counterfactuals",
    "concepts": "concepts of a causal model, each set in turn",
    "sampled": "images of random codes",
}
#: Folders that are not looked into.
SKIPPED = {LOGS, "tensorboard", "tfhub", "animated_traversals"}
#: Terms of the loss that are drawn; bytes of all configs together.
MOST_TERMS, MOST_TEXT = 6, 1_500_000
#: Matrices that are drawn, and their largest side.
MOST_MATRICES, LARGEST = 12, 64
#: Of a failure, so many characters are shown.
MOST_MESSAGE = 500
CODES_OF, DEAD_FACTORS = "codes_factor_", "factors_of_dead_codes"


@dataclass
class Found:
    """The files of a tree that a report shows, as paths below its root, sorted."""

    root: Path
    pictures: list[str] = field(default_factory=list)
    curves: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((self.pictures, self.curves, self.results, self.failures, self.configs))

    def read(self, name: str) -> bytes:
        """A file, within bounds; one that cannot be read is noted, and empty."""
        try:
            return read_bounded(self.root / name, MOST_BYTES)
        except errors.InvalidInput as error:
            self.left_out.append((name, error.message))
            return b""

    def read_object(self, name: str) -> dict[str, Any]:
        """A JSON file, likewise."""
        try:
            return parse_object(read_bounded(self.root / name, MOST_BYTES))
        except errors.InvalidInput as error:
            self.left_out.append((name, error.message))
            return {}


def look(root: Path) -> Found:
    """Find the files; links are not followed."""
    found = Found(root)
    for at, folders, files in os.walk(root):
        folders[:] = sorted((one for one in folders if one not in SKIPPED and one[0] != "."), key=numerically)
        place = Path(at).relative_to(root)
        for file in sorted(files):
            name, path = (place / file).as_posix(), Path(at, file)
            if file[0] == "." or path.is_symlink():
                continue
            if path.suffix.lower() in PICTURES:
                found.pictures.append(name)
            elif file == CURVES_FILE:
                found.curves.append(name)
            elif FAILURES in place.parts and file.endswith(".json"):
                found.failures.append(name)
            elif name.endswith(f"{RESULTS}/json/evaluation_results.json"):
                found.results.append(name)
            elif place.parts[-2:] == (RESULTS, "gin") and file.endswith(".gin"):
                found.configs.append(name)
    return found


def pictures_section(found: Found, thumbnails: Thumbnails, first: list[Picture]) -> Section | None:
    """Traversals, reconstructions, counterfactuals, graphs: a thumbnail of each, as long as the budget lasts."""
    pictures = list(first)
    # The pictures of each folder in turn, so that no run takes the room of all others.
    by_folder: dict[str, list[str]] = {}
    for name in found.pictures:
        by_folder.setdefault(name.rpartition("/")[0], []).append(name)
    longest = max(map(len, by_folder.values()), default=0)
    for turn in range(longest):
        for folder, names in by_folder.items():
            if turn < len(names):
                kind = KINDS.get(folder.rpartition("/")[2], "")
                try:
                    made = thumbnails.add(found.root / names[turn], f"{names[turn]}{f': {kind}' if kind else ''}")
                except errors.InvalidInput as error:
                    found.left_out.append((names[turn], error.message))
                    continue
                pictures += [made] if made else []
    if not pictures:
        return None
    words = [f"{number_of(len(pictures), 'thumbnail')}; the files have the full size."]
    if thumbnails.left_out:
        words.append(f"{thumbnails.left_out} more pictures are in the folders: the room for pictures is used up.")
    return Section("pictures", "What do the models and the data look like?", words, pictures=pictures)


def curves_section(found: Found, owners: dict[str, str]) -> Section | None:
    """Training curves, a chart for each term of the loss; `owners` says which model a run is of."""
    by_term: dict[str, list[dict[str, Any]]] = {}
    most = max(MOST_POINTS // max(len(found.curves), 1), 2)
    for name in found.curves:
        run = name.removesuffix(CURVES_FILE).removesuffix("/curves/").removesuffix("/model") or "."
        for term, points in _curves(found.read(name)).items():
            chosen = np.unique(np.linspace(0, len(points) - 1, min(len(points), most)).round().astype(int))
            who = owners.get(run, run)
            by_term.setdefault(term, []).extend(
                {"run": run, "who": who, "step": points[i][0], "value": points[i][1]} for i in chosen
            )
    if not by_term:
        return None
    terms = sorted(by_term, key=lambda term: (term != "loss", "loss" not in term))  # what is named a loss first
    names = list(dict.fromkeys(row["who"] for rows in by_term.values() for row in rows))
    drawn = [charts.curve_chart(term, by_term[term], names) for term in terms[:MOST_TERMS]]
    return Section("curves", "How did training go?", ["A line for each run."], charts=drawn)


def _curves(content: bytes) -> dict[str, list[tuple[int, float]]]:
    """The points of each term of a file with the columns step, term, value."""
    terms: dict[str, list[tuple[int, float]]] = {}
    for line in content.decode("utf-8", "replace").splitlines():
        try:
            [[step, term, value]] = csv.reader([line])
            point = int(step), float(value)
        except (ValueError, csv.Error):  # the header, or a line that was being written
            continue
        if point[0] in INTEGERS:
            terms.setdefault(term, []).append(point)
    return terms


def attribution_section(found: Found, owners: dict[str, str]) -> Section | None:
    """Which codes belong to which factors, by the metrics that report it; and which of them are dead."""
    drawn: list[Chart] = []
    dead: list[list[Cell]] = []
    for name in found.results:
        path = name.removesuffix(f"/{RESULTS}/json/evaluation_results.json")
        run = path.partition("/metrics/")[0]
        who = owners.get(run, run)
        scores = found.read_object(name)
        for key, rows in _matrices(scores):
            if len(drawn) < MOST_MATRICES:
                drawn.append(charts.matrix_chart(f"{who}: {key} ({path})", rows))
        for key, factors in scores.items():
            setting, _, last = key.rpartition(":")
            if last == DEAD_FACTORS and isinstance(factors, list):
                codes = scores.get("dead_codes")
                number = len(codes) if isinstance(codes, list) else ""
                dead.append([who, path, setting, number, ", ".join(map(str, factors))])
    if not drawn:
        return None
    words = [
        "A colored tile: the code belongs to the factor. One code for each factor, and no code twice, is best."
    ]
    if dead:
        words.append(
            "Some factors are attributed to dead codes alone, which change nothing that one sees: take UC and CG "
            "of these runs with care, however high they are."
        )
    header = ["model", "result", "setting", "dead codes", "factors with dead codes alone"]
    tables = [Table("Factors of dead codes", header, dead)] if dead else []
    return Section("attribution", "Which codes belong to which factors?", words, tables, drawn)


def _matrices(scores: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Lists of the codes of each factor, as UC reports them, and matrices (codes, factors) of numbers."""
    sets: dict[str, dict[str, Any]] = {}
    for key, codes in scores.items():
        setting, named, factor = key.rpartition(CODES_OF)
        if named:
            sets.setdefault(setting.rstrip(":"), {})[factor] = codes
    for setting, own in sets.items():
        rows = [
            {"factor": factor, "code": code, "value": 1.0}
            for factor, codes in own.items()
            if isinstance(codes, list)
            for code in codes
            if is_whole(code) and code in INTEGERS
        ]
        if rows:
            yield f"codes of each factor{f', {setting}' if setting else ''}", rows
    for key, value in scores.items():
        if isinstance(value, list) and 1 < len(value) <= LARGEST and all(isinstance(one, list) for one in value):
            width = len(value[0])
            if 1 < width <= LARGEST and all(len(one) == width and all(map(_is_cell, one)) for one in value):
                yield (
                    key,
                    [
                        {"factor": f"factor {j}", "code": i, "value": float(value[i][j])}
                        for i in range(len(value))
                        for j in range(width)
                    ],
                )


def _is_cell(value: Any) -> bool:
    """Whether it is a number that a float can hold, or none."""
    return is_finite_number(value) or (isinstance(value, float) and not math.isfinite(value))


def failures_section(found: Found) -> Section:
    """What has failed, with its message and the end of its log; and files that cannot be read."""
    rows: list[list[Cell]] = []
    folds = []
    for name in found.failures:
        run, _, task = name.removesuffix(".json").partition(f"/{FAILURES}/")
        failure = found.read_object(name)
        message = str(failure.get("message", ""))[:MOST_MESSAGE]
        rows.append([run, task, message, str(failure.get("attempts", "")), str(failure.get("when", ""))])
        lines = failure.get("last_lines")
        if isinstance(lines, list) and lines:
            folds.append(Fold(f"the log of {run}: {task}", "\n".join(map(str, lines))))
    words = [f"{number_of(len(rows), 'task')} failed." if rows else "No task failed."]
    tables = [Table("Failed tasks", ["run", "task", "message", "attempts", "when"], rows)] if rows else []
    if found.left_out:
        words.append(f"{number_of(len(found.left_out), 'file')} left out.")
        tables.append(Table("Files left out", ["file", "why"], [list(one) for one in found.left_out]))
    return Section("failures", "What failed?", words, tables, folds=folds)


def configs_section(found: Found) -> Section | None:
    """Every config; equal ones are shown once."""
    by_text: dict[str, list[str]] = {}
    for name in found.configs:
        text = found.read(name).decode("utf-8", "replace")
        if text.strip():
            by_text.setdefault(text, []).append(name)
    room, folds = MOST_TEXT, []
    for text, names in by_text.items():
        room -= len(text)
        if room > 0:
            others = f" and {len(names) - 1} equal ones" if len(names) > 1 else ""
            folds.append(Fold(f"{names[0]}{others}", text))
    if not folds:
        return None
    words = [f"{len(found.configs)} configs, {len(by_text)} of them different."]
    if len(folds) < len(by_text):
        words.append(f"There is room for {len(folds)} of them; the others are in the folders.")
    return Section("configs", "With which configs?", words, folds=folds)
