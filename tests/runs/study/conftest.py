"""Small studies: folders with oracles of a tiny data set, and a plugin that worker processes find."""

import os
from pathlib import Path

import pytest

from causal_disent import Study, run_study
from causal_disent.runs.engine import LocalEngine

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """A folder that makes `trial_plugin` an installed plugin for whoever has it on the path."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "trial_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trial-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[causal_disent]\ntrial_plugin = trial_plugin\n")
    return folder


@pytest.fixture
def trial(site, tmp_path, monkeypatch):
    """Worker processes know the plugin, and nothing slow to import."""
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("CAUSAL_DISENT_PLUGINS", "trial_plugin")
    return Trial(tmp_path, site)


class Trial:
    """A folder with representations, and a study of them."""

    def __init__(self, folder, site):
        self.folder = folder
        self.output = folder / "study"
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(site), str(HERE)]),
            "CAUSAL_DISENT_PLUGINS": "trial_plugin",
        }

    def representations(self, *names):
        for name in names:
            folder = self.folder / "old" / name / "mean"
            folder.mkdir(parents=True)
            (folder / "representation.gin").write_text(
                f"representation.name = '{name.split('-')[0]}'\ndataset.name = 'tiny'\n"
            )
        return f"{self.folder}/old/*/mean"

    def metric(self, name, *lines):
        file = self.folder / f"{name}.gin"
        metric = name.split("-")[0]
        file.write_text(
            "\n".join([f"evaluation.evaluation_fn = @{metric}", "evaluation.random_seed = 0", *lines, ""])
        )
        return str(file)

    def study(self, *metrics, names=("perfect_oracle", "noise_oracle"), **settings):
        """A study of some oracles; the metrics are names, or configs that `metric` has written."""
        pattern = f"{self.folder}/old/*/mean" if (self.folder / "old").exists() else self.representations(*names)
        configs = [one if one.endswith(".gin") else self.metric(one) for one in metrics]
        return Study(metrics=configs, folders=pattern, **settings)

    def run(self, study, workers=2, **engine):
        return run_study(study, self.output, engine=LocalEngine(workers=workers, **engine))
