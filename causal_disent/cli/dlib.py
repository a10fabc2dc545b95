"""disentanglement_lib's commands, ``dlib_evaluate`` and so on: a table of what each takes and does.

Each command is a function of its arguments that returns its exit code. From a checkout without installed scripts:
``python -m causal_disent.cli.dlib dlib_evaluate --help``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.cli._flags import Flags
from causal_disent.files import below, claim, find_paths, within
from causal_disent.progress import track
from causal_disent.registry import isolated
from causal_disent.report.table import text_table
from causal_disent.text import complain, say, shown

if TYPE_CHECKING:
    from causal_disent.runs.evaluate import CodeTables
    from causal_disent.runs.representation import Reading

#: Scores on a line; the others are in the file.
MOST_SCORES = 12
#: What training prints of the loss.
LOSS_TERMS = ("loss", "reconstruction_loss", "kl_loss", "supervised_loss", "elapsed_time")


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        usage: what ``--help`` shows first, after the name.
        add_flags: gives the command its flags.
        run: what it does; its exit code.
        required: the flags that must be given.
    """

    usage: str
    add_flags: Callable[[Flags], None]
    run: Callable[[Flags], int]
    required: tuple[str, ...] = ()


def run_command(name: str, argv: Sequence[str] | None = None) -> int:
    """Run a command of the table on `argv`, or on the arguments of the process; its exit code."""
    command, flags = COMMANDS[name], Flags()
    command.add_flags(flags)

    def run() -> int:
        flags.require(*command.required)
        return command.run(flags)

    return flags.run(run, argv, f"{name}: {command.usage}")


def _add_evaluate_flags(flags: Flags) -> None:
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


def _evaluate(flags: Flags) -> int:
    """Evaluate with the metrics of the files that are named; gin knows them before it reads a config."""
    if not flags.metric_file:
        return _evaluate_known(flags)
    from causal_disent.compat import metric_files

    with metric_files(flags.metric_file) as files:
        for file in files:
            if file.note:
                complain("note", file.note)
        return _evaluate_known(flags)


def _evaluate_known(flags: Flags) -> int:
    if bool(flags.input_dir) == bool(flags.input_glob):
        raise errors.InvalidInput("One of --input_dir and --input_glob is needed. --help shows an example.")
    from causal_disent.report.remarks import chance_remarks, evaluation_table, remarks
    from causal_disent.runs.representation import Reading

    decoder_dir = Path(flags.model_dir) if flags.model_dir else None
    reading = Reading(decoder_dir, flags.backend, flags.trust)
    target = Path(flags.output_dir)
    if flags.input_glob:
        return _evaluate_all(flags, reading, target)
    code_tables: CodeTables = {}  # shared: no image is encoded twice
    for task in _tasks(flags, Path(flags.input_dir), target):
        scores = task.run(flags.overwrite, reading, code_tables)
        table = evaluation_table(scores)
        first = f"{shown(task.name)}:\n{table}" if table else f"{shown(task.name)}: {score_line(scores)}"
        by_chance = [] if table else chance_remarks(scores)  # the table has it
        say("\n  ".join([first, *remarks(scores), *by_chance, f"-> {shown(task.output)}"]))
    return 0


def _evaluate_all(flags: Flags, reading: Reading, target: Path) -> int:
    """Evaluate each folder that matches; one that fails is reported, and the rest go on."""
    from causal_disent.report.remarks import chance_remarks, remarks
    from causal_disent.runs.results import is_done, read_scores

    folders = [_tasks(flags, path, target / place) for path, place in find_folders(flags.input_glob)]
    _check_once(folders, reading, flags.overwrite)
    rows: list[list[Any]] = []
    lines: list[str] = []
    elsewhere: list[_Task] = []  # another process is at work there: those come last, when it may be done

    def evaluate(task: _Task, code_tables: CodeTables, *, wait: bool) -> None:
        place = task.output.relative_to(target)
        try:
            with isolated(), claim(task.output, wait=True) if wait else nullcontext():
                done = is_done(task.output) and not flags.overwrite
                scores = read_scores(task.output) if done else task.run(flags.overwrite, reading, code_tables)
        except errors.CausalDisentError as error:
            if isinstance(error, (errors.InUse, errors.OutputExists)) and not wait:
                elsewhere.append(task)
            else:
                rows.append([place, "failed", error.message])
        else:
            state = ("done elsewhere" if wait else "done before") if done else "ok"
            rows.append([place, state, score_line(scores)])
            lines.extend(f"{shown(place)}: {one}" for one in (*remarks(scores), *chance_remarks(scores)))

    for tasks in track(folders, "evaluating", unit="folder"):
        code_tables: CodeTables = {}
        for task in tasks:
            evaluate(task, code_tables, wait=False)
    for task in list(elsewhere):
        evaluate(task, {}, wait=True)
    say("\n".join([text_table(["result", "state", "scores"], rows), *lines, f"  -> {shown(target)}"]))
    return 1 if any(state == "failed" for _, state, _ in rows) else 0


