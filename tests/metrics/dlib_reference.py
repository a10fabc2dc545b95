"""The cases of ``tests/reference/dlib_scores_plain.json``: data, encoders, scores of disentanglement_lib.

``benchmarks/reference_scores_plain.py`` writes the file with the original's code; the tests read it.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from causal_disent.data.candle_mini.drawing import VALUE_NAMES
from causal_disent.data.dummy import DummyData, IdentityData
from causal_disent.data.factorial import FactorialData
from causal_disent.data.state_space import StateSpace
from causal_disent.representation.oracles import extra_noise_oracle, mixed_oracle, perfect_oracle

PATH = Path(__file__).resolve().parent.parent / "reference" / "dlib_scores_plain.json"
MIXING = np.random.RandomState(7).normal(size=(10, 8))


class PlainCandle(FactorialData):
    """candle_mini's factors with images of six pixels: an oracle's codes are the same, and drawing is free."""

    def __init__(self):
        values = {**VALUE_NAMES, "scene": VALUE_NAMES["scene"][:3]}
        super().__init__(StateSpace(values), (1, 6, 1))

    def pixels(self, indices):
        return self.space.to_factors(indices).astype(np.uint8).reshape(-1, 1, 6, 1)


def identity(observations):
    return np.asarray(observations, dtype=np.float64)


def mixed(observations):
    # Not a matrix product: its rounding depends on how many rows there are.
    return np.tanh((identity(observations)[:, :, None] * MIXING).sum(axis=1) / 20.0)


def mixed32(observations):
    return mixed(observations).astype(np.float32)


def duplicated(observations):
    return np.repeat(identity(observations)[:, :5], 2, axis=1)


def with_constant(observations):
    codes = identity(observations)
    codes[:, 3] = 0.1
    return codes


def quadrants(images):
    return np.asarray(images).reshape(len(images), 2, 32, 2, 32).mean(axis=(2, 4)).reshape(len(images), 4)


PLAIN_ENCODERS = {f.__name__: f for f in (identity, mixed, mixed32, duplicated, with_constant, quadrants)}
ORACLES = {
    "perfect_oracle": perfect_oracle,
    "mixed_oracle": lambda data: mixed_oracle(data, strength=0.5),
    "extra_noise_oracle": extra_noise_oracle,
}
DATA = {"identity_data": IdentityData, "dummy_data": DummyData, "candle_mini": PlainCandle}


def encoder(name, data):
    return PLAIN_ENCODERS[name] if name in PLAIN_ENCODERS else ORACLES[name](data)


@cache
def data_and_encoder(data_name, encoder_name):
    data = DATA[data_name]()
    return data, encoder(encoder_name, data)


def reference_cases(metric):
    """The recorded cases of one metric, each a dictionary."""
    cases = json.loads(PATH.read_text())["cases"]
    return [case for case in cases if case["metric"] == metric]


def case_name(case):
    """What a test of it is called."""
    extra = [f"{name}={value}" for name, value in case["bindings"].items()]
    flags = ["continuous"] if case["parameters"].get("continuous_factors") else []
    return "-".join([case["data"], case["encoder"], str(case["seed"]), *extra, *flags])


def fixed_points(data, num, seed):
    """Observations (points, ...) and labels (factors, points), as the ``*_validation`` metrics take them."""
    factors, observations = data.sample(num, np.random.RandomState(seed))
    return observations, factors.T


def recomputed(case, compute):
    """`compute` on the case: what ought to equal ``case["scores"]``."""
    data, encode = data_and_encoder(case["data"], case["encoder"])
    parameters = dict(case["parameters"])
    if case["metric"].endswith("_validation"):
        return compute(*fixed_points(data, parameters.pop("num_points"), case["seed"]), encode, **parameters)
    return compute(data, encode, np.random.RandomState(case["seed"]), **parameters)
