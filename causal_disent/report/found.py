"""What else the folders hold: pictures, training curves, codes of each factor, failures, configs."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import is_finite_number, is_whole
from causal_disent.data.factor_table import value_rows
from causal_disent.data.state_space import StateSpace
from causal_disent.files import inside, read_bounded, within
from causal_disent.registry import isolated, registry
from causal_disent.report import charts
from causal_disent.report.page import MOST_POINTS, Cell, Chart, Fold, Picture, Section, Table, Thumbnails
from causal_disent.report.published import published_table
from causal_disent.report.ranking import Scores, ends
from causal_disent.runs.aggregate import INTEGERS
from causal_disent.runs.dataset import get_dataset
from causal_disent.runs.representation import MODEL
from causal_disent.runs.results import MOST_BYTES, RESULTS, parse_object
from causal_disent.runs.study_plan import FAILURES, LOGS
from causal_disent.runs.study_table import numerically, plain_value, published_here, results_table
from causal_disent.runs.visualise import visualize_with_gin
from causal_disent.text import number_of, say, shown
from causal_disent.training.trackers import CURVES_FILE

if TYPE_CHECKING:
    import pandas as pd


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


class Data:
    """One of the data sets that the scores are of, looked at as far as that is possible here.

    Attributes:
        label: as the scores call it.
        problem: why it cannot be looked at; empty if it can.
    """

    def __init__(self, label: str, root: Path, config: Path) -> None:
        self.label, self.name, self.problem = label, "", ""
        self.data: Any = None
        try:
            recorded = parse_object(read_bounded(within(root, config), MOST_BYTES))
            self.name = str(plain_value(recorded.get("dataset.name", "")))
            with isolated():  # a plugin's data set, or files that are not here: anything may come out of it
                self.data = _load(self.name, recorded)
        except errors.CausalDisentError as error:
            self.problem = error.message

    @cached_property
    def independent(self) -> bool | None:
        """Whether all combinations of the factors' values occur equally often; None if it cannot be said."""
        try:
            with isolated():
                table = self.data.factor_table
                combinations = np.prod([table[name].nunique() for name in table.columns], dtype=float)
                if len(table) < combinations:
                    return False
                # Not `table.value_counts`, which goes through every combination that the categories have.
                counts = np.unique(value_rows(table), axis=0, return_counts=True)[1]
        except errors.CausalDisentError:  # data without a table, or a stranger's
            return None
        return bool(len(counts) == combinations and np.ptp(counts) == 0)

    @cached_property
    def continuous(self) -> list[str]:
        """The factors that are real numbers."""
        try:
            with isolated():
                space = StateSpace.of(self.data)
                return [name for name in space.factor_names if space.is_continuous(name)]
        except errors.CausalDisentError:  # a stranger's
            return []

    def pictures(self, thumbnails: Thumbnails) -> Iterator[Picture]:
        """The data set's causal graph, where it has one."""
        import io

        from causal_disent.graphs.picture import draw_graph

        file = io.BytesIO()
        try:
            with isolated():
                graph = getattr(getattr(self.data, "base", self.data), "graph", None)
                if graph is None:
                    return
                draw_graph(graph, factors=list(self.data.factor_names)).savefig(file, format="png")
        except errors.CausalDisentError:  # a stranger's
            return
        made = thumbnails.add(file.getvalue(), f"causal graph of {self.name}")
        if made:
            yield made


def _load(name: str, recorded: dict[str, Any]) -> Any:
    """The data set with its rules; of its own options whole numbers alone, as a stranger must not choose files."""
    own = {
        key.removeprefix(f"{name}."): plain_value(text)
        for key, text in recorded.items()
        if key.startswith(f"{name}.")
    }
    options = {key: value for key, value in own.items() if is_whole(value)}
    rules = {key: plain_value(recorded.get(f"dataset.{key}")) for key in ("factors", "confounding")}
    return get_dataset(name, **rules, **options)


def data_sets(scores: Scores, root: Path) -> list[Data]:
    """Each data set once, by the record of the first evaluation on it."""
    firsts = scores.table.drop_duplicates("data")
    return [
        Data(label, root, root / path / RESULTS / "json" / "evaluation_config.json")
        for label, path in zip(firsts["data"], firsts["path"], strict=True)
    ]


