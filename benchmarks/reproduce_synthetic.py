"""Table 7 of the AAAI paper: four models on the fully confounded set, ours beside the published scores.

    python benchmarks/reproduce_synthetic.py [--steps 500] [--seeds 3] [--output output/synthetic]

Trains, evaluates, prints the table and writes it to <output>/table.json. A model that is there already is not
trained again, so that a run that was stopped goes on where it was. docs/reproduction.md discusses the numbers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent.evaluation.results import is_done, new_file
from causal_disent.progress import track
from causal_disent.report.published import published, published_models
from causal_disent.report.table import text_table
from causal_disent.steps.evaluate import evaluate_with_gin

DATA = [
    "dataset.name = 'synthetic_mini'",
    "dataset.factors = ['object', 'color']",
    "dataset.confounding = 'synthetic_full'",
]
#: As the paper's appendix has it; its table does not say how long the models were trained.
TRAINING = [
    "model.batch_size = 64",
    "model.eval_steps = 10",
    "encoder.num_latent = 64",
    "encoder.encoder_fn = @conv_encoder",
    "decoder.decoder_fn = @deconv_decoder",
    "reconstruction_loss.loss_fn = @bernoulli_loss",
    "vae_optimizer.optimizer_fn = @AdamOptimizer",
    "AdamOptimizer.learning_rate = 0.0001",
]
#: The name in configs, and what is bound for it.
MODELS: dict[str, list[str]] = {
    "vae": ["model.model = @vae()", "vae.beta = 4."],
    "beta_tc_vae": ["model.model = @beta_tc_vae()", "beta_tc_vae.beta = 4."],
    "dip_vae": [
        "model.model = @dip_vae()",
        "dip_vae.dip_type = 'i'",
        "dip_vae.lambda_od = 10.",
        "dip_vae.lambda_d_factor = 10.",
    ],
    "factor_vae": [
        "model.model = @factor_vae()",
        "factor_vae.gamma = 6.",
        "discriminator.discriminator_fn = @fc_discriminator",
        "discriminator_optimizer.optimizer_fn = @discriminator/AdamOptimizer",
        "discriminator/AdamOptimizer.learning_rate = 0.0001",
        "discriminator/AdamOptimizer.beta1 = 0.5",
    ],
}
EVALUATION = [
    "evaluation.evaluation_fn = [@causal_disentanglement, @dci]",
    "evaluation.random_seed = 0",
    "causal_disentanglement.num_train = 1000",
    "causal_disentanglement.rho = 1",
    "causal_disentanglement.classifier = 'conv_classifier'",
    "dci.num_train = 1000",
    "dci.num_test = 500",
]
#: The published column -> key of our results.
SCORES = {
    "IRS": "causal_disentanglement:IRS",
    "DCI(D)": "dci:disentanglement",
    "UC": "causal_disentanglement:UC",
    "CG": "causal_disentanglement:CG",
}


def run(model: str, seed: int, steps: int, output: Path) -> dict[str, Any]:
    """Train and evaluate one model, as far as that was not done before."""
    from causal_disent_torch.steps.train import train_with_gin

    folder = output / f"{model}_{steps}_steps_seed_{seed}"
    bindings = [*DATA, *TRAINING, *MODELS[model], f"model.training_steps = {steps}", f"model.random_seed = {seed}"]
    if not (folder / "model" / "results").is_dir():
        train_with_gin(folder / "model", gin_bindings=bindings)
    if not is_done(folder / "evaluation"):
        evaluate_with_gin(folder / "model", folder / "evaluation", gin_bindings=EVALUATION)
    return json.loads((folder / "evaluation/results/json/evaluation_results.json").read_text())


def rows(scores: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Per model: each of our scores with its spread over the seeds, and the published one."""
    printed = {facts.get("registered"): name for name, facts in published_models().items()}
    lines = []
    for model, runs in scores.items():
        line = [printed[model]]
        for metric, key in SCORES.items():
            values = [found[key] for found in runs]
            theirs = published("aaai_7", metric=metric, model=printed[model])["value"].item()
            line.append(f"{np.mean(values):.3f} +- {np.std(values):.3f} ({theirs:.2f})")
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500, help="of training (%(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each model (%(default)s)")
    parser.add_argument("--output", type=Path, default=Path("output/synthetic"), help="(%(default)s)")
    arguments = parser.parse_args()
    tasks = [(model, seed) for seed in range(arguments.seeds) for model in MODELS]
    scores: dict[str, list[dict[str, Any]]] = {model: [] for model in MODELS}
    for model, seed in track(tasks, "table 7", unit="model"):
        scores[model].append(run(model, seed, arguments.steps, arguments.output))
    lines = rows(scores)
    print(f"synthetic_mini, fully confounded, {arguments.steps} steps, {arguments.seeds} seeds: ours (published)")
    print(text_table(["model", *SCORES], lines))
    with new_file(arguments.output / "table.json") as temporary:
        temporary.write_text(json.dumps(scores, indent=2) + "\n")


if __name__ == "__main__":
    main()
