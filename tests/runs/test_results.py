import json
from pathlib import Path

import numpy as np
import pytest

from causal_disent import errors
from causal_disent.files import check_free, new_file, new_folder
from causal_disent.runs.results import check_apart, plain, read_results, write_results


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_layout(tmp_path):
    write_results(tmp_path, "evaluation", {"IRS": np.float32(0.5)}, "irs.num_train = 3\n", {"irs.num_train": "3"})
    assert files(tmp_path) == [
        "results/aggregate/evaluation.json",
        "results/gin/evaluation.gin",
        "results/json/evaluation_config.json",
        "results/json/evaluation_results.json",
    ]
    scores = json.loads((tmp_path / "results/json/evaluation_results.json").read_text())
    assert scores["IRS"] == 0.5 and len(scores["uuid"]) == 36
    aggregate = json.loads((tmp_path / "results/aggregate/evaluation.json").read_text())
    assert aggregate["evaluation_results.IRS"] == 0.5 and aggregate["evaluation_config.irs.num_train"] == "3"


def test_earlier_steps_are_carried_along(tmp_path):
    write_results(tmp_path / "a", "train", {"loss": 1.0}, "", {"vae.beta": "4"})
    write_results(tmp_path / "b", "evaluation", {"UC": 1.0}, "", {}, read_results(tmp_path / "a"))
    aggregate = json.loads((tmp_path / "b/results/aggregate/evaluation.json").read_text())
    assert aggregate["train_config.vae.beta"] == "4" and aggregate["evaluation_results.UC"] == 1.0
    assert "results/aggregate/train.json" in files(tmp_path / "b")


@pytest.mark.parametrize("name", ["results", "results/json", "results/json/train_results.json"])
def test_a_link_in_earlier_results_is_refused(tmp_path, name):
    write_results(tmp_path / "a", "train", {"loss": 1.0}, "", {})
    (tmp_path / "a" / name).rename(tmp_path / "moved")
    (tmp_path / "a" / name).symlink_to(tmp_path / "moved")
    with pytest.raises(errors.InvalidInput, match=f"{name} cannot be used: it is a symbolic link"):
        read_results(tmp_path / "a")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON, or cut off"),
        ("[1]", "does not hold a JSON object"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "not JSON|levels deep"),
        ('{"a": ' + "[" * 100 + "]" * 100 + "}", "more than 20 levels deep"),
        (" " * (16 * 2**20 + 1), "are the most that are read"),
    ],
    ids=["torn", "list", "very deep", "deep", "large"],
)
def test_an_earlier_result_that_cannot_be_used_is_named(tmp_path, text, reason):
    (tmp_path / "results/json").mkdir(parents=True)
    file = tmp_path / "results/json/train_results.json"
    file.write_text(text)
    with pytest.raises(errors.InvalidInput, match=f"{file} cannot be (read|used).*({reason})"):
        read_results(tmp_path)


def test_too_many_earlier_results_are_refused(tmp_path):
    (tmp_path / "results/gin").mkdir(parents=True)
    for number in range(1001):
        (tmp_path / f"results/gin/{number}").touch()
    with pytest.raises(errors.InvalidInput, match="more than 1,000 results"):
        read_results(tmp_path)


def test_no_earlier_results(tmp_path):
    assert read_results(tmp_path) == {}


def test_an_output_that_would_replace_its_input_is_refused(tmp_path):
    source = tmp_path / "runs/0/model"
    (source / "tfhub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(source)
    write_results(source / "scores", "evaluation", {}, "", {})
    for target in (source, tmp_path / "link", source.parent, tmp_path, source / "scores/.."):
        with pytest.raises(errors.InvalidInput, match="is or contains the input folder .*runs/0/model"):
            check_apart([tmp_path / "free", target], [tmp_path / "other", source])
    with pytest.raises(errors.InvalidInput, match="tfhub is a part of the input folder"):
        check_apart([source / "tfhub"], [source])
    check_apart([source / "new", source / "scores", tmp_path / "runs/1"], [source])


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    with pytest.raises(RuntimeError), new_folder(tmp_path / "out", overwrite=False) as folder:
        (folder / "half").write_text("x")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with new_folder(tmp_path / "out", overwrite=False) as folder:
        (folder / "whole").write_text("x")
        assert not (tmp_path / "out").exists()
    assert files(tmp_path) == ["out/whole"]


def test_a_folder_is_replaced_only_when_asked_and_only_at_the_end(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").write_text("x")
    with (
        pytest.raises(errors.OutputExists, match=f"The output folder {out} exists.*--overwrite"),
        new_folder(out, overwrite=False),
    ):
        pass
    with pytest.raises(RuntimeError), new_folder(out, overwrite=True):
        raise RuntimeError
    assert files(tmp_path) == ["out/old"]
    with new_folder(out, overwrite=True) as folder:
        (folder / "new").write_text("x")
    assert files(tmp_path) == ["out/new"]


def test_a_file_is_never_replaced_by_a_folder(tmp_path):
    (tmp_path / "out").write_text("precious")
    with pytest.raises(errors.OutputExists), new_folder(tmp_path / "out", overwrite=True):
        pass
    assert (tmp_path / "out").read_text() == "precious"


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    with pytest.raises(RuntimeError), new_file(tmp_path / "a") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert files(tmp_path) == []


def test_numpy_becomes_plain():
    mixed = {"a": np.int64(3), "b": np.array([1.5]), "c": [np.bool_(True), None], 1: (np.float32(2),)}
    assert plain(mixed) == {"a": 3, "b": [1.5], "c": [True, None], "1": [2.0]}
    with pytest.raises(errors.InvalidInput, match="it returned a object"):
        plain({"a": object()})


def test_a_place_where_nothing_can_be_made_is_told_of_before(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    for target, reason in [
        (tmp_path / "file/a/b", f"{tmp_path}/file is not a folder"),
        (tmp_path / ("x" * 250), "too long"),  # with the ending of a temporary name
        (tmp_path / ("x" * 300) / "out", "too long"),
        (tmp_path.joinpath(*["x" * 100] * 50), "too long"),
    ]:
        with pytest.raises(errors.InvalidInput, match=f"cannot be written: .*{reason}"):
            check_free(target, overwrite=False)
    check_free(tmp_path / "a/b" / ("x" * 200), overwrite=False)
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)
    for target in (tmp_path / "out", tmp_path / "a/b"):
        with pytest.raises(errors.InvalidInput, match=f"the folder {tmp_path} may not be written to"):
            check_free(target, overwrite=True)
    assert files(tmp_path) == ["file"]


@pytest.mark.parametrize("place", [".", "..", "/", "somewhere/.."])
def test_a_folder_without_a_name_of_its_own_is_not_replaced(place):
    with pytest.raises(errors.InvalidInput, match="no name of its own"):
        check_free(Path(place), overwrite=True)
