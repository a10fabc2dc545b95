"""Models of pairs: the shared Gaussians are those of the original program."""

import numpy as np
import pytest
import torch
from causal_disent_torch.losses import share_pairs


def original(mean, log_var, changed, average):
    """The formulas of Locatello et al. 2020, image by image and code by code, in numpy."""
    half = len(mean) // 2
    means, log_vars = mean.copy(), log_var.copy()
    for row in range(half):
        (m_1, m_2), (l_1, l_2) = mean[[row, row + half]], log_var[[row, row + half]]
        v_1, v_2 = np.exp(l_1), np.exp(l_2)
        if average == "group":
            new_mean, new_var = 0.5 * m_1 + 0.5 * m_2, 0.5 * v_1 + 0.5 * v_2
        else:
            new_var = 2 * v_1 * v_2 / (v_1 + v_2)
            new_mean = (m_1 / v_1 + m_2 / v_2) * new_var * 0.5
        divergence = v_1 / v_2 + np.square(m_2 - m_1) / v_2 - 1 + l_2 - l_1
        for code in range(mean.shape[1]):
            if changed is None:
                low, high = divergence.min(), divergence.max()
                own = np.floor(2 * (divergence[code] - low) / (high - low)) >= 1
            else:
                own = code == changed[row] or changed[row] >= mean.shape[1]
            if not own:
                means[[row, row + half], code] = new_mean[code]
                log_vars[[row, row + half], code] = np.log(new_var[code])
    return means, log_vars


@pytest.mark.parametrize("average", ["group", "ml"])
@pytest.mark.parametrize("labelled", [True, False])
def test_shared_gaussians_are_the_original_ones(average, labelled):
    random_state = np.random.RandomState(0)
    mean, log_var = random_state.normal(size=(2, 24, 5))
    changed = random_state.randint(6, size=12) if labelled else None  # the sixth has no code
    given = (
        torch.from_numpy(mean),
        torch.from_numpy(log_var),
        None if changed is None else torch.from_numpy(changed),
    )
    for found, expected in zip(
        share_pairs(*given, average), original(mean, log_var, changed, average), strict=True
    ):
        assert found.dtype == torch.float64 and np.abs(found.numpy() - expected).max() < 1e-14


def test_pairs_of_equal_divergence_are_shared():
    mean, log_var = torch.ones(4, 3), torch.zeros(4, 3)
    assert (share_pairs(mean, log_var, None, "group")[0] == 1).all()
