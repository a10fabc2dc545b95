"""No command passes on a control character of a name from outside, or a line that the name forges."""

import pytest

from causal_disent.cli.dlib import dlib_aggregate_results as aggregate
from causal_disent.cli.dlib import dlib_evaluate as evaluate
from causal_disent.cli.dlib import dlib_udr as rank
from causal_disent.cli.main import main
from causal_disent.runs.results import write_results

#: A file may be called so.
NAME = "a\x1b[2J\x9b\u202e\r\nforged: 1.0000"


def printed(capsys):
    """What a command printed, after checking that nothing in it steers the terminal or begins a forged line."""
    found = capsys.readouterr()
    for text in found:
        assert all(character.isprintable() or character == "\n" for character in text)
        assert not any(line.startswith("forged") for line in text.splitlines())
    return found


@pytest.fixture
def model(oracle_folder):
    return oracle_folder(name=NAME)


def test_a_run_of_folders_and_configs(model, tmp_path, capsys):
    (tmp_path / f"{NAME}.gin").write_text("include 'metrics/uc.gin'\nuc.num_train = 50\n")
    flags = [f"--output_dir={tmp_path / 'out' / NAME}", f"--gin_config={tmp_path / NAME}.gin"]
    assert evaluate([f"--input_dir={model}", *flags]) == 0
    assert r"a\x1b[2J\x9b\u202e\r\nforged" in printed(capsys).out
    assert evaluate([f"--input_dir={model}", *flags]) == 2  # it is there already
    assert "exists" in printed(capsys).err
    assert evaluate([f"--input_glob={tmp_path}/a*1.0000", "--overwrite", *flags]) == 0
    assert "ok " in printed(capsys).out
    glob = [f"--gin_evaluation_config_glob={tmp_path}/*.gin", f"--output_dir={tmp_path / 'more'}"]
    evaluate([f"--input_dir={model}", *glob])
    printed(capsys)


RUN = ["--input_dir=model", "--output_dir=out", "--gin_config=metrics/uc.gin"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (evaluate, [f"--input_dir={NAME}", *RUN[1:]]),
        (evaluate, [*RUN, f"--gin_config={NAME}"]),
        (evaluate, [*RUN, f"--backend={NAME}"]),
        (evaluate, [*RUN, f"--gin_bindings=dataset.name = {NAME!r}"]),
        (evaluate, [*RUN, f"--gin_bindings={NAME}"]),
        (evaluate, [f"--{NAME}"]),
        (evaluate, [NAME]),
        (rank, [f"--model_dirs={NAME},{NAME}", "--output_directory=out", "--gin_config=metrics/udr.gin"]),
        (aggregate, [f"--result_file_pattern={NAME}", "--output_path=out.json"]),
        (main, [NAME]),
        (main, ["datasets", NAME]),
        (main, ["datasets", "verify", NAME]),
        (main, ["configs", NAME]),
        (main, ["check", NAME]),
        (main, ["score", NAME, NAME]),
    ],
)
def test_mistakes(command, words, oracle_folder, monkeypatch, capsys):
    monkeypatch.chdir(oracle_folder().parent)
    assert command(words) == 2
    assert "[2J" in printed(capsys).err


def test_what_is_left_out_of_an_aggregation(tmp_path, capsys):
    (tmp_path / f"{NAME}.json").write_text("{")
    (tmp_path / "good.json").write_text('{"a": 1}')
    aggregate([f"--result_file_pattern={tmp_path}/*.json", f"--output_path={tmp_path / 'all.json'}"])
    assert r"left out" in printed(capsys).err


def test_a_tree_of_results_and_its_page(tmp_path, capsys):
    pytest.importorskip("jinja2")
    bindings = {"evaluation.metric_fn": NAME, "dataset.name": repr(NAME), "representation.name": repr(NAME)}
    for folder in ("0", NAME):
        write_results(tmp_path / "tree" / folder, "evaluation", {NAME: 0.5}, "", bindings)
    assert main(["results", str(tmp_path / "tree")]) == 0
    assert r"data set a\x1b[2J\x9b\u202e\r\nforged" in printed(capsys).out
    assert main(["report", str(tmp_path / "tree"), f"--output={tmp_path / 'page.html'}"]) == 0
    printed(capsys)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert r"a\x1b[2J" in page and not any(character in page for character in "\x1b\x9b\u202e")
