import numpy as np
import pytest

from causal_disent import errors
from causal_disent.metrics.irs_uc import attribute, select_codes
from causal_disent.registry import registry

FACTORS = np.stack(np.unravel_index(np.arange(4 * 4 * 30) % 16, (4, 4)), axis=1)


def noisy_codes(random_state):
    """Two codes for the two factors, a third that says nothing."""
    noise = random_state.normal(size=(len(FACTORS), 3))
    return np.column_stack([FACTORS[:, 1], FACTORS[:, 0], np.zeros(len(FACTORS))]) + 0.05 * noise


@pytest.mark.parametrize("name", registry.names("attributions"))
def test_every_attribution_finds_the_codes(name, random_state):
    scores = attribute(noisy_codes(random_state), FACTORS, name, random_state)
    assert scores.shape == (3, 2)
    assert select_codes(scores, 1) == [(1,), (0,)]


def test_ties_go_to_the_lower_index():
    assert select_codes(np.array([[0.5], [0.9], [0.9 + 1e-12], [0.1]]), 1) == [(1,)]
    assert select_codes(np.array([[0.5], [0.5], [0.5]]), 2) == [(0, 1)]


def test_codes_that_never_vary_rank_last():
    scores = attribute(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0], [1]]), "irs", np.random.RandomState(0))
    assert np.isnan(scores[0]).all()
    assert select_codes(scores, 1) == [(1,)]
    assert select_codes(scores, 2) == [(0, 1)]
    assert select_codes(np.array([[np.nan], [-5.0], [np.nan]]), 2) == [(0, 1)]


def test_published_selection_is_the_authors_expression():
    column = np.random.RandomState(0).uniform(size=10)
    for rho in (1, 2, 5, 7):
        expected = np.argpartition(column, -1)[::-rho][:rho]
        assert select_codes(column[:, None], rho, "published") == [tuple(sorted(expected))]
    # With ten codes and rho = 7 it takes two codes, not seven.
    assert len(select_codes(column[:, None], 7, "published")[0]) == 2


def test_published_selection_is_the_best_code_for_rho_1():
    column = np.array([[0.1], [np.nan], [0.7], [0.3]])
    assert select_codes(column, 1, "published") == [(2,)]


def test_own_functions():
    scores = attribute(np.eye(2), np.array([[0], [1]]), lambda codes, factors, rs: [[1.0], [2.0]], None)
    assert select_codes(scores, 1) == [(1,)]


def test_bad_attributions():
    with pytest.raises(errors.UnknownName, match="Unknown attribution 'isr'. Did you mean 'irs'"):
        attribute(np.eye(2), np.array([[0], [1]]), "isr", None)
    with pytest.raises(errors.InvalidInput, match=r"\(codes, factors\) = \(2, 1\); it returned \(2,\)"):
        attribute(np.eye(2), np.array([[0], [1]]), lambda *_: [1.0, 2.0], None)
    with pytest.raises(errors.InvalidInput, match="`attribution` is a name or a function"):
        attribute(np.eye(2), np.array([[0], [1]]), 3, None)
    with pytest.raises(errors.UnknownName, match="Unknown `selection` 'best'"):
        select_codes(np.eye(2), 1, "best")
