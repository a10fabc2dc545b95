"""BibTeX for papers that report scores."""

import re

import pytest

from causal_disent import errors
from causal_disent.cli.main import main
from causal_disent.registry import registry
from causal_disent.report.citations import PAPERS, SOFTWARE, _entries, bibtex_of


def test_every_paper_has_an_entry_and_is_of_a_metric():
    entries = _entries()
    assert {key for keys in PAPERS.values() for key in keys} | {SOFTWARE} == set(entries)
    assert set(PAPERS) <= {entry.name for kind in ("metrics", "parts") for entry in registry.entries(kind)}


@pytest.mark.parametrize("entry", _entries().values(), ids=list(_entries()))
def test_an_entry_is_bibtex(entry):
    assert re.match(r"@\w+\{\w+,\n", entry) and entry.endswith("}\n")
    assert entry.count("{") == entry.count("}")
    assert {"title", "author"} <= set(re.findall(r"^  (\w+) += \{", entry, flags=re.M))


def test_the_ids_are_those_of_the_docstrings():
    pages = {name: registry.get("metrics", name).load().__doc__ or "" for name in registry.names("metrics")}
    for name, page in pages.items():
        for paper in re.findall(r"arXiv:(\d{4}\.\d{4,5})", page):
            assert any(paper in _entries()[key] for key in PAPERS.get(name, ())), (name, paper)


def test_the_command(capsys):
    assert main(["cite", "uc", "irs"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("@") == 3 and "2112.05746" in printed and "VERSION" not in printed
    assert main(["cite", "migg"]) == 2
    assert "mig" in capsys.readouterr().err
    with pytest.raises(errors.UnknownName):
        bibtex_of(["nothing"])
