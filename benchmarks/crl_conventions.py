"""Pos and Neg of the models of tables 9 and 10 under each convention that is left open: means over seeds.

"Together" sets all effects (or all causes) to 0 at once, in place of one at a time; edges are cut by their weight.

    causal-disent study studies/table9.gin --output_dir output/table9     # trains the models, if that was not done
    python benchmarks/crl_conventions.py output/table9 [--models causal_vae beta_vae]

docs/reproduction.md discusses the numbers.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _timing import pin_threads

pin_threads()

from causal_disent_torch.backend import TorchBackend  # noqa: E402

from causal_disent import get_dataset, get_metric  # noqa: E402
from causal_disent.progress import track  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402
from causal_disent.runs.study_table import plain_value  # noqa: E402

CONVENTIONS: dict[str, dict[str, Any]] = {
    "as in the table": {},
    "no edge cut": {"threshold": 0.0},
    "edges below 0.1 cut": {"threshold": 0.1},
    "together": {"joint": True},
    "together, no edge cut": {"joint": True, "threshold": 0.0},
    "together, edges below 0.1 cut": {"joint": True, "threshold": 0.1},
    "behind the masks": {"tap": "w"},
    "mic_e": {"estimator": "mic_e"},
}
SCORES = ("PosMIC", "NegMIC", "F1_MIC", "PosTIC", "NegTIC", "F1_TIC")


def test_images(train: dict[str, Any]) -> Any:
    """The test images of the data set that a run was trained on."""
    name = plain_value(train["dataset.name"])
    given = {key.partition(".")[2]: plain_value(text) for key, text in train.items() if key.startswith(f"{name}.")}
    return get_dataset(name, **{**given, "split": "test"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("--models", nargs="+", default=["causal_vae", "causal_vae_unsupervised", "do_vae"])
    parser.add_argument("--points", type=int, help="test images that are measured; all if not given")
    arguments = parser.parse_args()
    found: dict[tuple[str, str, str], list[list[float]]] = {}
    for run in track(sorted(arguments.study.glob("[0-9]*"), key=lambda path: int(path.name)), "runs", unit="run"):
        what = json.loads((run / "run.json").read_text())
        if what["model"] not in arguments.models or not (run / "model").exists():
            continue
        data = test_images(json.loads((run / "model/results/json/train_config.json").read_text()))
        model = TorchBackend(device="cpu").read(run / "model", data)
        for words, options in CONVENTIONS.items():
            if options.get("tap") == "w" and getattr(model.decoder, "mechanisms", None) is None:
                continue
            options = {"num_points": arguments.points, "floor_draws": 0, **options}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scores = get_metric("crl_scores")(data, model, np.random.RandomState(0), **options)
            which = what["model"], what["dataset"].partition(" split")[0], words
            found.setdefault(which, []).append([100 * scores[score] for score in SCORES])
    rows = [[*which, len(of), *map(_mean_and_spread, zip(*of, strict=True))] for which, of in found.items()]
    print(text_table(["model", "data set", "convention", "seeds", *SCORES], rows))


def _mean_and_spread(scores: Sequence[float]) -> str:
    spread = f" ± {np.std(scores, ddof=1):.1f}" if len(scores) > 1 else ""
    return f"{np.mean(scores):.1f}{spread}"


if __name__ == "__main__":
    main()
