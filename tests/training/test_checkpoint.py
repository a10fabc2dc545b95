"""What a run keeps beside its folder goes when the run is over, whatever a kill has left there."""

import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from causal_disent import errors
from causal_disent.files import new_file
from causal_disent.training.checkpoint import CHECKPOINT, clear, open_tensors


def killed_while_writing(folder, after):
    """A process that ends while it writes a checkpoint: with half of it, or when it has its name already."""
    child = os.fork()
    if not child:
        with new_file(folder / CHECKPOINT) as temporary:
            temporary.write_text("half")
            if after:
                temporary.rename(folder / CHECKPOINT)
            os._exit(9)
    os.waitpid(child, 0)


def test_a_kill_while_the_checkpoint_is_written_leaves_nothing_for_ever(tmp_path):
    for after in (False, True):
        folder = tmp_path / "model.partial"
        folder.mkdir()
        killed_while_writing(folder, after)
        assert f".{CHECKPOINT}.lock" in os.listdir(folder)
        clear(folder)
        assert not folder.exists()


def test_what_is_not_of_the_run_stays(tmp_path):
    (tmp_path / "mine").touch()
    (tmp_path / CHECKPOINT).touch()
    clear(tmp_path)
    assert os.listdir(tmp_path) == ["mine"]


def test_weights_of_a_download_are_read_through_its_links(tmp_path, monkeypatch):
    """As huggingface_hub lays them out: ``snapshots/<commit>/weights`` is a link to ``blobs/<hash>``."""
    blob = tmp_path / "models--x" / "blobs" / "0a1b"
    weights = tmp_path / "models--x" / "snapshots" / "abc" / "model" / "weights.safetensors"
    for path in (blob, weights):
        path.parent.mkdir(parents=True)
    save_file({"bias": np.ones(2, np.float32)}, blob)
    weights.symlink_to("../../../blobs/0a1b")
    with open_tensors(weights, "np") as file:
        assert file.read("bias").tolist() == [1, 1]
    elsewhere = tmp_path / "elsewhere.safetensors"
    blob.rename(elsewhere)
    weights.unlink()
    weights.symlink_to(elsewhere)
    with pytest.raises(errors.InvalidInput, match="symbolic link"), open_tensors(weights, "np"):
        pass
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", str(tmp_path))
    with open_tensors(weights, "np") as file:
        assert file.shapes == {"bias": (2,)}
