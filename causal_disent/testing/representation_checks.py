"""What every representation must do. A check is a function of a `RepresentationTrial`; users see its name."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from causal_disent.protocols import FloatArray
from causal_disent.registry import Entry
from causal_disent.testing.stage import (  # noqa: F401  a check as well
    NotApplicable,
    StageData,
    check_known_failures,
    check_untouched,
    checks_in,
    demand,
    documented,
    read_only,
    touched_generators,
)

SEED = 0
NUM_IMAGES = 8
#: Batches of different sizes may be summed in another order.
TOLERANCE = 1e-4


class RepresentationTrial:
    """A representation that is made once, and images to encode.

    Args:
        entry: the representation.
        data: the data set to make it for; a small one by default.
        options: what its factory takes besides.
    """

    def __init__(self, entry: Entry, data: Any = None, **options: Any) -> None:
        self.entry = entry
        self.data = StageData((3, 4, 5), width=64) if data is None else data
        self._options = options

    def make(self) -> Any:
        """A new one."""
        return self.entry.load()(self.data, **self._options)

    @cached_property
    def made(self) -> Any:
        """The representation."""
        return self.make()

    def images(self) -> FloatArray:
        """Images, the same each time."""
        return self.data.sample_observations(NUM_IMAGES, np.random.RandomState(SEED))

    def codes(self) -> FloatArray:
        """Their codes."""
        return np.asarray(self.made(self.images()))


def declarations_hold_together(trial: RepresentationTrial) -> None:
    """What the entry declares for these checks can be understood."""
    check_known_failures(trial.entry, (check.__name__ for check in REPRESENTATION_CHECKS))


def codes_are_a_finite_matrix(trial: RepresentationTrial) -> None:
    """Codes (n, m) of finite numbers, a row for each image."""
    codes = trial.codes()
    demand(
        codes.ndim == 2 and len(codes) == NUM_IMAGES and codes.shape[1] >= 1,
        f"codes have shape (n, codes) for n images; {NUM_IMAGES} images gave {codes.shape}.",
    )
    demand(codes.dtype.kind in "fiu", f"codes are numbers; these have dtype {codes.dtype}.")
    demand(np.isfinite(codes).all(), "codes are finite; some of these are not.")


def same_image_same_codes(trial: RepresentationTrial) -> None:
    """Encoding leaves nothing to chance."""
    demand(np.array_equal(trial.codes(), trial.codes()), "the same images were given other codes the second time.")


def same_options_same_model(trial: RepresentationTrial) -> None:
    """A representation made again for the same data and options is the same."""
    again = np.asarray(trial.make()(trial.images()))
    demand(
        _close(trial.codes(), again),
        "a representation made again gives other codes; its randomness must come from a seed.",
    )


def codes_do_not_depend_on_the_batch(trial: RepresentationTrial) -> None:
    """An image has the same codes alone and among others."""
    alone = np.concatenate([np.asarray(trial.made(image[None])) for image in trial.images()])
    demand(_close(trial.codes(), alone), "an image encoded alone has other codes than in a batch.")


def _close(one: FloatArray, other: FloatArray) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)


def decoder_makes_images(trial: RepresentationTrial) -> None:
    """`decode` gives observations of the data set's shape, floats from 0 to 1."""
    if not hasattr(trial.made, "decode"):
        raise NotApplicable("it has no decoder.")
    images = np.asarray(trial.made.decode(trial.codes()))
    shape = (NUM_IMAGES, *trial.data.observation_shape)
    demand(images.shape == shape, f"`decode` gives shape {images.shape}, not (n, *observation_shape) = {shape}.")
    demand(images.dtype.kind == "f", f"decoded images are floats; these have dtype {images.dtype}.")
    low, high = images.min(), images.max()
    # Written so that NaN fails too.
    demand(low >= 0 and high <= 1, f"decoded images are from 0 to 1; these are from {low:.6g} to {high:.6g}.")


def images_stay_as_they_are(trial: RepresentationTrial) -> None:
    """Images are not written to, and may be such as cannot be."""
    images = trial.images()
    trial.made(images)
    demand(np.array_equal(images, trial.images()), "it writes to the images it is given; work on a copy.")
    trial.made(read_only(images))


def codes_belong_to_the_caller(trial: RepresentationTrial) -> None:
    """Writing to codes changes none that are asked for later."""
    codes = trial.codes()
    expected = codes.copy()
    if codes.flags.writeable:
        codes += 1
    demand(np.array_equal(trial.codes(), expected), "writing to the codes changes those that are given later.")


def global_generators_untouched(trial: RepresentationTrial) -> None:
    """``random`` and ``numpy.random`` are left alone."""
    with touched_generators() as touched:
        made = trial.make()
        codes = np.asarray(made(trial.images()))
        if hasattr(made, "decode"):
            made.decode(codes)
    check_untouched(touched)


REPRESENTATION_CHECKS = checks_in(globals())
