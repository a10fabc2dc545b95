"""Draw why CG needs a direction: three decoders, one of them out of its codes' control.

python docs/draw_cg.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL.Image import Image

from causal_disent import get_classifier, get_dataset, get_representation
from causal_disent.metrics import cg
from causal_disent.metrics.cg import make_baseline
from causal_disent.metrics.draw import sample_codes
from causal_disent.report.model_sheets import SHOWN, make_counterfactuals, of_truth
from causal_disent.report.pictures import draw_grid, save_picture

FACTORS, SHOWN_FACTOR, COPIES = ["object", "color"], 1, 3
#: What else there is stays as it is.
RULES = [
    "never size=small|medium",
    "never rotation=0|15|45|60|90",
    "never scene=indoor|outdoor",
    "never light=middle|right",
]


class Median:
    """Each factor's value in three codes; the decoder goes by the one in the middle."""

    def __init__(self, oracle: Any) -> None:
        self.oracle = oracle

    def __call__(self, images: np.ndarray) -> np.ndarray:
        return np.repeat(self.oracle(images), COPIES, axis=1)

    def decode(self, codes: np.ndarray) -> np.ndarray:
        return self.oracle.decode(np.median(codes.reshape(len(codes), -1, COPIES), axis=2))


class Deaf:
    """Codes that are right, and a decoder that does not look at them."""

    def __init__(self, oracle: Any) -> None:
        self.oracle = oracle

    def __call__(self, images: np.ndarray) -> np.ndarray:
        return self.oracle(images)

    def decode(self, codes: np.ndarray) -> np.ndarray:
        return self.oracle.decode(np.zeros_like(codes))


def main() -> Image:
    """The picture: a column per decoder, with what CG compares of one image and one factor."""
    data = get_dataset("candle_mini", factors=FACTORS, confounding=RULES)
    oracle, classifier = get_representation("perfect_oracle", data), get_classifier("nearest_image", data)
    columns, titles, captions = [], [], []
    for name, model, step in (
        ("one code, which controls it", oracle, 1),
        ("one of three codes, which does not", Median(oracle), COPIES),
        ("a decoder that looks at no code", Deaf(oracle), 1),
    ):
        sets = [(step * i,) for i in range(len(FACTORS))]
        codes, factors = sample_codes(data, model, 300, np.random.RandomState(0), 16)
        found = cg(codes, factors, model.decode, classifier.predict_proba, attribution=sets)
        titles.append(f"{name}\nCG {found.score:.2f}\nCG_signed {found.signed:.2f}")
        factor, image = data.sample(1, np.random.RandomState(5))
        made = make_counterfactuals(
            model(image),
            factor,
            sets,
            make_baseline(codes, "max_deviation"),
            model.decode,
            classifier.predict_proba,
        )
        columns.append([image[0], made.base[0], made.inside[0, SHOWN_FACTOR], made.outside[0, SHOWN_FACTOR]])
        value = data.value_names[SHOWN_FACTOR][factor[0, SHOWN_FACTOR]]
        seen = of_truth(classifier.predict_proba(image), factor)[0, SHOWN_FACTOR]
        captions.append([f"{value}: {p:.2f}" for p in (seen, *made.probabilities[0, SHOWN_FACTOR])])
    return draw_grid(
        [list(row) for row in zip(*columns, strict=True)],
        captions=[list(row) for row in zip(*captions, strict=True)],
        row_titles=list(SHOWN),
        column_titles=titles,
        scale=2,
    )


if __name__ == "__main__":
    target = Path(__file__).with_name("images") / "cg_direction.png"
    save_picture(np.asarray(main()), target)
    print(target)