def assumptions_section(scores: Scores, data: list[Data]) -> Section:
    """What each metric assumes, and whether each data set meets it."""
    rows: list[list[Cell]] = []
    broken = []
    used = scores.table[["metric", "data"]].drop_duplicates()
    by_label = {one.label: one for one in data}
    for metric, label in used.itertuples(index=False):
        if metric not in registry.names("metrics"):
            rows.append([metric, "", "not known here", label, "cannot be said", ""])
            continue
        entry = registry.get("metrics", metric)
        assumes = str(entry.facts.get("assumes", ""))
        met = _met(assumes, entry.facts.get("takes", {}), by_label[label])
        if met.startswith("no"):
            broken.append(f"{metric} on {label}")
        rows.append([metric, entry.summary, assumes, label, met, str(entry.facts.get("by_chance", ""))])
    words = [
        "Scores mean what their authors meant where what they assume holds. What chance gets is the score of "
        "codes that say nothing of the factors: a model with no better one has learned nothing by that metric."
    ]
    if broken:
        words.append(f"What is assumed does not hold for {'; '.join(broken)}: take these scores with care.")
    words += [f"{one.label} cannot be looked at here: {one.problem}" for one in data if one.problem]
    header = ["metric", "what it asks", "what it assumes", "data set", "met?", "what chance gets"]
    return Section("assumptions", "What do the metrics assume?", words, [Table("Assumptions", header, rows)])


def _met(assumes: str, takes: Mapping[str, Any], data: Data) -> str:
    """Whether a data set meets what a metric says that it assumes; of codes and decoders nothing is said."""
    if data.problem:
        return "cannot be said"
    if data.continuous and "discrete" in takes and "continuous" not in takes:
        return f"no: {', '.join(data.continuous)} are real numbers, and every different one is taken for a class"
    if "independent" in assumes:
        if data.independent is None:
            return "cannot be said: the data set does not list its images"
        if not data.independent:
            return "no: the factors of this data set are confounded"
        return "yes: all combinations of the factors' values are there"
    return "yes" if "factors" in assumes else "nothing to meet"


def published_section(scores: Scores) -> Section | None:
    """Ours beside each published table that has the data set, the model and the score."""
    theirs = published_here()
    rows: list[list[Cell]] = []
    used: dict[str, None] = {}
    notes: dict[str, None] = {}
    for mean in scores.means:
        for other in _same(theirs, mean.row).to_dict("records"):
            rows.append([other["table"], mean.data, mean.who, mean.what, mean.value,
                         ends(mean.over_seeds, mean.values), other["value"], other["model"]])  # fmt: skip
            used[other["table"]] = None
            notes[other["note"]] = None
    if not rows:
        return None
    words = ["Published numbers are of other images and another length of training: look at the order of models."]
    for name in used:
        table = published_table(name)
        words.append(f"{name}: {table.source.citation}, table {table.number}. {table.caption}")
    words += [note for note in notes if note]
    header = ["table", "our data set", "our model", "score", "ours", "95 % over seeds", "published", "as"]
    return Section("published", "Ours beside published numbers", words, [Table("Beside", header, rows)])


def _same(theirs: pd.DataFrame, own: Mapping[Any, Any]) -> pd.DataFrame:
    """The published numbers of the same model, score and data set; a miniature stands for its original."""
    same = theirs["metric"] == own["score"]
    if own["first"]:
        same |= theirs["measured_by"] == own["metric"]
    same &= theirs["dataset"] == own["original"]
    same &= theirs["confounding"] == own["confounding"]
    same &= (theirs["rho"] == 0) | (theirs["rho"] == own["rho"])
    return theirs[same & (theirs["trained_as"] == own["trained_as"])]


VISUALIZED = "visualized"
NUM_IMAGES = 6
#: No classifier has to be trained for reconstructions and traversals.
BINDINGS = [
    "visualize_model.classifier = None",
    "visualize_model.num_train = 1000",
    "visualize_model.num_steps = 7",
]


def draw_models(root: Path) -> None:
    """Draw the first run of each model into ``<run>/visualized``, unless that is there; tell of what cannot be."""
    try:
        scores = Scores.of(results_table(root))
    except errors.InvalidInput:
        return  # nothing was measured
    for run in scores.table.drop_duplicates("who")["run"]:
        try:
            model = inside(root, f"{run}/{MODEL}")
            target = inside(root, f"{run}/{VISUALIZED}")
            if model.is_dir() and not target.exists():
                with isolated():  # of a stranger's model, anything may come out
                    visualize_with_gin(model, target, False, NUM_IMAGES, [], BINDINGS)
        except errors.CausalDisentError as error:
            say(f"run {shown(run)} is not drawn: {error.message}", error=True)
