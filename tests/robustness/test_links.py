"""Links inside a stranger's folder lead nowhere else, unless the user names where."""

import json

import pytest

from causal_disent.cli.dlib import find_folders
from causal_disent.errors import InvalidInput
from causal_disent.files import inside, regular, within
from causal_disent.runs.aggregate import aggregate_results
from causal_disent.runs.results import read_scores, write_results
from causal_disent.runs.study_plan import _folders, scan
from causal_disent.runs.study_table import results_table

LEAVES = "it is a symbolic link, or behind one, that leaves"


def moved(folder, name):
    """Move a part of `folder` out of it, and have a link in its place."""
    outside = folder.parent / "outside"
    outside.mkdir()
    target = (folder / name).rename(outside / "secret")
    (folder / name).symlink_to(target)
    return outside


@pytest.fixture
def tree(tmp_path):
    for name in ("0", "1"):
        write_results(tmp_path / "tree" / name, "evaluation", {"score": 0.5}, "", {"evaluation.metric_fn": "@uc"})
    return tmp_path / "tree"


PARTS = ["1", "1/results", "1/results/aggregate", "1/results/aggregate/evaluation.json"]


@pytest.mark.parametrize("name", PARTS)
def test_results_behind_a_link_are_not_gathered(tree, name, monkeypatch):
    outside = moved(tree, name)
    pattern = f"{tree}/*/results/aggregate/evaluation.json"
    table, left_out = aggregate_results(pattern)
    assert len(table) == 1 and LEAVES in left_out[0][1]
    assert len(results_table(tree)) == 1
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", str(outside))
    table, left_out = aggregate_results(pattern)
    assert len(table) == 2 and not left_out


@pytest.mark.parametrize("name", ["results", "results/json", "results/json/evaluation_results.json"])
def test_scores_behind_a_link_are_not_read(tree, name):
    moved(tree / "1", name)
    with pytest.raises(InvalidInput, match=LEAVES):
        read_scores(tree / "1")


def test_a_pattern_finds_no_folder_elsewhere(tree, capsys):
    moved(tree, "1")
    with pytest.raises(InvalidInput, match=LEAVES):
        _folders([f"{tree}/*"])
    (tree / "2").mkdir()
    found = [place.name for _, place in find_folders(f"{tree}/*")]
    assert "2" in found and "1" not in found
    assert f"left out {tree}/1" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["1", "1/model", "1/run.json"])
def test_a_study_does_not_look_behind_links(tmp_path, name):
    for run in ("0", "1"):
        write_results(tmp_path / "study" / run / "model", "train", {}, "", {})
        (tmp_path / "study" / run / "run.json").write_text(json.dumps({"model": "m"}))
    moved(tmp_path / "study", name)
    found = scan(tmp_path / "study")
    assert found[0].what and found[0].done
    assert 1 not in found or not (found[1].what and found[1].done)


def test_links_within_the_folder_and_to_it_are_followed(tree):
    (tree / "2").symlink_to("1")
    (tree.parent / "link").symlink_to(tree)
    assert inside(tree, "2/results") == tree / "2/results"
    assert within(tree.parent / "link", tree.parent / "link/2/results")
    assert len(aggregate_results(f"{tree.parent}/link/*/results/aggregate/evaluation.json")[0]) == 3


def test_links_of_a_download_are_followed(tmp_path):
    """huggingface_hub keeps files in blobs/ and links to them from snapshots/<commit>/."""
    repository = tmp_path / "models--someone--model"
    snapshot = repository / "snapshots" / "0123"
    (repository / "blobs").mkdir(parents=True)
    snapshot.mkdir(parents=True)
    (repository / "blobs" / "abc").write_text("{}")
    (snapshot / "model.json").symlink_to("../../blobs/abc")
    assert regular(snapshot / "model.json") and inside(snapshot, "model.json")
    (tmp_path / "secret").write_text("{}")
    (snapshot / "other.json").symlink_to("../../../secret")
    with pytest.raises(InvalidInput, match=LEAVES):
        regular(snapshot / "other.json")
