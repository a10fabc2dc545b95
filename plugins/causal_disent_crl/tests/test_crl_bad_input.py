"""``metrics/crl.gin`` on models and graphs that cannot be measured: one message, nothing written."""

import json

import networkx as nx
import numpy as np
import pytest
from causal_disent_crl.oracles import causal_oracle, linear_causal_oracle
from causal_disent_crl.pendulum import Pendulum

from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.registry import Entry, registry
from causal_disent.representation.oracles import mixed_oracle

FEW = [
    "mcc.num_train = 50",
    "crl_scores.num_points = 50",
    "crl_scores.resamples = 0",
    "crl_scores.num_jobs = 1",
    "crl_scores.floor_draws = 1",
    "graph_recovery.num_points = 50",
    "gae_discovery.rounds = 1",
    "gae_discovery.steps = 5",
    "composition.times = (1, 2)",
    *(f"{name}.num_points = 12" for name in ("reconstruction", "composition", "reversibility", "effectiveness")),
    "minimality.num_points = 12",
]
CYCLE = [("angle", "light"), ("light", "angle")]


class Few(Pendulum):
    """Pendulum's test images, with the graph of a test."""

    edges_of_test = None

    def __init__(self):
        super().__init__(split="test", size=64)

    @property
    def graph(self):
        return super().graph if self.edges_of_test is None else nx.DiGraph(self.edges_of_test)


def broken(value):
    """A causal model whose first concept always has this value."""

    def model(data):
        oracle = linear_causal_oracle(data)

        class Broken(type(oracle)):
            def __call__(self, images, /):
                return self._spoilt(super().__call__(images))

            def noise(self, images):
                return self._spoilt(super().noise(images))

            def _spoilt(self, codes):
                codes = np.array(codes)
                codes[:, 0] = value
                return codes

        oracle.__class__ = Broken
        return oracle

    return model


def evaluate(tmp_path, model, data, *bindings):
    """What ``dlib_evaluate`` returns for a model of these, either registered for now."""
    entries = [
        Entry("datasets", "few_pendulums", "tests", data, "", {}),
        Entry("representations", "model_of_test", "tests", model, "", {}),
    ]
    restores = [registry.replace(entry) for entry in entries]
    (tmp_path / "model").mkdir()
    lines = "representation.name = 'model_of_test'\ndataset.name = 'few_pendulums'\n"
    (tmp_path / "model/representation.gin").write_text(lines)
    arguments = ["--input_dir", str(tmp_path / "model"), "--output_dir", str(tmp_path / "out")]
    arguments += ["--gin_config", "metrics/crl.gin"]
    for binding in [*FEW, *bindings]:
        arguments += ["--gin_bindings", binding]
    try:
        return main(arguments)
    finally:
        for restore in restores:
            restore()


@pytest.mark.parametrize(
    ("model", "edges", "message"),
    [
        (broken(np.nan), None, "`codes` must be finite; point 0 has nan in column 0"),
        (
            mixed_oracle,
            [("wind", "angle")],
            "nodes are not the data set's factors: 'light' is a factor and no node",
        ),
        (
            mixed_oracle,
            [("angle", "light"), ("light", "angle")],
            "no cycles; this one has angle -> light -> angle",
        ),
        (
            causal_oracle,
            [("angle", "light"), ("light", "angle")],
            "no cycles; this one has angle -> light -> angle",
        ),
    ],
)
def test_one_message_and_nothing_written(model, edges, message, tmp_path, capsys):
    assert evaluate(tmp_path, model, type("Data", (Few,), {"edges_of_test": edges})) == 2
    said = capsys.readouterr().err
    assert said.count("error: ") == 1 and message in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_a_concept_that_never_varies_is_told_and_scores_nothing(tmp_path):
    with pytest.warns(UserWarning, match="the concepts of these causes never vary: angle"):
        assert evaluate(tmp_path, broken(0.0), Few) == 0
    scores = json.loads((tmp_path / "out/results/json/evaluation_results.json").read_text())
    assert scores["mcc:MCC_pearson"] == pytest.approx(0.75, abs=0.02)  # one of four factors has no code
    assert scores["crl_scores:NegMIC"] == 0 and np.isfinite(scores["crl_scores:F1_MIC"])
