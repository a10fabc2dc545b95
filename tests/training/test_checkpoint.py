"""What a run keeps beside its folder goes when the run is over, whatever a kill has left there."""

import os

from causal_disent.files import new_file
from causal_disent.training.checkpoint import CHECKPOINT, clear


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
