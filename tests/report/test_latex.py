"""Tables for LaTeX: what is bold, and that no name is a command."""

import json
import shutil
import subprocess

import pandas as pd
import pytest

from causal_disent.cli.main import main
from causal_disent.report.latex import results_latex
from causal_disent.report.table import latex_text
from causal_disent.runs.study_table import results_table


def write_runs(folder, values, name="'{model}'", metric="mig", score="discrete_mig"):
    """Result folders of models with a score for each seed."""
    for model, scores in values.items():
        for seed, value in enumerate(scores):
            content = {
                f"evaluation_results.{score}": value,
                "evaluation_config.evaluation.evaluation_fn": f"@{metric}",
                "evaluation_config.dataset.name": "'candle_mini'",
                "train_config.model.model": "@vae()",
                "train_config.model.name": name.format(model=model),
                "train_config.model.random_seed": str(seed),
                "train_config.dataset.name": "'candle_mini'",
            }
            place = folder / model / str(seed) / "results/aggregate"
            place.mkdir(parents=True)
            (place / "evaluation.json").write_text(json.dumps(content))
    return folder


def rows_of(text):
    return {line.split(" & ")[0]: line for line in text.splitlines() if " & " in line}


SEEDS = range(8)


def test_the_best_is_bold_where_it_is_really_better(tmp_path):
    values = {"good": [0.6 + s / 100 for s in SEEDS], "poor": [0.3 + s / 90 for s in SEEDS]}
    rows = rows_of(results_latex(results_table(write_runs(tmp_path, values))))
    assert rows["good"] == r"good & \textbf{0.635 $\pm$ 0.024} \\"
    assert "textbf" not in rows["poor"]


@pytest.mark.parametrize(
    "values",
    [
        {"one": [0.6, 0.3, 0.5, 0.2, 0.6, 0.4, 0.5, 0.4], "two": [0.5, 0.4, 0.4, 0.3, 0.5, 0.5, 0.4, 0.45]},
        {"one": [0.9, 0.8], "two": [0.1, 0.2]},  # two seeds decide nothing
        {"alone": [0.9, 0.8, 0.7]},
        {
            "one": [0.9 + s / 100 for s in SEEDS],
            "two": [0.9 + s / 100 for s in SEEDS],
            "three": [0.1 + s / 100 for s in SEEDS],
        },
    ],
)
def test_nothing_is_bold_where_the_best_may_be_chance(tmp_path, values):
    assert "textbf" not in results_latex(results_table(write_runs(tmp_path, values)))


def test_lower_is_better_where_the_metric_says_so(tmp_path):
    values = {"high": [0.6 + s / 100 for s in SEEDS], "low": [0.3 + s / 90 for s in SEEDS]}
    table = results_table(write_runs(tmp_path, values)).assign(better="lower")
    rows = rows_of(results_latex(table))
    assert "textbf" in rows["low"] and "textbf" not in rows["high"]


def test_names_are_no_commands(tmp_path):
    table = results_table(write_runs(tmp_path, {"a": [0.5]}, name=r"'\\input{{x}} $%\n_^~&#'"))
    text = results_latex(table)
    (name,) = [name for name in rows_of(text) if name != "model"]
    assert r"\textbackslash{}input\{x\}" in name and text.count(r"\begin") == 1
    assert all(line.startswith(("%", "\\", "model")) or line.endswith(r"\\") for line in text.splitlines())
    assert latex_text("a\\b{c}_~^±") == r"a\textbackslash{}b\{c\}\_\textasciitilde{}\textasciicircum{}$\pm$"


def test_a_document_with_it_compiles(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    table = results_latex(results_table(write_runs(tmp_path / "runs", {"a_b": [0.5, 0.4], "c": [0.5, 0.1]})))
    document = (
        rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{chr(10)}{table}\end{{document}}"
    )
    (tmp_path / "d.tex").write_text(document)
    subprocess.run(["pdflatex", "-interaction=batchmode", "d.tex"], cwd=tmp_path, check=True)


def test_the_command_prints_and_writes(tmp_path, capsys):
    runs = write_runs(tmp_path / "runs", {"=a": [0.5, 0.25], "b": [0.5, 0.25]})
    assert main(["results", str(runs), "--format", "latex", "--output", str(tmp_path / "t.tex")]) == 0
    printed = capsys.readouterr().out
    assert printed == (tmp_path / "t.tex").read_text() and r"\toprule" in printed
    assert main(["results", str(runs), "--format", "csv"]) == 0
    assert ",'=a," in capsys.readouterr().out
    assert main(["results", str(runs), "--format", "markdown"]) == 0
    assert "|---|" in capsys.readouterr().out
    assert main(["results", str(runs), "--format", "parquet", "--output", str(tmp_path / "t.parquet")]) == 0
    assert capsys.readouterr().out == "" and len(pd.read_parquet(tmp_path / "t.parquet")) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format", "latex", "--published", "aaai_1"],
        ["--output", "t.tex", "--published", "aaai_1"],
        ["--format", "parquet"],
        ["--format", "parquet", "--output", "t.csv"],
        ["--output", "t.docx"],
    ],
)
def test_what_does_not_go_together(tmp_path, arguments, capsys):
    runs = write_runs(tmp_path / "runs", {"a": [0.5]})
    assert main(["results", str(runs), *arguments]) == 2


def test_a_name_does_not_end_a_cell_of_markdown(tmp_path, capsys):
    runs = write_runs(tmp_path / "runs", {"a|b": [0.5]})
    assert main(["results", str(runs), "--format", "markdown"]) == 0
    assert r"| a\|b | 0.500 |" in capsys.readouterr().out


def test_an_output_of_another_kind_is_refused_before_anything_is_printed(tmp_path, capsys):
    runs = write_runs(tmp_path / "runs", {"a": [0.5]})
    assert main(["results", str(runs), "--output", str(tmp_path / "t.txt")]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and ".tex" in printed.err
