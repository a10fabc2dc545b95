"""Causal representation learning: data sets drawn the published way and ours, read, opened again; a training step;
an evaluation in all directions.

python benchmarks/bench_crl.py
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from _timing import best, pin_threads, processor_time

pin_threads()
sys.path.insert(0, str(Path(__file__).parents[1] / "plugins/causal_disent_crl/tests"))

import numpy as np  # noqa: E402
import published_way  # noqa: E402
from _crl_evaluation import evaluation  # noqa: E402
from _crl_training import networks_of, training  # noqa: E402
from causal_disent_crl.flow import Flow  # noqa: E402
from causal_disent_crl.pendulum import Pendulum  # noqa: E402
from PIL import Image  # noqa: E402

from causal_disent.report.table import text_table  # noqa: E402

#: Images that the published way draws, a tenth at a time; it would need minutes for all.
NUM_DRAWN, TURNS = 400, 10


def drawing() -> Iterator[tuple[str, str, str]]:
    """Both ways in turn, so that both are disturbed alike."""
    data = Pendulum()
    total = len(data.draws.values)
    rows = np.random.RandomState(0).choice(total, NUM_DRAWN, replace=False)
    seconds = {"published": 0.0, "ours": 0.0}
    for part in np.array_split(rows, TURNS):
        values, drawn = data.draws.values[part], []
        seconds["published"] += processor_time(
            lambda drawn=drawn, values=values: drawn.extend(
                published_way.draw_pendulum(*row[:2]) for row in values
            )
        )
        seconds["ours"] += processor_time(lambda values=values: Pendulum.draw(values, np.zeros(len(values))))
        if not np.array_equal(Pendulum.draw(values, np.zeros(len(values))), np.stack(drawn)[..., :3]):
            raise SystemExit("The two ways draw different pixels.")
    per_image = {way: 1000 * time / NUM_DRAWN for way, time in seconds.items()}
    yield "an image of Pendulum the published way", f"{per_image['published']:.2f} ms", ""
    yield "the same ours, equal in each pixel", f"{per_image['ours']:.2f} ms", ""
    yield "published / ours", f"{per_image['published'] / per_image['ours']:.1f}", ">= 5"
    ours = processor_time(lambda: data._fill(data.draws, np.empty((total, 96, 96, 3), dtype=np.uint8)))
    yield f"all {total:,} images ours", f"{ours:.1f} s", ""
    yield f"all {total:,} images published / ours", f"{per_image['published'] * total / 1000 / ours:.1f}", ">= 5"


def reading(folder: Path) -> Iterator[tuple[str, str, str]]:
    """A folder as published, read once and opened again."""
    data = Pendulum(cache=folder / "cache")
    for split, name, image in zip(data.draws.splits, data.draws.names, data.source.pixels, strict=True):
        (folder / split).mkdir(exist_ok=True)
        Image.fromarray(image).convert("RGBA").save(folder / split / name)
    number = len(data.draws.names)
    read = processor_time(lambda: Pendulum(folder, cache=folder / "cache"))
    paths = sorted(folder.glob("*/a_*.png"))
    bare = processor_time(lambda: [np.asarray(Image.open(path).convert("RGB")) for path in paths])
    yield f"reading {number:,} files, images per second and core", f"{number / read:,.0f}", ">= 300"
    yield "the same / only opening the images with Pillow", f"{read / bare:.2f}", ""
    again = best(lambda: Pendulum(folder, cache=folder / "cache").observations(np.arange(10)))
    yield "opening what was read again", f"{again:.2f} s", "< 1 s"
    again = best(lambda: Pendulum(cache=folder / "cache").observations(np.arange(10)))
    yield "opening what was drawn again", f"{again:.2f} s", "< 1 s"
    Flow(cache=folder / "cache").observations(np.arange(1))
    again = best(lambda: Flow(cache=folder / "cache").observations(np.arange(10)))
    yield "the same of Flow", f"{again:.2f} s", "< 1 s"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        small = Pendulum(split="train", size=64, channels="rgb", cache=Path(temporary) / "small")
        tested = Pendulum(split="test", cache=Path(temporary) / "test")
        untrained = networks_of(tested.observation_shape)
        rows = [*training(small), *evaluation(tested, untrained), *drawing(), *reading(Path(temporary))]
        print(text_table(["work", "figure", "wanted"], rows))
