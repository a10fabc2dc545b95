"""What the parts of an evaluation must offer. Plain duck types: nothing needs to inherit.

`GroundTruthData` is disentanglement_lib's class of that name, so its data sets
work here as they are, and ours work there.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]


class GroundTruthData(Protocol):
    """A two-step generative model: factors first, then observations given the factors.

    It may also have ``factor_names``, ``value_names`` (a tuple per factor), ``graph``
    (a ``networkx.DiGraph``) and ``bounding_boxes(indices)``.

    Factors are whole numbers here, as in disentanglement_lib: the place of a value among the values that its
    factor takes. The numbers that values stand for are in `FiniteData.factor_values`.
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
    """Ground-truth data that holds a known set of images, so that each can be encoded once.

    Where it is known how the factors cause each other and the image, it may also have
    ``counterfactual(indices, do)``, the images (n, h, w, c) as they would be had factors been set, and
    ``counterfactual_values(indices, do)``, their `factor_values`. `do` is factor -> a number as in
    `factor_values`, or one for each image.
    """

    def sample_indices(self, factors: IntArray, random_state: np.random.RandomState) -> IntArray:
        """The images shown for these rows of factors; draws what the factors leave open."""

    def observations(self, indices: IntArray) -> FloatArray:
        """The images of these indices, float32 in [0, 1]."""

    def factor_values(self, indices: IntArray) -> FloatArray:
        """The numbers behind the factors of these images, (n, factors) float64.

        Real numbers where a factor is continuous, else what its values count or measure (degrees, say); for values
        that are no numbers, such as colors, their place among the factor's values. Data sets that others wrote may
        lack it: `causal_disent.data.factor_table.factor_values` asks the table then.
        """

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
    same shape and range. A classifier with ``predict_proba_tensor`` takes them from there. Where they are another
    framework's, both have an attribute ``tensors``, its name, and the images can be counted, sliced and subtracted
    as arrays can, and have ``shape``, ``min()`` and ``max()``.
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


class CausalModel(Representation, Generator, Protocol):
    """A generator with a causal layer over blocks of codes, one block per concept.

    A counterfactual image is ``decode(intervene(model(images), do))``.
    """

    @property
    def concepts(self) -> Sequence[Sequence[int]]:
        """The code indices of each concept."""

    @property
    def concept_names(self) -> Sequence[str]:
        """The factors that concepts were taught, else ``"concept 0"`` and so on."""

    @property
    def adjacency(self) -> FloatArray:
        """(concepts, concepts); entry (i, j) is the weight of i -> j."""

    def noise(self, images: FloatArray) -> FloatArray:
        """(n, m): posterior means of the exogenous variables, before the causal layer."""

    def causal_layer(self, noise: FloatArray) -> FloatArray:
        """Noise (n, m) to codes (n, m) that obey the graph; of an image's noise, the codes of that image.

        It may take an ``adjacency`` to obey instead, so that weak edges can be cut.
        """

    def concept_values(self, codes: FloatArray) -> FloatArray:
        """(n, concepts): one number each, in the units of `FiniteData.factor_values` where the concept was taught
        a factor, else the mean of its block."""

    def intervene(self, codes: FloatArray, do: Mapping[int, float | FloatArray]) -> FloatArray:
        """Codes (n, m) under do(concept = value): descendants follow, the rest keep their noise.

        Args:
            codes: (n, m).
            do: concept -> a number as in `concept_values`, or one for each row.
        """


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
    """Reads the models that one program has saved in folders; ``target(trust=False, device="auto")`` makes it.

    One that is registered with ``trains=True`` also has `train` and `write`; one that ``converts`` to formats,
    ``("onnx",)`` say, has `convert`.
    """

    def recognises(self, folder: Path) -> bool:
        """Whether `folder` looks like one of them; nothing large is read."""

    def read(self, folder: Path, data: GroundTruthData, *, model_dir: Path | None) -> Representation:
        """The model in `folder`; its decoder is in `model_dir`, if that is given.

        `errors.NotForThisBackend` is raised for a folder that another backend may be able to read. The
        representation may have ``folders``: what was read -> the folder it was read from.
        """

    def train(self, plan: Any, keeping: Any) -> tuple[Representation, dict[str, Any]]:
        """Carry out a `causal_disent.training.plan.Plan` by `causal_disent.training.loop.run`.

        Returns:
            The model, and the terms of its loss.
        """

    def write(self, folder: Path, model: Representation, codes: str = "mean", seed: int = 0) -> None:
        """Save `model` into `folder`, which is made, as ``model.json`` and ``weights.safetensors``.

        Args:
            folder: to write.
            model: what `train` or `read` gave.
            codes: ``"mean"``, or ``"sampled"`` for a representation that draws its codes.
            seed: of the draws.
        """

    def convert(self, source: Path, folder: Path, to: str, *, model_dir: Path | None) -> None:
        """Write the model in the folder `source`, which it recognises, into `folder` in the format `to`."""


class Trainer(Protocol):
    """What makes the steps of a run, for `causal_disent.training.loop`.

    Attributes:
        framework: whose tensors it has, as safetensors calls it.
        num_steps: how many were made.
        batches: a `causal_disent.training.batches.Batches`, the images to train on.
    """

    framework: str
    num_steps: int
    batches: Any

    def step(self) -> Mapping[str, Any]:
        """Draw a batch and follow the gradient once; the terms of the loss, ``loss`` among them, as scalars.

        `causal_disent.training.loop.Diverged` is raised for a term that is not finite.
        """

    def evaluations(self, batches: Any, labelled: Any, seed: int) -> Iterator[dict[str, float]]:
        """The terms of the loss for batch after batch, with noise of that seed; nothing is learned."""

    def check_weights(self) -> None:
        """Raise `causal_disent.training.loop.Diverged` if a weight is not finite."""

    def state(self) -> dict[str, Any]:
        """Everything that the next steps depend on, the `batches` aside, as tensors by name."""

    def packed(self, state: Mapping[str, Any], arrays: Mapping[str, IntArray], metadata: dict[str, str]) -> bytes:
        """A safetensors file with these tensors and arrays."""

    def shapes(self, found: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """The shapes that `state` would have, for a file in which these were `found`."""

    def restore(self, state: Mapping[str, Any], num_steps: int) -> None:
        """Go on from a `state`; a RuntimeError, TypeError or ValueError says what is wrong with it."""


class Tracker(Protocol):
    """Follows a training: ``target(folder, first_step, **options)`` makes it."""

    def add_scalar(self, name: str, value: float, step: int) -> None:
        """Take the value of a term of the loss at a step."""

    def close(self) -> None:
        """The training is over."""


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
