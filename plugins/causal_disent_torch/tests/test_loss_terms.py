"""Each loss against a computation in numpy that shares no code with it."""

import itertools
import math

import numpy as np
import pytest
import torch
from causal_disent_torch.losses import (
    bernoulli_loss,
    box_loss,
    box_masks,
    code_covariance,
    density_ratio,
    dip_penalty,
    discriminator_loss,
    gaussian_kl,
    l2_loss,
    shuffle_codes,
    total_correlation,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

pytestmark = pytest.mark.usefixtures("global_generators")


def gaussians(seed, num=6, codes=3):
    random_state = np.random.RandomState(seed)
    return tuple(torch.from_numpy(random_state.normal(size=(num, codes))) for _ in range(3))


def test_gaussian_kl_is_the_divergence_by_integration():
    mean, log_var, _ = gaussians(0)
    grid = np.linspace(-50, 50, 400_001)
    total = 0.0
    for centre, spread in zip(mean.flatten().tolist(), log_var.flatten().tolist(), strict=True):
        density = stats.norm.pdf(grid, centre, math.exp(spread / 2))
        ratio = stats.norm.logpdf(grid, centre, math.exp(spread / 2)) - stats.norm.logpdf(grid)
        total += np.trapezoid(density * ratio, grid)
    assert gaussian_kl(mean, log_var).item() == pytest.approx(total / len(mean), rel=1e-6)


def pictures(seed, shape=(3, 4, 2, 2)):
    random_state = np.random.RandomState(seed)
    return random_state.rand(*shape), random_state.normal(size=shape) * 3


@pytest.mark.parametrize("activation", ["logits", "tanh"])
@pytest.mark.parametrize("subtract", [False, True])
def test_bernoulli_loss(activation, subtract):
    images, output = pictures(1)
    pixels = 1 / (1 + np.exp(-output)) if activation == "logits" else np.tanh(output) / 2 + 0.5
    expected = []
    for image, reconstruction in zip(images, pixels, strict=True):
        loss = 0.0
        for x, p in zip(image.flatten(), reconstruction.flatten(), strict=True):
            loss -= x * math.log(p) + (1 - x) * math.log(1 - p)
            loss -= stats.bernoulli(x).entropy() if subtract else 0
        expected.append(loss)
    found = bernoulli_loss(torch.from_numpy(images), torch.from_numpy(output), activation, subtract)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4)


def test_bernoulli_loss_of_certain_pixels_is_finite():
    images = torch.tensor([0.0, 1.0]).reshape(1, 2, 1, 1)
    for activation in ("logits", "tanh"):
        loss = bernoulli_loss(images, torch.tensor([1e4, -1e4]).reshape(1, 2, 1, 1), activation, True)
        assert loss.isfinite().all() and loss.item() > 10


@pytest.mark.parametrize("activation", ["logits", "tanh"])
def test_l2_loss(activation):
    images, output = pictures(2)
    pixels = 1 / (1 + np.exp(-output)) if activation == "logits" else np.tanh(output) / 2 + 0.5
    found = l2_loss(torch.from_numpy(images), torch.from_numpy(output), activation)
    np.testing.assert_allclose(found.numpy(), ((images - pixels) ** 2).sum(axis=(1, 2, 3)))


@pytest.mark.parametrize("seed", range(3))
def test_total_correlation_by_densities(seed):
    codes, mean, log_var = gaussians(seed)
    num, num_codes = codes.shape
    expected = 0.0
    for j in range(num):
        q = np.zeros((num, num_codes))
        for i, code in itertools.product(range(num), range(num_codes)):
            q[i, code] = stats.norm.pdf(codes[j, code], mean[i, code], math.exp(log_var[i, code] / 2))
        expected += math.log(q.prod(axis=1).sum()) - np.log(q.sum(axis=0)).sum()
    found = total_correlation(codes, mean, log_var).item()
    assert found == pytest.approx(expected / num, rel=1e-9)


def test_total_correlation_tells_copies_from_independent_codes():
    random_state = np.random.RandomState(0)
    codes = torch.from_numpy(random_state.normal(size=(300, 2)))
    narrow = torch.full_like(codes, -4.0)
    copies = codes[:, :1].expand(-1, 2)
    assert total_correlation(copies, copies, narrow) > total_correlation(codes, codes, narrow) + 0.5


