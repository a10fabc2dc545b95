"""Supervised losses, against plain computations."""

import math

import numpy as np
import pytest
import torch
from causal_disent_torch.losses import L2, Cov, Embed, Xent
from scipy.special import expit, logsumexp

from causal_disent import errors

pytestmark = pytest.mark.usefixtures("global_generators")

SIZES = [2, 12, 5]


def factors(num=400):
    random_state = np.random.RandomState(0)
    return np.stack([random_state.randint(size, size=num) for size in SIZES], axis=1)


def codes_and_labels(num=9):
    codes = np.random.RandomState(1).normal(size=(num, 4))
    return codes, factors(num).astype(float)


def value(loss, codes, labels):
    return loss(torch.from_numpy(codes), torch.from_numpy(labels)).item()


def test_xent():
    codes, labels = codes_and_labels()
    target = labels / SIZES
    probability = expit(codes[:, :3])
    expected = -(target * np.log(probability) + (1 - target) * np.log(1 - probability)).sum()
    assert value(Xent(4, SIZES), codes, labels) == pytest.approx(expected)


def test_l2():
    codes, labels = codes_and_labels()
    learned = L2(4, SIZES)
    assert value(learned, codes, labels) == pytest.approx(((codes[:, :3] - labels) ** 2).sum())
    with torch.no_grad():
        learned.scale.fill_(3)
    assert value(learned, codes, labels) == pytest.approx(((3 * codes[:, :3] - labels) ** 2).sum())
    scaled = L2(4, SIZES, learn_scale=False)
    expected = ((expit(codes[:, :3]) - labels / SIZES) ** 2).sum()
    assert value(scaled, codes, labels) == pytest.approx(expected) and not list(scaled.parameters())


def test_cov():
    codes, labels = codes_and_labels()
    expected = 0.0
    for i in range(4):
        for j in range(3):
            covariance = ((codes[:, i] - codes[:, i].mean()) * (labels[:, j] - labels[:, j].mean())).mean()
            expected += covariance**2 if i != j else 0
    assert value(Cov(4, SIZES), codes, labels) == pytest.approx(expected)


def test_cov_is_exact_beside_a_large_diagonal():
    """Whose squares would swallow the others in single precision."""
    labels = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    codes = labels @ [[1e5, 0.25], [0.5, 2.0]]
    found = Cov(4, SIZES)(torch.from_numpy(codes).float(), torch.from_numpy(labels).float()).item()
    assert found == pytest.approx(0.25**2 + 0.5**2)


@pytest.mark.parametrize("use_order", [False, True])
@pytest.mark.parametrize("sigma", [0.7, "learn"])
def test_embed(use_order, sigma):
    codes, labels = codes_and_labels()
    loss = Embed(4, SIZES, torch.Generator().manual_seed(0), sigma, use_order).double()
    expected = 0.0
    for factor, size in enumerate(SIZES):
        places = loss.places[factor].detach().numpy()
        if use_order:
            places = places[1] + places[0] * np.arange(size)
        sharpness = 1.0 if sigma == "learn" else sigma
        logits = -(((codes[:, factor, None] - places) * sharpness) ** 2)
        chosen = logits[np.arange(len(codes)), labels[:, factor].astype(int)]
        expected += (logsumexp(logits, axis=1) - chosen).mean()
    assert value(loss, codes, labels) == pytest.approx(expected)


@pytest.mark.parametrize("use_order", [False, True])
def test_the_places_of_embed_at_the_start(use_order):
    """Uniform in +-sqrt(3 / k) as TensorFlow draws a vector of k; a slope or a start is a vector of one."""
    sizes = [2, 300, 48]
    drawn = [Embed(3, sizes, torch.Generator().manual_seed(seed), "learn", use_order) for seed in range(100)]
    for factor, size in enumerate(sizes):
        places = np.concatenate([loss.places[factor].detach().numpy() for loss in drawn])
        limit = math.sqrt(3 if use_order else 3 / size)
        assert len(places) == 100 * (2 if use_order else size)
        assert 0.95 * limit < np.abs(places).max() <= limit * (1 + 1e-6)
        assert places.std() == pytest.approx(limit / math.sqrt(3), rel=0.1)
    assert drawn[0].sigma.tolist() == [1, 1, 1]


def test_every_parameter_of_a_loss_is_learned():
    codes, labels = codes_and_labels()
    for loss in (L2(4, SIZES), Embed(4, SIZES, None, "learn", True), Embed(4, SIZES, None, "learn", False)):
        loss.double()(torch.from_numpy(codes), torch.from_numpy(labels)).backward()
        assert all(parameter.grad.abs().sum() > 0 for parameter in loss.parameters())


def test_too_few_codes_and_a_wrong_sigma():
    for loss in (Xent, L2):
        with pytest.raises(errors.InvalidInput, match="num_latent is 2"):
            loss(2, SIZES)
    with pytest.raises(errors.InvalidInput, match="'learn'"):
        Embed(4, SIZES, sigma="learned")
