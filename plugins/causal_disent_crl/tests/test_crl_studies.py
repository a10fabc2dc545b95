"""The studies of tables 9 and 10: what they train and measure, and which published numbers stand beside."""

import json

import pytest
from written_celeba import BEARD_COUNTS, files, write, write_images

from causal_disent.cli.main import main
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


def test_figure_7_varies_the_share_of_labels_of_the_models_that_take_labels():
    plan = expand(read_study("studies/celeba_7.gin")[0])
    shares = {}
    for item in plan.models:
        model = item.stated["model.model"].strip("@()")
        shares.setdefault(model, []).append(item.stated.get(f"{model}.labelled_fraction"))
    assert shares.pop("causal_vae") == shares.pop("condition_vae") == ["0.1", "0.2", "0.3", "0.4"]
    assert set(shares) == {"causal_vae_unsupervised", "vae", "ladder_vae", "do_vae"}
    assert {data.stated["celeba_beard.curation"] for data in plan.datasets} == {"'pairs'"}


def test_figure_7_ends_in_a_chart_over_the_share_of_labels(tmp_path, monkeypatch):
    """Train for two steps on files as CelebA has them, and measure one score."""
    pytest.importorskip("altair")
    number = sum(counts := tuple(-(-count // 150) for count in BEARD_COUNTS))
    folder = write(tmp_path / "celeba", counts=counts)
    write_images(folder, number)
    lines = [f"{file} {place % 3}" for place, file in enumerate(files(number))]
    (folder / "list_eval_partition.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(tmp_path))
    bindings = [
        "study.models = [{'config': 'models/causal_vae.gin', 'bindings': %small}]",
        "study.vary = {'causal_vae.labelled_fraction': [0.2, 0.4]}",
        "study.seeds = 1",
        "steps = 'model.training_steps = 2'",
        "study.metrics = [{'config': 'metrics/irs.gin', 'bindings': ['irs.num_train = 50']}]",
        "study.bindings = [%steps, 'model.batch_size = 4', 'model.eval_steps = 1']",
    ]
    words = [word for line in bindings for word in ("--gin_bindings", line)]
    assert main(["study", "studies/celeba_7.gin", "--output_dir", str(tmp_path / "out"), *words]) == 0
    table = results_table(tmp_path / "out")
    assert sorted(table["causal_vae.labelled_fraction"].astype(float)) == [0.2, 0.4]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "What do the varied values do?" in page and "causal_vae.labelled_fraction" in page
