"""Draw the pictures of docs/datasets.md: a contact sheet of each data set that needs no file.

python docs/draw_datasets.py [NAME ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

from causal_disent import get_dataset
from causal_disent.report.pictures import contact_sheet, save_picture

#: Name -> pixels per pixel, and how many colors the PNG has, for it to stay below 100 KB.
PICTURES = {"candle_mini": (2, 256), "dsprites_regenerated": (2, 16), "synthetic_mini": (2, 256)}


def draw(name: str, folder: Path) -> Path:
    """Write the picture of a data set."""
    scale, colors = PICTURES[name]
    path = folder / f"{name}.png"
    save_picture(contact_sheet(get_dataset(name), scale=scale), path, colors=colors)
    return path


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        print(draw(name, Path(__file__).with_name("images")))
