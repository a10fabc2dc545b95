"""What every metric that fits classifiers promises, called by the tests of each."""

import random

import numpy as np
from dlib_reference_fitted import NoisyMixture

from causal_disent.config import gin_config

FAST = ["predictor.predictor_fn = @histogram_boosting"]


def encode(observations):
    return np.asarray(observations)


def run(compute, seed, bindings=(), **parameters):
    """Scores on the noisy mixture, by the fastest estimator where gin chooses it."""
    with gin_config(bindings=[*FAST, *bindings]):
        return compute(NoisyMixture(), encode, np.random.RandomState(seed), **parameters)


def assert_repeatable_and_private(compute, **parameters):
    """The same seed gives the same scores, another one others, and no global generator moves."""
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    first, again, other = (run(compute, seed, **parameters) for seed in (0, 0, 1))
    assert first == again != other
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002
    return first


def bad_pairs():
    """(train, what the message says), each of which must be refused."""
    codes, factors = np.arange(12.0).reshape(6, 2), np.arange(12).reshape(6, 2) % 3
    with_nan = codes.copy()
    with_nan[2, 1] = np.nan
    return [
        ((with_nan, factors), "must be finite; point 2 has nan in column 1"),
        ((codes[:5], factors), "given: 5 and 6 rows"),
        ((codes[:0], factors[:0]), "at least one of each"),
        ((codes, factors + 0.5), "factors must be whole numbers that stand for classes"),
    ]


def mixture(num_points=400, seed=0):
    """Codes and factors of the noisy mixture."""
    factors, codes = NoisyMixture().sample(num_points, np.random.RandomState(seed))
    return codes, factors


def grid(repeats=20):
    """Every combination of three factors, as codes that are the factors and as factors."""
    rows = np.stack(np.unravel_index(np.arange(24), (3, 2, 4)), axis=1)
    factors = np.repeat(rows, repeats, axis=0)
    return factors.astype(float), factors
