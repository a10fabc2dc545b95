import json

import pytest

from causal_disent.cli.dlib import dlib_udr as main

FAST = ["--gin_config", "metrics/udr.gin", "--gin_bindings", "udr_sklearn.num_data_points = 100"]
DATA = "dataset.name = 'candle_mini'\n"


@pytest.fixture
def folders(oracle_folder):
    """Two models that agree, and one that mixes the factors."""
    return [
        oracle_folder(f"representation.name = 'perfect_oracle'\n{DATA}", "perfect"),
        oracle_folder(f"representation.name = 'permuted_oracle'\npermuted_oracle.seed = 3\n{DATA}", "permuted"),
        oracle_folder(f"representation.name = 'mixed_oracle'\nmixed_oracle.strength = 0.7\n{DATA}", "mixed"),
    ]


def test_ranking(folders, tmp_path, capsys):
    arguments = [part for folder in folders for part in ("--model_dirs", str(folder))]
    binding = ["--gin_bindings", "udr_sklearn.correlation_matrix = 'spearman'"]
    assert main([*arguments, "--output_directory", str(tmp_path / "out"), *FAST, *binding]) == 0
    ranked = [line.split()[0].rsplit("/")[-1] for line in capsys.readouterr().out.splitlines()[2:5]]
    assert ranked[-1] == "mixed"
    saved = json.loads((tmp_path / "out/results/json/udr_results.json").read_text())
    perfect, permuted, mixed = saved["model_scores"]
    assert min(perfect, permuted) > mixed
    assert saved["model_dirs"] == [str(folder) for folder in folders]
    # Folders separated by commas, as disentanglement_lib has them.
    joined = ",".join(map(str, folders))
    assert main(["--model_dirs", joined, "--output_directory", str(tmp_path / "again"), *FAST, *binding]) == 0
    again = json.loads((tmp_path / "again/results/json/udr_results.json").read_text())
    assert again["model_scores"] == saved["model_scores"]


@pytest.mark.parametrize(
    ("count", "extra", "message"),
    [
        (1, ["--output_directory", "out"], "name at least two; given: 1"),
        (2, [], "--output_directory is needed"),
        (0, ["--output_directory", "out"], "name at least two; given: 0"),
    ],
)
def test_mistakes(count, extra, message, folders, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    arguments = [part for folder in folders[:count] for part in ("--model_dirs", str(folder))]
    assert main([*arguments, *extra, *FAST]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_model_is_never_replaced(folders, capsys):
    arguments = [part for folder in folders for part in ("--model_dirs", str(folder))]
    assert main([*arguments, "--output_directory", str(folders[1]), "--overwrite", *FAST]) == 2
    assert "would be lost" in capsys.readouterr().err
    assert (folders[1] / "representation.gin").is_file()


def test_help(capsys):
    assert main(["--help"]) == 0
    assert "--model_dirs" in capsys.readouterr().out
