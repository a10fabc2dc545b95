"""`candle_mini`: CANDLE's causal graph in miniature, drawn on demand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from causal_disent import errors
from causal_disent.checks import check_truth, is_whole
from causal_disent.data.candle_mini import drawing as candle_drawing
from causal_disent.data.drawn import DrawnData, confounded_graph
from causal_disent.data.state_space import StateSpace
from causal_disent.text import shown_value

if TYPE_CHECKING:
    import networkx as nx


def candle_graph(factors: Sequence[str] = candle_drawing.FACTOR_NAMES) -> nx.DiGraph:
    """CANDLE's graph: confounders, factors, image; each node has ``observed``.

    C (observed) and U (unobserved) confound the factors, which make the image.
    """
    confounders = {"C": ("object", "size", "color", "scene"), "U": ("scene", "light")}
    return confounded_graph(factors, confounders, hidden="U")


class CandleMini(DrawnData):
    """Six factors, 64x64x3 images; each image is drawn when it is first asked for and kept.

    Args:
        scenes: how many of CANDLE's 16 scenes there are: 3 make 4,050 images (50 MB when all are
            drawn), 16 make 21,600 (265 MB).
        place: make the place of the object two more factors, ``place`` (left, middle, right) and ``depth`` (near,
            middle, far): nine times as many images. As in the paper, it varies without being one by default.

    Example:
        >>> data = CandleMini()
        >>> data.factor_names
        ('object', 'color', 'size', 'rotation', 'scene', 'light')
        >>> len(data.factor_table)
        4050
        >>> CandleMini(scenes=1, place=True).factor_names[6:]
        ('place', 'depth')
    """

    def __init__(self, scenes: int = 3, place: bool = False) -> None:
        values = dict(candle_drawing.VALUE_NAMES)
        most = len(values["scene"])
        if not is_whole(scenes) or not 1 <= scenes <= most:
            raise errors.InvalidInput(f"candle_mini has 1 to {most} scenes; given: scenes={shown_value(scenes)}.")
        values["scene"] = values["scene"][:scenes]
        check_truth("candle_mini.place", place)
        values |= candle_drawing.PLACE_NAMES if place else {}
        shape, draw = candle_drawing.IMAGE_SHAPE, candle_drawing.draw
        name = "candle_mini with place" if place else "candle_mini"
        super().__init__(name, StateSpace(values), shape, draw, draw_in_place=draw)

    @cached_property
    def graph(self) -> nx.DiGraph:
        """`candle_graph`."""
        return candle_graph(self.space.factor_names)
