"""``causal-disent demo``: the main job on the embedded data set, where the truth is known."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from causal_disent.report.remarks import HEADS, certainty_cells, remarks
from causal_disent.report.table import text_table
from causal_disent.text import say

#: Name of the row -> what it shows, and the folder's representation.gin.
ROWS: dict[str, tuple[str, str]] = {
    "perfect": ("perfect oracle", "representation.name = 'perfect_oracle'\n"),
    "mixed": ("mixed codes", "representation.name = 'mixed_oracle'\nmixed_oracle.strength = 1.0\n"),
    "noise": ("noise encoder", "representation.name = 'noise_oracle'\n"),
    "confounded": (
        "perfect oracle, fully confounded data",
        "representation.name = 'perfect_oracle'\n"
        "dataset.name = 'candle_mini'\n"
        "dataset.factors = ['object', 'color']\n"
        "dataset.confounding = 'candle_one_to_one'\n",
    ),
}
SCORES = ("IRS", "UC", "CG", "CG_signed")


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("--output", type=Path, default=Path("output/demo"), help="folder to write (%(default)s)")
    parser.set_defaults(command=lambda arguments: run_demo(arguments.output))


def run_demo(output: Path) -> int:
    """Evaluate each row, write its folders under `output`, print one table."""
    from causal_disent.report.pictures import contact_sheet, save_picture
    from causal_disent.runs.dataset import get_dataset
    from causal_disent.runs.evaluate import evaluate_with_gin

    rows: list[list[Any]] = []
    judges: dict[str, None] = {}
    for name, (title, representation) in ROWS.items():
        folder = output / name / "representation"
        folder.mkdir(parents=True, exist_ok=True)
        if "dataset.name" not in representation:
            representation += "dataset.name = 'candle_mini'\n"
        (folder / "representation.gin").write_text(representation, encoding="utf-8")
        say(f"evaluating: {title} ...")
        scores = evaluate_with_gin(folder, output / name / "evaluation", True, ["demo.gin"])
        titles = [title] + [""] * (len(SCORES) - 1)
        rows += [
            [head, key, scores[key], *certainty_cells(scores, key)]
            for head, key in zip(titles, SCORES, strict=True)
        ]
        judges.setdefault(remarks(scores)[0])
    save_picture(contact_sheet(get_dataset("candle_mini")), output / "candle_mini.png")
    say()
    say(text_table(["representation", "score", "value", *HEADS], rows))
    say()
    say("\n".join(judges))
    say("The oracles draw images of the data set, all of which nearest_image has seen.")
    say(f"\nResults: {output}/<row>/evaluation/results; the data set: {output / 'candle_mini.png'}")
    return 0
