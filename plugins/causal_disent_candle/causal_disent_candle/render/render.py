"""One run of the renderer, from the assets to a folder of images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from causal_disent import errors
from causal_disent.progress import track
from causal_disent_candle.render.assets import Collection, find_assets
from causal_disent_candle.render.environment import find_blender
from causal_disent_candle.render.folder import RenderFolder
from causal_disent_candle.render.plan import make_plan
from causal_disent_candle.render.workers import run_workers

__all__ = ["Settings", "render"]


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
    plan = make_plan(assets.files, rules=settings.rules, limit=limit, seed=settings.seed)
    blender = find_blender(environment)
    folder = RenderFolder(
        output,
        {
            "set": collection.name,
            "size": list(settings.size),
            "samples": settings.samples,
            "seed": settings.seed,
            "rules": list(settings.rules),
            "assets": assets.digest(),
        },
    )
    with folder.held():
        missing = folder.missing(plan)
        print(f"To render: {len(missing):,} of {len(plan.indices):,} images, into {output}.", flush=True)
        work = {
            "output": str(output.resolve()),
            "size": list(settings.size),
            "samples": settings.samples,
            "seed": settings.seed,
            "threads": max(1, (os.cpu_count() or 1) // num_workers),
            "stage": str(assets.stage),
            "assets": {
                factor: {label: str(path) for label, path in files.items()}
                for factor, files in assets.files.items()
            },
        }
        jobs = [{"index": index, "labels": plan.labels(index)} for index in missing]
        try:
            for _ in track(
                run_workers(blender, work, jobs, num_workers), "rendering", total=len(jobs), unit="image"
            ):
                pass
        finally:
            folder.write_table(plan)
        left = folder.missing(plan)
        if left:
            raise errors.InvalidInput(
                f"Blender ended as if all were well, and {len(left):,} images are missing in {output}, such as "
                f"{left[0]}.png. The same command goes on with them."
            )
    return len(plan.indices)
