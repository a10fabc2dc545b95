"""Reading CANDLE, the first time and later, sampling from it, on a folder of its size; drawing candle_mini.

python benchmarks/bench_datasets.py
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from _timing import pin_threads

pin_threads()

import numpy as np  # noqa: E402
from causal_disent_candle.candle import Candle  # noqa: E402
from PIL import Image  # noqa: E402

from causal_disent.data.candle_mini import CandleMini  # noqa: E402
from causal_disent.data.confounding import allowed_combinations  # noqa: E402
from causal_disent.data.rule_sets import statements  # noqa: E402
from causal_disent.data.state_space import StateSpace  # noqa: E402
from causal_disent.progress import track  # noqa: E402
from causal_disent.report.table import text_table  # noqa: E402

WIDTH, HEIGHT = 320, 240
#: Different pictures; the files beyond are links to these, which are read no faster.
NUM_PICTURES = 400
NUM_DRAWN = 10_000
BATCH = 1_000


def picture(generator: np.random.RandomState) -> Image.Image:
    """As large when compressed as a rendered one: the release takes 135 KB for each."""
    coarse = generator.randint(0, 256, (12, 16, 3)).astype(np.uint8)
    smooth = np.asarray(Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)).astype(float)
    return Image.fromarray(np.clip(smooth + generator.normal(0, 4, smooth.shape), 0, 255).astype(np.uint8))


def write_release(folder: Path) -> None:
    """12,546 images and JSON files with the combinations of the release."""
    space = StateSpace(Candle.values)
    rows = space.to_factors(allowed_combinations(space, statements("candle_released"))[0])
    generator = np.random.RandomState(0)
    for number, row in enumerate(track(rows.tolist(), "writing a folder to read", unit="image")):
        if number < NUM_PICTURES:
            picture(generator).save(folder / f"{number}.png")
        else:
            os.link(folder / f"{number % NUM_PICTURES}.png", folder / f"{number}.png")
        (folder / f"{number}.json").write_text(json.dumps(label(row)))


def label(row: list[int]) -> dict[str, Any]:
    kind, color, size, rotation, scene, light = (
        list(written.values())[value] for written, value in zip(Candle.values.values(), row, strict=True)
    )
    thing = {
        "object_type": kind,
        "color": color,
        "size": float(size),
        "rotation": int(rotation),
        "bounds": [[95, 29], [154, 87]],
    }
    return {"scene": scene, "lights": light, "objects": {f"{kind.title()}_0": thing}}


def cpu_seconds(function: Callable[[], Any], repeats: int = 1) -> float:
    """Of all threads together, in the run that was disturbed least."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def decode(folder: Path) -> None:
    """What reading must do at the least, to the pictures that differ."""
    for number in range(NUM_PICTURES):
        with Image.open(folder / f"{number}.png") as image:
            image.resize((64, 64), Image.Resampling.LANCZOS)


def make_part(folder: Path) -> Path:
    """A folder with the pictures that differ."""
    part = folder / "part"
    part.mkdir()
    for number in range(NUM_PICTURES):
        for suffix in (".png", ".json"):
            os.link(folder / f"{number}{suffix}", part / f"{number}{suffix}")
    return part


def draw_all(data: CandleMini, total: int) -> None:
    """Each image once, few enough at a time to need no gigabytes for the floats."""
    for start in range(0, total, BATCH):
        data.observations(np.arange(start, min(start + BATCH, total)))


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What was measured, the figure, and what it should be."""
    part, caches = make_part(folder), count()
    first = cpu_seconds(lambda: Candle(part, cache=folder / f"cache_{next(caches)}"), repeats=8)
    yield "first read, images per second and core", f"{NUM_PICTURES / first:,.0f}", ">= 300"
    bare = cpu_seconds(lambda: decode(folder), repeats=8)
    yield "the same / only opening and resizing the images with Pillow", f"{first / bare:.2f}", "about 1"
    data = Candle(folder)
    later = cpu_seconds(lambda: Candle(folder), repeats=3)
    yield f"later opens of {data.rule_set.images:,} images", f"{later:.2f} s", "< 1 s"
    factors = data.sample_factors(NUM_DRAWN, np.random.RandomState(0))

    def sample() -> np.ndarray:
        return data.sample_observations_from_factors(factors, np.random.RandomState(0))

    # The first call also sorts the table, maps the images, and is given memory that nobody has touched, which
    # costs more than all the rest. What is kept makes sure that the comparison gets new memory too.
    kept: list[np.ndarray] = []
    first = cpu_seconds(lambda: kept.append(sample()))
    fresh = cpu_seconds(lambda: kept.append(np.ones_like(kept[0])))
    kept.clear()
    second = cpu_seconds(sample)
    yield f"{NUM_DRAWN:,} observations, first call, images per second", f"{NUM_DRAWN / first:,.0f}", ">= 50,000"
    yield "the same / only filling as much new memory", f"{first / fresh:.2f}", "about 1"
    yield f"{NUM_DRAWN:,} observations, second call, images per second", f"{NUM_DRAWN / second:,.0f}", ">= 50,000"
    seconds = cpu_seconds(sample, repeats=8)
    pixels = np.zeros((NUM_DRAWN, *data.observation_shape), dtype=np.uint8)
    plain = cpu_seconds(lambda: pixels.astype(np.float32) / np.float32(255), repeats=8)
    yield "the best of 8 / only making floats of as many images in memory", f"{seconds / plain:.2f}", "about 1"
    mini = CandleMini(scenes=16)
    total = mini.space.num_combinations
    drawing = cpu_seconds(lambda: draw_all(mini, total))
    yield f"drawing the {total:,} images of candle_mini", f"{drawing:.1f} s", "< 30 s"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        write_release(Path(temporary))
        print(text_table(["work", "figure", "wanted"], list(rows(Path(temporary)))))
