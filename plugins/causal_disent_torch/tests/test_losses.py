"""The terms of the losses, one by one and in every model, against plain numpy."""

import itertools
import math

import numpy as np
import pytest
import torch
from causal_disent_torch.losses import (
    L2,
    Cov,
    Embed,
    Xent,
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
from plain_losses import Plain, cross_entropy, entropy, weights_of
from scipy import stats
from scipy.special import expit, logsumexp
from small_trainers import LABELS, make_trainer
from training_configs import unsupervised

from causal_disent import errors
from causal_disent.config import gin_config
from causal_disent.training.batches import Batches
from causal_disent.training.loop import evaluate
from causal_disent.training.objective import reconstruction_loss

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


ANNEALED = [
    "supervised_loss.loss_fn = @xent",
    "annealer.anneal_fn = @anneal",
    "annealer.iteration_threshold = 7",
]
#: A weight for each term, no two the same -> the terms beside the reconstruction loss.
MODELS = {
    "vae": (["beta = 3.5"], lambda x: 3.5 * x.kl),
    "annealed_vae": (
        ["gamma = 11", "c_max = 50.", "iteration_threshold = 7"],
        lambda x: 11 * abs(x.kl - 50 * x.step / 7),
    ),
    "factor_vae": (["gamma = 6.5"], lambda x: x.kl + 6.5 * x.odds),
    "dip_vae i": (
        ["lambda_od = 3", "lambda_d_factor = 5", "dip_type = 'i'"],
        lambda x: x.kl + x.dip(3, 15, drawn=False),
    ),
    "dip_vae ii": (
        ["lambda_od = 3", "lambda_d_factor = 5", "dip_type = 'ii'"],
        lambda x: x.kl + x.dip(3, 15, drawn=True),
    ),
    "beta_tc_vae": (["beta = 4.5"], lambda x: x.kl + 3.5 * x.total_correlation),
    "s2_vae": (["beta = 3.5", "gamma_sup = 2.5"], lambda x: 3.5 * x.kl + 2.5 * x.step / 7 * x.xent),
    "s2_factor_vae": (
        ["gamma = 6.5", "gamma_sup = 2.5"],
        lambda x: x.kl + 6.5 * x.odds + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_dip_vae i": (
        ["lambda_od = 3", "lambda_d_factor = 5", "gamma_sup = 2.5", "dip_type = 'i'"],
        lambda x: x.kl + x.dip(3, 15, drawn=False) + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_dip_vae ii": (
        ["lambda_od = 3", "lambda_d_factor = 5", "gamma_sup = 2.5", "dip_type = 'ii'"],
        lambda x: x.kl + x.dip(3, 15, drawn=True) + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_beta_tc_vae": (
        ["beta = 4.5", "gamma_sup = 2.5"],
        lambda x: x.kl + 3.5 * x.total_correlation + 2.5 * x.step / 7 * x.xent,
    ),
    "s2_factor_vae_bb top": (
        ["gamma = 6.5", "gamma_sup = 2.5"],
        lambda x: x.kl + 6.5 * x.odds + 2.5 * x.step / 7 * x.xent + 2 * x.box(x.sigmoid),
    ),
    "s2_factor_vae_bb bottom": (
        ["gamma = 6.5", "gamma_sup = 2.5", "lambda_bb = 1.5", "boxes_from_bottom = True"],
        lambda x: x.kl + 6.5 * x.odds + 2.5 * x.step / 7 * x.xent + 1.5 * x.box(x.sigmoid, from_bottom=True),
    ),
}


def model(case, tiny, *more):
    """The trainer of one of `MODELS`."""
    name = case.split()[0]
    bindings = [f"{name}.{line}" for line in MODELS[case][0]]
    return make_trainer(name, tiny, *(ANNEALED if name.startswith("s2_") else []), *bindings, *more)


def plain(trainer, tiny, generator, step, *, labelled_step=None, drawn=None):
    """What is about to pass the networks of `trainer`; `generator` stays as it is."""
    images, told = trainer.batches.draw() if drawn is None else drawn
    noise = torch.randn((len(images), 3), generator=generator.clone_state()).numpy()
    first = len(images) * (step if labelled_step is None else labelled_step)
    rows = [row % 5 for row in range(first, first + len(images))]
    labelled = tiny.observations(np.array(rows)), LABELS[rows]
    return Plain(weights_of(trainer), np.asarray(images, float), noise, step, labelled, told.get("boxes"))


def check(found, reconstruction, regularizer, kl):
    assert found["reconstruction_loss"].item() == pytest.approx(reconstruction, rel=1e-5)
    assert found["kl_loss"].item() == pytest.approx(kl, rel=1e-4)
    assert found["regularizer"].item() == pytest.approx(regularizer, rel=1e-4)
    assert found["loss"].item() == pytest.approx(reconstruction + regularizer, rel=1e-5)
    assert found["elbo"].item() == pytest.approx(-reconstruction - kl, rel=1e-5)


@pytest.mark.parametrize("num_steps", [0, 4])
@pytest.mark.parametrize("case", MODELS)
def test_the_whole_loss(case, num_steps, tiny):
    trainer = model(case, tiny)
    for _ in range(num_steps):
        trainer.step()
    expected = plain(trainer, tiny, trainer.generator, num_steps)
    bernoulli, regularizer, kl = expected.bernoulli, MODELS[case][1](expected), expected.kl
    check(trainer.step(), bernoulli, regularizer, kl)


def test_the_capacity_may_be_above_the_divergence(tiny):
    """Otherwise the case of `annealed_vae` would say nothing about the distance from it."""
    trainer = model("annealed_vae", tiny)
    assert plain(trainer, tiny, trainer.generator, 4).kl < 50 * 4 / 7


@pytest.mark.parametrize("subtracted", [False, True])
def test_the_images_own_entropy_is_subtracted_if_a_config_says_so(subtracted, tiny):
    images = tiny.observations(np.arange(9))
    output = np.random.RandomState(0).normal(size=images.shape).astype(np.float32)
    more = [f"bernoulli_loss.subtract_true_image_entropy = {subtracted}"]
    with gin_config(bindings=unsupervised("vae", *more)):
        found = reconstruction_loss()(torch.from_numpy(images), torch.from_numpy(output)).numpy()
    own = entropy(images.astype(float))
    assert own.max() > 10
    expected = cross_entropy(images, output).sum(axis=(1, 2, 3)) - subtracted * own
    np.testing.assert_allclose(found, expected, rtol=1e-4)  # black pixels are moved a little off 0


def test_what_is_no_truth_value(tiny):
    lines = unsupervised("vae", "bernoulli_loss.subtract_true_image_entropy = 'False'")
    images = torch.from_numpy(tiny.observations(np.arange(9)))
    with pytest.raises(errors.InvalidInput, match="must be True or False; given: 'Fa"), gin_config(bindings=lines):
        reconstruction_loss()(images, images)


def test_squared_errors_and_another_activation(tiny):
    more = ["reconstruction_loss.loss_fn = @l2_loss", "reconstruction_loss.activation = 'tanh'"]
    trainer = model("s2_factor_vae_bb bottom", tiny, *more)
    expected = plain(trainer, tiny, trainer.generator, 0)
    found = trainer.step()
    error = ((expected.images - expected.tanh) ** 2).sum() / 9
    assert found["reconstruction_loss"].item() == pytest.approx(error, rel=1e-5)
    box = 1.5 * expected.box(expected.tanh, from_bottom=True)
    assert found["weighted_box_loss"].item() == pytest.approx(box, rel=1e-5)


@pytest.mark.parametrize("case", MODELS)
def test_the_gradient_is_that_of_the_models_own_loss(case, tiny):
    """By differences along a direction; the discriminator's loss adds nothing to it."""
    trainer = model(case, tiny)
    trainer.step()  # whose gradient is not to count any more
    trainer.num_steps = 3
    expected = plain(trainer, tiny, trainer.generator, 3)
    trainer.step()
    random_state = np.random.RandomState(0)
    for name in ("encoder.e1", "encoder.e2", "decoder.d1"):
        gradient = trainer.networks.get_submodule(name).weight.grad.double().numpy()
        before = expected.weights[f"{name}.weight"]
        direction = gradient / np.linalg.norm(gradient) + random_state.normal(size=gradient.shape) / 100
        losses = []
        for length in (1e-5, -1e-5):
            expected.weights[f"{name}.weight"] = before + length * direction
            losses.append(expected.bernoulli + MODELS[case][1](expected))
        expected.weights[f"{name}.weight"] = before
        assert (gradient * direction).sum() == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-3)


