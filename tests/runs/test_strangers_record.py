"""What the folder of a stranger's model may decide, and what not."""

from pathlib import Path

import pytest

from causal_disent import errors
from causal_disent.config import gin_config, query
from causal_disent.data.dummy import DummyData
from causal_disent.registry import Entry, registry
from causal_disent.runs.dataset import bind_dataset
from causal_disent.runs.representation import read_folder


class Files(DummyData):
    """A data set that is read from a folder."""

    def __init__(self, folder: str | Path | None = None, size: int = 64) -> None:
        self.folder, self.size = folder, size


@pytest.fixture
def record(tmp_path, request):
    request.addfinalizer(registry.replace(Entry("datasets", "files", "tests", Files, "for tests")))
    (tmp_path / "results/gin").mkdir(parents=True)

    def write(text):
        (tmp_path / "results/gin/train.gin").write_text(text)
        return tmp_path

    return write


def test_a_place_in_a_record_is_not_used_but_told(record):
    folder = record("dataset.name = 'files'\nfiles.folder = '/etc'\nfiles.size = 3\n")
    with (
        gin_config(),
        pytest.warns(UserWarning, match=r"files.folder = '/etc', which is not used.*--gin_bindings"),
    ):
        bind_dataset(folder, {})
        assert (query("files.folder"), query("files.size")) == (None, 3)


def test_what_the_user_names_is_used(record):
    folder = record("dataset.name = 'files'\nfiles.size = 3\n")
    with gin_config(bindings=["files.folder = 'mine'"]):
        bind_dataset(folder, {})
        assert (query("files.folder"), query("files.size")) == ("mine", 3)


def test_a_description_that_is_a_link_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("password")
    (tmp_path / "model").mkdir()
    (tmp_path / "model/representation.gin").symlink_to(tmp_path / "secret")
    with pytest.raises(errors.InvalidInput, match="it is a symbolic link") as raised:
        read_folder(tmp_path / "model")
    assert "password" not in str(raised.value)


def test_a_description_does_not_vouch_for_its_model(tmp_path):
    (tmp_path / "representation.gin").write_text(
        "representation.name = 'perfect_oracle'\nperfect_oracle.trust = True"
    )
    with pytest.raises(errors.ConfigError, match=r"'perfect_oracle.trust' cannot be bound here.*--gin_bindings"):
        read_folder(tmp_path)


def test_a_description_has_a_size(tmp_path):
    (tmp_path / "representation.gin").write_text("# " + "x" * 2**20)
    with pytest.raises(errors.InvalidInput, match="1,048,576 are the most that are read"):
        read_folder(tmp_path)
