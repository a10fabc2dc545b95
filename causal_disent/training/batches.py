"""The images to train on and their labels: batches, and labellers, which may be imperfect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import checked, is_whole, number, whole
from causal_disent.config import REQUIRED
from causal_disent.data.state_space import StateSpace
from causal_disent.protocols import FloatArray, IntArray, is_finite
from causal_disent.registry import ROLES, part
from causal_disent.text import shown_value
from causal_disent.training.settings import check_function


def check_boxes(data: Any) -> None:
    """Raise unless `data` can tell the bounding box of each image."""
    if not (is_finite(data) and hasattr(data, "bounding_boxes")):
        raise errors.InvalidInput(
            f"The model needs bounding boxes, and the data set {type(data).__name__} has none. candle_mini has "
            "them; ArrayDataset takes them as `bounding_boxes`."
        )


class Batches:
    """Batches of images, drawn with a random state whose position is part of a checkpoint.

    Args:
        data: ground-truth data.
        batch_size: images in a batch.
        seed: of the random state.
        with_boxes: give the bounding boxes too.
        in_pairs: give `batch_size` pairs of images, and the factor in which those of each pair differ.
    """

    def __init__(
        self, data: Any, batch_size: int, seed: int, *, with_boxes: bool = False, in_pairs: bool = False
    ) -> None:
        self.data, self.batch_size, self.with_boxes, self.in_pairs = data, batch_size, with_boxes, in_pairs
        self.random_state = np.random.RandomState(seed)

    def draw(self) -> tuple[FloatArray, dict[str, IntArray]]:
        """Images (n, h, w, c), float32 in [0, 1], and the ``boxes`` (n, 4) or ``changed`` (n / 2,) asked for."""
        if self.in_pairs:
            images, changed = draw_pairs(self.data, self.batch_size, self.random_state)
            return images, {"changed": changed}
        if not is_finite(self.data):
            images = self.data.sample_observations(self.batch_size, self.random_state)
            return np.asarray(images, dtype=np.float32), {}
        indices = self._draw_indices()
        images = np.asarray(self.data.observations(indices), dtype=np.float32)
        return images, {"boxes": np.asarray(self.data.bounding_boxes(indices))} if self.with_boxes else {}

    def draw_known(self, step: int, *, in_order: bool = False) -> tuple[FloatArray, IntArray | None]:
        """Images, and their indices where the data set is finite.

        Args:
            step: which batch it is.
            in_order: not drawn: the batch of this step, as the data set has its images.
        """
        if not is_finite(self.data):
            return self.draw()[0], None
        indices = self._draw_indices()
        if in_order:
            every = self.data.factor_table.index.to_numpy()
            indices = every[(step * self.batch_size + np.arange(self.batch_size)) % len(every)]
        return np.asarray(self.data.observations(indices), dtype=np.float32), indices

    def _draw_indices(self) -> IntArray:
        factors = self.data.sample_factors(self.batch_size, self.random_state)
        return self.data.sample_indices(factors, self.random_state)

    def state(self) -> tuple[IntArray, dict[str, Any]]:
        """Return where the draws are: numpy's 624 numbers, and the rest of its state, which JSON can hold."""
        state: Any = self.random_state.get_state(legacy=False)
        place = {"position": int(state["state"]["pos"]), "has_gauss": int(state["has_gauss"])}
        return state["state"]["key"].astype(np.int64), {**place, "gauss": float(state["gauss"])}

    def restore(self, key: IntArray, place: Mapping[str, Any]) -> None:
        """Go on from there."""
        rest = (place["position"], place["has_gauss"], place["gauss"])
        self.random_state.set_state(("MT19937", key.astype(np.uint32), *rest))


def draw_pairs(data: Any, num: int, random_state: np.random.RandomState) -> tuple[FloatArray, IntArray]:
    """Pairs of images that differ in as many factors as gin's ``dynamics`` says, drawn one after the other.

    Returns:
        Images (2 num, h, w, c), the first of each pair, then the second of each; and (num,) the factor in which
        they differ, the last of them if there are several.
    """
    draw = data.sample_indices if is_finite(data) else data.sample_observations_from_factors
    firsts, seconds, changed = [], [], []
    for _ in range(num):
        factors = data.sample_factors(1, random_state)
        firsts.append(draw(factors, random_state))
        factors, factor = dynamics(factors, data, random_state)
        seconds.append(draw(factors, random_state))
        changed.append(factor)
    drawn = np.concatenate([*firsts, *seconds])
    images = data.observations(drawn) if is_finite(data) else drawn
    return np.asarray(images, dtype=np.float32), np.array(changed, dtype=np.int64)


@part("dynamics", supplied=("factors", "data", "random_state"))
def dynamics(
    factors: IntArray, data: Any, random_state: np.random.RandomState, k: int = -1
) -> tuple[IntArray, int]:
    """Factors (1, factors) with one of them, or k, drawn anew (Locatello et al. 2020), and the last of these.

    Whether it is one or k is drawn first. Where a confounding forbids some combinations, only those that it
    allows are drawn.

    Args:
        factors: of the first image.
        data: the data set.
        random_state: what everything is drawn with.
        k: how many factors; -1 for a number from 1 to all but one, drawn anew each time.
    """
    number = factors.shape[1]
    if k != -1 and not 1 <= k <= number:
        raise errors.InvalidInput(f"dynamics.k must be -1, or from 1 to the {number} factors; given: {k}.")
    most = random_state.randint(1, number) if k == -1 and number > 1 else max(k, 1)
    columns = random_state.choice(number, random_state.choice([1, most]), replace=False)
    if getattr(data, "is_confounded", False):
        kept = [column for column in range(number) if column not in columns]
        return data.sample_factors_given(kept, factors[:, kept], random_state), int(columns[-1])
    changed = np.array(factors)
    for column in columns:
        changed[:, column] = random_state.randint(data.factors_num_values[column])
    return changed, int(columns[-1])


