"""``causal-disent demo_model``: a beta-VAE trained on confounded images, measured and looked at."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.files import write_text
from causal_disent.report.remarks import chance_remarks, remarks
from causal_disent.report.table import text_table
from causal_disent.text import say

#: Numbers of codes that a factor is given.
RHOS = (1, 2, 5)
#: The images are few, and an object's place is no factor.
CLASSIFIER = "conv_classifier.max_shift = 3"
SCORES = ("UC", "CG", "CG_chance", "CG_signed")
#: What keys of remarks that depend on rho begin with.
OF_RHO = ("CG", "factors_of_dead_codes")
#: A file by which a folder is known to be a demo's, and replaceable.
MARK = "demo_model.txt"


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument(
        "--output", type=Path, default=Path("output/demo_model"), help="folder to write (%(default)s)"
    )
    parser.add_argument(
        "--device", default="auto", help="to train and draw on: auto, cuda, mps or cpu (%(default)s)"
    )
    parser.add_argument(
        "--gin_bindings", nargs="*", default=[], metavar="BINDING", help='such as "model.training_steps = 2000"'
    )
    parser.set_defaults(command=lambda given: run_demo(given.output, given.device, given.gin_bindings))


def run_demo(output: Path, device: str = "auto", gin_bindings: Sequence[str] = ()) -> int:
    """Train, evaluate at each rho, draw, and print one table.

    Args:
        output: ``model``, ``evaluation_rho_<rho>`` and ``pictures`` are written below it, replacing those of an
            earlier demo; a folder that holds anything else is refused.
        device: where the model runs.
        gin_bindings: added to those of ``demo_model.gin`` and ``demo_model_evaluation.gin``.
    """
    from causal_disent.runs.representation import Reading
    from causal_disent.runs.train import train_with_gin
    from causal_disent.runs.visualise import visualize_with_gin

    _claim_folder(output)
    bindings = list(gin_bindings)
    say("training: a beta-VAE on candle_mini, where each object has two of five colors ...")
    config = ["demo_model.gin"]
    train_with_gin(output / "model", True, config, bindings, backend="torch", device=device, checkpoint_every=0)
    say("evaluating: IRS, DCI, UC and CG ...")
    rows, said = _evaluate(output, [CLASSIFIER, *bindings])
    say("drawing: reconstructions, traversals and counterfactuals ...")
    shown = ["visualize_model.num_train = 500", CLASSIFIER, *bindings]
    reading = Reading(device=device)
    visualize_with_gin(output / "model", output / "pictures", True, gin_bindings=shown, reading=reading)
    say()
    say(text_table(["rho", "IRS", "DCI (D)", *SCORES], rows))
    say()
    say("\n".join(said))
    say(f"\nThe model: {output / 'model'}; pictures of it: {output / 'pictures'}")
    return 0


def _claim_folder(output: Path) -> None:
    """Mark `output` as a demo's, unless it holds something else."""
    mark = output / MARK
    if output.exists() and not mark.is_file() and not (output.is_dir() and not any(output.iterdir())):
        raise errors.InvalidInput(
            f"{output} is not of an earlier demo, and would be replaced in part. Name a new folder with --output."
        )
    write_text(mark, "causal-disent demo_model writes this folder, and replaces what it wrote.\n")


def _evaluate(output: Path, gin_bindings: list[str]) -> tuple[list[list[Any]], list[str]]:
    """Return a row per rho, and what to say of them; IRS and DCI, which do not depend on it, are measured once."""
    from causal_disent.runs.evaluate import CodeTables, evaluate_with_gin

    code_tables: CodeTables = {}
    rows: list[list[Any]] = []
    said: dict[str, None] = {}
    for rho in RHOS:
        bindings = [*gin_bindings, f"causal_disentanglement.rho = {rho}"]
        if rho == RHOS[0]:
            bindings.append("evaluation.evaluation_fn = [@causal_disentanglement, @dci]")
        folder = output / f"evaluation_rho_{rho}"
        found = evaluate_with_gin(
            output / "model", folder, True, ["demo_model_evaluation.gin"], bindings, code_tables
        )
        scores = {key.rpartition(":")[2]: value for key, value in found.items()}
        once = rows[0][1:3] if rows else [scores["IRS"], scores["disentanglement"]]
        rows.append([rho, *once, *(scores[key] for key in SCORES)])
        common = {f"rho={rho}:{key}" if key.startswith(OF_RHO) else key: value for key, value in scores.items()}
        said |= dict.fromkeys([*remarks(common), *chance_remarks(common)])
    return rows, list(said)
