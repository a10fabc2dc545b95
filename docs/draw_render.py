"""Draw the picture of docs/render.md: each scene twice, from a folder that ``causal-disent render candle`` filled.

python docs/draw_render.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from causal_disent_candle.candle import Candle

from causal_disent.report.pictures import save_picture

COLUMNS, GAP = 8, 4
#: Height and width of each image on the sheet.
SIZE = (108, 144)


def sheet(data: Candle) -> np.ndarray:
    """Rows of eight scenes, each row followed by one with other images of the same scenes."""
    table = data.factor_table
    scenes = list(table["scene"].cat.categories)
    rows = []
    for first in range(0, len(scenes), COLUMNS):
        for turn in range(2):
            places = [_image(table, scene, turn) for scene in scenes[first : first + COLUMNS]]
            rows.append(np.concatenate([_framed(image) for image in data.observations(np.array(places))], axis=1))
    return (np.concatenate(rows) * 255).round().astype(np.uint8)


def _image(table, scene: str, turn: int) -> int:
    """The first image of a scene; on the second turn one whose object differs."""
    there = table[table["scene"] == scene]
    other = there[there["object"] != there["object"].iloc[0]]
    return int((other if turn and len(other) else there).index[0])


def _framed(image: np.ndarray) -> np.ndarray:
    return np.pad(image, ((0, GAP), (0, GAP), (0, 0)), constant_values=1.0)


if __name__ == "__main__":
    target = Path(__file__).with_name("images") / "candle_render.png"
    save_picture(sheet(Candle(folder=sys.argv[1], size=SIZE)), target, colors=256)
    print(target)
