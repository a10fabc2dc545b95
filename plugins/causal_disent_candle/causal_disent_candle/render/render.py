"""One run of the renderer, from a plan to a folder of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.processes import usable_cores
from causal_disent.progress import track
from causal_disent.text import say
from causal_disent_candle.render.assets import Collection, find_assets
from causal_disent_candle.render.environment import find_blender
from causal_disent_candle.render.folder import RenderFolder
from causal_disent_candle.render.plan import Plan, make_plan
from causal_disent_candle.render.workers import run_workers

#: What makes one image of CANDLE.
PICTURE = Path(__file__).with_name("in_blender") / "picture.py"


@dataclass(frozen=True)
class Settings:
    """What all images of a folder have in common.

    Attributes:
        size: width and height in pixels.
        samples: rays per pixel.
        seed: of places and camera movements; an image depends on it and on its own index, not on other images.
        rules: names of rule sets, or statements, that say which images there are.
    """

    size: tuple[int, int]
    samples: int = 16
    seed: int = 0
    rules: tuple[str, ...] = ()


def render(
    collection: Collection,
    output: Path,
    settings: Settings,
    *,
    overlays: Sequence[Path] = (),
    panoramas: Path | None = None,
    limit: int | None = None,
    num_workers: int = 1,
    environment: Path | None = None,
) -> int:
    """Make the images that `output` lacks.

    Args:
        collection: what is rendered.
        output: a new folder, or one that was begun with the same settings and assets.
        settings: what the images have in common.
        overlays, panoramas: see `find_assets`.
        limit: see `make_plan`.
        num_workers: Blender processes at the same time.
        environment: see `find_blender`.

    Returns:
        How many images of the plan there are now: all of them, unless it raises.
    """
    assets = find_assets(collection, overlays=overlays, panoramas=panoramas)
    plan = make_plan(assets.values, rules=settings.rules, limit=limit, seed=settings.seed)
    work = {
        "size": list(settings.size),
        "samples": settings.samples,
        "seed": settings.seed,
    }
    files = {
        factor: {label: str(value) if isinstance(value, Path) else value for label, value in values.items()}
        for factor, values in assets.values.items()
    }
    return make_images(
        plan,
        output,
        recorded={"set": collection.name, **work, "rules": list(settings.rules), "assets": assets.digest()},
        work={**work, "picture": str(PICTURE), "stage": str(assets.stage), "assets": files},
        num_workers=num_workers,
        environment=environment,
    )


def make_images(
    plan: Plan,
    output: Path,
    *,
    recorded: Mapping[str, Any],
    work: Mapping[str, Any],
    num_workers: int = 1,
    environment: Path | None = None,
) -> int:
    """Make the images of a plan that `output` lacks.

    Args:
        plan: which images there are, and in which files.
        output: a new folder, or one that was begun with the same `recorded`.
        recorded: what all images of the folder have in common.
        work: what Blender is told: `in_blender.main` says what it must hold.
        num_workers: Blender processes at the same time.
        environment: see `find_blender`.

    Returns:
        How many images of the plan there are now: all of them, unless it raises.
    """
    blender = find_blender(environment)
    folder = RenderFolder(output, recorded)
    with folder.held():
        missing = folder.missing(plan)
        say(f"To render: {len(missing):,} of {len(plan.indices):,} images, into {output}.")
        threads = max(1, usable_cores() // num_workers)
        jobs = [{"index": index, "labels": plan.labels(index), "files": plan.files(index)} for index in missing]
        working = run_workers(
            blender, {**work, "output": str(output.resolve()), "threads": threads}, jobs, num_workers
        )
        try:
            for _ in track(working, "rendering", total=len(jobs), unit="image"):
                pass
        finally:
            folder.write_table(plan)
        left = folder.missing(plan)
        if left:
            raise errors.InvalidInput(
                f"Blender ended as if all were well, and {len(left):,} images are missing in {output}, such as "
                f"{plan.files(left[0])[0]}. The same command goes on with them."
            )
    return len(plan.indices)
