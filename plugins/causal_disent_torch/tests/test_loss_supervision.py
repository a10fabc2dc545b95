"""Labellers, annealers and supervised losses, against plain computations."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from causal_disent_torch.supervision import annealers, labellers
from causal_disent_torch.supervision.cov import Cov
from causal_disent_torch.supervision.embed import Embed
from causal_disent_torch.supervision.l2 import L2
from causal_disent_torch.supervision.xent import Xent
from scipy.special import expit, logsumexp

from causal_disent import errors
from causal_disent.config import gin_config

pytestmark = pytest.mark.usefixtures("global_generators")

SIZES = [2, 12, 5]


class Data:
    factors_num_values = SIZES


def factors(num=400):
    random_state = np.random.RandomState(0)
    return np.stack([random_state.randint(size, size=num) for size in SIZES], axis=1)


def labelled(labeller, seed=0, **options):
    rows = factors()
    labels, sizes = labeller(rows, Data(), np.random.RandomState(seed), **options)
    assert labels.dtype == np.float32 and len(labels) == len(rows)
    np.testing.assert_array_equal(rows, factors())  # the factors themselves are left alone
    return rows, labels, list(sizes)


def test_perfect_labels_are_the_factors():
    rows, labels, sizes = labelled(labellers.perfect_labeller)
    np.testing.assert_array_equal(labels, rows)
    assert sizes == SIZES


def test_bins_have_equal_width():
    rows, labels, sizes = labelled(labellers.bin_labeller, num_bins=5)
    assert sizes == [2, 5, 5]
    np.testing.assert_array_equal(labels[:, [0, 2]], rows[:, [0, 2]])
    for value, label in zip(rows[:, 1], labels[:, 1], strict=True):
        assert label == math.floor(value * 5 / 12)


@pytest.mark.parametrize(("size", "num_bins"), [(10, 6), (8, 6), (15, 9), (40, 6)])
def test_a_value_on_the_edge_of_a_bin_is_in_the_bin_above(monkeypatch, size, num_bins):
    monkeypatch.setattr(Data, "factors_num_values", [size])
    values = np.arange(size, dtype=np.uint8)[:, None]
    labels, sizes = labellers.bin_labeller(values, Data(), np.random.RandomState(0), num_bins=num_bins)
    expected = [math.floor(Fraction(value * num_bins, size)) for value in range(size)]
    assert labels[:, 0].tolist() == expected and list(sizes) == [num_bins]


def test_more_bins_than_there_can_be_values():
    rows, labels, sizes = labelled(labellers.bin_labeller, num_bins=10**30)
    np.testing.assert_array_equal(labels, rows)
    assert sizes == SIZES


def test_noise_replaces_the_wished_share():
    rows, labels, _ = labelled(labellers.noisy_labeller, prob_random=0.5)
    for column, size in enumerate(SIZES):
        changed = (rows[:, column] != labels[:, column]).mean()
        assert changed == pytest.approx(0.5 * (1 - 1 / size), abs=0.08)
        assert set(labels[:, column]) <= set(range(size))
    np.testing.assert_array_equal(labelled(labellers.noisy_labeller, prob_random=0.0)[1], rows)


def test_noise_is_drawn_in_disentanglement_libs_order():
    """Per image and factor: one uniform number, and a value if it is small enough."""
    random_state, expected = np.random.RandomState(3), factors()
    for row in expected:
        for column, size in enumerate(SIZES):
            if random_state.rand() < 0.3:
                row[column] = random_state.randint(size)
    np.testing.assert_array_equal(labelled(labellers.noisy_labeller, seed=3, prob_random=0.3)[1], expected)


def test_permuted_labels_are_the_values_renamed():
    rows, labels, sizes = labelled(labellers.permuted_labeller)
    assert sizes == SIZES and not np.array_equal(rows, labels)
    for column, size in enumerate(SIZES):
        pairs = set(zip(rows[:, column], labels[:, column], strict=True))
        assert len(pairs) == size == len({label for _, label in pairs})


def test_partial_labels_are_some_factors():
    rows, labels, sizes = labelled(labellers.partial_labeller, num_observed_factors=2)
    columns = [SIZES.index(size) for size in sizes]
    assert len(set(columns)) == 2
    np.testing.assert_array_equal(labels, rows[:, columns])


def test_partial_labels_are_two_factors_if_nothing_is_said():
    drawn, told = (
        labelled(labellers.partial_labeller, seed=5, **count)[1] for count in ({}, {"num_observed_factors": 2})
    )
    np.testing.assert_array_equal(drawn, told)


@pytest.mark.parametrize("chosen", [["hue", "size"], [2, 0], ["hue", 0]])
def test_partial_labels_are_the_factors_named(monkeypatch, chosen):
    monkeypatch.setattr(Data, "factor_names", ["size", "angle", "hue"], raising=False)
    rows, labels, sizes = labelled(labellers.partial_labeller, factors=chosen)
    assert sizes == [SIZES[2], SIZES[0]]
    np.testing.assert_array_equal(labels, rows[:, [2, 0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"factors": ["hues"]}, "Unknown factor 'hues'. Did you mean 'hue'"),
        ({"factors": [3]}, "by position from 0 to 2; given: .3.. There are: size, angle, hue"),
        ({"factors": [-1]}, "partial_labeller.factors must be a list"),
        ({"factors": [1.0]}, "partial_labeller.factors must be a list"),
        ({"factors": ["hue", 2]}, "none twice"),
        ({"factors": []}, "one or more factors"),
        ({"factors": "hue"}, "must be a list .*given: 'hue'"),
        ({"factors": 1}, "must be a list .*given: 1"),
        ({"factors": ["hue"], "num_observed_factors": 1}, "both are given"),
        ({"num_observed_factors": 1.5}, "num_observed_factors must be from 1 to 3.*given: 1.5"),
    ],
)
def test_partial_labels_that_cannot_be(monkeypatch, options, message):
    monkeypatch.setattr(Data, "factor_names", ["size", "angle", "hue"], raising=False)
    with pytest.raises(errors.CausalDisentError, match=message):
        labelled(labellers.partial_labeller, **options)


@pytest.mark.parametrize(
    ("labeller", "options"),
    [
        (labellers.partial_labeller, {"num_observed_factors": 0}),
        (labellers.partial_labeller, {"num_observed_factors": 4}),
        (labellers.noisy_labeller, {"prob_random": 1.5}),
        (labellers.bin_labeller, {"num_bins": 0}),
    ],
)
def test_impossible_labellers(labeller, options):
    with pytest.raises(errors.InvalidInput, match=next(iter(options))):
        labelled(labeller, **options)


def test_annealers():
    steps = [0, 5, 10, 11, 30]
    assert [annealers.fixed(4.0, step, 10) for step in steps] == [4, 4, 4, 4, 4]
    assert [annealers.anneal(4.0, step, 10) for step in steps] == [0, 2, 4, 4, 4]
    assert [annealers.fine_tune(4.0, step, 10) for step in steps] == [0, 0, 0, 4, 4]
    weight = annealers.annealer(3.0, iteration_threshold=10, anneal_fn=annealers.anneal)
    assert weight(5) == 1.5
    with pytest.raises(errors.InvalidInput, match="iteration_threshold .* greater than 0"):
        annealers.annealer(3.0, iteration_threshold=0, anneal_fn=annealers.anneal)


@pytest.mark.parametrize(("name", "weights"), [("fixed", [3, 3]), ("fine_tune", [0, 3])])
def test_a_threshold_of_0(name, weights):
    """Only `anneal` divides by it."""
    with gin_config(bindings=[f"annealer.anneal_fn = @{name}", "annealer.iteration_threshold = 0"]):
        weight = annealers.annealer(3.0)
        assert [weight(step) for step in (0, 1)] == weights


@pytest.mark.parametrize(("name", "threshold"), [("anneal", 0), ("anneal", -1), ("fixed", -1), ("fine_tune", -1)])
def test_impossible_thresholds(name, threshold):
    lines = [f"annealer.anneal_fn = @{name}", f"annealer.iteration_threshold = {threshold}"]
    with gin_config(bindings=lines), pytest.raises(errors.InvalidInput, match="iteration_threshold must be a fin"):
        annealers.annealer(3.0)


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
    assert value(Cov(), codes, labels) == pytest.approx(expected)


def test_cov_is_exact_beside_a_large_diagonal():
    """Whose squares would swallow the others in single precision."""
    labels = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    codes = labels @ [[1e5, 0.25], [0.5, 2.0]]
    found = Cov()(torch.from_numpy(codes).float(), torch.from_numpy(labels).float()).item()
    assert found == pytest.approx(0.25**2 + 0.5**2)


@pytest.mark.parametrize("use_order", [False, True])
@pytest.mark.parametrize("sigma", [0.7, "learn"])
def test_embed(use_order, sigma):
    codes, labels = codes_and_labels()
    loss = Embed(4, SIZES, sigma, use_order, torch.Generator().manual_seed(0)).double()
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
    drawn = [Embed(3, sizes, "learn", use_order, torch.Generator().manual_seed(seed)) for seed in range(100)]
    for factor, size in enumerate(sizes):
        places = np.concatenate([loss.places[factor].detach().numpy() for loss in drawn])
        limit = math.sqrt(3 if use_order else 3 / size)
        assert len(places) == 100 * (2 if use_order else size)
        assert 0.95 * limit < np.abs(places).max() <= limit * (1 + 1e-6)
        assert places.std() == pytest.approx(limit / math.sqrt(3), rel=0.1)
    assert drawn[0].sigma.tolist() == [1, 1, 1]


def test_every_parameter_of_a_loss_is_learned():
    codes, labels = codes_and_labels()
    for loss in (L2(4, SIZES), Embed(4, SIZES, "learn", True), Embed(4, SIZES, "learn", False)):
        loss.double()(torch.from_numpy(codes), torch.from_numpy(labels)).backward()
        assert all(parameter.grad.abs().sum() > 0 for parameter in loss.parameters())


def test_too_few_codes_and_a_wrong_sigma():
    for loss in (Xent, L2):
        with pytest.raises(errors.InvalidInput, match="num_latent is 2"):
            loss(2, SIZES)
    with pytest.raises(errors.InvalidInput, match="'learn'"):
        Embed(4, SIZES, "learned")
