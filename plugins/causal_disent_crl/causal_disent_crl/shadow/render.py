"""``causal-disent render shadow``: the images of the Shadow data sets, made by Blender."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_disent_candle.render.cli import add_common, at_least, run_with_blender
from causal_disent_candle.render.run import Plan, make_images, make_plan

from causal_disent import errors
from causal_disent_crl.shadow.data import CAUSES
from causal_disent_crl.shadow.folder import file_name
from causal_disent_crl.shadow.scene import (
    CAMERA,
    COLORS,
    EXTENT,
    LIGHT_COLORS,
    LIGHTS,
    NUM_POSITIONS,
    SCALES,
    SHAPES,
    TURN,
    WORLD,
    Light,
    light_positions,
    triangles,
    vertices,
)

SIZE, SAMPLES = 128, 32
PICTURE = Path(__file__).with_name("picture_in_blender.py")


@dataclass(frozen=True)
class ShadowPlan(Plan):
    """Images that are called by their labels.

    Attributes:
        light: the kind of light.
        positions: label -> position of the light.
    """

    light: Light
    positions: dict[str, float]

    def files(self, index: int) -> tuple[str, ...]:
        """Return the name of one image."""
        labels = self.labels(index)
        return (
            file_name(
                labels["shape"],
                labels["color"],
                float(labels["scale"]),
                self.positions[labels["light_position"]],
                labels["light_color"],
                self.light,
            ),
        )


def shadow_plan(light: Light, positions: int, *, limit: int | None = None, seed: int = 0) -> ShadowPlan:
    """Return all combinations of causes, or some of them (see `make_plan`).

    Example:
        >>> len(shadow_plan(LIGHTS["sun"], 20).indices), len(shadow_plan(LIGHTS["sun"], 9).indices)
        (41160, 18522)
    """
    places = {f"{position:g}": position for position in light_positions(positions).tolist()}
    values = (SHAPES, COLORS, [f"{scale:g}" for scale in SCALES], places, LIGHT_COLORS)
    plan = make_plan(dict(zip(CAUSES, values, strict=True)), limit=limit, seed=seed)
    return ShadowPlan(plan.space, plan.indices, light, places)


def render_shadow(
    light: Light,
    output: Path,
    *,
    positions: int = NUM_POSITIONS,
    size: int = SIZE,
    samples: int = SAMPLES,
    limit: int | None = None,
    seed: int = 0,
    num_workers: int = 1,
    environment: Path | None = None,
) -> int:
    """Make the images that `output` lacks; the shadow's area and the other effects are in their names.

    Args:
        light: the kind of light.
        output: a new folder, or one that was begun with the same settings.
        positions: of the light: 20 as in the paper, 9 as in the published programs.
        size: of the images, in pixels.
        samples: rays per pixel at the most.
        limit, seed: see `make_plan`.
        num_workers: Blender processes at the same time.
        environment: see `causal_disent_candle.render.blender.find_blender`.

    Returns:
        How many images of the plan there are now: all of them, unless it raises.
    """
    plan = shadow_plan(light, positions, limit=limit, seed=seed)
    common: dict[str, Any] = {"size": [size, size], "samples": samples}
    return make_images(
        plan,
        output,
        recorded={"set": f"shadow, {light.name}", **common, "seed": seed, "positions": positions},
        work={
            **common,
            "picture": str(PICTURE),
            "camera": {"place": CAMERA.tolist(), "turn": TURN, "extent": EXTENT},
            "world": WORLD,
            "light": {"name": light.name, "energy": light.energy, "albedo": light.albedo},
            "values": {
                "shape": {shape: [vertices(shape).tolist(), triangles(shape).tolist()] for shape in SHAPES},
                "color": COLORS,
                "scale": {f"{scale:g}": scale for scale in SCALES},
                "light_position": {name: light.place(place).tolist() for name, place in plan.positions.items()},
                "light_color": LIGHT_COLORS,
            },
        },
        num_workers=num_workers,
        environment=environment,
    )


def add_shadow(parser: argparse.ArgumentParser) -> None:
    """Give ``render shadow`` its arguments."""
    parser.add_argument("--light", choices=list(LIGHTS), default="sun", help="its kind (%(default)s)")
    parser.add_argument(
        "--positions", type=at_least(2), default=NUM_POSITIONS, metavar="N",
        help="of the light: %(default)s as in the paper, 9 as in the published programs",
    )  # fmt: skip
    add_common(parser, (SIZE, SIZE), SAMPLES)
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    width, height = arguments.size
    if width != height:
        raise errors.InvalidInput(f"Shadow images are as high as they are wide; given: --size {width}x{height}.")
    return run_with_blender(
        arguments,
        lambda: render_shadow(
            LIGHTS[arguments.light],
            arguments.output,
            positions=arguments.positions,
            size=width,
            samples=arguments.samples,
            limit=arguments.limit,
            seed=arguments.seed,
            num_workers=arguments.workers,
            environment=arguments.environment,
        ),
    )