def find_folders(pattern: str) -> list[tuple[Path, Path]]:
    """The folders that match, sorted, each with its place below the part of the pattern without wildcards.

    A link that leaves that part is left out, and named on the standard error.

    Example:
        ``models/*/representation`` finds ``models/3/representation`` and places it at ``3/representation``.
    """
    found = [Path(path) for path in find_paths(pattern) if Path(path).is_dir()]
    if not found:
        raise errors.InvalidInput(f"No folder matches --input_glob {pattern}.")
    fixed = below(pattern)  # the last part is a place of its own even where nothing in it is wild
    inside = []
    for path in found:
        try:
            inside.append((within(fixed, path), path.relative_to(fixed)))
        except errors.InvalidInput as error:
            complain(f"left out {shown(path)}", error.message)
    if not inside:
        raise errors.InvalidInput(f"Every folder that matches --input_glob {pattern} is behind a link.")
    return inside


def _check_once(folders: list[list[_Task]], reading: Reading, overwrite: bool) -> None:
    """Raise what would fail for every folder, and what was done with other settings, before any is read."""
    from causal_disent.runs.evaluate import check_with_gin, settings_that_differ
    from causal_disent.runs.results import check_apart, is_done

    tasks = [task for tasks in folders for task in tasks]
    sources = [path for task in tasks for path in reading.folders(task.source)]
    check_apart([task.output for task in tasks], sources)
    for task in folders[0]:  # the configs are the same for every folder
        check_with_gin(task.configs, task.bindings, reading)
    for task in tasks:
        if not overwrite and is_done(task.output):
            differing = settings_that_differ(task.source, task.output, task.configs, task.bindings)
            if differing:
                raise errors.ConfigError(
                    f"{task.output} holds the result of other settings: {errors.listing(differing, 5)}. Put that "
                    "back, choose another --output_dir, or replace the result with --overwrite."
                )


@dataclass(frozen=True)
class _Task:
    """One evaluation: of which folder, into which, with which config."""

    name: str
    source: Path
    output: Path
    configs: list[str]
    bindings: list[str]

    def run(self, overwrite: bool, reading: Reading, code_tables: CodeTables) -> dict[str, Any]:
        """Evaluate; the scores."""
        from causal_disent.runs.evaluate import evaluate_with_gin

        configs = self.configs, self.bindings
        return evaluate_with_gin(self.source, self.output, overwrite, *configs, code_tables, reading)


def _tasks(flags: Flags, source: Path, target: Path) -> list[_Task]:
    configs, bindings = list(flags.gin_config), list(flags.gin_bindings)
    pattern = flags.gin_evaluation_config_glob
    if not pattern:
        return [_Task("evaluation", source, target, configs, bindings)]
    files = find_paths(pattern)
    if not files:
        raise errors.InvalidInput(f"No file matches --gin_evaluation_config_glob {pattern}.")
    return [
        _Task(stem, source, target / stem, [*configs, file], [*bindings, f"evaluation.name = '{stem}'"])
        for file in files
        for stem in [Path(file).stem]
    ]


def score_line(scores: dict[str, Any]) -> str:
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


def _add_train_flags(flags: Flags) -> None:
    flags.add_text(model_dir="Folder to write.")
    flags.add_backend("trains", device=True)
    flags.add("integer", "checkpoint_every", 1000, "Steps between checkpoints; 0 for none.")
    flags.add("bool", "resume", True, "Go on from the checkpoint in <model_dir>.partial, if there is one.")
    flags.add_switch(compile="Compile the networks; it says when that pays, and keeps the faster steps.")
    flags.add("bool", "tensorboard", None, "Write curves for TensorBoard; by default if it is installed.")
    flags.add_config()


