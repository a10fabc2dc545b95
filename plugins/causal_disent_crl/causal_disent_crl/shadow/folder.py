"""`shadow_sunlight` and `shadow_pointlight`: folders of images whose names say the factors."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from causal_disent_candle.cache import SIDES, folder_of, height_and_width, read_contents
from causal_disent_candle.reading import IMAGES, Label, Listing, file_states, fingerprint
from causal_disent_candle.rendered import MappedImages
from causal_disent_datasets.files import FromFiles, Publication, incomplete

from causal_disent import errors
from causal_disent.checks import check_choice
from causal_disent.data.state_space import StateSpace
from causal_disent.files import unusable
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_crl.shadow.data import CAUSES, NAMED, ShadowData, factor_names, shadow_graph, with_effects
from causal_disent_crl.shadow.scene import (
    EXTENT,
    LIGHT_COLORS,
    LIGHTS,
    SCALES,
    TRACK,
    Light,
    brightest,
    outline,
    shadow_area,
)

_NUMBER = r"(-?\d{1,6}(?:\.\d{1,20})?(?:e-\d{1,3})?)"
_SUN = (
    rf"([a-z]+)_([a-z]+)_Size_{_NUMBER}_LightPosition_{_NUMBER}_LightColor_([a-z]+)_ShadowArea_{_NUMBER}"
    r"_FloorColor_([a-z]+)"
)
_PATTERNS = {
    "sun": re.compile(rf"{_SUN}\.png", re.IGNORECASE),
    "point": re.compile(
        rf"{_SUN}_Brightest_X_{_NUMBER}_Y_{_NUMBER}_RGB_ ?\(\d+, ?\d+, ?\d+\)\.png", re.IGNORECASE
    ),
}
#: How published names spell a shape.
_SPELT = {"octahedron": "Ocrahedron"}
#: Factor -> how a name says a value, in lower case -> its place.
_PLACES = {factor: {name.lower(): place for place, name in enumerate(names)} for factor, names in NAMED.items()}
_PLACES["shape"] |= {wrong.lower(): _PLACES["shape"][right] for right, wrong in _SPELT.items()}
#: Grey levels of the brightest place where the light's color is a half and where it is one.
_HALF, _FULL = 190, 215
#: Sizes are the published ones, as far as programs add up tenths.
_TOLERANCE = 1e-6


class FileName(NamedTuple):
    """What a name says.

    Attributes:
        causes: the place of shape, color and scale among their values, the position of the light, the place of its
            color.
        effects: the area of the shadow, the place of the floor's color, and under a point light how far to the
            right the floor is brightest.
    """

    causes: tuple[int, int, int, float, int]
    effects: tuple[float, ...]


def file_name(shape: str, color: str, scale: float, position: float, light_color: str, light: Light) -> str:
    """Return the name of an image, with the labels that its scene gives it.

    Example:
        >>> from causal_disent_crl.shadow.scene import LIGHTS
        >>> file_name("cube", "red", 0.4, 0.0, "SkyBlue", LIGHTS["sun"])
        'Cube_Red_Size_0.4_LightPosition_0_LightColor_SkyBlue_ShadowArea_0.433_FloorColor_SkyBlue.png'
    """
    area = shadow_area(shape, scale, position, light)
    name = (
        f"{_SPELT.get(shape, shape.capitalize())}_{color.capitalize()}_Size_{scale:g}_LightPosition_{position:g}"
        f"_LightColor_{light_color}_ShadowArea_{area:.3f}_FloorColor_{light_color}"
    )
    if light.name == "point":
        x, y = brightest(position)
        grey = ", ".join(str(_FULL if part == 1 else _HALF) for part in LIGHT_COLORS[light_color])
        name += f"_Brightest_X_{x:.3f}_Y_{y:.3f}_RGB_ ({grey})"
    return f"{name}.png"


#: A name of each kind.
EXAMPLES = {
    "sun": "Cube_Red_Size_0.4_LightPosition_0_LightColor_SkyBlue_ShadowArea_0.433_FloorColor_SkyBlue.png",
    "point": (
        "Cube_Red_Size_0.4_LightPosition_0_LightColor_SkyBlue_ShadowArea_0.349_FloorColor_SkyBlue_Brightest_X_1.843"
        "_Y_5.340_RGB_ (190, 215, 215).png"
    ),
}


def parse_name(name: str, light: Light) -> FileName | str:
    """Return what a name says, or why it says nothing.

    Example:
        >>> from causal_disent_crl.shadow.scene import LIGHTS
        >>> parse_name(EXAMPLES["sun"], LIGHTS["sun"])
        FileName(causes=(0, 0, 0, 0.0, 0), effects=(0.433, 0))
        >>> parse_name("Cone" + EXAMPLES["sun"][4:], LIGHTS["sun"])
        "its shape is 'Cone'"
    """
    match = _PATTERNS[light.name].fullmatch(name)
    if match is None:
        return f"its name is not of the form {EXAMPLES[light.name]}"
    shape, color, scale, position, light_color, area, floor_color, *place = match.groups()
    places = []
    said = (("shape", shape), ("color", color), ("light_color", light_color), ("floor_color", floor_color))
    for factor, text in said:
        found = _PLACES[factor].get(text.lower())
        if found is None:
            return f"its {factor.replace('_', ' ')} is {text!r}"
        places.append(found)
    size = _place_of_scale(float(scale))
    if size is None:
        return f"its size is {scale}"
    if not 0 <= float(position) <= TRACK:
        return f"its light position is {position}"
    causes = places[0], places[1], size, float(position), places[2]
    return FileName(causes, (float(area), places[3], *map(float, place[:1])))


@lru_cache(maxsize=64)
def _place_of_scale(scale: float) -> int | None:
    return next((place for place, known in enumerate(SCALES) if abs(scale - known) < _TOLERANCE), None)


SIZE = 128
LABELS = ("published", "exact")
_PICTURE = re.compile(r"[^.].*\.png", re.IGNORECASE)
#: Digits by which counterfactuals look for an image: names have positions to six.
DIGITS = 4


class _ShadowFolder(FromFiles, ShadowData):
    """Images and the labels in their names, read once into a cache and mapped from there.

    Args:
        folder: with the images; that of `locate` if not given.
        size: what images are resized to: one number, or height and width.
        skip_broken: leave out files that cannot be used, where otherwise they are an error.
        cache: a folder for what was read; in the folder of the data, or where that cannot be written to, in the
            user's cache folder, if not given.
        labels: ``published``, the effects as the names say, to three digits; or ``exact``, as the scene makes them
            (the published program may have written other areas for the first position of the light).
        split: ``train`` (nine tenths of the combinations of the values there are, drawn at random), ``test`` or
            ``all``.
        split_seed: of that draw.

    Attributes:
        folder: where the images are.
        files: the name of each image's file, by image.
        broken: a message for each file that was left out.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        folder: str | Path | None = None,
        size: int | str | Sequence[int] = SIZE,
        skip_broken: bool = False,
        cache: str | Path | None = None,
        labels: str = "published",
        split: str = "all",
        split_seed: int = 0,
    ) -> None:
        check_choice("labels", labels, LABELS)
        light = LIGHTS[self.kind]
        shape = height_and_width(size)
        listing, names = _list_folder(folder_of(self.publication, folder), light)
        reader = _NameLabels(listing.images, names)
        contents = read_contents(
            listing, reader, shape, cache, unique=True, skip_broken=skip_broken, name=self.publication.files[0]
        )
        values: FloatArray = np.array([(*name.causes, *name.effects) for name in names], dtype=np.float64)
        values[:, CAUSES.index("scale")] = np.array(SCALES)[values[:, CAUSES.index("scale")].astype(int)]
        if labels == "exact":
            values = with_effects(values[:, : len(CAUSES)], light)
        source = MappedImages(contents.path / IMAGES, contents.boxes, shadow_graph(light))
        self.folder = listing.folder
        self.files = np.array(listing.images)
        self.broken = contents.broken
        self.original_size = contents.original
        self._usable = contents.positions
        super().__init__(source, light, values, contents.positions, split, split_seed)

    def counterfactual(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """Return the images (n, h, w, 3) of what would be had factors been set: those of the folder that show it.

        Args:
            indices: (n,) of images.
            do: factor -> the value that it is set to, or one for each image: the name of a shape or color, or a
                number as in `factor_values`. An effect can be set to nothing but what its causes make: no image
                shows anything else (`shadow_mini` draws it).
        """
        values = self.counterfactual_values(indices, do)
        natural = with_effects(values[:, : len(CAUSES)], self.light)
        names = factor_names(self.light)
        for column in range(len(CAUSES), len(names)):
            apart = np.abs(values[:, column] - natural[:, column]) > 10**-3
            if names[column] in do and apart.any():
                raise errors.InvalidInput(
                    f"No image shows the factor '{names[column]}' set to {values[apart, column][0]:g} where its "
                    f"causes make it {natural[apart, column][0]:g}. The data set shadow_mini draws such images."
                )
        found = []
        for row in np.round(values[:, : len(CAUSES)], DIGITS).tolist():
            if tuple(row) not in self._by_causes:
                shown = zip(CAUSES, row, strict=True)
                told = ", ".join(
                    f"{name}={NAMED[name][int(value)] if name in NAMED else value}" for name, value in shown
                )
                raise errors.InvalidInput(f"The folder {self.folder} has no image of {told}.")
            found.append(self._by_causes[tuple(row)])
        return self.source.observations(np.array(found, dtype=np.int64))  # of whatever split

    @cached_property
    def _by_causes(self) -> dict[tuple[float, ...], int]:
        """The numbers of the causes -> the image that shows them."""
        causes = np.round(self._values[self._usable, : len(CAUSES)], DIGITS)
        return {tuple(row): image for row, image in zip(causes.tolist(), self._usable.tolist(), strict=True)}

    @classmethod
    def verify(cls, folder: str | Path | None = None, skip_broken: bool = False) -> list[str]:
        """Read all files, whatever was read before, and compare the labels in their names with the scene."""
        with tempfile.TemporaryDirectory(prefix="causal_disent") as cache:
            data = cls(folder, size=SIDES[0], skip_broken=skip_broken, cache=cache)
        height, width = data.original_size
        values = data._values[data._usable]
        natural = with_effects(values[:, : len(CAUSES)], data.light)
        same = (np.abs(values - natural) <= 0.5e-3 + 1e-9).all(axis=1)
        total = data.space.subspace(range(len(CAUSES))).num_combinations
        lines = [
            f"{data.folder}: {len(values):,} images of {width}x{height} pixels",
            f"the names of {int(same.sum()):,} say what the scene makes, to three digits",
        ]
        lines += [f"left out: {message}" for message in data.broken]
        return lines if len(values) == total else [*lines, incomplete(len(values), total, "combinations")]


def _publication(title: str, name: str) -> Publication:
    """Return what is published under this name."""
    return Publication(
        title=title,
        files=(name,),
        published="https://github.com/Jiagengzhu/Shadow-dataset-for-crl; `causal-disent render shadow` makes it",
        licence="none stated",
        size="2 GB once read at 128x128",
    )


class ShadowSunlight(_ShadowFolder):
    """Shadow-Sunlight: a body on a floor under parallel rays; 7 factors, 41,160 images in the release, 128x128."""

    kind = "sun"
    publication = _publication("Shadow-Sunlight", "shadow_sunlight")


class ShadowPointlight(_ShadowFolder):
    """Shadow-Pointlight: a body on a floor under a lamp; 8 factors, 41,160 images in the release, 128x128."""

    kind = "point"
    publication = _publication("Shadow-Pointlight", "shadow_pointlight")


def _list_folder(folder: Path, light: Light) -> tuple[Listing, list[FileName]]:
    """Return the images whose names are labels, and what these say."""
    states = file_states(folder, _PICTURE)
    if not states:
        raise unusable(folder, f"it has no images such as {EXAMPLES[light.name]}")
    images, names, wrong = [], [], []
    for image in states:
        said = parse_name(image, light)
        if isinstance(said, str):
            wrong.append(unusable(folder / image, said).message)
        else:
            images.append(image)
            names.append(said)
    if not images:
        raise errors.InvalidInput(wrong[0])
    return Listing(folder, images, images, wrong, fingerprint(states)), names


class _NameLabels:
    """Labels from names (see `causal_disent_candle.reading.Labels`).

    Args:
        images: the files.
        names: what their names say.
    """

    def __init__(self, images: Sequence[str], names: Sequence[FileName]) -> None:
        self._names = dict(zip(images, names, strict=True))
        self._positions = sorted({name.causes[3] for name in names})
        values = (NAMED["shape"], NAMED["color"], SCALES, self._positions, NAMED["light_color"])
        self.space = StateSpace(dict(zip(CAUSES, values, strict=True)))
        self.written = self.space.value_names

    def read(self, path: Path, width: int, height: int) -> Label:
        """Return the label of a file, whose image has this many pixels."""
        shape, color, scale, position, light_color = self._names[path.name].causes
        row = [shape, color, scale, self._positions.index(position), light_color]
        corners = outline(NAMED["shape"][shape], SCALES[scale]) * (np.array([width, height]) / EXTENT)
        (left, bottom), (right, top) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        return Label(row, (left, bottom, right, top))
