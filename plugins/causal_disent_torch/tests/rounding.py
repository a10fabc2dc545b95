"""Outputs of one network by two ways."""

import numpy as np


def assert_same_outputs(found, expected):
    """Equal up to rounding: the linear algebra of some processors rounds by how the arrays lie in memory.

    Another weight, or the weights of another file, make differences a thousand times as large.
    """
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
