import json

import numpy as np
import pytest

from causal_disent import errors
from causal_disent.evaluation.local_engine import LocalEngine
from causal_disent.evaluation.results import new_file, new_folder, plain, write_results


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
    write_results(tmp_path / "b", "evaluation", {"UC": 1.0}, "", {}, previous=tmp_path / "a" / "results")
    aggregate = json.loads((tmp_path / "b/results/aggregate/evaluation.json").read_text())
    assert aggregate["train_config.vae.beta"] == "4" and aggregate["evaluation_results.UC"] == 1.0
    assert "results/aggregate/train.json" in files(tmp_path / "b")


def test_a_link_in_earlier_results_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "results/json").mkdir(parents=True)
    (tmp_path / "results/json/train_results.json").symlink_to(tmp_path / "secret")
    write_results(tmp_path / "b", "evaluation", {}, "", {}, previous=tmp_path / "results")
    assert "results/json/train_results.json" not in files(tmp_path / "b")


def test_a_torn_earlier_result_is_named(tmp_path):
    (tmp_path / "results/json").mkdir(parents=True)
    (tmp_path / "results/json/train_results.json").write_text("{")
    with pytest.raises(errors.InvalidInput, match="train_results.json cannot be read"):
        write_results(tmp_path / "b", "evaluation", {}, "", {}, previous=tmp_path / "results")


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


def test_local_engine():
    assert dict(LocalEngine(workers=2).run(pow, [(2, 3), (3, 2)])) == {0: 8, 1: 9}
    with pytest.raises(errors.InvalidInput, match="`workers` must be at least 1"):
        LocalEngine(workers=0)
