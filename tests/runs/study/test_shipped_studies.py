"""The studies that are shipped: what they stand for, and that their configs are right."""

from pathlib import Path

import pytest

from causal_disent.plugins import shipped_configs
from causal_disent.runs.study import read_study
from causal_disent.runs.study_plan import make_plan
from causal_disent.runs.study_work import problems

#: Studies of data sets whose files are not here.
OF_FILES = {"studies/aaai_3.gin", "studies/aaai_11.gin", "studies/celeba_7.gin"}
STUDIES = [name for name in shipped_configs() if name.startswith("studies/")]


def test_all_are_looked_at():
    assert {"studies/quick.gin", "studies/table1.gin", "studies/table7.gin", "studies/beta.gin"} <= set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_every_config_of_it_is_right(name, tmp_path):
    pytest.importorskip("causal_disent_torch", reason="its models are those of plugins/causal_disent_torch")
    study, _ = read_study(name)
    plan = make_plan(study, tmp_path / "study")
    assert plan.counts()["waiting"] > 0 and study.report
    problem = problems(plan.checks())
    assert problem == "" or (name in OF_FILES and "cannot be found" in problem)


def test_table_1_has_the_papers_models():
    from causal_disent.report.published import published, published_models

    study, _ = read_study("studies/table1.gin")
    registered = {name: facts.get("registered") for name, facts in published_models().items()}
    wanted = {registered[model] for model in published("aaai_1")["model"]}
    from causal_disent.config import stated_bindings

    configs = [entry if isinstance(entry, str) else entry["config"] for entry in study.models]
    used = {stated_bindings([config], [])["model.model"].strip("@()") for config in configs}
    assert used == wanted and len(study.models) == 9


def tables_with_a_study():
    from causal_disent.report.published import published_settings, published_tables

    return [table.name for table in published_tables() if published_settings(table.name).study in STUDIES]


@pytest.mark.parametrize("table", tables_with_a_study())
def test_a_study_has_the_settings_that_the_paper_states(table, tmp_path):
    from causal_disent.checks import literal
    from causal_disent.report.published import published_settings

    settings = published_settings(table)
    study, _ = read_study(settings.study)
    plan = make_plan(study, tmp_path / "study")
    bound = {run.model.stated["model.model"].strip("@()"): run.model.stated for run in plan.expanded.runs}
    assert settings.stated.keys() <= bound.keys()
    for model, stated in settings.stated.items():
        found = {parameter: literal(bound[model][parameter]) for parameter in stated}
        assert found == stated, model
        if "model.labelled_fraction" in stated:  # all of these labels are for training
            assert literal(bound[model]["model.train_percentage"]) == 1


def test_models_of_table_1_differ_in_what_they_are_alone():
    """SS-Factor-VAE and SS-FVAE-BB can be compared: lambda is all that tells them apart."""
    study, _ = read_study("studies/table1.gin")
    plain, boxes = (
        {key.rpartition(".")[2]: value for key, value in run.model.stated.items() if not key.startswith("model.m")}
        for run in make_plan(study, Path("nowhere")).expanded.runs
        if run.model.name in ("s2_factor_vae", "s2_factor_vae_bb") and run.seed == 0
    )
    assert {key for key in boxes.keys() | plain.keys() if boxes.get(key) != plain.get(key)} == {
        "lambda_bb",
        "name",
    }


def test_the_number_of_steps_can_be_chosen():
    study, _ = read_study("studies/table1.gin", ["steps = 'model.training_steps = 7'"])
    assert "model.training_steps = 7" in study.bindings
