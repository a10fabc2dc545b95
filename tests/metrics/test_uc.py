import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors, get_dataset, get_metric, get_representation
from causal_disent.metrics import uc, uc_of_sets, uc_per_rho

sets = st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=2, max_size=5)
seeds = st.integers(0, 2**32 - 1)


def sample(seed, num_codes=5, num_factors=3):
    """Codes that mix the factors at random, with noise, so that no two attributions tie."""
    generator = np.random.RandomState(seed)
    factors = generator.randint(4, size=(80, num_factors))
    return factors @ generator.normal(size=(num_factors, num_codes)) + generator.normal(
        size=(80, num_codes)
    ), factors


@given(sets)
def test_range_and_extremes(sets):
    score = uc_of_sets(sets)
    assert 0 <= score <= 1
    disjoint = all(not a & b for i, a in enumerate(sets) for b in sets[:i])
    equal = all(a == sets[0] for a in sets)
    assert (score == 1) == disjoint
    assert (abs(score) < 1e-12) == equal


@given(sets, seeds)
def test_the_order_of_factors_and_the_names_of_codes_do_not_matter(sets, seed):
    generator = np.random.RandomState(seed)
    names = generator.permutation(6)
    again = [{int(names[code]) for code in sets[i]} for i in generator.permutation(len(sets))]
    assert uc_of_sets(again) == pytest.approx(uc_of_sets(sets))


def test_the_example_of_the_sources():
    assert uc_of_sets([{1, 2, 3}, {2, 3, 6}]) == 0.5


def test_every_pair_counts_once():
    # Of the three pairs only the last, (1, 2), overlaps: the published loops never reach it.
    assert uc_of_sets([{0}, {1}, {1}]) == pytest.approx(2 / 3)


def test_groups_of_three():
    assert uc_of_sets([{0, 1}, {1, 2}, {1, 3}], group_size=3) == pytest.approx(1 - 1 / 4)


@given(seeds, st.integers(1, 5))
def test_permuting_codes_or_factors_changes_nothing(seed, rho):
    codes, factors = sample(seed)
    generator = np.random.RandomState(seed)
    score = uc(codes, factors, rho=rho).score
    assert uc(codes[:, generator.permutation(5)], factors, rho=rho).score == pytest.approx(score)
    assert uc(codes, factors[:, generator.permutation(3)], rho=rho).score == pytest.approx(score)


@given(seeds, st.floats(0.01, 100), st.floats(-50, 50), st.sampled_from([-1, 1]))
def test_rescaling_or_shifting_a_code_changes_nothing(seed, scale, shift, sign):
    codes, factors = sample(seed)
    moved = codes.copy()
    moved[:, 1] = sign * scale * moved[:, 1] + shift
    assert uc(moved, factors, rho=2).sets == uc(codes, factors, rho=2).sets


@given(seeds)
def test_exact_ties_survive_rescaling(seed):
    factors = np.random.RandomState(seed).randint(3, size=(60, 2))
    codes = factors[:, [0, 0, 1]].astype(float)
    moved = codes * [1.0, 0.1, 3.3] + [0.0, 0.7, 1e-3]
    assert uc(codes, factors).sets == uc(moved, factors).sets


@given(seeds)
def test_with_every_code_it_is_zero(seed):
    codes, factors = sample(seed)
    assert uc(codes, factors, rho=5).score == 0


def test_results_fit_together():
    codes, factors = sample(0)
    result = uc(codes, factors, rho=2)
    assert result.score == uc_of_sets(result.sets)
    assert result.rescaled == pytest.approx(np.exp(2 * (result.score - 1)))
    assert result.attribution.shape == (5, 3) and all(len(codes) == 2 for codes in result.sets)
    pairs = result.jaccard[np.triu_indices(3, 1)]
    assert result.score == pytest.approx(1 - pairs.mean())
    np.testing.assert_array_equal(np.diag(result.jaccard), 1)
    assert result.interval is None


def test_the_rho_best_are_taken():
    scores = np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.1], [0.3, 0.8]])
    result = uc(np.random.RandomState(0).normal(size=(9, 4)), np.zeros((9, 2)), rho=2,
                              attribution=lambda *_: scores)  # fmt: skip
    assert result.sets == [(1, 2), (0, 3)] and result.score == 1


def test_curve():
    codes, factors = sample(1)
    curve = {rho: result.score for rho, result in uc_per_rho(codes, factors).items()}
    assert curve == {rho: uc(codes, factors, rho=rho).score for rho in range(1, 6)}


def test_fully_confounded_factors_share_their_code():
    factors = np.arange(60)[:, None].repeat(2, axis=1) % 6
    assert uc(2 * factors / 5 - 1, factors).score == 0


def test_gin_keys():
    data = get_dataset("candle_mini", factors=["object", "color"])
    oracle = get_representation("perfect_oracle", data)
    uc = get_metric("uc")
    one = uc(data, oracle, np.random.RandomState(0), num_train=300)
    assert one["UC"] == 1 and one["codes_factor_object"] == [0] and one["codes_factor_color"] == [1]
    with pytest.warns(DeprecationWarning, match="bootstrap"):
        several = uc(data, oracle, np.random.RandomState(0), num_train=300, rho=[1, 2], bootstrap=20)
    assert several["rho=1:UC"] == 1 and several["rho=2:UC"] == 0
    assert several["rho=1:UC_low"] == several["rho=1:UC_high"] == 1
    assert several["rho=2:UC_rescaled"] == pytest.approx(np.exp(-2))


@pytest.mark.parametrize("rho", [0, 6, 1.5, True, "2"])
def test_bad_rho(rho):
    codes, factors = sample(0)
    with pytest.raises(errors.InvalidInput, match=r"whole number( from 1 to 5 \(the number of codes\))?; given"):
        uc(codes, factors, rho=rho)


def test_one_factor_is_not_enough():
    with pytest.raises(errors.InvalidInput, match="UC compares factors with each other and needs at least two"):
        uc(np.eye(3), np.arange(3)[:, None])
    with pytest.raises(errors.InvalidInput, match="needs at least two; given: 1"):
        uc_of_sets([{1}])


def test_other_bad_input():
    with pytest.raises(errors.InvalidInput, match="The set of factor 1 is empty"):
        uc_of_sets([{1}, set()])
    with pytest.raises(errors.InvalidInput, match="`group_size` is from 2 to 2"):
        uc_of_sets([{1}, {2}], group_size=3)
    codes, factors = sample(0)
    with pytest.raises(errors.InvalidInput, match="`bootstrap`"):
        uc(codes, factors, bootstrap=-1)
    data = get_dataset("candle_mini", factors=["object", "color"])
    with pytest.raises(errors.InvalidInput, match="an empty list|a list of whole"):
        get_metric("uc")(
            data, get_representation("perfect_oracle", data), np.random.RandomState(0), num_train=50, rho=[]
        )
