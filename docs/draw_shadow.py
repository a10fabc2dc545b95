"""Draw images that Blender rendered above the same ones as shadow_mini draws them.

python docs/draw_shadow.py SUN POINT    (folders that ``causal-disent render shadow`` filled)
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from causal_disent_crl.shadow.folder import ShadowPointlight, ShadowSunlight

from causal_disent import get_dataset
from causal_disent.report.pictures import save_picture

COLUMNS, GAP, SIZE = 6, 4, 96


def rows_of(data: ShadowSunlight | ShadowPointlight, light: str) -> list[np.ndarray]:
    """A row of rendered images, and one of drawn ones."""
    images = data.factor_table.index.to_numpy()[:COLUMNS]
    mini = get_dataset("shadow_mini", light=light, size=SIZE)
    causes = mini.factor_names[:5]
    do = {name: data.factor_values(images)[:, place] for place, name in enumerate(causes)}
    drawn = mini.counterfactual(np.zeros(len(images), dtype=int), do)
    return [
        np.concatenate([_framed(image) for image in row], axis=1) for row in (data.observations(images), drawn)
    ]


def _framed(image: np.ndarray) -> np.ndarray:
    return np.pad(image, ((0, GAP), (0, GAP), (0, 0)), constant_values=1.0)


if __name__ == "__main__":
    sheet = [
        *rows_of(ShadowSunlight(sys.argv[1], size=SIZE), "sun"),
        *rows_of(ShadowPointlight(sys.argv[2], size=SIZE), "point"),
    ]
    target = Path(__file__).with_name("images") / "shadow_render.png"
    save_picture((np.concatenate(sheet) * 255).round().astype(np.uint8), target)
    print(target)
