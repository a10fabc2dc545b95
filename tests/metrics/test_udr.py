"""Tests of `causal_disent.metrics.udr`."""

import random

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import Lasso
from sklearn.preprocessing import StandardScaler

from causal_disent import adapter, errors
from causal_disent.config import gin_config
from causal_disent.data.dummy import DummyData
from causal_disent.metrics.udr import gaussian_kl, relative_strength, udr_sklearn
from causal_disent.registry import registry

on_data = adapter.on_data(udr_sklearn)

METHODS = ["lasso", "spearman"]


@pytest.fixture
def codes(random_state):
    return random_state.uniform(size=(1000, 6))


def relabelled(codes):
    return codes[:, [3, 1, 5, 0, 2, 4]] * [1, -1, 1, 1, -1, -1]


def by_definition(first, second, method):
    """One entry of the pairwise scores, without masks."""
    first, second = (StandardScaler().fit_transform(codes) for codes in (first, second))
    if method == "lasso":
        matrix = np.abs(Lasso(alpha=0.1).fit(first, second).coef_).T
    else:
        matrix = np.abs([[spearmanr(a, b).statistic for b in second.T] for a in first.T])
    scores = [matrix.max(axis=axis) ** 2 / matrix.sum(axis=axis) for axis in (0, 1)]
    return (scores[0].mean() + scores[1].mean()) / 2, matrix


@pytest.mark.parametrize("method", METHODS)
def test_equals_the_definition(codes, random_state, method):
    models = [codes, relabelled(codes), codes @ random_state.normal(size=(6, 6))]
    result = udr_sklearn(models, correlation=method)
    for i in range(3):
        for j in (j for j in range(3) if j != i):
            score, matrix = by_definition(models[i], models[j], method)
            assert result.pairwise[i, j] == pytest.approx(score, abs=1e-9)
            np.testing.assert_allclose(result.correlations[i][j], matrix, atol=1e-9)
    wanted = [np.median(np.delete(result.pairwise[:, j], j)) for j in range(3)]
    np.testing.assert_array_equal(result.scores, wanted)


@pytest.mark.parametrize("method", METHODS)
def test_order_and_sign_do_not_matter(codes, method):
    assert (udr_sklearn([codes, relabelled(codes), codes], correlation=method).scores > 0.8).all()


@pytest.mark.parametrize("method", METHODS)
def test_noise_and_mixtures_rank_below(codes, random_state, method):
    noise = random_state.uniform(size=codes.shape)
    mixture = codes @ random_state.normal(size=(6, 6))
    scores = udr_sklearn([codes, relabelled(codes), codes, noise, mixture], correlation=method).scores
    assert scores[:3].min() > scores[4] > scores[3] and scores[3] < 0.1


def test_duplicated_codes_rank_below(codes):
    doubled = codes[:, [0, 0, 1, 1, 2, 2]]
    assert udr_sklearn([doubled, doubled], correlation="spearman").scores[0] < 0.6


def test_codes_without_divergence_are_left_out(codes, random_state):
    models = [np.hstack([codes[:, :1], random_state.uniform(size=(1000, 5))]) for _ in range(2)]
    kl = [np.array([1.0, 0, 0, 0, 0, 0])] * 2
    assert (udr_sklearn(models, kl).scores > 0.8).all()
    assert (udr_sklearn(models, kl, filter_low_kl=False).scores < 0.2).all()


@pytest.mark.parametrize("method", METHODS)
def test_models_without_a_single_active_code_score_nothing(codes, method):
    dead = [np.zeros(6)] * 2
    assert udr_sklearn([codes, codes], dead, correlation=method).scores.tolist() == [0, 0]
    constant = np.full((1000, 6), 0.1)
    assert udr_sklearn([constant, codes], correlation=method).scores.tolist() == [0, 0]


def test_models_may_have_different_numbers_of_codes(codes):
    result = udr_sklearn([codes, codes[:, :4]], correlation="spearman")
    assert result.correlations[0][1].shape == (6, 4) and result.correlations[1][0].shape == (4, 6)


def test_relative_strength_by_hand():
    assert relative_strength(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])) == pytest.approx(2 / 3)
    assert relative_strength(np.zeros((3, 3))) == relative_strength(np.zeros((0, 3))) == 0.0


def encoder(shift):
    def represent(images):
        means = images.reshape(len(images), -1)[:, :5] * 4 - 2 + shift
        return means, gaussian_kl(means, np.zeros_like(means))

    return represent


def test_sampled_points():
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    runs = [
        on_data(DummyData(), [encoder(0.0), encoder(0.1)], np.random.RandomState(seed), num_data_points=200)
        for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002
    assert set(runs[0]) == {"raw_correlations", "pairwise_disentanglement_scores", "model_scores"}
    assert np.shape(runs[0]["raw_correlations"]) == (2, 2, 5, 5)
    assert np.shape(runs[0]["pairwise_disentanglement_scores"]) == (2, 2, 1)
    assert min(runs[0]["model_scores"]) > 0.7


def test_gin_binds_it():
    bindings = ["udr_sklearn.include_raw_correlations = False", "udr_sklearn.correlation_matrix = 'spearman'"]
    with gin_config(bindings=bindings):
        scores = registry.function("parts", "udr_sklearn")(
            DummyData(), [encoder(0.0)] * 2, np.random.RandomState(0), batch_size=10, num_data_points=50
        )
    assert set(scores) == {"pairwise_disentanglement_scores", "model_scores"}


def test_messages(codes):
    cases = [
        (([codes],), {}, "at least two; given: 1"),
        (([codes, codes[:10]],), {}, "encode the same points; given: 10, 1000 rows"),
        (([codes, codes], [np.ones(6)]), {}, r"an array per model \(2\); given: 1"),
        (([codes, codes], [np.ones(6), np.ones(5)]), {}, r"`kl\[1\]` must hold a number for each of the 6 codes"),
        (([codes, np.full((1000, 6), np.nan)],), {}, r"`codes\[1\]` must be finite"),
        (([np.zeros((0, 2))] * 2,), {}, "at least one of each"),
    ]
    for arguments, options, message in cases:
        with pytest.raises(errors.InvalidInput, match=message):
            udr_sklearn(*arguments, **options)
    with pytest.raises(errors.UnknownName, match="Did you mean 'spearman'"):
        udr_sklearn([codes, codes], correlation="speerman")
    with pytest.raises(errors.InvalidInput, match="multiple of `batch_size`; given: 25 and 10"):
        on_data(DummyData(), [encoder(0.0)] * 2, np.random.RandomState(0), num_data_points=25)
