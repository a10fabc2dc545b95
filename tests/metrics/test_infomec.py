import warnings
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from causal_disent import errors
from causal_disent.metrics.infomec import compactness, infomec, modularity

FACTORS = np.stack(np.unravel_index(np.arange(480) % 12, (3, 4)), axis=1)
ESTIMATORS = ("neighbours", "bins", "discrete")


def noisy_codes():
    random_state = np.random.RandomState(1)
    return FACTORS[:, [0, 1, 1]] + random_state.normal(scale=0.4, size=(480, 3))


def three(result):
    return result.modularity, result.explicitness, result.compactness


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_perfect_codes(estimator):
    assert three(infomec(FACTORS[:, ::-1], FACTORS, estimator=estimator)) == pytest.approx([1, 1, 1], abs=0.05)


@pytest.mark.parametrize("estimator", ("neighbours", "bins"))
def test_noise_is_not_explicit(estimator, random_state):
    assert infomec(random_state.normal(size=(480, 4)), FACTORS, estimator=estimator).explicitness < 0.03


def test_a_rare_value_is_not_explained_by_its_rarity(random_state):
    """Noise has no explicitness of a lopsided factor: classes weigh evenly."""
    factors = np.column_stack([np.arange(480) % 10 == 0, np.arange(480) % 2]).astype(int)
    found = infomec(random_state.normal(size=(480, 1)), factors, estimator="bins").explicitness_per_factor
    assert found == pytest.approx([0.0, 0.0], abs=0.03)


def test_normalised_information_and_pruning_by_hand():
    # A code of factor 0, one of both factors, and one that never varies.
    both = FACTORS[:, 0] * 4 + FACTORS[:, 1]
    result = infomec(np.column_stack([FACTORS[:, 0], both, np.ones(480)]), FACTORS, estimator="discrete")
    assert result.matrix.tolist() == pytest.approx(np.array([[1, 0], [1, 1], [0, 0]]))
    assert result.active.tolist() == [True, True, False]
    # The largest shares are 1 and 1/2 per code, 1/2 and 1 per factor; even shares are 1/2.
    assert result.modularity == pytest.approx((0.75 - 0.5) / 0.5)
    assert result.compactness == pytest.approx((0.75 - 0.5) / 0.5)


def test_explicitness_by_hand():
    # One-hot, the best probe says each code's class frequencies: weighed evenly, 3/4 and 1/4 here.
    code = np.repeat([0, 0, 1, 1], [3, 1, 1, 3])
    factor = np.repeat([0, 1, 0, 1], [3, 1, 1, 3])
    codes, factors = np.tile(code, 5)[:, None], np.column_stack([np.tile(factor, 5), np.arange(40) % 2])
    loss = -(0.75 * log(0.75) + 0.25 * log(0.25))
    result = infomec(codes, factors, estimator="discrete")
    assert result.explicitness_per_factor[0] == pytest.approx(1 - loss / log(2), abs=1e-5)


def test_bins_are_the_plug_in_estimate():
    codes = noisy_codes()
    edges = [np.histogram(code, 5)[1][:-1] for code in codes.T]
    binned = np.column_stack([np.digitize(code, edge) for code, edge in zip(codes.T, edges, strict=True)])
    expected = [
        [mutual_info_score(code, factor) / mutual_info_score(factor, factor) for factor in FACTORS.T]
        for code in binned.T
    ]
    assert infomec(codes, FACTORS, estimator="bins", num_bins=5).matrix == pytest.approx(np.array(expected))


def test_neighbours_find_the_information_of_separated_gaussians(random_state):
    """A code of a fair coin that noise does not hide has one bit of it."""
    factors = random_state.randint(2, size=(2000, 2))
    codes = 100.0 * factors[:, :1] + random_state.normal(size=(2000, 1))
    assert infomec(codes, factors).matrix[0] == pytest.approx([1.0, 0.0], abs=0.02)


def test_last_steps():
    rows = np.array([[0.6, 0.2, 0.2], [0.0, 0.0, 0.0]])
    assert modularity(rows) == pytest.approx(((0.6 + 1 / 3) / 2 - 1 / 3) / (2 / 3))
    assert compactness(rows.T) == modularity(rows)
    assert compactness(np.array([[0.3, 0.2]])) == 1.0
    assert modularity(np.empty((0, 2))) == compactness(np.empty((0, 2))) == 0.0


def test_duplicated_codes_are_modular_and_not_compact():
    result = infomec(np.hstack([FACTORS, FACTORS]), FACTORS, estimator="bins")
    assert result.modularity == pytest.approx(1.0)
    assert result.compactness == pytest.approx((1 / 2 - 1 / 4) / (1 - 1 / 4))


def test_narrow_codes_are_not_active():
    codes = np.column_stack([FACTORS, 0.01 * noisy_codes()[:, 0]])
    assert infomec(codes, FACTORS, estimator="bins").active.tolist() == [True, True, False]


def test_codes_that_never_vary():
    assert three(infomec(np.full((480, 2), 0.1), FACTORS)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_same_seed_same_matrix():
    first, again = (infomec(noisy_codes(), FACTORS, random_state=5).matrix for _ in range(2))
    assert (first == again).all()


def test_bad_arguments(random_state):
    with pytest.raises(errors.UnknownName, match="Unknown `estimator` 'neighbors'. Did you mean 'neighbours'"):
        infomec(FACTORS, FACTORS, estimator="neighbors")
    with pytest.raises(errors.InvalidInput, match="`num_neighbours` must be a whole number, at least 1; given: 0"):
        infomec(FACTORS, FACTORS, num_neighbours=0)
    with pytest.raises(errors.InvalidInput, match="infomec takes discrete factors, and these.*: factor 0, 1"):
        infomec(FACTORS, random_state.normal(size=(480, 2)))


@settings(max_examples=10, deadline=None)
@given(order=st.permutations(range(3)), power=st.integers(-8, 8))
def test_order_and_common_scale_of_codes_do_not_matter(order, power):
    codes = noisy_codes()
    changed = codes[:, order] * 2.0**power  # a power of two moves no code over the edge of a bin
    expected = infomec(codes, FACTORS, estimator="bins")
    assert three(infomec(changed, FACTORS, estimator="bins")) == pytest.approx(three(expected), abs=1e-4)


def test_a_change_of_units_does_not_pass_in_silence(random_state):
    factors = random_state.randint(3, size=(400, 3))
    codes = factors + 0.2 * random_state.normal(size=factors.shape)
    with pytest.warns(UserWarning, match="inactive.*1, 2|inactive.*1 and 2"):
        assert infomec(codes * [1000, 1, 1], factors, max_iterations=0).active.tolist() == [True, False, False]
    dead = np.column_stack([codes, 0.01 * random_state.normal(size=400)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a code that tells nothing is left out as it should be
        infomec(dead, factors, max_iterations=0)


@pytest.mark.parametrize("estimator", ["neighbours", "bins", "discrete"])
def test_codes_of_noise_are_named(random_state, estimator):
    """Their share in InfoM is of noise; where values repeat, it differs by the seed."""
    factors = random_state.randint(3, size=(400, 3))
    codes = np.column_stack([random_state.randint(2, size=400), factors]).astype(float)
    with pytest.warns(UserWarning, match="than chance gives: 0\\."):
        infomec(codes, factors, estimator=estimator, max_iterations=0)
