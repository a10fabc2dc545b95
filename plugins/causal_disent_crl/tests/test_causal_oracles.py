"""Oracles obey their mechanism, and the counterfactual metrics know them for what they are."""

import numpy as np
import pytest
from causal_disent_crl import plugin
from causal_disent_crl.flow import Flow
from causal_disent_crl.oracles import causal_noise_oracle, causal_oracle, linear_causal_oracle
from causal_disent_crl.pendulum import Pendulum
from causal_disent_crl.shadow.mini import ShadowMini

from causal_disent import CausalFunctions, adapter, errors, get_dataset
from causal_disent.data import ArrayDataset
from causal_disent.metrics import (
    composition,
    effectiveness,
    graph_recovery,
    minimality,
    reconstruction,
    reversibility,
)
from causal_disent.registry import Register
from causal_disent.representation.oracles import perfect_oracle
from causal_disent.testing import parametrize_checks

ENTRIES = []
plugin.register_representations(Register("representations", "causal_disent_crl", ENTRIES.append))
PENDULUM, FLOW = Pendulum(split="test", size=64), Flow(split="test", size=64)
SHADOW = ShadowMini(positions=9, size=16, split="test")
DATA = {"pendulum": PENDULUM, "flow": FLOW, "shadow": SHADOW}


@parametrize_checks("representations", ENTRIES, {entry.name: {"data": PENDULUM} for entry in ENTRIES})
def test_every_oracle_passes_the_checks(check):
    check()


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("make", [causal_oracle, linear_causal_oracle, causal_noise_oracle])
def test_the_layer_makes_codes_of_noise_and_interventions_obey_the_graph(name, make):
    data = DATA[name]
    oracle = make(data)
    indices = data.factor_table.index.to_numpy()[:40:8]
    images = data.observations(indices)
    codes = oracle(images)
    np.testing.assert_allclose(oracle.causal_layer(oracle.noise(images)), codes, atol=1e-9)
    values = oracle.concept_values(codes)
    for place, factor in enumerate(data.factor_names):
        wanted = np.roll(data.factor_values(indices)[:, place], 1)
        after = oracle.concept_values(oracle.intervene(codes, {place: wanted}))
        np.testing.assert_allclose(after[:, place], wanted, atol=1e-9)
        moved = {data.factor_names[i] for i in np.flatnonzero(np.abs(after - values).max(axis=0) > 1e-9)}
        import networkx as nx

        assert moved <= {factor} | nx.descendants(data.graph, factor)
        if make is causal_oracle:
            np.testing.assert_allclose(after, data.counterfactual_values(indices, {factor: wanted}), atol=1e-9)


@pytest.mark.parametrize("name", DATA)
def test_what_the_true_oracle_draws_is_the_true_counterfactual(name):
    data = DATA[name]
    oracle = causal_oracle(data)
    indices = data.factor_table.index.to_numpy()[3:30:9]
    codes = oracle(data.observations(indices))
    np.testing.assert_array_equal(oracle.decode(codes), data.observations(indices))
    for place, factor in enumerate(data.factor_names):
        wanted = np.roll(codes[:, place], 1)
        images = oracle.decode(oracle.intervene(codes, {place: wanted}))
        apart = np.abs(images - data.counterfactual(indices, {factor: wanted}))
        assert apart.max() <= 1 / 255 + 1e-6  # the last bit of a value may round a pixel the other way
        np.testing.assert_allclose(oracle(images), oracle.intervene(codes, {place: wanted}))


def of(metric, data, model, **options):
    if metric not in (graph_recovery,):
        options = {"num_points": 24, **options}
    return adapter.on_data(metric)(data, model, np.random.RandomState(0), **options)


