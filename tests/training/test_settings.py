"""What ``model.*`` is where a config does not bind it."""

import pytest

from causal_disent.training.settings import ModelSettings


@pytest.mark.parametrize(("steps", "batches"), [(0, 1), (50, 5), (2000, 200), (300_000, 1000)])
def test_the_loss_is_averaged_over_a_share_of_the_training(steps, batches):
    assert ModelSettings(None, steps, 64).evaluated_batches == batches
    assert ModelSettings(None, steps, 64, eval_steps=7).evaluated_batches == 7
