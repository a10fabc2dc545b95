"""``dlib_evaluate --gin_config metrics/crl.gin``: all directions of one model in one folder and one table."""

import json

import pytest
from causal_disent_crl import plugin

from causal_disent.cli.dlib import dlib_evaluate as main
from causal_disent.registry import Register, registry

FEW = [
    "pendulum.split = 'test'",
    "pendulum.size = 64",
    "mcc.num_train = 200",
    "crl_scores.num_points = 200",
    "crl_scores.resamples = 4",
    "crl_scores.num_jobs = 1",
    "graph_recovery.num_points = 100",
    "composition.times = (1, 2)",
    "gae_discovery.rounds = 2",
    *(f"{name}.num_points = 12" for name in ("reconstruction", "composition", "reversibility", "effectiveness")),
    "minimality.num_points = 12",
]
DIRECTIONS = {
    "reconstruction:reconstruction_MAE",
    "mcc:MCC_pearson",
    "crl_scores:F1_MIC",
    "graph_recovery:edge_F1",
    "composition:composition",
    "reversibility:reversibility",
    "effectiveness:effectiveness_error",
    "minimality:minimality_CLD",
}


@pytest.fixture(autouse=True)
def registered():
    entries = []
    plugin.register_datasets(Register("datasets", "causal_disent_crl", entries.append))
    plugin.register_representations(Register("representations", "causal_disent_crl", entries.append))
    restores = [registry.replace(entry) for entry in entries]
    yield
    for restore in restores:
        restore()


def evaluate(tmp_path, model, *bindings, data="pendulum"):
    (tmp_path / "model").mkdir()
    lines = [f"representation.name = '{model}'", f"dataset.name = '{data}'"]
    (tmp_path / "model" / "representation.gin").write_text("\n".join(lines))
    arguments = ["--input_dir", str(tmp_path / "model"), "--output_dir", str(tmp_path / "out")]
    arguments += ["--gin_config", "metrics/crl.gin"]
    for binding in [*FEW, *bindings]:
        arguments += ["--gin_bindings", binding]
    return main(arguments)


def scores_in(folder):
    return json.loads((folder / "results" / "json" / "evaluation_results.json").read_text())


def test_all_directions_in_one_folder_and_one_table(tmp_path, capsys):
    assert evaluate(tmp_path, "causal_oracle") == 0
    scores = scores_in(tmp_path / "out")
    assert set(scores) >= DIRECTIONS
    assert scores["crl_scores:convention_estimator"] == "mic_approx"
    assert scores["crl_scores:convention_joint"] is False and "crl_scores:PosMIC_low" in scores
    assert scores["effectiveness:counterfactual_pixel_error"] < 1e-4 and scores["graph_recovery:SHD"] == 0
    table = (tmp_path / "out" / "scores.txt").read_text()
    assert table in capsys.readouterr().out
    assert {line.split()[0] for line in table.splitlines()[2:]} == {key.partition(":")[0] for key in DIRECTIONS}


def test_a_model_without_a_layer_is_measured_too_and_the_result_says_so(tmp_path):
    assert evaluate(tmp_path, "mixed_oracle") == 0
    scores = scores_in(tmp_path / "out")
    assert set(scores) >= DIRECTIONS
    how = "codes matched by spearman, layer discovered afterwards"
    assert scores["crl_scores:convention_concepts"] == scores["graph_recovery:concepts"] == how


@pytest.mark.parametrize(
    ("model", "data", "bindings", "message"),
    [
        (
            "missing_factor_oracle",
            "pendulum",
            [],
            "a concept for each of the 4 factors angle, light, length, position",
        ),
        ("perfect_oracle", "dummy_data", [], "finite data set"),
        ("perfect_oracle", "candle_mini", [], "no edge"),
        ("causal_oracle", "pendulum", ["crl_scores.num_points = 3"], "at least 4 points; given: 3"),
        *(
            (
                "perfect_oracle",
                "pendulum",
                [f"{metric}.discovery = None"],
                f"has none. Bind {metric}.discovery = 'gae_discovery'",
            )
            for metric in ("crl_scores", "graph_recovery")
        ),
        ("perfect_oracle", "pendulum", ["crl_scores.discovery = 3"], "or a function; given: 3"),
        ("causal_oracle", "pendulum", ["effectiveness.num_points = 1"], "Take more points"),
        ("causal_oracle", "pendulum", ["crl_scores.resamples = 1"], "two `resamples` or more"),
        ("causal_oracle", "pendulum", ["crl_scores.joint = 'no'"], "crl_scores.joint must be True or False"),
        (
            "causal_oracle",
            "pendulum",
            ["crl_scores.roles = 'effect'"],
            "crl_scores.roles must be a dict",
        ),
        ("causal_oracle", "pendulum", ["crl_scores.tap = 'w'"], "masked(codes)"),
        ("causal_oracle", "pendulum", ["effectiveness.predictor = 'nearest'"], "Did you mean 'nearest_image'"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(tmp_path, capsys, model, data, bindings, message):
    assert evaluate(tmp_path, model, *bindings, data=data) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
