"""A decoder of a few pixels, and a classifier that reads them."""

import numpy as np


def square(codes):
    """A decoder whose pixels are the codes."""
    return np.clip(codes, 0, 1).reshape(-1, 1, codes.shape[1], 1)


def read_pixels(num_factors=2):
    """A classifier of two-valued factors: the probability of 1 is the pixel."""

    def predict_proba(images):
        pixels = images.reshape(len(images), -1)[:, :num_factors]
        return [np.stack([1 - p, p], axis=1) for p in pixels.T]

    return predict_proba
