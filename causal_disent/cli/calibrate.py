"""``causal-disent calibrate``: what every metric says of representations whose quality is known."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent.cli._arguments import add_certainty, add_names, add_seed, seed_of
from causal_disent.text import say


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["metrics"], "--metrics", nargs="+", help="the metrics (all that there are)")
    parser.add_argument(
        "--output", type=Path, default=Path("output/calibrate"), metavar="FOLDER", help="to write (%(default)s)"
    )
    parser.add_argument("--num_train", type=int, default=1000, help="points that a metric samples (%(default)s)")
    add_certainty(parser)
    parser.add_argument(
        "--seeds",
        type=int,
        default=0,
        metavar="N",
        help="also how far seeds scatter the scores of good and bad codes",
    )
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="points for that (as --num_train)")
    add_seed(parser)
    parser.set_defaults(command=run_calibration)


def run_calibration(arguments: argparse.Namespace) -> int:
    """Measure, print the table, write it as text and as a picture."""
    from causal_disent.config import gin_config
    from causal_disent.files import check_file_place
    from causal_disent.report.calibration import calibration_text, write_calibration
    from causal_disent.runs.calibrate import CASES, calibrate

    seed = seed_of(arguments)
    check_file_place(arguments.output / "calibration.json")
    with gin_config(["calibrate.gin"]):
        rows = calibrate(
            arguments.metrics,
            num_train=arguments.num_train,
            random_seed=seed,
            bootstrap=arguments.bootstrap,
            chance=arguments.chance,
        )
    write_calibration(arguments.output, rows, CASES, num_train=arguments.num_train, random_seed=seed)
    say(calibration_text(rows, CASES))
    say(f"\nResults: {arguments.output}/calibration.csv, .json, .md, .png")
    if arguments.seeds:
        _run_seeds(arguments, seed)
    return 0


def _run_seeds(arguments: argparse.Namespace, seed: int) -> None:
    from causal_disent.config import gin_config
    from causal_disent.report.calibration import reseeding_text, write_reseeding
    from causal_disent.runs.calibrate import FROM_GOOD_TO_BAD, reseed

    names = [case.name for case in FROM_GOOD_TO_BAD]
    sizes = arguments.sizes or [arguments.num_train]
    with gin_config(["calibrate.gin"]):
        found = reseed(arguments.metrics, sizes=sizes, seeds=arguments.seeds, random_seed=seed)
    write_reseeding(arguments.output, found, names)
    say(f"\n{reseeding_text(found, names)}\n\nResults: {arguments.output}/reseeding.csv, .md, .png")