def _train(flags: Flags, *, with_labels: bool, with_pairs: bool = False) -> int:
    """Train and print the loss. With labels, the model knows the factors of some images."""
    from causal_disent.runs.train import train_with_gin
    from causal_disent.training.checkpoint import clear, has_checkpoint, partial_folder

    try:
        scores = train_with_gin(
            flags.model_dir,
            flags.overwrite,
            flags.gin_config,
            flags.gin_bindings,
            with_labels=with_labels,
            with_pairs=with_pairs,
            backend=flags.backend,
            device=flags.device,
            checkpoint_every=flags.checkpoint_every,
            resume=flags.resume,
            tensorboard=flags.tensorboard,
            compiled=flags.compile,
        )
    except KeyboardInterrupt:
        kept = partial_folder(Path(flags.model_dir))
        if has_checkpoint(kept):
            say(f"interrupted; the same command goes on from the checkpoint in {kept}", error=True)
        else:
            clear(kept)
            say("interrupted; nothing was kept", error=True)
        return errors.INTERRUPTED
    say(", ".join(f"{key} {scores[key]:.4f}" for key in LOSS_TERMS if key in scores))
    say(f"  -> {flags.model_dir}")
    return 0


def _add_postprocess_flags(flags: Flags) -> None:
    flags.add_text(model_dir="Folder of the model.", output_dir="Folder to write.")
    flags.add_backend("writes the folder")
    flags.add_config()


def _postprocess(flags: Flags) -> int:
    from causal_disent.runs.postprocess import postprocess_with_gin

    folders = flags.model_dir, flags.output_dir
    postprocess_with_gin(*folders, flags.overwrite, flags.gin_config, flags.gin_bindings, flags.backend)
    say(f"  -> {flags.output_dir}")
    return 0


def _add_udr_flags(flags: Flags) -> None:
    flags.add_texts(model_dirs="Folder with a model.")
    flags.add_text(output_directory="Folder to write.")
    flags.add_config()


def _rank(flags: Flags) -> int:
    from causal_disent.runs.udr import rank_with_gin

    # disentanglement_lib separates the folders by commas.
    folders = [folder for given in flags.model_dirs for folder in given.split(",") if folder]
    scores = rank_with_gin(folders, flags.output_directory, flags.overwrite, flags.gin_config, flags.gin_bindings)
    ranked = sorted(zip(scores["model_scores"], folders, strict=True), reverse=True)
    say(text_table(["model", "UDR"], [[folder, float(score)] for score, folder in ranked]))
    say(f"  -> {flags.output_directory}")
    return 0


def _add_aggregate_flags(flags: Flags) -> None:
    flags.add_text(
        result_file_pattern="Glob of the result files.", output_path="File to write, .json or .parquet."
    )


def _aggregate(flags: Flags) -> int:
    from causal_disent.runs.aggregate import aggregate_results_to_json

    table, left_out = aggregate_results_to_json(flags.result_file_pattern, flags.output_path)
    for path, reason in left_out:
        complain(f"left out {shown(path)}", reason)
    say(f"{len(table)} results, {len(table.columns)} columns\n  -> {flags.output_path}")
    return 0


def _add_dataset_flags(flags: Flags) -> None:
    flags.add_text(name="The data set (`causal-disent datasets`).")
    flags.add("string", "path", "dataset_visualizations", "Folder to write <name>.png into.")
    flags.add_config()


def _visualize_dataset(flags: Flags) -> int:
    from causal_disent.runs.visualise import visualize_dataset_with_gin

    settings = flags.overwrite, flags.gin_config, flags.gin_bindings
    say(f"  -> {visualize_dataset_with_gin(flags.name, flags.path, *settings)}")
    return 0


def _add_model_flags(flags: Flags) -> None:
    flags.add_text(model_dir="Folder with the model.", output_dir="Folder to write.")
    flags.add("integer", "num_images", 8, "How many images of the data set to show.")
    flags.add("bool", "counterfactuals", True, "Draw the counterfactual sheets, which need a classifier.")
    flags.add_backend("reads the model", device=True)
    flags.add_config()


def _visualize_model(flags: Flags) -> int:
    from causal_disent.report.remarks import accuracy_text
    from causal_disent.runs.representation import Reading
    from causal_disent.runs.visualise import visualize_with_gin

    judged = visualize_with_gin(
        flags.model_dir,
        flags.output_dir,
        flags.overwrite,
        flags.num_images,
        flags.gin_config,
        flags.gin_bindings,
        Reading(backend=flags.backend, device=flags.device),
        flags.counterfactuals,
    )
    if judged[0]:
        say(f"accuracy of the classifier on held-out images: {accuracy_text(*judged)}")
    say(f"  -> {flags.output_dir}")
    return 0


_GOES_ON = "A run that was killed goes on from its last checkpoint when the same command is given again."

