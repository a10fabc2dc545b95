"""From settings to runs."""

import pytest

from causal_disent import Study, errors
from causal_disent.runs.study import kept_study, read_study
from causal_disent.runs.study_plan import expand

MIG = "metrics/mig.gin"


def test_every_combination_is_a_run_and_parameters_are_varied_where_they_belong():
    found = expand(
        Study(
            models=["models/beta_vae.gin", "models/factor_vae.gin"],
            datasets=["candle_mini", {"name": "candle_mini", "confounding": "candle_color", "scenes": 16}],
            seeds=[0, 7],
            vary={"vae.beta": [1, 4, 16], "uc.rho": [1, 5], "encoder.encoder_fn": ["@conv_encoder"]},
            metrics=["metrics/uc.gin", MIG],
        )
    )
    whats = [run.what for run in found.runs]
    assert len(whats) == (3 + 1) * 2 * 2 and len({run.key for run in found.runs}) == len(whats)
    assert {
        "model": "beta_vae",
        "dataset": "candle_mini confounding=candle_color scenes=16",
        "seed": 7,
        "varied": {"vae.beta": 16, "encoder.encoder_fn": "@conv_encoder"},
    } in whats
    assert [item.name for item in found.metrics] == ["uc_rho=1", "uc_rho=5", "mig"]
    assert found.metrics[1].stated["uc.rho"] == "5"
    run = next(
        run for run in found.runs if run.what["model"] == "factor_vae" and "confounding" in run.what["dataset"]
    )
    files, bindings = run.training()
    assert files == ("models/factor_vae.gin",)
    assert {
        "dataset.name = 'candle_mini'",
        "dataset.confounding = 'candle_color'",
        "candle_mini.scenes = 16",
        "encoder.encoder_fn = @conv_encoder",
        "model.random_seed = 0",
    } <= set(bindings)
    assert not any("vae.beta" in line for line in bindings if not line.startswith("factor"))


def test_all_seeds_that_a_config_binds_are_those_of_the_run():
    (run,) = expand(Study(models=["models/s2_vae.gin"], datasets=["candle_mini"], seeds=[5])).runs
    bound = run.stated
    seeds = ("model_seed", "unsupervised_data_seed", "supervised_data_seed")
    assert [bound[f"model.{name}"] for name in seeds] == ["5"] * 3 and "model.random_seed" not in bound


def test_bindings_go_to_the_configs_that_name_what_they_bind():
    study = Study(
        models=[
            "models/beta_vae.gin",
            {"config": "models/beta_vae.gin", "name": "own", "bindings": ["vae.beta = 9"]},
        ],
        datasets=["candle_mini"],
        metrics=[MIG, "metrics/irs.gin"],
        bindings=["vae.beta = 2", "mig.num_train = 50", "evaluation.random_seed = 3"],
    )
    found = expand(study)
    assert [model.stated["vae.beta"] for model in found.models] == ["2", "9"]  # one's own come last
    assert [metric.stated["evaluation.random_seed"] for metric in found.metrics] == ["3", "3"]
    assert "mig.num_train" not in found.metrics[1].stated and found.metrics[0].stated["mig.num_train"] == "50"


def test_what_is_bound_is_told_apart_and_how_it_is_written_is_not(tmp_path):
    (tmp_path / "mig.gin").write_text("# a comment\ninclude 'metrics/mig.gin'\n")
    one, same, other = (
        expand(Study(metrics=[config], folders=str(tmp_path), bindings=bindings)).metrics[0].digest
        for config, bindings in ((MIG, []), (str(tmp_path / "mig.gin"), []), (MIG, ["mig.num_train = 9"]))
    )
    assert one == same != other


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"models": "models/beta_vae.gin"}, "study.models must be a list"),
        ({"seeds": [0, 0]}, "`study.seeds` has a seed twice"),
        ({"seeds": [-1]}, "study.seeds"),
        ({"vary": ["vae.beta"]}, "study.vary must be a dict"),
        ({"vary": {"vae.beta": 4}}, r"study.vary\['vae.beta'\] must be a list"),
        ({"vary": {"vae.beta": []}}, "has no values"),
        ({"vary": {"vea.beta": [4]}}, "no config of the study names 'vea'. Did you mean 'vae'?"),
        ({"bindings": ["mgi.num_train = 4"]}, "no config of the study names 'mgi'. Did you mean 'mig'?"),
        ({"bindings": ["mig.num_train = "]}, "line 1"),
        ({"datasets": [{"confounding": "x"}]}, "is a name, or a dict with 'name'"),
        ({"datasets": []}, "The model 'beta_vae' has no data set"),
        ({"datasets": ["candle_mini", "candle_mini"]}, "`study.datasets` has 'candle_mini' twice"),
        ({"metrics": [MIG, MIG]}, "`study.metrics` has 'mig' twice.*give each a name"),
        ({"metrics": [{"name": "mig"}]}, "is a config, or a dict of config, name, bindings"),
        ({"metrics": [{"config": MIG, "nane": "x"}]}, "is a config, or a dict of config, name, bindings"),
        ({"metrics": [{"config": MIG, "name": "../mig"}]}, "'../mig' cannot be the name of a folder"),
        (
            {"metrics": ["metrics/migg.gin"]},
            "There is no config 'metrics/migg.gin'.*Did you mean 'metrics/mig.gin'",
        ),
        ({"bindings": ["mig.num_train = ["]}, "^`study.bindings`: a bracket or a string is not closed"),
        ({"metrics": [{"config": MIG, "bindings": ["]"]}]}, "^the bindings of 'mig', line 1"),
        ({"folders": "nowhere/*"}, "no folder matches nowhere"),
        ({"time_limit": 0}, "study.time_limit must be a finite number"),
        ({"time_limit": {"train": "x"}}, "study.time_limit must be a finite number"),
        ({"retries": -1}, "must be a whole number, at least 0"),
        ({"models": [], "metrics": []}, "A study needs `study.models`"),
    ],
)
def test_mistakes_are_told(settings, message):
    whole = {"models": ["models/beta_vae.gin"], "datasets": ["candle_mini"], "metrics": [MIG], **settings}
    with pytest.raises((errors.ConfigError, errors.InvalidInput), match=message):
        expand(Study(**whole))


def test_settings_as_a_config_are_the_same_settings(tmp_path):
    study = Study(
        models=["models/beta_vae.gin", {"config": "x.gin", "name": "y", "bindings": ["vae.beta = 1"]}],
        datasets=[{"name": "candle_mini", "confounding": None}],
        seeds=3,
        vary={"vae.beta": [1.5, 4], "encoder.encoder_fn": ["@fc_encoder"]},
        time_limit={"train": 60},
    )
    (tmp_path / "study.gin").write_text(study.as_config())
    assert read_study(tmp_path / "study.gin")[0] == study == kept_study(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not a study's folder: it has no study.gin"),
        ("import os\n", "only bindings"),
        ("study.models = [@vae()]\n", "only literal values"),
        ("study.modles = []\n", "does not hold the settings of a study.*modles"),
        ("model.model = 1\n", "does not hold the settings of a study.*model.model"),
    ],
)
def test_settings_in_a_strangers_folder_are_literals(tmp_path, text, message):
    if text is not None:
        (tmp_path / "study.gin").write_text(text)
    with pytest.raises((errors.ConfigError, errors.InvalidInput), match=message):
        kept_study(tmp_path)