@pytest.mark.parametrize("dip_type", ["i", "ii"])
def test_dip(dip_type):
    mean, log_var, _ = gaussians(4)
    expected = np.cov(mean.numpy().T, ddof=0)
    if dip_type == "ii":
        expected = expected + np.diag(np.exp(log_var.numpy()).mean(axis=0))
    covariance = code_covariance(mean, log_var, dip_type)
    np.testing.assert_allclose(covariance.numpy(), expected)
    penalty = 0.0
    for i, j in itertools.product(range(3), repeat=2):
        penalty += 100 * (expected[i, j] - 1) ** 2 if i == j else 7 * expected[i, j] ** 2
    assert dip_penalty(covariance, 7, 100).item() == pytest.approx(penalty)


def test_the_discriminators_estimate():
    random_state = np.random.RandomState(0)
    logits, shuffled = random_state.normal(size=(2, 5, 2)) * 2
    odds = [math.log(math.exp(a) / math.exp(b)) for a, b in logits]
    assert density_ratio(torch.from_numpy(logits)).item() == pytest.approx(np.mean(odds))

    def probability(row, which):
        return math.exp(row[which]) / (math.exp(row[0]) + math.exp(row[1]))

    right = [math.log(probability(row, 0)) for row in logits] + [math.log(probability(row, 1)) for row in shuffled]
    found = discriminator_loss(torch.from_numpy(logits), torch.from_numpy(shuffled)).item()
    assert found == pytest.approx(-np.mean(right))
    guess = torch.zeros(4, 2)
    assert discriminator_loss(guess, guess).item() == pytest.approx(math.log(2))
    sure = torch.tensor([[-1e4, 1e4]])
    assert discriminator_loss(sure, -sure).isfinite()


def test_density_ratio_finds_the_total_correlation_of_a_gaussian():
    """The optimal discriminator's logits are the log densities, and TC has a closed form."""
    correlation = 0.8
    joint = stats.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    draws = joint.rvs(20_000, random_state=0)
    apart = stats.norm.logpdf(draws).sum(axis=1)
    logits = torch.from_numpy(np.stack([joint.logpdf(draws), apart], axis=1))
    assert density_ratio(logits).item() == pytest.approx(-0.5 * math.log(1 - correlation**2), abs=0.02)


def test_shuffled_codes_keep_each_code_and_lose_what_ties_them():
    codes = torch.arange(400.0)[:, None].expand(-1, 3)
    shuffled = shuffle_codes(codes, torch.Generator().manual_seed(0))
    np.testing.assert_array_equal(shuffled.sort(0).values.numpy(), codes.numpy())
    assert np.abs(np.corrcoef(shuffled.numpy().T) - np.eye(3)).max() < 0.2
    assert torch.equal(shuffled, shuffle_codes(codes, torch.Generator().manual_seed(0)))


@settings(max_examples=30)
@given(st.data())
def test_box_masks_pixel_by_pixel(data):
    height, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    left, low = data.draw(st.integers(0, width)), data.draw(st.integers(0, height))
    right, high = data.draw(st.integers(left, width)), data.draw(st.integers(low, height))
    boxes = torch.tensor([[left, low, right, high], [0, 0, width, height]])
    for from_bottom in (False, True):
        masks = box_masks(boxes, (height, width, 3), from_bottom=from_bottom)
        assert masks.shape == (2, height, width, 1) and (masks[1] == 1).all()
        for row, column in itertools.product(range(height), range(width)):
            y = height - 1 - row if from_bottom else row
            assert masks[0, row, column, 0] == (left <= column < right and low <= y < high)


def test_rows_of_candle_boxes_are_counted_from_the_bottom():
    """A mask of CANDLE covers the rows height - ymax to height - ymin of the picture."""
    box = torch.tensor([[10, 20, 30, 50]])
    mask = box_masks(box, (240, 320, 3), from_bottom=True)[0, :, :, 0]
    expected = np.zeros((240, 320))
    expected[240 - 50 : 240 - 20, 10:30] = 1
    np.testing.assert_array_equal(mask.numpy(), expected)


def test_box_loss():
    random_state = np.random.RandomState(0)
    images, reconstructed = random_state.rand(2, 4, 6, 6, 3)
    boxes = np.array([[0, 1, 3, 4], [2, 2, 2, 5], [0, 0, 6, 6], [5, 5, 6, 6]])
    expected = 0.0
    for image, other, (left, top, right, bottom) in zip(images, reconstructed, boxes, strict=True):
        expected += ((image[top:bottom, left:right] - other[top:bottom, left:right]) ** 2).sum()
    masks = box_masks(torch.from_numpy(boxes), (6, 6, 3))
    found = box_loss(torch.from_numpy(images), torch.from_numpy(reconstructed), masks)
    assert found.item() == pytest.approx(expected / 4)
