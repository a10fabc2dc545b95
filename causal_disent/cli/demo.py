"""``causal-disent demo``: the main job on the embedded data set, where the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from causal_disent.report.table import text_table

__all__ = ["ROWS", "add_command", "run_demo"]

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
SCORES = ("IRS", "UC", "CG")


def add_command(commands: Any) -> None:
    """Add ``demo`` to the parser."""
    parser = commands.add_parser("demo", help="IRS, UC and CG of representations whose quality is known")
    parser.add_argument("--output", type=Path, default=Path("output/demo"), help="folder to write (%(default)s)")
    parser.set_defaults(command=lambda arguments: run_demo(arguments.output))


def run_demo(output: Path) -> int:
    """Evaluate each row, write its folders under `output`, print one table."""
    from causal_disent.runs.dataset import get_dataset
    from causal_disent.runs.evaluate import evaluate_with_gin

    rows = []
    for name, (title, representation) in ROWS.items():
        folder = output / name / "representation"
        folder.mkdir(parents=True, exist_ok=True)
        if "dataset.name" not in representation:
            representation += "dataset.name = 'candle_mini'\n"
        (folder / "representation.gin").write_text(representation, encoding="utf-8")
        print(f"evaluating: {title} ...", flush=True)
        scores = evaluate_with_gin(folder, output / name / "evaluation", True, ["demo.gin"])
        rows.append([title, *(scores[key] for key in SCORES)])
    _save_sheet(get_dataset("candle_mini"), output / "candle_mini.png")
    print()
    print(text_table(["representation", *SCORES], rows))
    print(f"\nResults: {output}/<row>/evaluation/results; the data set: {output / 'candle_mini.png'}")
    return 0


def _save_sheet(data: Any, path: Path) -> None:
    from causal_disent.report.contact_sheet import contact_sheet, save_picture

    save_picture(contact_sheet(data), path)
