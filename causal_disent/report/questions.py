"""Counterfactual questions about images of a data set, answered by its mechanism and drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_disent import errors
from causal_disent.checks import check_at_least, check_random_state, checked
from causal_disent.data.state_space import StateSpace
from causal_disent.metrics.draw import factor_names
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.report.pictures import check_drawable, draw_grid, enlargement

if TYPE_CHECKING:
    from PIL.Image import Image


#: What is said of an answer whose factors an image of the data set has, and of one whose factors none has.
OBSERVED, NOT_OBSERVED = "in the data", "not in the data"


class Answers(NamedTuple):
    """Images, and what they would be had factors been set.

    Attributes:
        indices: (n,) the images that are given.
        given: (n, h, w, c) these.
        images: (n, questions, h, w, c) the answers.
        observed: (n, questions) whether the data set has an image of the factors of the answer; None where it
            cannot tell.
    """

    indices: IntArray
    given: FloatArray
    images: FloatArray
    observed: np.ndarray | None


@checked
def find_images(
    data: Any, given: Mapping[str, Any], num: int, random_state: np.random.RandomState | int = 0
) -> IntArray:
    """Draw images of a finite data set whose factors have the values given.

    Args:
        data: finite ground-truth data.
        given: factor -> value, by name or number.
        num: how many, none twice; fewer where there are not so many.
        random_state: seed or generator.

    Example:
        >>> from causal_disent import get_dataset
        >>> find_images(get_dataset("candle_mini"), {"object": "sphere", "color": "red"}, 2).shape
        (2,)
    """
    check_at_least(1, num=num)
    space, table = StateSpace.of(data), data.factor_table
    kept = np.ones(len(table), dtype=bool)
    for factor, value in given.items():
        space.position(factor)
        kept &= (table[factor].cat.codes == space.value(factor, value)).to_numpy()
    found = table.index.to_numpy()[kept]
    if not found.size:
        told = ", ".join(f"{factor}={value}" for factor, value in given.items())
        raise errors.InvalidInput(f"The data set has no image of {told}.")
    return check_random_state(random_state).permutation(found)[:num]


@checked
def ask(data: Any, indices: IntArray, questions: Sequence[Mapping[str, Any]]) -> Answers:
    """Answer counterfactual questions: how would these images look, had factors been set?

    Args:
        data: a data set with ``counterfactual``.
        indices: (n,) of images.
        questions: factor -> value, for each question.

    Example:
        >>> from causal_disent import get_dataset
        >>> data = get_dataset("candle_mini", confounding="candle_color")
        >>> spheres = find_images(data, {"object": "sphere", "color": "yellow"}, 1)
        >>> ask(data, spheres, [{"color": "blue"}, {"color": "red"}]).observed
        array([[ True, False]])
    """
    if not hasattr(data, "counterfactual"):
        raise errors.InvalidInput(
            f"The data set {type(data).__name__} knows no counterfactuals: it has no method `counterfactual`."
        )
    if not questions:
        raise errors.InvalidInput("At least one question is needed, such as {'color': 'yellow'}.")
    images = np.stack([data.counterfactual(indices, dict(do)) for do in questions], axis=1)
    observed = None
    if hasattr(data, "counterfactual_observed"):
        observed = np.stack([data.counterfactual_observed(indices, dict(do)) for do in questions], axis=1)
    return Answers(indices, data.observations(indices), images, observed)


def question_text(do: Mapping[str, Any]) -> str:
    """``do(object=cube, color=blue)``."""
    return f"do({', '.join(f'{factor}={value}' for factor, value in do.items())})"


def question_sheet(data: Any, answers: Answers, questions: Sequence[Mapping[str, Any]]) -> Image:
    """A row for each image: itself, then the answer to each question; those not in the data are marked."""
    check_drawable(data.observation_shape)
    space, names = StateSpace.of(data), factor_names(data)
    shown = list(dict.fromkeys(factor for do in questions for factor in do if factor in names))
    table = data.factor_table.loc[answers.indices]
    rows, captions = [], []
    for n, image in enumerate(answers.given):
        rows.append([image, *answers.images[n]])
        factual = "\n".join(f"{factor} {table[factor].iloc[n]}" for factor in shown if factor in space.value_names)
        marks = [""] * len(questions) if answers.observed is None else answers.observed[n].tolist()
        captions.append([factual, *(NOT_OBSERVED if mark is False else "" for mark in marks)])
    titles = ["given", *map(question_text, questions)]
    return draw_grid(rows, captions=captions, column_titles=titles, scale=enlargement(answers.given))
