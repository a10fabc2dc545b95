import numpy as np
import pytest

from causal_disent.metrics.certainty import ConfidenceSequence

RUNS = 500


def populations(generator):
    """Numbers in [0, 1] as effects are: in the middle, mostly 0 with some 1, and nearly all alike."""
    return {
        "middling": generator.beta(2, 3, size=2000),
        "rare": (generator.uniform(size=2000) < 0.05).astype(float),
        "coins": (generator.uniform(size=2000) < 0.5).astype(float),
        "alike": np.clip(generator.normal(0.3, 0.01, size=2000), 0, 1),
    }


def runs(numbers, generator):
    """(numbers, runs): each run draws all of them, in an order of its own."""
    return np.stack([generator.permutation(numbers) for _ in range(RUNS)], axis=1)


@pytest.mark.parametrize("kind", ["middling", "rare", "coins", "alike"])
def test_the_mean_is_in_every_interval_at_once(kind):
    """The intervals only ever shrink, so that the last one has lost the mean if any has."""
    generator = np.random.RandomState(1)
    numbers = populations(generator)[kind]
    drawn = runs(numbers, generator)
    sequence = ConfidenceSequence(len(numbers), tolerance=0.03)
    for start in range(0, 1000, 50):
        sequence.add(drawn[start : start + 50])
    assert sequence.half_widths.max() < 0.1
    missed = (sequence.low > numbers.mean()) | (sequence.high < numbers.mean())
    assert missed.mean() <= 0.05


def test_intervals_for_one_look_miss_the_mean_when_one_looks_often():
    """The test above can fail: mean plus and minus 1.96 standard errors, at every look, does."""
    generator = np.random.RandomState(1)
    numbers = populations(generator)["coins"]
    drawn = runs(numbers, generator)[:1000]
    missed = np.zeros(RUNS, bool)
    for stop in range(50, 1001, 50):
        half = 1.96 * drawn[:stop].std(axis=0, ddof=1) / np.sqrt(stop)
        missed |= np.abs(drawn[:stop].mean(axis=0) - numbers.mean()) > half
    assert missed.mean() > 0.1


def test_it_is_not_much_wider_than_an_interval_for_one_look():
    generator = np.random.RandomState(2)
    numbers = generator.beta(2, 3, size=10_000)
    sequence, needed = ConfidenceSequence(len(numbers), tolerance=0.02), 0
    while not needed or sequence.half_widths[0] > 0.02:
        sequence.add(numbers[needed : needed + 50, None])
        needed += 50
    one_look = (1.96 * numbers.std() / 0.02) ** 2
    assert one_look < needed < 3 * one_look


def test_batches_do_not_matter_and_columns_are_apart():
    numbers = np.random.RandomState(3).uniform(size=(300, 2)) ** [1, 4]
    whole, parts, alone = (ConfidenceSequence(400, 0.05) for _ in range(3))
    whole.add(numbers)
    for part in np.array_split(numbers, 7):
        parts.add(part)
    alone.add(numbers[:, 1:])
    np.testing.assert_allclose([whole.low, whole.high], [parts.low, parts.high])
    np.testing.assert_allclose([whole.low[1], whole.high[1]], [alone.low[0], alone.high[0]])


def test_when_all_is_drawn_the_mean_is_known():
    numbers = np.random.RandomState(4).uniform(size=(60, 1))
    sequence = ConfidenceSequence(60, 0.02)
    sequence.add(numbers)
    np.testing.assert_allclose([sequence.low[0], sequence.high[0]], numbers.mean())