COMMANDS = {
    "dlib_evaluate": Command(
        """measure a representation and write a result folder.

    dlib_evaluate --input_dir MODEL --output_dir RESULT --gin_config metrics/causal_disentanglement.gin
    dlib_evaluate --input_dir MODEL --output_dir RESULTS --gin_evaluation_config_glob 'configs/*.gin'
    dlib_evaluate --input_glob 'models/*/representation' --output_dir RESULTS --gin_config metrics/uc.gin

The input folder is a saved model or representation, disentanglement_lib's included, or it holds a
representation.gin that names what is registered (`causal-disent representations`).
""",
        _add_evaluate_flags,
        _evaluate,
        ("output_dir",),
    ),
    "dlib_train": Command(
        f"""train a model and write a model folder.

    dlib_train --model_dir MODEL --gin_config models/beta_vae.gin \\
        --gin_bindings "dataset.name = 'candle_mini'" --gin_bindings "model.training_steps = 2000"

{_GOES_ON}
""",
        _add_train_flags,
        partial(_train, with_labels=False),
        ("model_dir",),
    ),
    "dlib_train_semi_supervised": Command(
        f"""train a model that knows the factors of some images.

    dlib_train_semi_supervised --model_dir MODEL --gin_config models/s2_factor_vae_bb.gin \\
        --gin_bindings "dataset.name = 'candle_mini'" --gin_bindings "model.training_steps = 2000"

{_GOES_ON}
""",
        _add_train_flags,
        partial(_train, with_labels=True),
        ("model_dir",),
    ),
    "dlib_train_weakly_supervised": Command(
        f"""train a model that learns from pairs of images that share most of their factors.

    dlib_train_weakly_supervised --model_dir MODEL --gin_config models/group_vae_argmax.gin \\
        --gin_bindings "dataset.name = 'candle_mini'" --gin_bindings "dynamics.k = 1"

{_GOES_ON}
""",
        _add_train_flags,
        partial(_train, with_labels=False, with_pairs=True),
        ("model_dir",),
    ),
    "dlib_postprocess": Command(
        """make a representation folder of a model folder, for dlib_evaluate.

    dlib_postprocess --model_dir MODEL --output_dir REPRESENTATION --gin_config postprocess/mean.gin
""",
        _add_postprocess_flags,
        _postprocess,
        ("model_dir", "output_dir"),
    ),
    "dlib_udr": Command(
        """unsupervised disentanglement ranking of several models, and a result folder.

    dlib_udr --model_dirs A --model_dirs B --model_dirs C --output_directory RANKING --gin_config metrics/udr.gin
""",
        _add_udr_flags,
        _rank,
        ("output_directory",),
    ),
    "dlib_aggregate_results": Command(
        """gather the results of many runs into one table.

    dlib_aggregate_results --result_file_pattern 'out/*/results/aggregate/evaluation.json' --output_path all.json

pandas.read_json(path, orient="columns") reads it. A name that ends in .parquet is written as Parquet.
""",
        _add_aggregate_flags,
        _aggregate,
        ("result_file_pattern", "output_path"),
    ),
    "dlib_visualize_dataset": Command(
        """one picture of a data set, a row per factor.

    dlib_visualize_dataset --name candle_mini --path pictures
    dlib_visualize_dataset --name candle_mini --path pictures --gin_bindings "dataset.confounding = 'candle_color'"
""",
        _add_dataset_flags,
        _visualize_dataset,
        ("name", "path"),
    ),
    "dlib_visualize_model": Command(
        """pictures of what a model has learned.

    dlib_visualize_model --model_dir MODEL --output_dir PICTURES
    dlib_visualize_model --model_dir MODEL --output_dir PICTURES --gin_bindings "visualize_model.rho = 5"

Writes reconstructions, samples, traversals of each code (PNG and GIF), and counterfactual sheets: each factor's
codes at the baseline, and all others at the baseline, with what the classifier of CG says of each picture. The
classifier is trained once per data set; --nocounterfactuals leaves the sheets out, and with them the classifier.
""",
        _add_model_flags,
        _visualize_model,
        ("model_dir", "output_dir"),
    ),
}

dlib_evaluate = partial(run_command, "dlib_evaluate")
dlib_train = partial(run_command, "dlib_train")
dlib_train_semi_supervised = partial(run_command, "dlib_train_semi_supervised")
dlib_train_weakly_supervised = partial(run_command, "dlib_train_weakly_supervised")
dlib_postprocess = partial(run_command, "dlib_postprocess")
dlib_udr = partial(run_command, "dlib_udr")
dlib_aggregate_results = partial(run_command, "dlib_aggregate_results")
dlib_visualize_dataset = partial(run_command, "dlib_visualize_dataset")
dlib_visualize_model = partial(run_command, "dlib_visualize_model")


if __name__ == "__main__":
    sys.exit(run_command(sys.argv[1], sys.argv[2:]))
