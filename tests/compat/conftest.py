"""Files written for disentanglement_lib, and a command that runs them."""

import pytest

from causal_disent.cli.dlib_evaluate import main


@pytest.fixture
def write(tmp_path):
    def write(text, name="old.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def evaluate(oracle_folder, tmp_path, capsys):
    """A function that runs dlib_evaluate with metric files and bindings."""
    folder = oracle_folder()

    def evaluate(files, *bindings, output="out"):
        arguments = ["--input_dir", folder, "--output_dir", tmp_path / output, "--overwrite"]
        for file in files:
            arguments += ["--metric_file", file]
        for binding in ("evaluation.random_seed = 0", *bindings):
            arguments += ["--gin_bindings", binding]
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return evaluate
