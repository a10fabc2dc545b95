"""``causal-disent render``: CANDLE, or the synthetic set, made by Blender."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from causal_disent.cli._run import INTERRUPTED

__all__ = ["add", "run_render"]

SMALLEST, LARGEST = 16, 4096

_ASSETS = """
Assets: a folder with a folder per factor and a file per value, whose label is its name (objects/cuboid.blend,
scenes/city_square.hdr, colors/green.py). They replace the shipped values of the same name, and add the others.
A .py file is a recipe: recipes are code and are run, so use only assets that you trust. docs/render.md says what
they define. A run that was stopped goes on when it is given again.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Give ``render`` its arguments."""
    sets = parser.add_subparsers(title="what to render", required=True, metavar="SET")
    candle = _add_set(sets, "candle", "CANDLE: 21,600 images, or those that the rules allow", (320, 240))
    candle.add_argument(
        "--rules", nargs="+", default=[], metavar="RULE",
        help="a rule set, such as candle_released (12,546 images), or statements, such as 'never size=large'",
    )  # fmt: skip
    candle.add_argument(
        "--hdri", type=Path, metavar="FOLDER", help="panoramas (.hdr, .exr), each the scene of its name"
    )
    candle.set_defaults(set="candle")
    synthetic = _add_set(sets, "synthetic", "red cylinders, green cones, blue cubes: 432 images", (128, 128))
    synthetic.set_defaults(set="synthetic", rules=["synthetic_full"], hdri=None)


def _add_set(
    sets: argparse._SubParsersAction, name: str, summary: str, size: tuple[int, int]
) -> argparse.ArgumentParser:
    parser = sets.add_parser(name, help=summary, description=f"{summary}.", epilog=_ASSETS)
    parser.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="folder for the images and their JSON"
    )
    parser.add_argument(
        "--workers", type=_at_least(1), default=1, metavar="N", help="Blender processes (%(default)s)"
    )
    parser.add_argument(
        "--samples", type=_at_least(1), default=16, metavar="N", help="rays per pixel (%(default)s)"
    )
    parser.add_argument(
        "--size", type=_size, default=size, metavar="WxH", help=f"of the images, in pixels ({size[0]}x{size[1]})"
    )
    parser.add_argument("--limit", type=_at_least(1), metavar="N", help="so many of the images, drawn evenly")
    parser.add_argument(
        "--assets", type=Path, action="append", default=[], metavar="FOLDER", help="see below; repeatable"
    )
    parser.add_argument(
        "--seed", type=_at_least(0), default=0, help="of places, camera movements and --limit (%(default)s)"
    )
    parser.add_argument("--environment", type=Path, metavar="DIR", help="a Python environment that has bpy")
    parser.add_argument(
        "--install", action="store_true", help="make that environment first (downloads about 950 MB)"
    )
    parser.set_defaults(command=run_render)
    return parser


def run_render(arguments: argparse.Namespace) -> int:
    """Render what is missing; 130 if it is interrupted."""
    from causal_disent_candle.render.assets import CANDLE, SYNTHETIC
    from causal_disent_candle.render.environment import install
    from causal_disent_candle.render.render import Settings, render

    environment = arguments.environment
    if arguments.install:
        install(environment)
    try:
        total = render(
            {collection.name: collection for collection in (CANDLE, SYNTHETIC)}[arguments.set],
            arguments.output,
            Settings(arguments.size, arguments.samples, arguments.seed, tuple(arguments.rules)),
            overlays=arguments.assets,
            panoramas=arguments.hdri,
            limit=arguments.limit,
            num_workers=arguments.workers,
            environment=environment,
        )
    except KeyboardInterrupt:
        print(f"interrupted; the same command goes on with what is missing in {arguments.output}", file=sys.stderr)
        return INTERRUPTED
    print(f"Complete: {arguments.output} (images, JSON and table.csv: {total:,}).")
    return 0


def _at_least(smallest: int) -> Callable[[str], int]:
    """Reads a whole number that is not smaller."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < smallest:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {smallest}")
        return int(text)

    return number


def _size(text: str) -> tuple[int, int]:
    """``320x240`` as width and height."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if match is None or not all(SMALLEST <= int(side) <= LARGEST for side in match.groups()):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no size such as 320x240, with sides of {SMALLEST} to {LARGEST} pixels"
        )
    return int(match[1]), int(match[2])
