"""Labelled pictures of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.arguments import check_random_state
from causal_disent.metrics.tools.attributed import AttributedSample, attributed_sample
from causal_disent.metrics.tools.attribution import CodeSets, select_codes
from causal_disent.metrics.tools.baselines import baseline_of
from causal_disent.metrics.tools.decoded import make_classifier
from causal_disent.metrics.tools.sampling import factor_names
from causal_disent.protocols import Attribution, FloatArray, IntArray
from causal_disent.report.counterfactuals import Counterfactuals, make_counterfactuals, of_truth
from causal_disent.report.decoded import decoder_of, make_reconstructions, make_samples, make_traversal
from causal_disent.report.labelled_grid import draw_grid, enlargement

if TYPE_CHECKING:
    from PIL.Image import Image

#: Images are enlarged to this many pixels where there are many of them.
MANY = 64
#: What the images of dead codes fade into, and what is left of them.
GREY, FADED = 0.85, 0.25
#: Titles of the four rows that a counterfactual sheet has for each image.
SHOWN = ("data", "reconstruction", "own codes at\nthe baseline", "all other codes\nat the baseline")


def reconstruction_sheet(representation: Any, images: FloatArray) -> Image:
    """Images (n, h, w, c) above what the model makes of them."""
    rebuilt = make_reconstructions(representation, images)
    return draw_grid(
        [list(images), list(rebuilt)], row_titles=["data", "reconstruction"], scale=enlargement(images)
    )


def sample_sheet(representation: Any, num_codes: int, num_images: int, random_state: Any) -> Image:
    """Images of codes drawn from the prior, eight in a row."""
    images = make_samples(representation, num_codes, num_images, random_state)
    rows = [list(images[start : start + 8]) for start in range(0, len(images), 8)]
    return draw_grid(rows, scale=enlargement(images))


def traversal_sheet(
    representation: Any,
    point: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    num_steps: int = 11,
    titles: Sequence[str] | None = None,
    dead: Sequence[int] = (),
) -> Image:
    """A row per code, which runs from `low` to `high`; its title gives them. Rows of `dead` codes are greyed."""
    images = _greyed(make_traversal(representation, point, low, high, num_steps=num_steps), dead)
    shown = titles or [f"code {code}" for code in range(len(point))]
    row_titles = [f"{title}\n{low[i]:.2f} to {high[i]:.2f}" for i, title in enumerate(shown)]
    return draw_grid([list(row) for row in images], row_titles=row_titles, scale=enlargement(images, MANY))


def traversal_frames(
    representation: Any,
    points: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    num_steps: int = 11,
    titles: Sequence[str] | None = None,
    dead: Sequence[int] = (),
) -> Iterator[Image]:
    """The same for an animation: a row per code, a column per point (n, codes), a frame per value."""
    row_titles = titles or [f"code {code}" for code in range(points.shape[1])]
    num_codes = points.shape[1]
    for part in np.linspace(0, 1, num_steps):
        frame = np.repeat(points[None], num_codes, axis=0)
        frame[np.arange(num_codes), :, np.arange(num_codes)] = (low + part * (high - low))[:, None]
        images = decoder_of(representation)(frame.reshape(-1, num_codes))
        rows = _greyed(images.reshape(num_codes, len(points), *images.shape[1:]), dead)
        yield draw_grid([list(row) for row in rows], row_titles=row_titles, scale=enlargement(images, MANY))


def _greyed(rows: FloatArray, which: Sequence[int]) -> FloatArray:
    """Images (rows, ...) of which some rows fade into light grey."""
    shown = np.array(rows)
    shown[list(which)] = GREY + FADED * (shown[list(which)] - GREY)
    return shown


def counterfactual_sheet(
    representation: Any,
    classifier: Any,
    data: Any,
    *,
    num_images: int = 4,
    rho: int = 1,
    attribution: str | Attribution = "irs",
    selection: str = "top",
    baseline: str = "max_deviation",
    num_train: int = 10_000,
    random_state: np.random.RandomState | int = 0,
) -> Image:
    """What CG compares, for a few images: as figures 11 and 12 of Reddy et al. 2022, with probabilities.

    For each image four rows: itself, its reconstruction, each factor's own codes at the baseline, all other codes
    at the baseline; a column per factor. Below each picture stands how probable the factor's true value is in it,
    as the classifier says.

    Args:
        representation: with a decoder.
        classifier: a registered name, a function data set -> classifier, or a classifier.
        data: ground-truth data.
        num_images: how many images of it to show.
        rho: how many codes a factor is given.
        attribution: as for `causal_disent.metrics.uc`.
        selection: as for `causal_disent.metrics.uc`.
        baseline: as for `causal_disent.metrics.cg`.
        num_train: points drawn for the attribution and the baseline. With the defaults, and a generator of the
            same seed, they are those of the metrics ``uc`` and ``cg``.
        random_state: seed or generator.
    """
    decoder_of(representation)
    generator = check_random_state(random_state)
    sample = attributed_sample(data, representation, generator, num_train, 16, attribution, rho)
    factors, images = data.sample(_at_least_one(num_images), generator)
    judge = make_classifier(classifier, data)
    return sheet_of_sample(
        sample, representation, judge, data, factors, images, select_codes(sample.scores, rho, selection), baseline
    )


def _at_least_one(num_images: int) -> int:
    if num_images < 1:
        raise errors.InvalidInput(f"At least one image is needed; given: {num_images}.")
    return num_images


def sheet_of_sample(
    sample: AttributedSample,
    representation: Any,
    classifier: Any,
    data: Any,
    factors: IntArray,
    images: FloatArray,
    sets: CodeSets,
    baseline: str,
) -> Image:
    """The sheet of chosen images, with codes attributed before."""
    factors = np.asarray(factors)
    found = make_counterfactuals(
        np.asarray(representation(images)),
        factors,
        sets,
        baseline_of(sample.codes, baseline),
        decoder_of(representation),
        classifier.predict_proba,
    )
    seen = of_truth(classifier.predict_proba(images), factors)
    probabilities = np.concatenate([seen[:, :, None], found.probabilities], axis=2)
    rows: list[list[FloatArray]] = []
    captions: list[list[str]] = []
    for n, image in enumerate(images):
        rows += _rows_of_point(found, n, image)
        captions += _captions_of_point(probabilities[n], _values(data, factors[n]))
    titles = [f"{name}\n{_codes_text(own, sample)}" for name, own in zip(factor_names(data), sets, strict=True)]
    return draw_grid(
        rows,
        captions=captions,
        row_titles=list(SHOWN) * len(images),
        column_titles=titles,
        group=len(SHOWN),
        scale=enlargement(images),
    )


def _rows_of_point(found: Counterfactuals, n: int, image: FloatArray) -> list[list[FloatArray]]:
    num_factors = found.inside.shape[1]
    return [[image] * num_factors, [found.base[n]] * num_factors, list(found.inside[n]), list(found.outside[n])]


def _captions_of_point(probabilities: FloatArray, values: Sequence[str]) -> list[list[str]]:
    """Below each picture: the value whose probability it is, and the probability (factors, rows)."""
    return [[f"{value}: {p:.2f}" for value, p in zip(values, row, strict=True)] for row in probabilities.T]


def _values(data: Any, row: IntArray) -> list[str]:
    """The names of a point's values."""
    names = getattr(data, "value_names", None)
    return [str(value if names is None else names[i][value]) for i, value in enumerate(row)]


def _codes_text(codes: Sequence[int], sample: AttributedSample) -> str:
    if len(codes) == 1:
        return sample.code_title(codes[0])
    dead = ": dead" if set(codes) <= set(sample.dead) else ""
    return f"codes {errors.listing(codes, most=6)}{dead}"
