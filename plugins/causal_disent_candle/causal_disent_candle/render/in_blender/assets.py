"""Assets brought into the scene: recipes are run, ``.blend`` files appended, panoramas wrapped around."""

from __future__ import annotations

import runpy
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
from in_blender import kit, recipes
from mathutils import Matrix, Vector

PANORAMAS = (".hdr", ".exr")
#: Half the side of the floor under a panorama, in metres.
FLOOR = 200.0
#: What a stage defines.
STAGE = ("CAMERA", "PITCH", "LENS", "JITTER", "X", "Y", "EXPOSURE")


class AssetError(Exception):
    """An asset that cannot be used; the message names its file."""


def _read_recipe(path: Any) -> SimpleNamespace:
    """Return what a recipe defines: a shipped one, or a file, which is run."""
    if isinstance(path, dict):
        return recipes.find_recipe(*path["shipped"])
    try:
        return SimpleNamespace(**runpy.run_path(path))
    except Exception as error:  # whatever the recipe raises
        raise _recipe_error(path, error) from error


def read_stage(path: Any) -> SimpleNamespace:
    """Return the camera and the floor."""
    stage = _read_recipe(path)
    missing = [name for name in STAGE if not hasattr(stage, name)]
    if missing:
        raise AssetError(f"The stage {path} must define {', '.join(STAGE)}; it lacks {', '.join(missing)}.")
    return stage


def read_value(given: Any, numbers: int = 1) -> Any:
    """Return a number, or a list of so many: as it is given, or the ``VALUE`` of the recipe that is."""
    if not isinstance(given, str):
        return given
    value = getattr(_read_recipe(given), "VALUE", None)
    parts = value if numbers > 1 and isinstance(value, (list, tuple)) else [value]
    if len(parts) != numbers or not all(isinstance(part, (int, float)) for part in parts):
        kind = "a number" if numbers == 1 else f"a list of {numbers} numbers"
        raise AssetError(f"The recipe {given} must define VALUE, {kind}; it is {value!r}.")
    return value


def add_scene(path: Any) -> SimpleNamespace:
    """The world and all that stands in it; what the recipe defines beside ``build``."""
    if _suffix(path) in PANORAMAS:
        kit.panorama(path)
        kit.shadow_floor(FLOOR)
        return SimpleNamespace()
    if _is_blend(path):
        appended = _append(path, ("objects", "worlds"))
        for item in appended.objects:
            if item.type != "CAMERA":
                bpy.context.scene.collection.objects.link(item)
        if appended.worlds:
            bpy.context.scene.world = appended.worlds[0]
        return SimpleNamespace()
    recipe = _read_recipe(path)
    _build(path, recipe)
    return recipe


def add_lights(path: Any) -> None:
    """The lamps of one value of the light."""
    if not _is_blend(path):
        _build(path, _read_recipe(path))
        return
    lamps = [item for item in _append(path, ("objects",)).objects if item.type == "LIGHT"]
    if not lamps:
        raise AssetError(f"The file {path} holds no light.")
    for lamp in lamps:
        bpy.context.scene.collection.objects.link(lamp)


def add_color(path: Any) -> Any:
    """The material of one color."""
    if not _is_blend(path):
        return _build(path, _read_recipe(path))
    materials = [item for item in _append(path, ("materials",)).materials if not item.is_grease_pencil]
    if len(materials) != 1:
        raise AssetError(f"The file {path} must hold one material; it holds {len(materials)}.")
    return materials[0]


def add_object(path: Any, material: Any) -> tuple[Any, list[Any]]:
    """An object in its color: what moves it, and the meshes it consists of.

    The meshes are brought to a longest side of 1 m, their base on the floor and their middle above the origin.
    """
    if _is_blend(path):
        meshes = [item for item in _append(path, ("objects",)).objects if item.type == "MESH"]
        for mesh in meshes:
            bpy.context.scene.collection.objects.link(mesh)
    else:
        built = _build(path, _read_recipe(path))
        meshes = list(built) if isinstance(built, (list, tuple)) else [built]
    if not meshes or any(getattr(mesh, "type", None) != "MESH" for mesh in meshes):
        raise AssetError(f"The object {path} must consist of one mesh or more.")
    handle = bpy.data.objects.new("object", None)
    bpy.context.scene.collection.objects.link(handle)
    bpy.context.view_layer.update()
    fit = _fit(path, meshes)
    for mesh, place in [(mesh, fit @ mesh.matrix_world) for mesh in meshes]:
        mesh.parent = handle
        mesh.matrix_parent_inverse = Matrix.Identity(4)
        mesh.matrix_basis = place
        mesh.data.materials.clear()
        mesh.data.materials.append(material)
    return handle, meshes


def _fit(path: Any, meshes: list[Any]) -> Matrix:
    """Return what brings meshes to a longest side of 1 m, standing on the floor."""
    corners = [mesh.matrix_world @ Vector(corner) for mesh in meshes for corner in mesh.bound_box]
    low = [min(corner[axis] for corner in corners) for axis in range(3)]
    high = [max(corner[axis] for corner in corners) for axis in range(3)]
    side = max(top - bottom for bottom, top in zip(low, high, strict=True))
    if side <= 0:
        raise AssetError(f"The object {path} has no extent.")
    base = Vector(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]))
    return Matrix.Scale(1 / side, 4) @ Matrix.Translation(-base)


def _suffix(path: Any) -> str:
    """Return the ending of a file's name; a shipped recipe has none."""
    return Path(path).suffix.lower() if isinstance(path, str) else ""


def _is_blend(path: Any) -> bool:
    return _suffix(path) == ".blend"


def _append(path: str, kinds: tuple[str, ...]) -> SimpleNamespace:
    """Return the data blocks of some kinds that a file holds, as copies."""
    try:
        with bpy.data.libraries.load(path, link=False) as (there, taken):
            for kind in kinds:
                setattr(taken, kind, getattr(there, kind))
    except OSError as error:
        raise AssetError(f"The file {path} is no .blend file that this Blender can read: {error}") from error
    return SimpleNamespace(**{kind: [item for item in getattr(taken, kind) if item] for kind in kinds})


def _build(path: Any, recipe: SimpleNamespace) -> Any:
    """Call ``build(kit)`` of a recipe."""
    if not callable(getattr(recipe, "build", None)):
        raise AssetError(f"The recipe {path} must define build(kit).")
    try:
        return recipe.build(kit)
    except Exception as error:  # whatever the recipe raises
        raise _recipe_error(path, error) from error


def _recipe_error(path: Any, error: Exception) -> AssetError:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    place = f", line {lines[-1]}" if lines else ""
    return AssetError(f"The recipe {path}{place} failed: {type(error).__name__}: {error}")
