"""``causal-disent study``, ``results`` and ``report``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from causal_disent import errors
from causal_disent.text import number_of, say, shown, shown_value

if TYPE_CHECKING:
    import pandas as pd

    from causal_disent.runs.study import Study
    from causal_disent.runs.study_plan import Plan


#: Digits of the number of a run.
MOST_DIGITS = 18
#: What may stand in place of a config, and what follows it.
ACTIONS = {"ls": "[DIR]", "retry": "[RUN ...]", "show": "RUN", "best": "METRIC", "export": "FILE"}
EPILOG = """\
  study STUDY.gin --output_dir DIR    do all that is not done; the same command goes on after a kill, and does what
                                      is new after the config was extended
  study ls [DIR]                      how many tasks are done, running, failed and waiting
  study retry [RUN ...]               try again what has failed, in all runs or in these
  study show RUN                      all that is known of a run: tasks, scores, the log of what failed
  study best METRIC                   models ranked by a metric or a score
  study export FILE                   every headline score as a tidy table (.csv or .parquet)

All but the first take --output_dir DIR as well; without it, the current folder is the study's.
"""


def add_study(parser: argparse.ArgumentParser) -> None:
    """Give ``causal-disent study`` its arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "what", metavar="STUDY.gin", help=f"a config that binds study.*, or one of {', '.join(ACTIONS)}"
    )
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="what these need")
    parser.add_argument("--output_dir", type=Path, metavar="DIR", help="the folder of the study")
    parser.add_argument("--dry_run", action="store_true", help="tell what would be done, and do nothing")
    parser.add_argument("--engine", metavar="NAME", help="what runs the tasks (`causal-disent engines`)")
    parser.add_argument("--workers", type=int, metavar="N", help="how many tasks at a time")
    parser.add_argument("--address", help="of a cluster to join, for engines that have one")
    parser.add_argument(
        "--gin_bindings", action="append", default=[], metavar="LINE", help='such as "study.seeds = 3"; repeatable'
    )
    parser.add_argument("--all", action="store_true", help="have `ls` list every run")
    parser.set_defaults(command=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Run a study, or tell of one."""
    if arguments.what not in ACTIONS:
        hint = errors.nearest(arguments.what, ACTIONS)
        if arguments.arguments:
            raise errors.InvalidInput(
                f"One config is needed; given besides it: {errors.listing(arguments.arguments)}.{hint}"
            )
        if arguments.output_dir is None:
            raise errors.InvalidInput(f"--output_dir is needed: the folder of the study.{hint}")
        return _run(arguments, Path(arguments.what))
    arguments.output_dir = arguments.output_dir or Path()
    expected = ACTIONS[arguments.what]
    given = len(arguments.arguments)
    if (given == 0 and not expected.startswith("[")) or (given > 1 and "..." not in expected):
        raise errors.InvalidInput(f"`study {arguments.what}` is followed by {expected}.")
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "ls": _list, "retry": _retry, "show": _show, "best": _best, "export": _export,
    }  # fmt: skip
    return actions[arguments.what](arguments)


def _run(arguments: argparse.Namespace, config: Path | Study, first: Callable[[], None] = lambda: None) -> int:
    """Run a study, or tell of its plan; `first` is called when the settings are known to be right."""
    from causal_disent.runs.study import check_configs, plan_text, read_study, run_study
    from causal_disent.runs.study_plan import STATES, make_plan
    from causal_disent.runs.study_table import results_text

    settings, engine = read_study(config, _bindings(arguments, config), arguments.engine)
    folder: Path = arguments.output_dir
    if arguments.dry_run:
        plan = make_plan(settings, folder)
        plan.check_unchanged()
        check_configs(plan, engine)
        say(plan_text(plan, engine.workers))
        return 0
    again = f"The same command goes on:\n    {_command(arguments)}"
    try:
        first()
        ended = run_study(settings, folder, engine=engine)
    except KeyboardInterrupt:
        say(f"\ninterrupted; what was done is kept. {again}", error=True)
        return errors.INTERRUPTED
    if ended.counts["done"]:
        with suppress(errors.InvalidInput):  # models alone: there are no scores
            say(results_text(ended.table))
    if settings.report:
        _write_page(folder, folder / settings.report)
    counts = [f"{ended.counts[state]} {state}" for state in STATES if ended.counts[state]]
    say(f"\n{', '.join(counts)}\n  -> {folder}")
    if ended.full:
        say(f"Nothing more can be written to {folder}: is the disk full? {again}", error=True)
    elif ended.counts["failed"]:
        place = shlex.quote(str(folder))
        say(
            f"`causal-disent study ls {place}` tells what has failed; `causal-disent study retry --output_dir "
            f"{place}` tries it again.",
            error=True,
        )
    return 1 if ended.full or set(+ended.counts) - {"done"} else 0


def _command(arguments: argparse.Namespace) -> str:
    """The command that was given, for a shell."""
    words = ["causal-disent", "study", arguments.what, *arguments.arguments]
    words += ["--output_dir", str(arguments.output_dir)]
    for name in ("engine", "workers", "address"):
        value = getattr(arguments, name)
        words += [] if value is None else [f"--{name}", str(value)]
    for line in arguments.gin_bindings:
        words += ["--gin_bindings", line]
    return shlex.join(words)


def _write_page(folder: Path, page: Path) -> None:
    """Write the study's page; what keeps it from being written does not make the study fail."""
    from causal_disent.report.write import write_report

    try:
        write_report(folder, page, draw=True)
        say(f"\na page about it, to be opened in a browser\n  -> {page}")
    except errors.CausalDisentError as error:
        say(f"\nthere is no page: {error.message}", error=True)


def _bindings(arguments: argparse.Namespace, config: Path | Study) -> list[str]:
    """What follows the config, with the options of the engine that the flags stand for."""
    from causal_disent.runs.study import read_study

    lines = list(arguments.gin_bindings)
    given = {"workers": arguments.workers, "address": arguments.address}
    if any(value is not None for value in given.values()):
        engine = arguments.engine or read_study(config, lines)[0].engine
        lines += [f"{engine}.{name} = {value!r}" for name, value in given.items() if value is not None]
    return lines


def _plan(arguments: argparse.Namespace) -> Plan:
    """The plan of the study in the folder, as its settings are kept there."""
    from causal_disent.runs.study import kept_study
    from causal_disent.runs.study_plan import make_plan

    return make_plan(kept_study(arguments.output_dir), arguments.output_dir)


def _list(arguments: argparse.Namespace) -> int:
    from causal_disent.runs.study import state_text

    arguments.output_dir = Path(*arguments.arguments) if arguments.arguments else arguments.output_dir
    say(state_text(_plan(arguments), everything=arguments.all))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from causal_disent.runs.study import run_text
    from causal_disent.runs.study_table import scores_text

    number = _number(arguments.arguments[0])
    say(run_text(_plan(arguments), number))
    with suppress(errors.InvalidInput):  # there may be no scores yet
        say(f"\n{scores_text(told_table(arguments.output_dir / str(number)))}")
    return 0


def _retry(arguments: argparse.Namespace) -> int:
    from causal_disent.runs.study_work import forget_failure

    chosen = {_number(text) for text in arguments.arguments}
    plan = _plan(arguments)
    known = {planned.number for planned in plan.runs}
    if chosen - known:
        raise errors.unknown("run", min(chosen - known), sorted(known))
    failed = [
        (planned.number, place)
        for planned in plan.runs
        if not chosen or planned.number in chosen
        for place in planned.found.failed
    ]
    say(f"{number_of(len(failed), 'failed task')} to be tried again")
    if arguments.dry_run:
        return 0

    def forget_all() -> None:
        for number, place in failed:
            forget_failure(plan.folder / str(number), place)

    return _run(arguments, plan.study, forget_all)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise errors.InvalidInput(f"A run is named by its number; given: {shown_value(text)}.")
    return int(text)


def _best(arguments: argparse.Namespace) -> int:
    from causal_disent.runs.study_table import best_text

    say(best_text(told_table(arguments.output_dir), arguments.arguments[0]))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from causal_disent.runs.study_table import write_table

    target = Path(arguments.arguments[0])
    table = told_table(arguments.output_dir)
    write_table(table, target)
    say(f"{len(table)} scores, {len(table.columns)} columns\n  -> {target}")
    return 0


def told_table(folder: Path) -> pd.DataFrame:
    """As `causal_disent.runs.study_table.results_table` gives it; the files that it leaves out are named."""
    from causal_disent.runs.study_table import results_table

    table = results_table(folder)
    for path, reason in table.attrs["left_out"]:
        say(f"left out {shown(path)}: {reason}", error=True)
    return table


#: What `results` writes.
RESULT_FILES = (".csv", ".parquet", ".md", ".tex")


def add_results(parser: argparse.ArgumentParser) -> None:
    """Give ``causal-disent results`` its arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with result folders, at any depth")
    parser.add_argument(
        "--metrics", nargs="+", metavar="METRIC", help="these alone; a score's name, such as CG, is as good"
    )
    parser.add_argument("--published", metavar="TABLE", help="show the numbers of a paper beside, such as aaai_1")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="also write every score as a tidy table (.csv or .parquet), or the means as Markdown (.md) or LaTeX "
        "(.tex)",
    )
    parser.add_argument(
        "--format",
        choices=["text", "markdown", "latex", "csv", "parquet"],
        default="text",
        help="of what is printed (%(default)s); parquet is for --output alone",
    )
    parser.set_defaults(command=run_results)


def run_results(arguments: argparse.Namespace) -> int:
    """Print the table."""
    from causal_disent.files import check_file_place, write_text
    from causal_disent.report.latex import results_latex
    from causal_disent.runs.study_table import chosen_scores, results_text, write_results
    from causal_disent.tables import harmless_cells

    output, published = arguments.output, arguments.published
    is_latex = output is not None and output.suffix == ".tex"
    if published and (is_latex or arguments.format in ("latex", "csv")):
        raise errors.InvalidInput("--published goes with text and Markdown.")
    if arguments.format == "parquet" and (output is None or output.suffix != ".parquet"):
        raise errors.InvalidInput("Parquet is no text: write it to a file, --output scores.parquet, say.")
    if output is not None:
        if output.suffix not in RESULT_FILES:
            raise errors.InvalidInput(f"--output is a file {errors.listing(RESULT_FILES)}; given: {output}.")
        check_file_place(output)
    table = chosen_scores(told_table(arguments.folder), arguments.metrics or ())
    if arguments.format == "latex":
        say(results_latex(table))
    elif arguments.format == "csv":
        say(harmless_cells(table).to_csv(index=False).rstrip("\n"))
    elif arguments.format != "parquet":
        say(results_text(table, published, markdown=arguments.format == "markdown"))
    if is_latex:
        write_text(output, results_latex(table) + "\n")
    elif output is not None:
        write_results(table, output, published)
    if output is not None:
        say(f"  -> {output}", error=arguments.format != "text")
    return 0


def add_report(parser: argparse.ArgumentParser) -> None:
    """Give ``causal-disent report`` its arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a study's folder, or any with result folders")
    parser.add_argument(
        "--output", type=Path, default=Path("report.html"), metavar="FILE", help="the page (%(default)s)"
    )
    parser.add_argument(
        "--draw",
        action="store_true",
        help="first draw what a model of each kind has learned, into its run's folder",
    )
    parser.set_defaults(command=run_report)


def run_report(arguments: argparse.Namespace) -> int:
    """Write the page."""
    from causal_disent.report.write import write_report
    from causal_disent.runs.study import size

    page = write_report(arguments.folder, arguments.output, draw=arguments.draw)
    say(f"one page, {size(page.stat().st_size)}; open it in a browser\n  -> {page}")
    return 0
