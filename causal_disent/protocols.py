"""What the parts of an evaluation must offer. Plain duck types: nothing needs to inherit.

`GroundTruthData` is disentanglement_lib's class of that name, so its data sets
work here as they are, and ours work there.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Attribution",
    "Backend",
    "CausalModel",
    "Engine",
    "FactorClassifier",
    "FiniteData",
    "Finished",
    "FloatArray",
    "Generator",
    "GroundTruthData",
    "IntArray",
    "Metric",
    "Representation",
    "is_finite",
]

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]


class GroundTruthData(Protocol):
    """A two-step generative model: factors first, then observations given the factors.

    It may also have ``factor_names``, ``value_names`` (a tuple per factor), ``graph``
    (a ``networkx.DiGraph``) and ``bounding_boxes(indices)``.
    """

    @property
    def num_factors(self) -> int: ...

    @property
    def factors_num_values(self) -> Sequence[int]: ...

    @property
    def observation_shape(self) -> Any: ...

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray: ...

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray: ...

    def sample(self, num: int, random_state: np.random.RandomState) -> tuple[IntArray, FloatArray]: ...

    def sample_observations(self, num: int, random_state: np.random.RandomState) -> FloatArray: ...


class FiniteData(GroundTruthData, Protocol):
    """Ground-truth data that holds a known set of images, so that each can be encoded once."""

    def sample_indices(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """The images shown for these rows of factors; draws what the factors leave open."""

    def observations(self, indices: IntArray) -> FloatArray:
        """The images of these indices, float32 in [0, 1]."""

    @property
    def factor_table(self) -> pd.DataFrame:
        """One row per image (indexed by image), one column per factor, value names inside."""


def is_finite(data: object) -> bool:
    """Whether `data` follows `FiniteData`."""
    return hasattr(data, "sample_indices") and hasattr(data, "observations")


class Representation(Protocol):
    """Images (n, h, w, c), float32 in [0, 1], to codes (n, m). A plain function is enough."""

    def __call__(self, images: FloatArray, /) -> FloatArray: ...


class Generator(Protocol):
    """A representation with a decoder.

    It may also have ``decode_tensor(codes)``, which leaves the images on its device, as a ``torch.Tensor`` of the
    same shape and range. A classifier with ``predict_proba_tensor`` takes them from there.
    """

    def decode(self, codes: FloatArray) -> FloatArray:
        """Codes (n, m) to images (n, h, w, c) in [0, 1]."""


class FactorClassifier(Protocol):
    """Says how probable each value of each factor is, given images.

    It may also have ``predict_proba_tensor(images)``, which takes a ``torch.Tensor`` of images and returns what
    ``predict_proba`` does: numpy arrays.
    """

    @property
    def accuracy(self) -> Sequence[float]:
        """Per factor, on images it was not fitted to."""

    def predict_proba(self, images: FloatArray) -> list[FloatArray]:
        """One (n, number of values) array per factor; rows sum to 1."""


class CausalModel(Generator, Protocol):
    """A generator with a causal layer over blocks of codes, one block per concept."""

    @property
    def concepts(self) -> Sequence[Sequence[int]]:
        """The code indices of each concept."""

    @property
    def adjacency(self) -> FloatArray:
        """(concepts, concepts); entry (i, j) is the weight of i -> j."""

    def causal_layer(self, noise: FloatArray) -> FloatArray:
        """Independent noise (n, m) to codes (n, m) that obey the graph."""


@dataclass(frozen=True)
class Finished:
    """What became of one piece of work.

    Attributes:
        work: the piece.
        result: what the function returned.
        failure: why there is no result: what the function raised, or how its process ended.
    """

    work: Any
    result: Any = None
    failure: str = ""


class Engine(Protocol):
    """Runs independent pieces of work."""

    @property
    def workers(self) -> int:
        """How many pieces it runs at a time."""

    def run(
        self, function: Callable[[Any], Any], work: Iterable[Any | None]
    ) -> abc.Generator[Finished | None, None, None]:
        """Call `function`, which must be importable, on each piece in a process of the engine's own.

        Args:
            function: of one piece; both it and the piece are pickled.
            work: the pieces. One is asked for when it can be begun, or a little earlier, so that a study of any
                size is never in memory. None says that there is none yet; a moment later the next is asked for.

        Yields:
            What has finished; or None, several times a second, so that the caller can look after other things.
            Whatever still runs when the generator is closed is ended.
        """


class Backend(Protocol):
    """Reads the models that one program has saved in folders."""

    def recognises(self, folder: Path) -> bool:
        """Whether `folder` looks like one of them; nothing large is read."""

    def read(self, folder: Path, data: GroundTruthData, *, model_dir: Path | None) -> Representation:
        """The model in `folder`; its decoder is in `model_dir`, if that is given.

        `errors.NotForThisBackend` is raised for a folder that another backend may be able to read. The
        representation may have ``folders``: what was read -> the folder it was read from.
        """


class Attribution(Protocol):
    """Scores how far each code belongs to each factor: (codes, factors), larger is more."""

    def __call__(
        self, codes: FloatArray, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray: ...


class Metric(Protocol):
    """disentanglement_lib's signature; gin supplies the rest of the keyword arguments."""

    def __call__(
        self,
        ground_truth_data: GroundTruthData,
        representation_function: Representation,
        random_state: np.random.RandomState,
        artifact_dir: str | None = None,
        **parameters: Any,
    ) -> dict[str, Any]: ...
