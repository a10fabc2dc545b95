"""What several tests share: a tiny data set that configs can name."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

# The tests run in a checkout, whether or not the plugin is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))
# Two threads may add numbers in another order, and the tests compare bits.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from causal_disent.data.array_data import ArrayDataset
from causal_disent.registry import Entry, registry


def tiny_images(side=16):
    """Nine images, a grey square that moves and changes its shade; factors and boxes."""
    images, factors, boxes = [], [], []
    for place in range(3):
        for shade in range(3):
            image = np.zeros((side, side, 1), np.uint8)
            low, high = place * 5, place * 5 + 5
            image[low:high, 2:9] = 85 * (shade + 1)
            images.append(image)
            factors.append([place, shade])
            boxes.append([2, low, 9, high])
    return np.stack(images), np.array(factors), np.array(boxes)


def tiny_data(boxes=True, side=16):
    """The data set of `tiny_images`."""
    images, factors, places = tiny_images(side)
    return ArrayDataset(images, factors, factor_names=["place", "shade"], bounding_boxes=places if boxes else None)


@pytest.fixture
def tiny():
    """`tiny_data`, which configs call ``'tiny'``; ``'boxless'`` has no boxes, ``'odd'`` is 15x15."""
    restores = [
        registry.replace(Entry("datasets", name, "tests", factory, "for tests"))
        for name, factory in (
            ("tiny", tiny_data),
            ("boxless", lambda: tiny_data(boxes=False)),
            ("odd", lambda: tiny_data(side=15)),
        )
    ]
    yield tiny_data()
    for restore in restores:
        restore()


@pytest.fixture
def global_generators():
    """A test with this fails if it touched the global generators of numpy or torch."""
    import torch

    before, key = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    yield
    assert torch.equal(before, torch.get_rng_state()), "torch's global generator was used"
    assert np.array_equal(key, np.random.get_state()[1]), "numpy's global generator was used"  # noqa: NPY002
