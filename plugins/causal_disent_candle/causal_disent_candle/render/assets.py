"""Folders of assets: a folder per factor, a file per value, the label from the file's name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from causal_disent import errors
from causal_disent_candle.render.in_blender.recipes import FILES

Number: TypeAlias = float | tuple[float, float]


class Shipped(NamedTuple):
    """A recipe of the package (`in_blender.recipes`)."""

    collection: str
    factor: str
    label: str


#: What stands for a label.
Value: TypeAlias = Path | Number | Shipped
#: The camera and the floor on which objects stand.
STAGE = "stage.py"
#: Photographs all around, which stand for a scene.
PANORAMAS = (".hdr", ".exr")
#: Factor -> the kinds of files that its values are; the others are numbers, for which an own file is a recipe.
SUFFIXES = {
    "scene": (".py", ".blend", *PANORAMAS),
    "light": (".py", ".blend"),
    "object": (".py", ".blend"),
    "color": (".py", ".blend"),
}

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .+-]*")


@dataclass(frozen=True)
class Collection:
    """What one kind of data set is made of.

    Attributes:
        name: what the shipped recipes call it.
        values: factor -> labels, both in the order in which images are counted, the last factor fastest. Labels
            that are added come after these, by the alphabet. Labels are those of shipped recipes, or where a
            mapping says so stand for numbers: of the ``size`` times the 1 m that objects fit into, of the
            ``rotation`` degrees about the vertical, of the ``position`` metres to the middle of the object.
    """

    name: str
    values: dict[str, tuple[str, ...] | dict[str, Number]]

    @property
    def factors(self) -> dict[str, tuple[str, ...]]:
        """Factor -> labels."""
        return {factor: tuple(labels) for factor, labels in self.values.items()}

    def numbers(self, factor: str) -> dict[str, Number]:
        """Label -> number of a factor; none where its values are recipes."""
        labels = self.values[factor]
        return labels if isinstance(labels, dict) else {}

    def shipped(self, factor: str) -> dict[str, Value]:
        """Label -> number or shipped recipe of a factor."""
        labels = self.values[factor]
        if isinstance(labels, dict):
            return {**labels}
        return {label: Shipped(self.name, factor, label) for label in labels}


CANDLE = Collection(
    "candle",
    {
        "scene": (
            "indoor", "outdoor", "playground", "bridge", "city square", "hall", "grassland", "garage", "street",
            "beach", "station", "tunnel", "moonlit grass", "dusk city", "skywalk", "garden",
        ),
        "light": ("left", "middle", "right"),
        "object": ("cube", "sphere", "cylinder", "cone", "torus"),
        "color": ("red", "blue", "yellow", "purple", "orange"),
        "size": {"small": 1.5, "medium": 2, "large": 2.5},
        "rotation": {"0": 0, "15": 15, "30": 30, "45": 45, "60": 60, "90": 90},
    },
)  # fmt: skip

SYNTHETIC = Collection(
    "synthetic",
    {
        "scene": ("plain",),
        "light": ("left", "middle", "right"),
        "object": ("cylinder", "cone", "cube"),
        "color": ("red", "green", "blue"),
        "size": {"small": 1.0, "medium": 1.3, "large": 1.6},
        "rotation": {"0": 0, "45": 45},
        "position": {
            "0": (1.35, 0.4), "1": (0.45, 0.4), "2": (-0.45, 0.4), "3": (-1.35, 0.4),
            "4": (1.35, -1.4), "5": (0.45, -1.4), "6": (-0.45, -1.4), "7": (-1.35, -1.4),
        },
    },
)  # fmt: skip


@dataclass(frozen=True)
class Assets:
    """What images are made from.

    Attributes:
        stage: the recipe of the camera and the floor.
        values: factor -> label -> what stands for it, in the order in which images are counted.
    """

    stage: Path | Shipped
    values: dict[str, dict[str, Value]]

    def digest(self) -> str:
        """Changes when a value, its order or what a file holds does."""
        summed = hashlib.sha256()
        named: list[tuple[str, str, Value]] = [("stage", "", self.stage)]
        named += [(factor, label, value) for factor, of in self.values.items() for label, value in of.items()]
        for factor, label, value in named:
            held = hashlib.sha256(_content(value)).hexdigest()
            summed.update(f"{factor}\0{label}\0{held}\n".encode())
        return summed.hexdigest()


def _content(value: Value) -> bytes:
    """Return what changes when the images of a value do."""
    if isinstance(value, Shipped):
        return repr(tuple(value)).encode() + b"".join(path.read_bytes() for path in FILES)
    return value.read_bytes() if isinstance(value, Path) else repr(value).encode()


def as_job(value: Value) -> Any:
    """Return a value as Blender is told it, in JSON."""
    if isinstance(value, Shipped):
        return {"shipped": list(value)}
    return str(value) if isinstance(value, Path) else value


def label_of(path: Path) -> str:
    """Return the label that a file's name gives.

    Example:
        >>> label_of(Path("scenes/city_square.blend"))
        'city square'
    """
    label = path.stem.replace("_", " ")
    if not _LABEL.fullmatch(label):
        raise errors.InvalidInput(
            f"The name of the asset {path} cannot be a label: it may have letters, digits, '.', '+', '-' and "
            "underscores (which become spaces), and begins with a letter or digit."
        )
    return label


def find_assets(collection: Collection, *, overlays: Sequence[Path] = (), panoramas: Path | None = None) -> Assets:
    """Return the shipped assets, with those of other folders laid over them.

    Args:
        collection: what is rendered.
        overlays: folders with a folder per factor (``objects/``, ``scenes/`` ...); a file there replaces the
            value of its name or adds one. The last folder wins.
        panoramas: a folder of HDR pictures, each of which replaces or adds the scene of its name.
    """
    for folder in overlays:
        _check_overlay(folder, collection)
    values = {}
    for factor, order in collection.factors.items():
        found = collection.shipped(factor)
        for folder in overlays:
            found.update(_files(folder / f"{factor}s", SUFFIXES.get(factor, (".py",))))
        if factor == "scene" and panoramas is not None:
            found.update(_panoramas(panoramas))
        added = sorted(label for label in found if label not in order)
        values[factor] = {label: found[label] for label in (*order, *added)}
    stages = [(folder / STAGE).resolve() for folder in overlays if (folder / STAGE).is_file()]
    return Assets(stages[-1] if stages else Shipped(collection.name, "stage", ""), values)


def _check_overlay(folder: Path, collection: Collection) -> None:
    """Raise unless a folder has assets of this collection."""
    known = [f"{factor}s" for factor in collection.factors]
    if not folder.is_dir():
        raise errors.missing_input(folder, "--assets")
    there = sorted(path.name for path in folder.iterdir() if path.is_dir() and not _ignored(path))
    unknown = [name for name in there if name not in known]
    if unknown:
        raise errors.InvalidInput(
            f"The folder {folder} given by --assets has a folder '{unknown[0]}', which is no factor of "
            f"{collection.name}.{errors.nearest(unknown[0], known)} There are: {errors.listing(known)}."
        )
    if not there and not (folder / STAGE).is_file():
        raise errors.InvalidInput(
            f"The folder {folder} given by --assets has no assets. It needs a folder per factor "
            f"({errors.listing(known)}) with a file per value, such as objects/cuboid.blend."
        )


def _files(folder: Path, suffixes: Iterable[str]) -> dict[str, Path]:
    """Label -> file of one factor's folder."""
    files: dict[str, Path] = {}
    for path in sorted(folder.glob("*")):
        if not path.is_file() or _ignored(path):
            continue
        if path.suffix.lower() not in suffixes:
            raise errors.InvalidInput(
                f"The asset {path} is of no known kind; a value of this factor is a file "
                f"{errors.listing(suffixes)}."
            )
        label = label_of(path)
        if label in files:
            raise errors.InvalidInput(f"Both {files[label]} and {path} are the value '{label}'. Remove one.")
        files[label] = path.resolve()
    return files


def _panoramas(folder: Path) -> dict[str, Path]:
    """Find the panoramas in a folder, by label."""
    if not folder.is_dir():
        raise errors.missing_input(folder, "--hdri")
    pictures = [path for path in sorted(folder.glob("*")) if path.suffix.lower() in PANORAMAS and path.is_file()]
    if not pictures:
        raise errors.InvalidInput(f"The folder {folder} given by --hdri has no file {errors.listing(PANORAMAS)}.")
    return {label_of(path): path.resolve() for path in pictures if not _ignored(path)}


def _ignored(path: Path) -> bool:
    """Hidden files, and what Python leaves behind."""
    return path.name.startswith((".", "_"))
