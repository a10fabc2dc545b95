"""The studies of tables 9 and 10: what they train and measure, and which published numbers stand beside."""

import json

import pytest

from causal_disent.report.published import published, published_models
from causal_disent.runs.study import read_study
from causal_disent.runs.study_plan import expand
from causal_disent.runs.study_table import results_table, results_text

pytest.importorskip("torch")
TABLES = {"studies/table9.gin": "shadow_9", "studies/table10.gin": "shadow_10"}


@pytest.mark.parametrize("config, table", TABLES.items())
def test_each_study_has_the_six_models_of_its_table_and_three_seeds(config, table):
    study, _ = read_study(config)
    plan = expand(study)
    known = published_models()
    wanted = {known[model]["registered"] for model in published(table)["model"]}
    trained = {item.stated["model.model"].strip("@()") for item in plan.models}
    assert trained == wanted and len(plan.runs) == 6 * 2 * 3
    assert {run.stated["model.training_steps"] for run in plan.runs} == {"600"}


@pytest.mark.parametrize("config", TABLES)
def test_models_learn_from_training_images_and_are_measured_on_test_images(config):
    plan = expand(read_study(config)[0])
    for data in plan.datasets:
        name = data.stated["dataset.name"].strip("'")
        assert data.stated[f"{name}.split"] == "'train'"
        assert plan.metrics[0].stated[f"{name}.split"] == "'test'"
    stated = [run.stated for run in plan.runs if "causal_decoder.concepts" in run.stated]
    assert all(int(one["encoder.num_latent"]) % int(one["causal_decoder.concepts"]) == 0 for one in stated)


def test_both_lights_of_shadow_mini_find_their_rows_of_table_10(tmp_path):
    for number, light in enumerate(("sun", "point")):
        content = {
            "train_config.model.model": "@do_vae()",
            "train_config.model.name": "'do_vae'",
            "train_config.dataset.name": "'shadow_mini'",
            "train_config.shadow_mini.light": repr(light),
            "evaluation_config.dataset.name": "'shadow_mini'",
            "evaluation_config.evaluation.evaluation_fn": "@crl_scores",
            "evaluation_results.F1_MIC": 0.1,
        }
        folder = tmp_path / str(number) / "metrics/mean/crl/results/aggregate"
        folder.mkdir(parents=True)
        (folder / "evaluation.json").write_text(json.dumps(content))
    table = results_table(tmp_path)
    assert list(table["original"]) == ["shadow_sunlight", "shadow_pointlight"]
    rows = results_text(table, "shadow_10").splitlines()[3:5]
    for row, name in zip(rows, table["original"], strict=True):
        (number,) = published("shadow_10", dataset=name, model="DoVAE", metric="F1_MIC").to_dict("records")
        assert f"({number['value']:.3f} ± {number['spread']:.3f})" in row
