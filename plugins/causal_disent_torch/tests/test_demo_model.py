"""``causal-disent demo_model``, with little training."""

import json

import pytest
from causal_disent_torch.demo import MARK

from causal_disent.cli.main import main

SMALL = [
    "model.training_steps = 2",
    "model.eval_steps = 1",
    "conv_classifier.num_steps = 2",
    "conv_classifier.max_images = 200",
    "causal_disentanglement.num_train = 60",
    "dci.num_train = 100",
    "dci.num_test = 50",
    "visualize_model.num_train = 60",
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The classifier's accuracy")
def test_trains_measures_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CAUSAL_DISENT_CLASSIFIERS", str(tmp_path / "classifiers"))
    folder = tmp_path / "demo"
    assert main(["demo_model", "--output", str(folder), "--gin_bindings", *SMALL]) == 0, capsys.readouterr().err
    printed = capsys.readouterr().out
    table = [line.split() for line in printed.splitlines() if line.split()[:1] in (["1"], ["2"], ["5"])]
    for rho, row in zip((1, 2, 5), table, strict=True):
        file = folder / f"evaluation_rho_{rho}/results/json/evaluation_results.json"
        scores = {key.rpartition(":")[2]: value for key, value in json.loads(file.read_text()).items()}
        own = [f"{scores[key]:.3f}" for key in ("UC", "CG", "CG_chance", "CG_signed")]
        assert row == [str(rho), table[0][1], table[0][2], *own]
    assert printed.count("CG is judged by conv_classifier; of images that it has not seen it tells: object") == 1
    pictures = {path.suffix for path in (folder / "pictures").rglob("*") if path.is_file()}
    assert {".png", ".gif"} <= pictures
    assert (folder / MARK).is_file()


def test_a_folder_with_other_things_is_left_alone(tmp_path, capsys):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.txt").write_text("years of work")
    assert main(["demo_model", "--output", str(tmp_path)]) == 2
    assert "is not of an earlier demo" in capsys.readouterr().err
    assert (tmp_path / "model" / "thesis.txt").is_file() and not (tmp_path / MARK).exists()
