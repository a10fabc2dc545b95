"""What all pictures have in common: Cycles on the processor, PNG files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy


def set_output(work: dict[str, Any], index: int) -> None:
    """The renderer, and the size and kind of the picture; the image's index seeds its noise."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = work["samples"]
    scene.cycles.seed = index % 2**31
    scene.cycles.use_denoising = True
    scene.render.threads_mode, scene.render.threads = "FIXED", work["threads"]
    scene.render.resolution_x, scene.render.resolution_y = work["size"]
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.use_file_extension = False


def render_to(path: Path) -> None:
    """Render the scene into a file."""
    with whole(path) as temporary:
        bpy.context.scene.render.filepath = str(temporary)
        bpy.ops.render.render(write_still=True)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Another name to write to, which becomes `path` once all is written, and on the disk."""
    temporary = path.with_name(f".{path.name}.partial")
    yield temporary
    _flush(temporary)
    os.replace(temporary, path)
    _flush(path.parent)


def _flush(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    # As `causal_disent.files` does it, which Blender's interpreter does not have.
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
