"""Work that metrics share, and what is kept of it."""

import gc
from weakref import ref

import numpy as np

from causal_disent.metrics import reuse
from causal_disent.metrics.reuse import reused, reusing


def test_results_that_are_dropped_are_freed(monkeypatch):
    """Also where they were arguments in turn, and were looked at for what they are."""
    monkeypatch.setattr(reuse, "MOST_BYTES", 10_000)
    double, total = reused(lambda numbers: 2 * numbers), reused(lambda numbers: float(numbers.sum()))
    with reusing():
        made = []
        for i in range(20):
            doubled = double(np.full(500, float(i)))
            assert total(doubled) == total(doubled) == 1000 * i
            made.append(ref(doubled))
        del doubled
        gc.collect()
        assert sum(one() is not None for one in made) <= 3


def test_equal_arrays_at_the_place_of_others_are_told_apart():
    total = reused(lambda numbers: float(numbers.sum()))
    with reusing():
        for i in range(100):
            numbers = np.full(8, float(i))  # often where the last one was
            numbers.flags.writeable = False
            assert total(numbers) == 8 * i
            del numbers
