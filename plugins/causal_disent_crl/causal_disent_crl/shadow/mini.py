"""`shadow_mini`: the Shadow data sets drawn by numpy, with no download and with counterfactuals of everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_choice, is_whole
from causal_disent.data.drawn import DrawnData
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.text import shown_value
from causal_disent_crl.images import as_floats
from causal_disent_crl.shadow.data import CAUSES, NAMED, ShadowData, factor_names, shadow_graph, with_effects
from causal_disent_crl.shadow.drawing import Scene, draw
from causal_disent_crl.shadow.scene import LIGHTS, NUM_POSITIONS, SCALES, Light, light_positions, track_place

if TYPE_CHECKING:
    import networkx as nx

SIZE = 64
#: The smallest and the largest side of the images.
SIDES = (16, 256)
#: What is set to what it is anyway, as far as digits tell, stays as it is to the last bit.
SAME = 1e-5


class ShadowMini(ShadowData):
    """A body on a floor, a light and a shadow: 41,160 images, each drawn when it is first asked for and kept.

    Seven shapes, colors and scales, 20 positions and 6 colors of the light; the area of the shadow, the color of
    the floor and, under a point light, the brightest place follow from these by formula, and are factors too.

    Args:
        light: ``sun`` (parallel rays, as Shadow-Sunlight) or ``point`` (as Shadow-Pointlight).
        positions: of the light: 20 as in the paper, 9 as in the published programs, which make 18,522 images.
        size: of the images, in pixels.
        split: ``train`` (nine tenths of the combinations, drawn at random), ``test`` or ``all``.
        split_seed: of that draw.

    Example:
        >>> data = ShadowMini()
        >>> data.factor_names
        ('shape', 'color', 'scale', 'light_position', 'light_color', 'shadow_area', 'floor_color')
        >>> len(data.factor_table), len(ShadowMini(split="train").factor_table)
        (41160, 37044)
        >>> data.factor_values([0])[:, 5].round(3)  # the area of the first shadow
        array([0.433])
    """

    def __init__(
        self,
        light: str = "sun",
        positions: int = NUM_POSITIONS,
        size: int = SIZE,
        split: str = "all",
        split_seed: int = 0,
    ) -> None:
        check_choice("light", light, list(LIGHTS))
        if not is_whole(size) or not SIDES[0] <= size <= SIDES[1]:
            raise errors.InvalidInput(
                f"shadow_mini has images of {SIDES[0]} to {SIDES[1]} pixels; given: size={shown_value(size)}."
            )
        self._size = int(size)
        places = light_positions(positions)
        source = _Drawn(LIGHTS[light], places, self._size)
        combinations = np.arange(source.space.num_combinations)
        causes = _causes(source.space.to_factors(combinations), places)
        super().__init__(
            source, LIGHTS[light], with_effects(causes, LIGHTS[light]), combinations, split, split_seed
        )

    def counterfactual(self, indices: IntArray, do: Mapping[str, Any]) -> FloatArray:
        """Return the images (n, h, w, 3) as they would be had factors been set: float32 in [0, 1].

        A factor that is set does not listen to its causes any more; what it causes follows. A shadow whose area is
        set keeps its outline, made larger or smaller about the foot of the body; the brightest place moves the
        light of the floor alone; the color of the floor changes neither the body nor the ball of the light.

        Args:
            indices: (n,) of images.
            do: factor -> the value that it is set to, or one for each image: the name of a shape or color, or a
                number as in `factor_values`, which need not be one that the data set has.

        Example:
            >>> data = ShadowMini()
            >>> data.counterfactual([0, 1], {"light_position": 3.3, "floor_color": "Coral"}).shape
            (2, 64, 64, 3)
        """
        values = self.counterfactual_values(indices, do)
        natural = with_effects(values[:, : len(CAUSES)], self.light)
        scenes = []
        for row, unset in zip(values.tolist(), natural.tolist(), strict=True):
            pairs = zip(factor_names(self.light), row, unset, strict=True)
            was_set = {name: value for name, value, before in pairs if abs(value - before) > SAME}
            scenes.append(
                _scene(row[: len(CAUSES)])._replace(
                    area=was_set.get("shadow_area"),
                    floor_color=NAMED["floor_color"][int(was_set["floor_color"])]
                    if "floor_color" in was_set
                    else None,
                    spot=track_place(was_set["brightest"]) if "brightest" in was_set else None,
                )
            )
        return as_floats(draw(scenes, self.light, self._size)[0], "rgb")


class _Drawn(DrawnData):
    """The images, by the number of their combination of causes."""

    def __init__(self, light: Light, positions: FloatArray, size: int) -> None:
        values: dict[str, Iterable[object]] = {**NAMED, "scale": SCALES, "light_position": positions}
        space = StateSpace({cause: values[cause] for cause in CAUSES})
        name = f"shadow_mini ({light.name})"
        super().__init__(name, space, (size, size, 3), partial(_draw, light, positions, size))
        self._light = light

    @cached_property
    def graph(self) -> nx.DiGraph:
        """`shadow_graph`."""
        return shadow_graph(self._light)


def _causes(rows: IntArray, positions: FloatArray) -> FloatArray:
    """(n, causes): the numbers behind the places of values."""
    causes = rows.astype(np.float64)
    causes[:, CAUSES.index("scale")] = np.array(SCALES)[rows[:, CAUSES.index("scale")]]
    causes[:, CAUSES.index("light_position")] = positions[rows[:, CAUSES.index("light_position")]]
    return causes


def _draw(light: Light, positions: FloatArray, size: int, rows: IntArray) -> tuple[np.ndarray, np.ndarray]:
    return draw([_scene(row) for row in _causes(rows, positions).tolist()], light, size)


def _scene(causes: list[float]) -> Scene:
    """Return what the numbers of the causes describe."""
    shape, color, scale, position, light_color = causes
    return Scene(
        NAMED["shape"][int(shape)],
        NAMED["color"][int(color)],
        scale,
        position,
        NAMED["light_color"][int(light_color)],
    )
