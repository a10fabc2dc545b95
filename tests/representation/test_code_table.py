import numpy as np
import pytest

from causal_disent import errors, get_dataset
from causal_disent.metrics.draw import Draws, fix_factor, sample_codes
from causal_disent.representation import code_table
from causal_disent.representation.code_table import CodeTable


class CountingEncoder:
    """Codes are the pixels; remembers how many images it saw and in which batches."""

    def __init__(self):
        self.batches = []

    def __call__(self, images):
        self.batches.append(len(images))
        return images.reshape(len(images), -1).astype(np.float64)

    def decode(self, codes):
        return codes.reshape(-1, 1, 3, 1)


def test_each_image_is_encoded_once(small_data):
    encoder = CountingEncoder()
    table = CodeTable(small_data, encoder)
    for seed in range(4):
        codes, factors = sample_codes(small_data, table, 500, np.random.RandomState(seed), 16)
        np.testing.assert_allclose(codes, factors / 3, atol=1e-6)
    assert sum(encoder.batches) == table.num_encoded == 12


def test_a_table_is_used_as_it_is(small_data):
    table = CodeTable(small_data, CountingEncoder())
    assert CodeTable.of(small_data, table) is table
    other = get_dataset("dummy_data")
    assert CodeTable.of(other, table) is not table


def test_batches_are_bounded(small_data, monkeypatch):
    monkeypatch.setattr(code_table, "BATCH_BYTES", 5 * 3 * 4)
    encoder = CountingEncoder()
    CodeTable(small_data, encoder).codes_of(np.arange(12))
    assert encoder.batches == [5, 5, 2]


def test_the_decoder_shows_through(small_data):
    table = CodeTable(small_data, CountingEncoder())
    assert table.decode(np.zeros((2, 3))).shape == (2, 1, 3, 1)
    assert not hasattr(CodeTable(small_data, lambda images: images), "decode")


def peer_sampling(data, encode, num_points, random_state, batch_size):
    """What disentanglement_lib does: draw a batch, encode it, go on."""
    codes, factors = [], []
    while sum(map(len, factors)) < num_points:
        drawn, images = data.sample(min(num_points - sum(map(len, factors)), batch_size), random_state)
        factors.append(drawn)
        codes.append(encode(images))
    return np.concatenate(codes), np.concatenate(factors)


@pytest.mark.parametrize("name", ["dummy_data", "identity_data", "candle_mini"])
def test_draws_are_those_of_disentanglement_lib(name):
    data = get_dataset(name)

    def encode(images):
        return np.asarray(images).reshape(len(images), -1)[:, :10]

    mine, peer = np.random.RandomState(0), np.random.RandomState(0)
    codes, factors = sample_codes(data, encode, 50, mine, 16)
    expected_codes, expected_factors = peer_sampling(data, encode, 50, peer, 16)
    np.testing.assert_array_equal(codes, expected_codes)
    np.testing.assert_array_equal(factors, expected_factors)
    assert mine.randint(10**9) == peer.randint(10**9)  # both drew equally much


def test_draws_that_are_not_finite_are_encoded_together(random_state):
    encoder = CountingEncoder()
    sample_codes(get_dataset("dummy_data"), encoder, 200, random_state, 16)
    assert encoder.batches == [200]


def test_draws_given_factors(small_data, random_state):
    draws = Draws(small_data, CountingEncoder())
    draws.given(np.array([[1, 2, 0]]), random_state)
    draws.given(np.array([[0, 1, 1]]), random_state)
    np.testing.assert_allclose(draws.codes() * 3, [[1, 2, 0], [0, 1, 1]], atol=1e-6)


def test_fixing_a_factor_keeps_the_draws_unless_confounded(random_state):
    data = get_dataset("candle_mini")
    rows = data.sample_factors(20, random_state)
    fixed = fix_factor(data, rows, 1, 3, random_state)
    np.testing.assert_array_equal(np.delete(fixed, 1, axis=1), np.delete(rows, 1, axis=1))
    assert (fixed[:, 1] == 3).all()
    confounded = get_dataset("candle_mini", confounding="candle_one_to_one")
    fixed = fix_factor(confounded, confounded.sample_factors(20, random_state), 1, 3, random_state)
    assert (fixed[:, :2] == 3).all()


