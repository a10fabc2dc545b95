"""What the metrics that fix a factor promise alike."""

import numpy as np
import pytest
from dlib_reference import PlainCandle

from causal_disent import adapter
from causal_disent.data.view import view
from causal_disent.metrics import beta_vae_sklearn, factor_vae_score

SMALL = {"batch_size": 16, "num_train": 400, "num_eval": 200}

both = pytest.mark.parametrize("metric", [beta_vae_sklearn, factor_vae_score], ids=lambda metric: metric.__name__)


@both
def test_noise_is_chance(metric, random_state):
    codes, factors = random_state.normal(size=(1000, 4)), random_state.randint([3, 4, 5, 2], size=(1000, 4))
    assert metric(codes, factors, **SMALL).eval_accuracy < 0.4


@both
def test_each_distinct_image_is_encoded_once(metric, small_data, random_state):
    on_data = adapter.on_data(metric)
    on_data(small_data, lambda images: images.reshape(len(images), -1), random_state, **SMALL)
    assert small_data.num_observed == 12


@both
def test_confounded_data_never_shows_what_does_not_exist(metric, random_state):
    data = view(PlainCandle(), confounding="candle_color")
    allowed = {tuple(row) for row in data.sample_factors(20_000, random_state)[:, :2]}
    seen = set()

    def encode(images):
        factors = np.rint(np.asarray(images).reshape(len(images), 6) * 255)
        seen.update(map(tuple, factors[:, :2].astype(int)))
        return factors

    scores = adapter.on_data(metric)(data, encode, random_state, **SMALL)
    assert seen == allowed and len(allowed) < 25
    assert 0 <= scores["eval_accuracy"] <= 1
