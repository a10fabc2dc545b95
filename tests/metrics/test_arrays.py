"""Tests of `causal_disent.metrics.arrays`."""

import numpy as np
import pytest

from causal_disent.errors import InvalidInput
from causal_disent.metrics import dci, dcimig, irs, mig, mig_sup, modularity_explicitness, uc
from causal_disent.metrics.arrays import all_groups, combine_labels

RNG = np.random.RandomState(0)
FACTORS = np.column_stack([RNG.randint(4, size=600), RNG.randint(3, size=600)])
#: Each factor in the angle of two codes, neither of which tells it alone.
ANGLES = 2 * np.pi * FACTORS / [4, 3] + 0.05 * RNG.normal(size=FACTORS.shape)
CODES = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=2).reshape(600, 4)
BLOCKS = [[0, 1], [2, 3]]
FAST = {"dci": {"estimator": "random_forest"}, "modularity_explicitness": {"max_iterations": 0}}


@pytest.mark.parametrize("metric", [dcimig, mig, mig_sup, uc], ids=lambda metric: metric.__name__)
def test_a_concept_in_a_block_scores_better_than_in_its_codes(metric):
    options = FAST.get(metric.__name__, {})
    alone, together = (metric(CODES, FACTORS, code_groups=groups, **options).score for groups in (None, BLOCKS))
    assert together >= alone and together > 0.7


@pytest.mark.parametrize(
    "metric", [dci, dcimig, irs, mig, mig_sup, modularity_explicitness, uc], ids=lambda metric: metric.__name__
)
def test_blocks_of_one_are_codes(metric):
    options = FAST.get(metric.__name__, {})
    plain, single = (
        metric(CODES, FACTORS, code_groups=groups, **options).score for groups in (None, [[0], [1], [2], [3]])
    )
    assert single == pytest.approx(plain, abs=1e-12)


def test_information_of_a_block_is_that_of_its_bins_together():
    codes = np.column_stack([FACTORS[:, 0] % 2, FACTORS[:, 0] // 2, FACTORS[:, 1]])
    whole = mig(FACTORS, FACTORS, num_bins=4)
    found = mig(codes, FACTORS, num_bins=2, code_groups=[[0, 1]])
    assert found.information.shape == (2, 2)
    assert found.information[0, 0] == pytest.approx(whole.information[0, 0])


def test_distances_of_a_block_are_euclidean():
    """By hand, of all points of one value."""
    found = irs(CODES, FACTORS, code_groups=BLOCKS, diff_quantile=1.0)
    block = CODES[:, :2]
    within = [
        np.linalg.norm(block[rows] - block[rows].mean(axis=0), axis=1).max()
        for rows in (FACTORS[:, 0] == value for value in range(4))
    ]
    overall = np.linalg.norm(block - block.mean(axis=0), axis=1).max()
    assert found.matrix[0, 0] == pytest.approx(1 - np.mean(within) / overall)
    assert found.max_deviations[0] == pytest.approx(overall)


def test_importances_of_a_block_are_summed():
    options = {"estimator": "random_forest", "random_state": 0}
    plain = dci(CODES, FACTORS, **options).importance
    np.testing.assert_allclose(
        dci(CODES, FACTORS, code_groups=[[3, 0]], **options).importance[0], plain[[0, 3]].sum(0)
    )


def test_uc_of_blocks():
    found = uc(CODES, FACTORS, code_groups=BLOCKS)
    assert found.sets == [(0,), (1,)] and found.attribution.shape == (2, 2)
    with pytest.raises(InvalidInput, match="from 1 to 2"):
        uc(CODES, FACTORS, code_groups=BLOCKS, rho=3)
    with pytest.raises(InvalidInput, match="attributed by the IRS alone.*given: 'mutual_information'"):
        uc(CODES, FACTORS, code_groups=BLOCKS, attribution="mutual_information")


def test_codes_in_no_block_stay_alone():
    assert all_groups([[2, 0]], 4) == [[2, 0], [1], [3]] and all_groups(None, 2) == [[0], [1]]


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([0, 1], "`code_groups`"),
        ("01", "`code_groups`"),
        ([[0, 4]], "from 0 to 3; given: 4"),
        ([[0, -1]], "given: -1"),
        ([[0, True]], "`code_groups`.*True"),
        ([[0, 1], [1, 2]], "1 is there twice"),
        ([[]], "an empty one"),
        ([[0, 1, 2, 3]], "At least 2 groups"),
    ],
)
def test_strange_groups(groups, said):
    with pytest.raises(InvalidInput, match=said):
        mig(CODES, FACTORS, code_groups=groups)


def test_combinations():
    labels = RNG.randint(-3, 4, size=(200, 3))
    found = combine_labels(labels, [[0, 2], [1]])
    pairs = {(a, c): one for (a, _, c), one in zip(labels.tolist(), found[:, 0], strict=True)}
    assert (
        len(set(pairs.values())) == len(pairs)
        and [pairs[a, c] for a, _, c in labels.tolist()] == found[:, 0].tolist()
    )
