"""One image and its JSON, from an empty scene.

Nothing is kept from one image to the next, so that an image depends on its own index and the seed alone.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
from in_blender import assets, boxes, output
from in_blender.boxes import describe
from mathutils import Matrix

#: Places that are tried before an object is said not to fit into the frame.
TRIES = 1000
#: Part of the picture's width that stays free around the object.
MARGIN = 0.0125


class Shot(SimpleNamespace):
    """What is in the scene.

    Attributes:
        meshes: of the object.
        camera: that looks at it.
        values: what the recipes of size, rotation and position say.
        bounds: of the object, ``[[xmin, ymin], [xmax, ymax]]``, y from the bottom.
    """


def make_picture(work: dict[str, Any], job: dict[str, Any]) -> None:
    """Render one job; the JSON comes last, and each file appears whole or not at all."""
    shot = set_scene(work, job)
    picture, description = (Path(work["output"]) / file for file in job["files"])
    output.render_to(picture)
    with output.whole(description) as temporary:
        temporary.write_text(json.dumps(describe(job["labels"], shot.values, shot.bounds)), encoding="utf-8")


def set_scene(work: dict[str, Any], job: dict[str, Any]) -> Shot:
    """Everything up to the rendering."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    files = {factor: work["assets"][factor][label] for factor, label in job["labels"].items()}
    chance = random.Random(f"{work['seed']}/{job['index']}")
    stage = assets.read_stage(work["stage"])
    scene = assets.add_scene(files["scene"])
    # A scene may know better where there is room.
    stage.__dict__.update({name: getattr(scene, name) for name in ("X", "Y") if hasattr(scene, name)})
    _set_renderer(work, job["index"], stage)
    assets.add_lights(files["light"])
    handle, meshes = assets.add_object(files["object"], assets.add_color(files["color"]))
    numbers = {"size": 1, "rotation": 1, "position": 2}
    values = {name: assets.read_value(files[name], count) for name, count in numbers.items() if name in files}
    handle.scale = [values["size"]] * 3
    handle.rotation_euler.z = math.radians(values["rotation"])
    camera = _add_camera(stage, chance)
    shot = Shot(meshes=meshes, camera=camera, values=values, bounds=None)
    _place(shot, handle, stage, chance, tuple(work["size"]), files["object"])
    return shot


def _set_renderer(work: dict[str, Any], index: int, stage: SimpleNamespace) -> None:
    """Choose how rays are traced, and how strong the light is."""
    output.set_output(work, index)
    scene = bpy.context.scene
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.denoising_prefilter, scene.cycles.denoising_quality = "FAST", "BALANCED"
    scene.cycles.max_bounces = 4
    # With the few lamps of a scene, drawing one at random is faster than a tree of them.
    scene.cycles.use_light_tree = False
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    # Single bright rays would be spots that the denoiser keeps.
    scene.cycles.sample_clamp_indirect = 4.0
    # The other view transforms take the saturation out of the colors, which are a factor.
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = stage.EXPOSURE


def _add_camera(stage: SimpleNamespace, chance: random.Random) -> Any:
    """Looks along -y and down, turned a little about its own x and y."""
    lens = bpy.data.cameras.new("camera")
    lens.lens = stage.LENS
    camera = bpy.data.objects.new("camera", lens)
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    turns = [math.radians(chance.uniform(-stage.JITTER, stage.JITTER)) for _ in range(2)]
    camera.matrix_world = (
        Matrix.Translation(stage.CAMERA)
        @ Matrix.Rotation(math.pi, 4, "Z")
        @ Matrix.Rotation(math.radians(90 - stage.PITCH), 4, "X")
        @ Matrix.Rotation(turns[0], 4, "X")
        @ Matrix.Rotation(turns[1], 4, "Y")
    )
    return camera


def _place(
    shot: Shot, handle: Any, stage: SimpleNamespace, chance: random.Random, size: tuple[int, int], file: str
) -> None:
    """Put the object where all of it is in the picture, and note its bounds."""
    chosen = shot.values.get("position")
    for _ in range(TRIES):
        x, y = chosen or (chance.uniform(*stage.X), chance.uniform(*stage.Y))
        handle.location = (x, y, 0.0)
        try:
            pixels = _outline(shot, size)
        except ValueError:  # behind the camera
            continue
        margin = MARGIN * size[0]
        if (pixels.min() >= margin) and (pixels.max(axis=0) <= np.array(size) - margin).all():
            shot.bounds = boxes.bounds(pixels, size)
            return
        if chosen:
            break
    raise assets.AssetError(f"The object {file} fits nowhere into the picture: see X, Y and CAMERA of the stage.")


def _outline(shot: Shot, size: tuple[int, int]) -> np.ndarray:
    """Return the pixels at which the vertices of the object appear, with all modifiers applied."""
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    points = np.concatenate([_vertices(mesh.evaluated_get(graph)) for mesh in shot.meshes])
    camera = shot.camera.evaluated_get(graph)
    lens = camera.calc_matrix_camera(graph, x=size[0], y=size[1])
    return boxes.project(points, np.array(camera.matrix_world.inverted()), np.array(lens), size)


def _vertices(mesh: Any) -> np.ndarray:
    """Return the vertices of a mesh in the world."""
    shape = mesh.to_mesh()
    flat = np.empty(3 * len(shape.vertices), dtype=np.float32)
    shape.vertices.foreach_get("co", flat)
    mesh.to_mesh_clear()
    matrix = np.array(mesh.matrix_world)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
