"""What this plugin registers."""

from __future__ import annotations

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


@hookimpl
def register_datasets(register: Register) -> None:
    for name, (data, summary) in FOLDERS.items():
        register(name, data, summary=summary, **data.publication.details())


@hookimpl
def register_commands(register: Register) -> None:
    candle = "CANDLE, made by Blender: 21,600 images, or those that the rules allow"
    register("render_candle", "causal_disent_candle.render.cli:add_candle", summary=candle, under="render")
    synthetic = "red cylinders, green cones, blue cubes, made by Blender: 432 images"
    register(
        "render_synthetic", "causal_disent_candle.render.cli:add_synthetic", summary=synthetic, under="render"
    )