@pytest.mark.parametrize("case", ["factor_vae", "s2_factor_vae", "s2_factor_vae_bb top"])
def test_the_models_loss_does_not_move_the_discriminator(case, tiny):
    gradients = []
    for gamma in (0, 1000):
        trainer = model(case, tiny, f"{case.split()[0]}.gamma = {gamma}")
        trainer.step()
        gradients.append([weight.grad.numpy() for weight in trainer.networks["discriminator"].parameters()])
    for first, second in zip(*gradients, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-8)
        assert np.abs(first).sum() > 0


@pytest.mark.parametrize("case", ["s2_vae", "annealed_vae"])
def test_the_loss_at_the_end_is_the_mean_over_the_batches(case, tiny):
    """With the weights that the last step would have; the labelled images come in turn from the first."""
    trainer = model(case, tiny)
    trainer.num_steps = 4
    found = evaluate(trainer, Batches(tiny, 6, 8), trainer.labelled, 5, 2)
    generator, batches, losses = torch.Generator().manual_seed(5), Batches(tiny, 6, 8), []
    for number in range(2):
        expected = plain(trainer, tiny, generator, 4, labelled_step=number, drawn=batches.draw())
        torch.randn((6, 3), generator=generator)
        losses.append(expected.bernoulli + MODELS[case][1](expected))
    assert found["loss"] == pytest.approx(np.mean(losses), rel=1e-5)
    assert losses[0] != pytest.approx(losses[1], rel=1e-3)
    other = evaluate(trainer, Batches(tiny, 6, 8), trainer.labelled, 6, 2)
    assert other["loss"] != pytest.approx(found["loss"], rel=1e-5)
