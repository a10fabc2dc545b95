"""``dlib_evaluate``: run metrics on a representation, as disentanglement_lib's command of that name."""

from __future__ import annotations

import glob
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.cli._flags import Flags
from causal_disent.files import below, claim, within
from causal_disent.isolation import isolated
from causal_disent.progress import track
from causal_disent.report.remarks import chance_remarks, evaluation_table, remarks
from causal_disent.report.table import text_table
from causal_disent.text import complain, say, shown

if TYPE_CHECKING:
    from causal_disent.runs.evaluate import CodeTables
    from causal_disent.runs.representation import Reading

#: On a line; the others are in the file.
MOST_SCORES = 12
USAGE = """
dlib_evaluate: measure a representation and write a result folder.

    dlib_evaluate --input_dir MODEL --output_dir RESULT --gin_config metrics/causal_disentanglement.gin
    dlib_evaluate --input_dir MODEL --output_dir RESULTS --gin_evaluation_config_glob 'configs/*.gin'
    dlib_evaluate --input_glob 'models/*/representation' --output_dir RESULTS --gin_config metrics/uc.gin

The input folder is a saved model or representation, disentanglement_lib's included, or it holds a
representation.gin that names what is registered (`causal-disent representations`).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    flags = Flags()
    flags.add_text(
        input_dir="Folder with the representation, or a Keras file.",
        input_glob="In place of --input_dir: evaluate each folder that matches, into folders of the same names "
        "below output_dir. Those that are done are skipped; one that fails does not stop the others.",
        output_dir="Folder to write.",
        gin_evaluation_config_glob="Run each config that matches into output_dir/<config name>, with "
        "evaluation.name bound to it.",
        model_dir="Folder of the model that has the decoder, or a Keras file, if the representation has none.",
    )
    flags.add_backend("reads the folder")
    flags.add_switch(trust="Let a TensorFlow graph run operations that reach files or the network.")
    flags.add_texts(
        metric_file="Python file with metrics as disentanglement_lib has them, unchanged. It is code and will be "
        "run: name only files that you trust."
    )
    flags.add_config()
    return flags.run(lambda: _evaluate_with_files(flags), argv, USAGE)


def _evaluate_with_files(flags: Flags) -> int:
    """`_evaluate`, with the metrics of the files that are named; gin knows them before it reads a config."""
    if not flags.metric_file:
        return _evaluate(flags)
    from causal_disent.compat import metric_files

    with metric_files(flags.metric_file) as files:
        for file in files:
            if file.note:
                complain("note", file.note)
        return _evaluate(flags)


def _evaluate(flags: Flags) -> int:
    flags.require("output_dir")
    if bool(flags.input_dir) == bool(flags.input_glob):
        raise errors.InvalidInput("One of --input_dir and --input_glob is needed. --help shows an example.")
    from causal_disent.runs.representation import Reading

    decoder_dir = Path(flags.model_dir) if flags.model_dir else None
    reading = Reading(decoder_dir, flags.backend, flags.trust)
    target = Path(flags.output_dir)
    if flags.input_glob:
        return _evaluate_all(flags, reading, target)
    code_tables: CodeTables = {}  # shared: no image is encoded twice
    for task in _tasks(flags, Path(flags.input_dir), target):
        scores = _scores(task, flags, reading, code_tables)
        table = evaluation_table(scores)
        first = f"{shown(task.name)}:\n{table}" if table else f"{shown(task.name)}: {_line(scores)}"
        by_chance = [] if table else chance_remarks(scores)  # the table has it
        say("\n  ".join([first, *remarks(scores), *by_chance, f"-> {shown(task.output)}"]))
    return 0


def _evaluate_all(flags: Flags, reading: Reading, target: Path) -> int:
    """Each folder that matches; one that fails is reported, and the rest go on."""
    from causal_disent.runs.results import is_done, read_scores

    folders = [_tasks(flags, path, target / place) for path, place in find_folders(flags.input_glob)]
    _check_once(folders, reading)
    rows: list[list[Any]] = []
    lines: list[str] = []
    elsewhere: list[_Task] = []  # another process is at work there: those come last, when it may be done

    def evaluated(task: _Task, code_tables: CodeTables, *, wait: bool) -> None:
        place = task.output.relative_to(target)
        try:
            # A stranger's model: anything may come out of it.
            with isolated(), claim(task.output, wait=True) if wait else nullcontext():
                done = is_done(task.output) and not flags.overwrite
                scores = read_scores(task.output) if done else _scores(task, flags, reading, code_tables)
        except errors.CausalDisentError as error:
            if isinstance(error, (errors.InUse, errors.OutputExists)) and not wait:
                elsewhere.append(task)
            else:
                rows.append([place, "failed", error.message])
        else:
            rows.append([place, ("done elsewhere" if wait else "done before") if done else "ok", _line(scores)])
            said = (*remarks(scores), *chance_remarks(scores))
            lines.extend(f"{shown(place)}: {remark}" for remark in said)

    for tasks in track(folders, "evaluating", unit="folder"):
        code_tables: CodeTables = {}
        for task in tasks:
            evaluated(task, code_tables, wait=False)
    for task in list(elsewhere):
        evaluated(task, {}, wait=True)
    say(text_table(["result", "state", "scores"], rows))
    for line in lines:
        say(line)
    say(f"  -> {shown(target)}")
    return 1 if any(state == "failed" for _, state, _ in rows) else 0


def find_folders(pattern: str) -> list[tuple[Path, Path]]:
    """The folders that match, sorted, each with its place below the part of the pattern without wildcards.

    Example:
        ``models/*/representation`` finds ``models/3/representation`` and places it at ``3/representation``.
    """
    found = sorted(Path(path) for path in glob.glob(pattern, recursive=True) if Path(path).is_dir())
    if not found:
        raise errors.InvalidInput(f"No folder matches --input_glob {pattern}.")
    fixed = below(pattern)  # the last part is a place of its own even where nothing in it is wild
    return [(within(fixed, path), path.relative_to(fixed)) for path in found]


def _check_once(folders: list[list[_Task]], reading: Reading) -> None:
    """Raise what would fail for every folder, before any is read."""
    from causal_disent.runs.evaluate import check_with_gin
    from causal_disent.runs.results import check_apart

    tasks = [task for tasks in folders for task in tasks]
    sources = [path for task in tasks for path in reading.folders(task.source)]
    check_apart([task.output for task in tasks], sources)
    for task in folders[0]:  # the configs are the same for every folder
        check_with_gin(task.configs, task.bindings, reading)


@dataclass(frozen=True)
class _Task:
    """One evaluation: of which folder, into which, with which config."""

    name: str
    source: Path
    output: Path
    configs: list[str]
    bindings: list[str]


def _tasks(flags: Flags, source: Path, target: Path) -> list[_Task]:
    configs, bindings = list(flags.gin_config), list(flags.gin_bindings)
    pattern = flags.gin_evaluation_config_glob
    if not pattern:
        return [_Task("evaluation", source, target, configs, bindings)]
    files = sorted(glob.glob(pattern))
    if not files:
        raise errors.InvalidInput(f"No file matches --gin_evaluation_config_glob {pattern}.")
    return [
        _Task(stem, source, target / stem, [*configs, file], [*bindings, f"evaluation.name = '{stem}'"])
        for file in files
        for stem in [Path(file).stem]
    ]


def _scores(task: _Task, flags: Flags, reading: Reading, code_tables: CodeTables) -> dict[str, object]:
    from causal_disent.runs.evaluate import evaluate_with_gin

    return evaluate_with_gin(
        task.source, task.output, flags.overwrite, task.configs, task.bindings, code_tables, reading
    )


def _line(scores: dict[str, object]) -> str:
    """The scores that fit on a line: numbers, and no truth values, that are not per factor."""
    headline = {
        key: float(value)
        for key, value in scores.items()
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and "_factor_" not in key
        and key != "elapsed_time"
    }
    words = [f"{shown(key)} {value:.4f}" for key, value in list(headline.items())[:MOST_SCORES]]
    more = len(headline) - len(words)
    return ", ".join([*words, f"and {more} more in the result file"] if more else words)


if __name__ == "__main__":
    sys.exit(main())
