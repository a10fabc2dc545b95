"""Files of tensors: what is written can be read, whatever its header; a file appears whole or not at all."""

import errno
import os
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from causal_disent_torch.classifier import save_classifier
from causal_disent_torch.classifier_training import FactorNetwork, Settings
from causal_disent_torch.representation import open_tensors, write_tensors

from causal_disent import errors

TENSORS = {"weights": torch.arange(1000.0)}


@contextmanager
def full_disk():
    """No file can become longer than 100 bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def with_header_like_a_pickle(path):
    for length in range(256):
        write_tensors(path, TENSORS, {"text": "x" * length})
        if path.read_bytes()[0] == 0x80:
            return path
    raise AssertionError("no such header")


def test_a_header_whose_length_looks_like_a_pickle(tmp_path):
    path = with_header_like_a_pickle(tmp_path / "t.safetensors")
    with open_tensors(path) as file:
        assert torch.equal(file.read("weights"), TENSORS["weights"])


def test_such_a_file_that_is_cut_off_is_not_called_a_pickle(tmp_path):
    path = with_header_like_a_pickle(tmp_path / "t.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(errors.InvalidInput, match="is cut off or is not a safetensors file"), open_tensors(path):
        pass


def test_a_full_disk_is_an_error_of_the_system_that_names_the_file(tmp_path):
    path = tmp_path / "t.safetensors"
    path.write_bytes(b"before")
    with full_disk(), pytest.raises(OSError, match=r"t\.safetensors") as caught:
        write_tensors(path, TENSORS)
    assert caught.value.errno == errno.EFBIG
    assert [file.name for file in tmp_path.iterdir()] == [path.name] and path.read_bytes() == b"before"


def test_a_classifier_that_a_full_disk_does_not_take_is_warned_of(tmp_path):
    network = FactorNetwork((8, 8, 1), [2], (4, 4, 8), 0)
    settings = Settings((4, 4, 8), 1, 2, 0.1, 0.1, 3, 0)
    with full_disk(), pytest.warns(UserWarning, match="cannot be kept in .*weights.safetensors"):
        save_classifier(tmp_path / "kept", network, [1.0], ["place"], settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_the_mode_is_that_of_other_new_files(mask, tmp_path):
    before = os.umask(mask)
    try:
        write_tensors(tmp_path / "t.safetensors", TENSORS)
        Path(tmp_path / "other").touch()
    finally:
        os.umask(before)
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1
