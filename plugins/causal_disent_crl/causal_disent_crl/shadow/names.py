"""Names of Shadow files, which are their labels: read and written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from causal_disent_crl.shadow.factors import NAMED
from causal_disent_crl.shadow.scene import LIGHT_COLORS, SCALES, TRACK, Light, brightest, shadow_area

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
    """The name of an image, with the labels that its scene gives it.

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
    """What a name says, or why it says nothing.

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
