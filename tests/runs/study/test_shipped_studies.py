"""The studies that are shipped: what they stand for, and that their configs are right."""

import pytest

from causal_disent.plugins import shipped_configs
from causal_disent.runs.study import read_study
from causal_disent.runs.study_plan import make_plan
from causal_disent.runs.study_work import problems

STUDIES = [name for name in shipped_configs() if name.startswith("studies/")]


def test_all_are_looked_at():
    assert {"studies/quick.gin", "studies/table1.gin", "studies/table7.gin", "studies/beta.gin"} <= set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_every_config_of_it_is_right(name, tmp_path):
    pytest.importorskip("causal_disent_torch", reason="its models are those of plugins/causal_disent_torch")
    study, _ = read_study(name)
    plan = make_plan(study, tmp_path / "study")
    assert plan.counts()["waiting"] > 0 and study.report
    assert problems(plan.checks()) == ""


def test_table_1_has_the_papers_models():
    from causal_disent.report.published import published, published_models

    study, _ = read_study("studies/table1.gin")
    registered = {name: facts.get("registered") for name, facts in published_models().items()}
    wanted = {registered[model] for model in published("aaai_1")["model"]}
    from causal_disent.config import stated_bindings

    used = {stated_bindings([config], [])["model.model"].strip("@()") for config in study.models}
    assert used == wanted and len(study.models) == 9


def test_the_number_of_steps_can_be_chosen():
    study, _ = read_study("studies/table1.gin", ["steps = 'model.training_steps = 7'"])
    assert "model.training_steps = 7" in study.bindings
