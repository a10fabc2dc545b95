"""``causal-disent demo_model``: a beta-VAE trained on confounded images, measured and looked at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from causal_disent.report.table import text_table

__all__ = ["RHOS", "add", "run_demo"]

#: Numbers of codes that a factor is given.
RHOS = (1, 2, 5)


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument(
        "--output", type=Path, default=Path("output/demo_model"), help="folder to write (%(default)s)"
    )
    parser.add_argument("--steps", type=int, help="of training (as demo_model.gin says)")
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu (%(default)s)")
    parser.set_defaults(command=lambda given: run_demo(given.output, given.steps, given.device))


def run_demo(output: Path, steps: int | None = None, device: str = "auto") -> int:
    """Train, evaluate at each rho, draw, and print one table.

    Args:
        output: ``model``, ``evaluation_rho_<rho>`` and ``pictures`` are written below it, replacing older ones.
        steps: of training, in place of the config's.
        device: where the model runs.
    """
    from causal_disent_torch.steps.train import train_with_gin
    from causal_disent_torch.visualize.model import visualize_with_gin

    bindings = [] if steps is None else [f"model.training_steps = {steps}"]
    print("training: a beta-VAE on candle_mini, where each object has two of five colors ...", flush=True)
    train_with_gin(output / "model", True, ["demo_model.gin"], bindings, device=device, checkpoint_every=0)
    print("evaluating: IRS, DCI, UC and CG ...", flush=True)
    rows = _evaluate(output)
    print("drawing: reconstructions, traversals and counterfactuals ...", flush=True)
    visualize_with_gin(
        output / "model",
        output / "pictures",
        True,
        device=device,
        gin_bindings=["visualize_model.num_train = 1000"],
    )
    print()
    print(text_table(["rho", "IRS", "DCI (D)", "UC", "CG"], rows))
    print(f"\nThe model: {output / 'model'}; pictures of it: {output / 'pictures'}")
    return 0


def _evaluate(output: Path) -> list[list[Any]]:
    from causal_disent.steps.evaluate import CodeTables, evaluate_with_gin

    code_tables: CodeTables = {}
    rows: list[list[Any]] = []
    for rho in RHOS:
        bindings = [f"causal_disentanglement.rho = {rho}"]
        if rho == RHOS[0]:  # neither depends on rho
            bindings.append("evaluation.evaluation_fn = [@causal_disentanglement, @dci]")
        found = evaluate_with_gin(
            output / "model",
            output / f"evaluation_rho_{rho}",
            True,
            ["demo_model_evaluation.gin"],
            bindings,
            code_tables,
        )
        scores = {key.rpartition(":")[2]: value for key, value in found.items()}
        first = rows[0] if rows else [rho, scores["IRS"], scores["disentanglement"]]
        rows.append([rho, first[1], first[2], scores["UC"], scores["CG"]])
    return rows