def test_wrong_codes_are_refused(small_data, random_state):
    with pytest.raises(errors.InvalidInput, match=r"codes of shape \(12, codes\).*it returned shape \(12,\)"):
        CodeTable(small_data, lambda images: images[:, 0, 0, 0]).codes_of(np.arange(12))
    with pytest.raises(errors.InvalidInput, match="The number of points must be at least 1"):
        sample_codes(small_data, CountingEncoder(), 0, random_state, 16)


@pytest.mark.parametrize("most_held", [2**20, 0])
@pytest.mark.parametrize("most_listed", [2**26, 0, 5])
def test_codes_of_images_in_any_order(small_data, monkeypatch, most_listed, most_held):
    monkeypatch.setattr(code_table, "MOST_LISTED", most_listed)
    monkeypatch.setattr(code_table, "MOST_HELD", most_held)
    encoder = CountingEncoder()
    table = CodeTable(small_data, encoder)
    expected = encoder(small_data.observations(np.arange(12)))
    for indices in ([3, 1, 3], [11, 0], [1, 2, 11, 5, 4], np.arange(12)[::-1], []):
        np.testing.assert_array_equal(
            table.codes_of(np.array(indices, dtype=int)), expected[np.array(indices, int)]
        )
    assert sum(encoder.batches) == 12 + table.num_encoded == 24


def test_a_large_table_lives_in_a_file(small_data, monkeypatch):
    monkeypatch.setattr(code_table, "MOST_HELD", 0)
    table = CodeTable(small_data, CountingEncoder())
    codes = table.codes_of(np.arange(12))
    assert isinstance(table._kept.codes, np.memmap) and not isinstance(codes, np.memmap)
    other = CodeTable(small_data, CountingEncoder())
    other.adopt(table)
    np.testing.assert_array_equal(other.codes_of(np.array([7, 2])), codes[[7, 2]])
    assert not other.representation.batches


def test_codes_become_wider_numbers(small_data):
    table = CodeTable(small_data, lambda images: np.ones((len(images), 2), dtype=np.float32))
    table.codes_of(np.array([1]))
    table.representation = lambda images: np.full((len(images), 2), 1 / 3)
    np.testing.assert_array_equal(table.codes_of(np.array([1, 2])), [[1, 1], [1 / 3, 1 / 3]])


def test_another_number_of_codes_is_an_error(small_data):
    table = CodeTable(small_data, lambda images: np.ones((len(images), 2)))
    table.codes_of(np.arange(3))
    table.codes_of(np.array([5]))
    table.representation = lambda images: np.ones((len(images), 1))
    with pytest.raises(errors.InvalidInput, match="2 codes for some images and 1 for others"):
        table.codes_of(np.array([6]))


def test_a_batch_that_fails_leaves_the_others(small_data, monkeypatch):
    monkeypatch.setattr(code_table, "BATCH_BYTES", 3 * 4)
    table = CodeTable(small_data, CountingEncoder())
    expected = table.codes_of(np.array([4]))

    def fails_on_the_last(images):
        if images.max() > 0.5:
            raise RuntimeError("no more")
        return images.reshape(len(images), -1) + 100

    encoder, table.representation = table.representation, fails_on_the_last
    with pytest.raises(RuntimeError, match="no more"):
        table.codes_of(np.arange(12))
    table.representation = encoder
    assert table.num_encoded == 1
    np.testing.assert_array_equal(table.codes_of(np.array([4, 0])), [expected[0], [0, 0, 0]])


def test_tables_that_share_codes_do_not_disturb_each_other(small_data):
    one, other = (CodeTable(small_data, CountingEncoder()) for _ in range(2))
    one.codes_of(np.array([2]))
    other.adopt(one)
    expected = CountingEncoder()(small_data.observations(np.arange(12)))
    for table, images in ((one, [5, 2]), (other, [7, 5]), (one, [7, 9, 5])):
        np.testing.assert_array_equal(table.codes_of(np.array(images)), expected[images])
