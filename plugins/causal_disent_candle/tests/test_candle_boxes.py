"""Boxes under resizing."""

from fractions import Fraction

import numpy as np
from causal_disent_candle.reading import to_box
from hypothesis import given
from hypothesis import strategies as st


@st.composite
def bounds_in_an_image(draw):
    height, width = draw(st.integers(1, 600)), draw(st.integers(1, 600))
    xmin, ymin = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    bounds = (xmin, ymin, draw(st.integers(xmin + 1, width)), draw(st.integers(ymin + 1, height)))
    return bounds, (height, width)


SIZES = st.tuples(st.integers(8, 512), st.integers(8, 512))


@given(bounds_in_an_image(), SIZES)
def test_a_box_is_the_smallest_that_covers_the_bounds(image, resized):
    (xmin, ymin, xmax, ymax), (height, width) = image
    left, top, right, bottom = to_box((xmin, ymin, xmax, ymax), (height, width), resized)
    across, down = Fraction(resized[1], width), Fraction(resized[0], height)
    # One pixel less on any side would leave part of the bounds out.
    assert left <= xmin * across < left + 1 and right - 1 < xmax * across <= right
    assert top <= (height - ymax) * down < top + 1 and bottom - 1 < (height - ymin) * down <= bottom


@given(bounds_in_an_image(), SIZES)
def test_a_box_is_inside_the_image_and_not_empty(image, resized):
    left, top, right, bottom = to_box(image[0], image[1], resized)
    assert 0 <= left < right <= resized[1] and 0 <= top < bottom <= resized[0]


@given(bounds_in_an_image())
def test_at_its_own_size_a_box_is_the_mask_of_the_bounds(image):
    (xmin, ymin, xmax, ymax), (height, width) = image
    mask = np.zeros((height, width), dtype=bool)
    mask[height - ymax : height - ymin, xmin:xmax] = True
    left, top, right, bottom = to_box(image[0], image[1], image[1])
    assert mask.sum() == mask[top:bottom, left:right].size == mask[top:bottom, left:right].sum()


@given(bounds_in_an_image(), st.integers(2, 4))
def test_enlarging_whole_times_enlarges_the_box(image, times):
    (height, width) = image[1]
    box = to_box(image[0], image[1], (height * times, width * times))
    assert box == tuple(times * edge for edge in to_box(image[0], image[1], image[1]))
