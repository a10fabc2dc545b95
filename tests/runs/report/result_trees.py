"""Trees of result folders, as studies write them."""

import numpy as np
from PIL import Image

from causal_disent.runs.results import write_results


class Tree:
    """A folder in which runs can be put."""

    def __init__(self, root):
        self.root = root
        self.number = 0

    def run(self, model, seed, scores, *, dataset="candle_mini", confounding=None, trained_as="vae", **train):
        """One run: metric -> what it found."""
        folder = self.root / str(self.number)
        self.number += 1
        data = {"dataset.name": repr(dataset), "dataset.confounding": repr(confounding)}
        trained = {"model.model": f"@{trained_as}()", "model.name": repr(model), "model.random_seed": str(seed)}
        trained |= data | {key: repr(value) for key, value in train.items()}
        write_results(folder / "model", "train", {"loss": 1.0}, _as_text(trained), trained)
        earlier = {
            file.relative_to(folder / "model/results").as_posix(): file.read_bytes()
            for file in sorted((folder / "model/results").rglob("*.*"))
        }
        for metric, found in scores.items():
            measured = {"evaluation.evaluation_fn": f"@{metric}", "evaluation.random_seed": "0", **data}
            place = folder / "metrics/mean" / metric
            write_results(place, "evaluation", found, _as_text(measured), measured, earlier)
        return folder

    def curves(self, number, lines):
        """The training curves of a run: lines of step, term and value."""
        place = self.root / str(number) / "model/curves"
        place.mkdir()
        (place / "curves.csv").write_text("\n".join(["step,term,value", *lines, ""]))

    def picture(self, place, size=(64, 48), seed=0):
        """A picture of noise, which compresses badly."""
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = np.random.RandomState(seed).randint(256, size=(size[1], size[0], 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
        return path


def _as_text(bindings):
    return "".join(f"{key} = {value}\n" for key, value in bindings.items())


def fill(tree, models=("beta_vae", "factor_vae"), seeds=3, confoundings=(None, "candle_color")):
    """Models of which each is better than the one before by a tenth, and seeds that differ by a hundredth."""
    for place, model in enumerate(models):
        for confounding in confoundings:
            for seed in range(seeds):
                value = 0.3 + 0.1 * place + 0.01 * seed + (0.02 if confounding else 0)
                scores = {
                    "irs": {"IRS": value},
                    "uc": {"UC": 1 - value / 2, "UC_low": 0.5, "UC_high": 0.9, "codes_factor_object": [0, 2]},
                    "mig": {"discrete_mig": value / 2},
                }
                tree.run(model, seed, scores, confounding=confounding)
