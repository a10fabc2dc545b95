"""IRS of no model at all: principal components of the images of table 7, the less of which varies the higher.

    python benchmarks/synthetic_components.py

docs/reproduction.md discusses the numbers; ``studies/table7.gin`` trains the models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causal_disent import get_dataset
from causal_disent.data.factor_table import value_rows
from causal_disent.metrics import irs
from causal_disent.report.table import text_table

DATA_SET, FACTORS, CONFOUNDING = "synthetic_mini", ["object", "color"], "synthetic_full"
#: What varies besides, and what of it is kept at one value in each row.
NUISANCE = ("rotation", "size", "position", "light")
STILL = ((), ("position",), ("size", "position"), ("size", "position", "light"), ("rotation", "size", "position"))
#: A component that is shorter is rounding.
CONSTANT = 1e-8


def confounding(still: Sequence[str]) -> list[str]:
    """The rules of the table's data set, with the factors in `still` at their first value."""
    data = get_dataset(DATA_SET)
    values = dict(zip(data.factor_names, data.value_names, strict=True))
    others = ["|".join(repr(value) for value in values[factor][1:]) for factor in still]
    return [CONFOUNDING, *(f"never {factor}={rest}" for factor, rest in zip(still, others, strict=True))]


def components(rules: list[str]) -> tuple[int, float, float]:
    """The number of images, and the IRS of their principal components: of all, and of the first two."""
    data = get_dataset(DATA_SET, factors=FACTORS, confounding=rules)
    table = data.factor_table
    pixels = data.observations(table.index.to_numpy()).reshape(len(table), -1).astype(np.float64)
    directions, lengths, _ = np.linalg.svd(pixels - pixels.mean(axis=0), full_matrices=False)
    codes = (directions * lengths)[:, lengths > CONSTANT]
    factors = value_rows(table)
    return len(table), irs(codes, factors).score, irs(codes[:, :2], factors).score


def main() -> None:
    rows = [
        [", ".join(name for name in NUISANCE if name not in still), *components(confounding(still))]
        for still in STILL
    ]
    print(text_table(["what varies besides object and color", "images", "IRS of all", "of the first two"], rows))


if __name__ == "__main__":
    main()
