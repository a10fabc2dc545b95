"""Table 7 of the AAAI paper: four models on the fully confounded set, ours beside the published scores.

    python benchmarks/reproduce_synthetic.py [--steps 3000] [--seeds 3] [--still FACTOR ...]

Trains, evaluates, prints the table and writes it to <output>/table.json. A model that is there already is not
trained again, so that a run that was stopped goes on where it was. With ``--still size position light`` less
varies besides object and color. docs/reproduction.md discusses the numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import get_dataset
from causal_disent.data.factor_table import value_rows
from causal_disent.files import new_file
from causal_disent.metrics import irs
from causal_disent.progress import track
from causal_disent.report.published import published, published_models
from causal_disent.report.table import text_table
from causal_disent.runs.evaluate import evaluate_with_gin
from causal_disent.runs.results import is_done, read_scores

DATA_SET, FACTORS, CONFOUNDING = "synthetic_mini", ["object", "color"], "synthetic_full"
#: What varies besides.
NUISANCE = ("rotation", "size", "position", "light")
#: A component that is shorter is rounding.
CONSTANT = 1e-8
#: After these the decoders show an object in its place; after 500 they do not.
STEPS = 3000
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
#: What the paper does not have.
MORE = {"CG_signed": "causal_disentanglement:CG_signed"}


def confounding(still: Sequence[str]) -> list[str]:
    """The rules of the table's data set, with the factors in `still` at their first value."""
    values = dict(zip(get_dataset(DATA_SET).factor_names, get_dataset(DATA_SET).value_names, strict=True))
    others = ["|".join(repr(value) for value in values[factor][1:]) for factor in still]
    return [CONFOUNDING, *(f"never {factor}={rest}" for factor, rest in zip(still, others, strict=True))]


def run(model: str, seed: int, steps: int, output: Path, rules: list[str]) -> dict[str, Any]:
    """Train on the data set with these rules and evaluate, as far as that was not done before."""
    from causal_disent.runs.train import train_with_gin

    target = model_folder(model, seed, steps, output)
    data = [f"dataset.name = {DATA_SET!r}", f"dataset.factors = {FACTORS!r}", f"dataset.confounding = {rules!r}"]
    bindings = [*data, *TRAINING, *MODELS[model], f"model.training_steps = {steps}", f"model.random_seed = {seed}"]
    if not (target / "results").is_dir():
        train_with_gin(target, gin_bindings=bindings)
    evaluation = target.with_name("evaluation")
    if not is_done(evaluation) or not set(MORE.values()) <= set(read_scores(evaluation)):
        evaluate_with_gin(target, evaluation, True, gin_bindings=EVALUATION)
    return read_scores(evaluation)


def model_folder(model: str, seed: int, steps: int, output: Path) -> Path:
    """Where a trained model is; its evaluation is beside it."""
    return output / f"{model}_{steps}_steps_seed_{seed}" / "model"


def components(rules: list[str]) -> tuple[int, float, float]:
    """The number of images, and the IRS of their principal components: of all, and of the first two."""
    data = get_dataset(DATA_SET, factors=FACTORS, confounding=rules)
    table = data.factor_table
    pixels = data.observations(table.index.to_numpy()).reshape(len(table), -1).astype(np.float64)
    directions, lengths, _ = np.linalg.svd(pixels - pixels.mean(axis=0), full_matrices=False)
    codes = (directions * lengths)[:, lengths > CONSTANT]
    factors = value_rows(table)
    return len(table), irs(codes, factors).score, irs(codes[:, :2], factors).score


def rows(scores: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Per model: each of our scores with its spread over the seeds, and the published one if there is one."""
    printed = {facts.get("registered"): name for name, facts in published_models().items()}
    lines = []
    for model, runs in scores.items():
        line = [printed[model]]
        for metric, key in SCORES.items():
            values = [found[key] for found in runs]
            theirs = published("aaai_7", metric=metric, model=printed[model])["value"].item()
            line.append(f"{np.mean(values):.3f} +- {np.std(values):.3f} ({theirs:.2f})")
        for key in MORE.values():
            values = [found[key] for found in runs]
            line.append(f"{np.mean(values):.3f} +- {np.std(values):.3f}")
        lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS, help="of training (%(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each model; 0 for no model (%(default)s)")
    parser.add_argument("--output", type=Path, default=Path("output/synthetic"), help="(%(default)s)")
    parser.add_argument(
        "--still", nargs="*", default=[], metavar="FACTOR", choices=NUISANCE, help="keep it at one value"
    )
    arguments = parser.parse_args()
    output = arguments.output / "_".join(["still", *arguments.still]) if arguments.still else arguments.output
    rules = confounding(arguments.still)
    tasks = [(model, seed) for seed in range(arguments.seeds) for model in MODELS]
    scores: dict[str, list[dict[str, Any]]] = {model: [] for model in MODELS}
    for model, seed in track(tasks, "table 7", unit="model"):
        scores[model].append(run(model, seed, arguments.steps, output, rules))
    num_images, of_all, of_two = components(rules)
    print(f"{num_images} images; IRS of their principal components {of_all:.2f}, of the first two {of_two:.2f}")
    if not tasks:
        return
    lines = rows(scores)
    shown = f", {', '.join(arguments.still)} kept" if arguments.still else ""
    print(
        f"{DATA_SET}, fully confounded{shown}, {arguments.steps} steps, {arguments.seeds} seeds: ours (published)"
    )
    print(text_table(["model", *SCORES, *MORE], lines))
    with new_file(output / "table.json") as temporary:
        temporary.write_text(json.dumps(scores, indent=2) + "\n")


if __name__ == "__main__":
    main()
