"""README and docs say what is true."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from causal_disent.config_files import shipped_configs
from causal_disent.data.rule_sets import RULE_SETS
from causal_disent.registry import registry
from causal_disent.report.metric_docs import metrics_page

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_page_on_metrics_is_current():
    assert (ROOT / "docs/metrics.md").read_text() == metrics_page()


def words_and_numbers(text):
    """Text apart from its numbers, whose last digits are not the same on all processors, and the numbers."""
    number = r"(?<!\w)\d+\.\d+"
    return re.sub(number, "", text).split(), [float(found) for found in re.findall(number, text)]


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        found
        for page in ("README.md", "docs/confounding.md", "docs/your_own_data.md")
        for found in re.findall(
            r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", (ROOT / page).read_text(), flags=re.S
        )
    ],
)
def test_the_python_blocks_run(code, printed, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert all(number in out for number in re.findall(r"# (\d+\.\d+)\.\.\.", code))
    if printed:
        words, numbers = words_and_numbers(out)
        expected_words, expected_numbers = words_and_numbers(printed)
        assert words == expected_words
        assert numbers == pytest.approx(expected_numbers, abs=0.02)


def test_the_commands_of_the_readme_run(tmp_path):
    text = (ROOT / "README.md").read_text()
    block = re.search(r"    mkdir model.*?(?=\n\n)", text, flags=re.S)[0]
    script = block.replace("dlib_evaluate", f"{sys.executable} -m causal_disent.cli.dlib_evaluate")
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "rho=2:UC" in done.stdout and (tmp_path / "result/results").is_dir()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\((?!http)(.*?)\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_the_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"make (demo|test|bench|\w+)(?=`|  )", (ROOT / "README.md").read_text()):
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_every_data_set_has_a_section():
    sections = re.findall(r"^## (.*)$", (ROOT / "docs/datasets.md").read_text(), flags=re.M)
    described = {name for section in sections for name in section.split(", ")}
    ours = ("builtin", "causal_disent_candle", "causal_disent_crl", "causal_disent_datasets")
    assert {entry.name for entry in registry.entries("datasets") if entry.owner in ours} <= described


def test_the_pictures_of_the_data_sets_are_small():
    scripts = [runpy.run_path(str(ROOT / f"docs/{script}.py")) for script in ("draw_datasets", "draw_crl")]
    for name in (name for script in scripts for name in script["PICTURES"]):
        assert 1000 < (ROOT / f"docs/images/{name}.png").stat().st_size < 100_000
        assert f"images/{name}.png" in (ROOT / "docs/datasets.md").read_text()


def test_every_rule_set_is_listed():
    text = (ROOT / "docs/confounding.md").read_text()
    assert all(f"`{name}`" in text for name in RULE_SETS)


def test_every_config_named_in_the_readme_is_shipped():
    for name in re.findall(r"--gin_config (\S+)", (ROOT / "README.md").read_text()):
        assert name in shipped_configs()
