"""How much the supervised loss counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.training import objectives
from causal_disent.training.objective import ReconstructionLoss, reconstruction_loss


@given(st.integers(0, 300), st.floats(0.5, 100), st.integers(1, 200))
def test_annealing_rises_to_its_maximum(step, most, threshold):
    found = objectives.anneal(most, step, threshold)
    assert found == pytest.approx(most if step >= threshold else most * step / threshold)


def test_annealers():
    steps = [0, 5, 10, 11, 30]
    assert [objectives.fixed(4.0, step, 10) for step in steps] == [4, 4, 4, 4, 4]
    assert [objectives.anneal(4.0, step, 10) for step in steps] == [0, 2, 4, 4, 4]
    assert [objectives.fine_tune(4.0, step, 10) for step in steps] == [0, 0, 0, 4, 4]
    weight = objectives.annealer(3.0, iteration_threshold=10, anneal_fn=objectives.anneal)
    assert weight(5) == 1.5
    with pytest.raises(errors.InvalidInput, match="iteration_threshold .* greater than 0"):
        objectives.annealer(3.0, iteration_threshold=0, anneal_fn=objectives.anneal)


@pytest.mark.parametrize(("name", "weights"), [("fixed", [3, 3]), ("fine_tune", [0, 3])])
def test_a_threshold_of_0(name, weights):
    """Only `anneal` divides by it."""
    with gin_config(bindings=[f"annealer.anneal_fn = @{name}", "annealer.iteration_threshold = 0"]):
        weight = objectives.annealer(3.0)
        assert [weight(step) for step in (0, 1)] == weights


@pytest.mark.parametrize(("name", "threshold"), [("anneal", 0), ("anneal", -1), ("fixed", -1), ("fine_tune", -1)])
def test_impossible_thresholds(name, threshold):
    lines = [f"annealer.anneal_fn = @{name}", f"annealer.iteration_threshold = {threshold}"]
    with gin_config(bindings=lines), pytest.raises(errors.InvalidInput, match="iteration_threshold must be a fin"):
        objectives.annealer(3.0)


def test_the_reconstruction_is_weighed():
    def loss(images, output, activation):
        return images - output

    plain, weighed = (ReconstructionLoss(loss, "logits", weight) for weight in (1, 3000))
    images, output = np.array([1.0, 2.0]), np.array([0.5, 0.0])
    assert weighed(images, output).tolist() == (3000 * plain(images, output)).tolist()


def test_the_weight_of_the_reconstruction_is_positive():
    bindings = ["reconstruction_loss.loss_fn = @l2_loss", "reconstruction_loss.weight = 0"]
    with pytest.raises(errors.InvalidInput, match="weight"), gin_config([], bindings):
        reconstruction_loss()
