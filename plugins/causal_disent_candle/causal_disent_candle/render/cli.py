"""``causal-disent render candle`` and ``render synthetic``, and what other sets that Blender renders need."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from causal_disent.errors import INTERRUPTED
from causal_disent.text import say

SMALLEST, LARGEST = 16, 4096

_ASSETS = """
Assets: a folder with a folder per factor and a file per value, whose label is its name (objects/cuboid.blend,
scenes/city_square.hdr, colors/green.py). They replace the shipped values of the same name, and add the others.
A .py file is a recipe: recipes are code and are run, so use only assets that you trust. docs/render.md says what
they define. A run that was stopped goes on when it is given again.
"""


def add_candle(parser: argparse.ArgumentParser) -> None:
    """Give ``render candle`` its arguments."""
    add_common(parser, (320, 240))
    _add_assets(parser)
    parser.add_argument(
        "--rules", nargs="+", default=[], metavar="RULE",
        help="a rule set, such as candle_released (12,546 images), or statements, such as 'never size=large'",
    )  # fmt: skip
    parser.add_argument(
        "--hdri", type=Path, metavar="FOLDER", help="panoramas (.hdr, .exr), each the scene of its name"
    )
    parser.set_defaults(command=run_render, set="candle")


def add_synthetic(parser: argparse.ArgumentParser) -> None:
    """Give ``render synthetic`` its arguments."""
    add_common(parser, (128, 128))
    _add_assets(parser)
    parser.set_defaults(command=run_render, set="synthetic", rules=["synthetic_full"], hdri=None)


def add_common(parser: argparse.ArgumentParser, size: tuple[int, int], samples: int = 16) -> None:
    """The arguments of whatever Blender renders: where to, how large and fine, and with which Blender.

    Args:
        parser: of the command.
        size: width and height that images have if the command does not say otherwise.
        samples: the same for the rays per pixel.
    """
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for the images")
    parser.add_argument(
        "--workers", type=at_least(1), default=1, metavar="N", help="Blender processes (%(default)s)"
    )
    parser.add_argument(
        "--samples", type=at_least(1), default=samples, metavar="N", help="rays per pixel (%(default)s)"
    )
    parser.add_argument(
        "--size", type=_size, default=size, metavar="WxH", help=f"of the images, in pixels ({size[0]}x{size[1]})"
    )
    parser.add_argument("--limit", type=at_least(1), metavar="N", help="so many of the images, drawn evenly")
    parser.add_argument(
        "--seed", type=at_least(0), default=0, help="of all that is left to chance, and of --limit (%(default)s)"
    )
    parser.add_argument("--environment", type=Path, metavar="DIR", help="a Python environment that has bpy")
    parser.add_argument(
        "--install", action="store_true", help="make that environment first (downloads about 950 MB)"
    )


def _add_assets(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _ASSETS
    parser.add_argument(
        "--assets", type=Path, action="append", default=[], metavar="FOLDER", help="see below; repeatable"
    )


def run_render(arguments: argparse.Namespace) -> int:
    """Render what is missing of CANDLE or the synthetic set."""
    from causal_disent_candle.render.assets import CANDLE, SYNTHETIC
    from causal_disent_candle.render.run import Settings, render

    return run_with_blender(
        arguments,
        lambda: render(
            {collection.name: collection for collection in (CANDLE, SYNTHETIC)}[arguments.set],
            arguments.output,
            Settings(arguments.size, arguments.samples, arguments.seed, tuple(arguments.rules)),
            overlays=arguments.assets,
            panoramas=arguments.hdri,
            limit=arguments.limit,
            num_workers=arguments.workers,
            environment=arguments.environment,
        ),
    )


def run_with_blender(arguments: argparse.Namespace, make: Callable[[], int]) -> int:
    """Have `make` fill a folder, and say that it did; 130 if it is interrupted.

    Args:
        arguments: those of `add_common`.
        make: renders what is missing, and returns how many images there are then.
    """
    from causal_disent_candle.render.blender import install

    if arguments.install:
        install(arguments.environment)
    try:
        total = make()
    except KeyboardInterrupt:
        say(f"interrupted; the same command goes on with what is missing in {arguments.output}", error=True)
        return INTERRUPTED
    say(f"Complete: {arguments.output} (images with their labels and table.csv: {total:,}).")
    return 0


def at_least(smallest: int) -> Callable[[str], int]:
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
