"""A data set of small noisy images that a classifier can learn in seconds."""

import numpy as np

from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.discrete import SampledData

NUM_VALUES = (4, 3)
SIDE = 12


def draw(factors, random_state):
    """A square at one of four places, in one of three shades, under a little noise."""
    images = np.zeros((len(factors), SIDE, SIDE, 1))
    for image, (place, shade) in zip(images, factors, strict=True):
        top, left = 6 * (place // 2), 6 * (place % 2)
        image[top : top + 5, left : left + 5] = (shade + 1) / 3
    return np.clip(images + random_state.normal(scale=0.05, size=images.shape), 0, 1).astype(np.float32)


def squares(num_images=240, seed=0):
    """`num_images` of them in memory."""
    random_state = np.random.RandomState(seed)
    factors = np.stack([random_state.randint(size, size=num_images) for size in NUM_VALUES], axis=1)
    factors[:4, 0], factors[:3, 1] = range(4), range(3)  # every value is there
    images = np.rint(255 * draw(factors, random_state)).astype(np.uint8)
    return ArrayDataset(images, factors, factor_names=["place", "shade"])


class EndlessSquares(SampledData):
    """The same without a table of images."""

    num_factors = 2
    factors_num_values = list(NUM_VALUES)
    observation_shape = (SIDE, SIDE, 1)

    def sample_factors(self, num, random_state):
        return np.stack([random_state.randint(size, size=num) for size in NUM_VALUES], axis=1)

    def sample_observations_from_factors(self, factors, random_state):
        return draw(factors, random_state)


#: Options with which `conv_classifier` learns them.
QUICK = {"channels": (8, 8, 16), "num_steps": 120, "batch_size": 32, "learning_rate": 2e-2, "device": "cpu"}