@dataclass(frozen=True)
class LabelledImages:
    """Images with labels, used in turn, over and over.

    Attributes:
        images_of: positions (n,) -> images (n, h, w, c).
        labels: (rows, factors), float32.
    """

    images_of: Callable[[IntArray], FloatArray]
    labels: FloatArray

    def batch(self, step: int, batch_size: int) -> tuple[FloatArray, FloatArray]:
        """Return the images and labels of one step."""
        rows = (step * batch_size + np.arange(batch_size)) % len(self.labels)
        return np.asarray(self.images_of(rows), dtype=np.float32), self.labels[rows]


Labels = tuple[FloatArray, Sequence[int]]


@part("labeller", supplied=ROLES["labeller"])
def labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    labeller_fn: Callable[..., Labels] = REQUIRED,
) -> Labels:
    """The labels that the bound labeller gives for rows of factors, and how many values each label has."""
    check_function("labeller.labeller_fn", labeller_fn, "labeller")
    return labeller_fn(labels, dataset, random_state)


def perfect_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState) -> Labels:
    """Return the factors themselves."""
    return _as_floats(labels), dataset.factors_num_values


@checked
def bin_labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    num_bins: Annotated[int, whole(at_least=1)] = 5,
) -> Labels:
    """Return factors of more than `num_bins` values sorted into that many bins of equal width."""
    bins = [min(int(size), num_bins) for size in dataset.factors_num_values]
    # In whole numbers: divided by a rounded width, a value on the edge of a bin can end up in the one below.
    return _as_floats(labels * np.array(bins, dtype=np.int64) // dataset.factors_num_values), bins


@checked
def noisy_labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    prob_random: Annotated[float, number(at_least=0, at_most=1)] = 0.1,
) -> Labels:
    """Return each label replaced, with probability `prob_random`, by a value drawn from all of its factor."""
    noisy = np.array(labels)
    for row in noisy:
        for column, size in enumerate(dataset.factors_num_values):
            if random_state.rand() < prob_random:
                row[column] = random_state.randint(size)
    return _as_floats(noisy), dataset.factors_num_values


def permuted_labeller(labels: IntArray, dataset: Any, random_state: np.random.RandomState) -> Labels:
    """Return the values of each factor renamed at random, so that their order says nothing."""
    columns = [
        random_state.permutation(size)[labels[:, column]] for column, size in enumerate(dataset.factors_num_values)
    ]
    return _as_floats(np.stack(columns, axis=1)), dataset.factors_num_values


def partial_labeller(
    labels: IntArray,
    dataset: Any,
    random_state: np.random.RandomState,
    num_observed_factors: int | None = None,
    factors: Sequence[str | int] | None = None,
) -> Labels:
    """Return some of the factors: those that `factors` lists, or `num_observed_factors` (2) chosen at random.

    Args:
        labels: (points, factors).
        dataset: whose factors they are.
        random_state: what the choice is drawn with.
        num_observed_factors: how many are chosen.
        factors: names of factors, or their positions, counted from 0.
    """
    if factors is None:
        kept = _draw_columns(2 if num_observed_factors is None else num_observed_factors, labels, random_state)
    elif num_observed_factors is None:
        kept = _find_columns(factors, StateSpace.of(dataset))
    else:
        raise errors.InvalidInput(
            "partial_labeller takes num_observed_factors, the number of factors that are chosen at random, or "
            "factors, which they are; both are given."
        )
    return _as_floats(labels[:, kept]), [dataset.factors_num_values[column] for column in kept]


def _draw_columns(number: int, labels: IntArray, random_state: np.random.RandomState) -> list[int]:
    """Draw which factors the labels are."""
    total = labels.shape[1]
    if not is_whole(number) or not 1 <= number <= total:
        raise errors.InvalidInput(
            f"partial_labeller.num_observed_factors must be from 1 to {total}, the number of factors; given: "
            f"{shown_value(number)}."
        )
    return random_state.choice(total, size=number, replace=False).tolist()


def _find_columns(factors: Sequence[str | int], space: StateSpace) -> list[int]:
    """Find the columns of the factors that a config lists."""
    given = [] if isinstance(factors, str) or not isinstance(factors, Sequence) else factors
    columns = [space.position(factor) if isinstance(factor, str) else factor for factor in given]
    allowed = all(is_whole(column) and 0 <= column < space.num_factors for column in columns)
    if not columns or not allowed or len(set(columns)) != len(columns):
        raise errors.InvalidInput(
            "partial_labeller.factors must be a list of one or more factors, none twice, by name or by position "
            f"from 0 to {space.num_factors - 1}; given: {shown_value(factors)}. There are: "
            f"{errors.listing(space.factor_names)}."
        )
    return columns


def _as_floats(labels: IntArray) -> FloatArray:
    return np.asarray(labels, dtype=np.float32)
