"""README and docs say what is true."""

import re
import runpy
from pathlib import Path

import pytest

from causal_disent.data.rule_sets import RULE_SETS
from causal_disent.plugins import shipped_configs
from causal_disent.registry import registry
from causal_disent.report.metric_docs import metrics_page

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_page_on_metrics_is_current():
    assert (ROOT / "docs/metrics.md").read_text() == metrics_page()


def test_every_metric_says_what_can_be_believed_of_it():
    """Takes, range, chance, and what it was compared with; the figures of noise are those of the calibration."""
    page = (ROOT / "docs/metrics.md").read_text()
    noise = re.findall(r"^\| `(\w+)` \| .* \| (\S+) \|$", (ROOT / "docs/calibration.md").read_text(), flags=re.M)
    for entry in registry.entries("metrics"):
        if entry.owner != "builtin":
            continue
        section = page.partition(f"## `{entry.name}`\n")[2].partition("\n## ")[0]
        assert re.search(r"\nFirst `.*`, from \S+ to \S+, (higher|lower) is better. Takes: [a-z]", section)
        assert entry.facts["by_chance"] and f"By chance: {entry.facts['by_chance']}." in section
        assert entry.facts["compared"] and f"Compared with {entry.facts['compared']}." in section
        measured = [float(value) for name, value in noise if name == entry.name]
        for said in re.findall(r"\((\S+?)(?: and (\S+))? for noise", entry.facts["by_chance"]):
            for figure in map(float, filter(None, said)):
                assert any(figure == pytest.approx(value, abs=0.006) for value in measured), entry.name


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


def test_the_site_has_every_page_and_every_public_name():
    """What `make docs` builds, as far as it can be told without mkdocs."""
    text = (ROOT / "mkdocs.yml").read_text()
    named = set(re.findall(r": ([\w/]+\.md)$", text, flags=re.M))
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob("*.md")}
    pages |= {f"plugins/{path.parent.name}.md" for path in ROOT.glob("plugins/*/README.md")}
    assert named == pages | {"reference.md", "CONTRIBUTING.md", "CHANGELOG.md"}


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) <= 1000
