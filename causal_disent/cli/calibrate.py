"""``causal-disent calibrate``: what every metric says of representations whose quality is known."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent.cli._arguments import add_names, add_seed, seed_of
from causal_disent.text import say


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["metrics"], "--metrics", nargs="+", help="the metrics (all that there are)")
    parser.add_argument(
        "--output", type=Path, default=Path("output/calibrate"), metavar="FOLDER", help="to write (%(default)s)"
    )
    parser.add_argument("--num_train", type=int, default=1000, help="points that a metric samples (%(default)s)")
    add_seed(parser)
    parser.set_defaults(command=run_calibration)


def run_calibration(arguments: argparse.Namespace) -> int:
    """Measure, print the table, write it as text and as a picture."""
    from causal_disent.config import gin_config
    from causal_disent.files import check_place
    from causal_disent.report.calibration import calibration_text, write_calibration
    from causal_disent.runs.calibrate import CASES, calibrate

    seed = seed_of(arguments)
    check_place(arguments.output / "calibration.json")
    with gin_config(["calibrate.gin"]):
        rows = calibrate(arguments.metrics, num_train=arguments.num_train, random_seed=seed)
    write_calibration(arguments.output, rows, CASES, num_train=arguments.num_train, random_seed=seed)
    say(calibration_text(rows, CASES))
    say(f"\nResults: {arguments.output}/calibration.csv, .json, .md, .png")
    return 0
