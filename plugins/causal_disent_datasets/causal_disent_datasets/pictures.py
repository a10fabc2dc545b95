"""Pictures from files that nobody trusts, and data sets whose images stand in one array."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.data.factorial import FactorialData
from causal_disent.files import regular, unusable
from causal_disent.protocols import IntArray

if TYPE_CHECKING:
    import networkx as nx
    from PIL.Image import Image


def open_picture(path: Path, *, formats: Sequence[str], sizes: Sequence[tuple[int, int]] | None = None) -> Image:
    """Return the whole picture, decoded.

    Args:
        path: of the file.
        formats: Pillow's names of the formats it may have.
        sizes: widths and heights it may have; any that Pillow takes to be harmless if not given.
    """
    from PIL import Image

    with _clear_errors(path), Image.open(regular(path), formats=list(formats)) as picture:
        if sizes is not None and picture.size not in sizes:
            allowed = " or ".join(f"{width}x{height}" for width, height in sizes)
            raise unusable(path, f"it should be of {allowed} pixels, and is of {picture.width}x{picture.height}")
        picture.load()
        return picture.copy()


def read_rgb(path: Path, *, formats: Sequence[str], sizes: Sequence[tuple[int, int]], side: int) -> np.ndarray:
    """Return the picture as (side, side, 3) uint8, made smaller by the mean of its pixels if it is larger."""
    from PIL import Image

    with _clear_errors(path):
        picture = open_picture(path, formats=formats, sizes=sizes).convert("RGB")
        if picture.size != (side, side):
            picture = picture.resize((side, side), Image.Resampling.BOX)
        return np.asarray(picture)


def resized(pixels: np.ndarray, side: int) -> np.ndarray:
    """Return an image made `side` pixels wide and high by Lanczos' filter, as disentanglement_lib does."""
    from PIL import Image

    return np.asarray(Image.fromarray(pixels).resize((side, side), Image.Resampling.LANCZOS))


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Name the file in what is raised while a picture is read."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Pillow only warns of a picture that is up to twice as large as it takes to be harmless.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except errors.CausalDisentError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise unusable(path, f"it unpacks to more pixels than is safe ({error})") from None
    except FileNotFoundError:
        raise unusable(path, "it is not there") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise unusable(path, f"it is not a whole picture of the right kind ({error})") from None


def graph_of(factor_names: tuple[str, ...]) -> nx.DiGraph:
    """Return the graph of factors that are independent of each other: each of them makes the image."""
    import networkx as nx

    graph = nx.DiGraph()
    for node in (*factor_names, "image"):
        graph.add_node(node, observed=True)
    graph.add_edges_from((factor, "image") for factor in factor_names)
    return graph


class Factors(FactorialData):
    """Factorial data with independent factors."""

    @cached_property
    def graph(self) -> nx.DiGraph:
        """`graph_of` the factors."""
        return graph_of(self.factor_names)


class StackedImages(Factors):
    """A subclass says in `load` where the array is; that happens when the first image is asked for."""

    def load(self) -> Any:
        """Return what gives uint8 images for an array of indices; usually a memory map (images, h, w, c)."""
        raise NotImplementedError

    @cached_property
    def _stack(self) -> Any:
        return self.load()

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process maps the file again; pickling the map would read all of it.
        return {name: value for name, value in self.__dict__.items() if name != "_stack"}

    def pixels(self, indices: IntArray) -> np.ndarray:
        """Return the images (n, h, w, c) of these indices, uint8."""
        images = np.asarray(self._stack[np.asarray(indices)])
        return images.reshape(len(images), *self.observation_shape)
