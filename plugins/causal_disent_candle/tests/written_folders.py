"""Folders in CANDLE's format, with images that show which ones they are."""

import json

import numpy as np
from causal_disent_candle.candle import Candle, CandleV1
from PIL import Image

from causal_disent.data.state_space import StateSpace

WIDTH, HEIGHT = 320, 240
BOUNDS = ((95, 29), (154, 87))
V2 = StateSpace(Candle.values)
V1 = StateSpace(CandleV1.values)
SIZES = {V2: (1.5, 2, 2.5), V1: (1, 1.5, 2)}


def some_rows(space, num, seed=0):
    """Different combinations, in no order."""
    return space.to_factors(np.random.RandomState(seed).permutation(space.num_combinations)[:num])


def label(space, row, bounds=BOUNDS):
    """The JSON of an image, in the flavour of v2."""
    names = {factor: values[value] for (factor, values), value in zip(space.value_names.items(), row, strict=True)}
    thing = {
        "object_type": names["object"],
        "color": names["color"],
        "size": SIZES[space][row[2]],
        "rotation": int(names["rotation"]),
        "bounds": [list(corner) for corner in bounds],
    }
    return {"scene": names["scene"], "lights": names["light"], "objects": {f"{names['object'].title()}_0": thing}}


def pixels(row, width=WIDTH, height=HEIGHT):
    """An image with a vertical band for each factor, brighter the higher its value."""
    bands = np.array(row, dtype=np.uint8) * 12 + 30
    columns = bands[np.arange(width) * len(bands) // width]
    return np.ascontiguousarray(np.broadcast_to(columns[None, :, None], (height, width, 3)))


def write(folder, space, rows, *, nested=False, suffix=".png"):
    """An image and its JSON for each row of factors, numbered with gaps, as in the release."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, row in enumerate(np.asarray(rows).tolist()):
        write_one(folder, str(3 * place + 1), label(space, row), pixels(row), nested=nested, suffix=suffix)
    return folder


def write_one(folder, stem, content, image, *, nested=False, suffix=".png"):
    (folder / f"{stem}.json").write_text(json.dumps({stem: content} if nested else content))
    options = {"compress_level": 1} if suffix == ".png" else {"quality": 95, "subsampling": 0}
    Image.fromarray(image).save(folder / f"{stem}{suffix}", **options)
