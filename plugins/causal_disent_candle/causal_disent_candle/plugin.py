"""What this plugin registers."""

from __future__ import annotations

from causal_disent.data.properties import describe
from causal_disent.hookspecs import hookimpl
from causal_disent.registry import Register
from causal_disent_candle.candle import Candle, CandleV1, Synthetic
from causal_disent_candle.rendered import RenderedData

#: Name -> class and summary of each data set.
FOLDERS: dict[str, tuple[type[RenderedData], str]] = {
    "candle": (Candle, "CANDLE: 6 factors with confounders, 12,546 images, 64x64x3"),
    "candle_v1": (CandleV1, "CANDLE's first release: 6 factors, 4,050 images, 64x64x3"),
    "synthetic": (Synthetic, "shape and color fully confounded: 432 images, 64x64x3"),
}
#: What all renderings have in common.
RENDERED = {
    "three_d": True, "foreground": True, "off_centre": True, "confounders": True, "depth": 2, "nuisance": True,
    "various": True,
}  # fmt: skip
#: What AAAI 2022, table 4, and the workshop paper, table 1, say, and what the factors tell.
PROPERTIES = {
    "candle": describe(
        **RENDERED, factors=6, images=12546, resolution="320x240", realistic=True, background=True, consistent=True
    ),
    "candle_v1": describe(
        **RENDERED, factors=6, images=4050, resolution="320x240", realistic=True, background=True, consistent=True
    ),
    "synthetic": describe(
        **RENDERED, factors=2, images=432, resolution="128x128", realistic=False, background=False
    ),
}


@hookimpl
def register_datasets(register: Register) -> None:
    for name, (data, summary) in FOLDERS.items():
        register(name, data, summary=summary, properties=PROPERTIES[name], **data.publication.details())


@hookimpl
def register_commands(register: Register) -> None:
    candle = "CANDLE, made by Blender: 21,600 images, or those that the rules allow"
    register("render_candle", "causal_disent_candle.render.cli:add_candle", summary=candle, under="render")
    synthetic = "red cylinders, green cones, blue cubes, made by Blender: 432 images"
    register(
        "render_synthetic", "causal_disent_candle.render.cli:add_synthetic", summary=synthetic, under="render"
    )
