"""Shadow and CelebA: drawing shadow_mini, reading a folder as large as the release, opening it again, attributes.

python benchmarks/bench_crl_shadow.py
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from _timing import best, pin_threads, processor_time

pin_threads()
sys.path.insert(0, str(Path(__file__).parents[1] / "plugins/causal_disent_crl/tests"))

import numpy as np  # noqa: E402
import written_celeba  # noqa: E402
from causal_disent_crl.celeba import CelebaBeard  # noqa: E402
from causal_disent_crl.shadow.folder import ShadowSunlight  # noqa: E402
from causal_disent_crl.shadow.mini import ShadowMini  # noqa: E402
from causal_disent_crl.shadow.render import shadow_plan  # noqa: E402
from causal_disent_crl.shadow.scene import LIGHTS  # noqa: E402
from PIL import Image  # noqa: E402

from causal_disent.report.table import text_table  # noqa: E402

NUM_DRAWN = 3000
#: Different pictures; the files beyond are links to these, which are read no faster.
NUM_PICTURES = 400
SIDE = 128


def drawing() -> Iterator[tuple[str, str, str]]:
    """Images in no order, so that neighbours share little."""
    for light in LIGHTS:
        data = ShadowMini(light)
        total = len(data.factor_table)
        order = np.random.RandomState(0).permutation(total)
        first, later = order[:NUM_DRAWN], order[NUM_DRAWN : 2 * NUM_DRAWN]
        for what, images in (("first", first), ("next", later)):
            seconds = processor_time(lambda data=data, images=images: data.observations(images))
            rate = f"{NUM_DRAWN / seconds:,.0f}"
            yield f"shadow_mini, {light}: the {what} {NUM_DRAWN:,}, images per second", rate, ">= 300"
        again = processor_time(lambda data=data, images=order[:NUM_DRAWN]: data.observations(images))
        yield f"shadow_mini, {light}: the same again, images per second", f"{NUM_DRAWN / again:,.0f}", ""
        yield (
            f"shadow_mini, {light}: opening {total:,}",
            f"{best(lambda light=light: ShadowMini(light)):.2f} s",
            "< 1 s",
        )


def reading(folder: Path) -> Iterator[tuple[str, str, str]]:
    """A folder with all 41,160 names, read once and opened again."""
    plan = shadow_plan(LIGHTS["sun"], 20)
    (folder / "images").mkdir()
    pixels = ShadowMini(size=SIDE).observations(np.arange(0, 41_160, 41_160 // NUM_PICTURES)[:NUM_PICTURES])
    pictures = []
    for number, index in enumerate(plan.indices.tolist()):
        path = folder / "images" / plan.files(index)[0]
        if number < NUM_PICTURES:
            Image.fromarray((pixels[number] * 255).astype(np.uint8)).save(path)
            pictures.append(path)
        else:
            os.link(pictures[number % NUM_PICTURES], path)
    options = {"size": 64, "cache": folder / "cache"}
    read = processor_time(lambda: ShadowSunlight(folder / "images", **options))
    total = len(plan.indices)
    yield f"reading {total:,} files of {SIDE}x{SIDE}, images per second and core", f"{total / read:,.0f}", ">= 300"
    bare = processor_time(
        lambda: [Image.open(path).resize((64, 64), Image.Resampling.LANCZOS) for path in pictures]
    )
    yield "the same / only opening and resizing with Pillow", f"{read / total / (bare / NUM_PICTURES):.2f}", ""
    again = best(lambda: ShadowSunlight(folder / "images", **options).observations(np.arange(10)))
    yield "opening what was read again", f"{again:.2f} s", "< 1 s"


def attributes(folder: Path) -> Iterator[tuple[str, str, str]]:
    """As many lines as the release has."""
    counts = [10 * count for count in written_celeba.BEARD_COUNTS]
    for layout in (written_celeba.as_text, written_celeba.as_commas):
        place = written_celeba.write(folder / layout.__name__, counts=counts, layout=layout)
        seconds = best(lambda place=place: CelebaBeard(place, curation="pairs"))
        yield f"CelebA's attributes, {sum(counts):,} lines, {layout.__name__[3:]}, curated", f"{seconds:.2f} s", ""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        rows = [*drawing(), *reading(Path(temporary)), *attributes(Path(temporary))]
        print(text_table(["work", "figure", "wanted"], rows))