@pytest.mark.parametrize("name", DATA)
def test_the_true_oracle_is_perfect(name):
    data = DATA[name]
    oracle = causal_oracle(data)
    assert of(reconstruction, data, oracle, bootstrap=20)["reconstruction_MAE_high"] == 0
    assert of(composition, data, oracle, times=(1, 3))["composition_3"] < 1e-4
    assert of(reversibility, data, oracle)["reversibility"] < 1e-4
    scores = of(effectiveness, data, oracle)
    assert scores["counterfactual_pixel_error"] < 1e-4 and scores["counterfactual_value_error"] < 1e-9
    assert scores["effectiveness_error"] == pytest.approx(scores["effectiveness_error_of_truth"], abs=1e-3)
    scores = of(minimality, data, oracle, neighbours=20)
    assert scores["minimality_CLD"] == pytest.approx(scores["minimality_CLD_of_truth"], abs=1e-3)
    scores = of(graph_recovery, data, oracle, num_points=100)
    assert scores["edge_F1"] == 1 and scores["SHD"] == scores["SID"] == 0


def test_less_than_the_truth_scores_less():
    oracles = [
        causal_oracle(PENDULUM),
        linear_causal_oracle(PENDULUM, edges="empty"),
        causal_noise_oracle(PENDULUM),
        perfect_oracle(PENDULUM),
    ]
    true, empty, noise, codes = (of(effectiveness, PENDULUM, oracle, bootstrap=50) for oracle in oracles)
    errors_of = [scores["counterfactual_pixel_error"] for scores in (true, empty, noise)]
    assert errors_of == sorted(errors_of) and errors_of[1] > 0.005 and errors_of[2] > 1.5 * errors_of[1]
    assert empty["counterfactual_value_error"] > 0.02 < noise["counterfactual_value_error"]
    assert noise["effectiveness_error"] > 1.5 * true["effectiveness_error"]
    assert noise["counterfactual_pixel_error_low"] < errors_of[2] < noise["counterfactual_pixel_error_high"]
    # Codes without any layer are matched, and set as they are: as good as no edges.
    assert codes["counterfactual_pixel_error"] == pytest.approx(errors_of[1], abs=0.01)
    back = of(graph_recovery, PENDULUM, linear_causal_oracle(PENDULUM, edges="reversed"))
    assert back["edge_F1"] == 0 and (back["SHD"], back["SID"]) == (4, 12)


def test_a_model_of_functions_scores_as_the_model_that_has_them():
    oracle = linear_causal_oracle(PENDULUM)

    def encode(images):
        return oracle(images)

    encode.decode = oracle.decode  # type: ignore[attr-defined]
    parts = {"adjacency": oracle.adjacency, "concepts": oracle.concepts, "concept_names": oracle.concept_names}
    whole = CausalFunctions(encode, do=oracle.intervene, concept_values=oracle.concept_values, **parts)
    idle = CausalFunctions(encode, do=lambda codes, values: codes, concept_values=oracle.concept_values, **parts)
    for metric in (effectiveness, graph_recovery):
        assert of(metric, PENDULUM, whole) == of(metric, PENDULUM, oracle)
    error = "counterfactual_value_error"
    assert of(effectiveness, PENDULUM, idle)[error] > of(effectiveness, PENDULUM, whole)[error] + 0.02


def test_what_an_oracle_needs():
    with pytest.raises(errors.InvalidInput, match="true counterfactuals"):
        causal_oracle(ArrayDataset(np.zeros((2, 4, 4)), [[0], [1]]))
    with pytest.raises(errors.UnknownName, match="Did you mean 'reversed'"):
        linear_causal_oracle(PENDULUM, edges="reverse")
    with pytest.raises(errors.InvalidInput, match="image 0 of 1 is not among them"):
        causal_oracle(PENDULUM)(np.zeros((1, 64, 64, 4), dtype=np.float32))


def test_independent_factors_have_a_true_oracle():
    data = get_dataset("candle_mini", confounding="candle_color")
    scores = of(effectiveness, data, causal_oracle(data), num_points=24)
    assert scores["counterfactual_value_error"] == 0
    # The place of the object and the camera are not in the codes.
    assert 0 < scores["counterfactual_pixel_error"] < 0.1
    assert scores["effectiveness_error"] == pytest.approx(scores["effectiveness_error_of_truth"], abs=0.1)
    scores = of(minimality, data, causal_oracle(data), num_points=12)
    assert scores["minimality_CLD"] == pytest.approx(scores["minimality_CLD_of_truth"], abs=0.1)
    scores = of(composition, data, causal_oracle(data), num_points=12)
    assert scores["composition"] < 0.1
