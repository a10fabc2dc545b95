"""A pipe in place of a file is refused at once; whoever opened it would wait for ever."""

import os
from pathlib import Path

import pytest
from causal_disent_datasets.cars3d import _matrices
from causal_disent_datasets.files import check_digest, map_array
from causal_disent_datasets.npz import open_member
from causal_disent_datasets.pictures import read_rgb
from causal_disent_datasets.shapes3d import _dataset
from causal_disent_datasets.smallnorb import map_matrix

from causal_disent import errors


@pytest.mark.parametrize(
    "read",
    [
        lambda path: map_matrix(path, (2, 2), "|u1"),
        lambda path: check_digest(path, "md5:0"),
        lambda path: _dataset(path, "images").__enter__(),
        lambda path: map_array(path, "u1", (1,), 0),
        lambda path: list(_matrices(path, 100)),
        lambda path: open_member(path, "imgs", [(1,)]),
        lambda path: read_rgb(path, formats=["PNG"], sizes=[(2, 2)], side=2),
    ],
    ids=["binary", "digest", "h5", "map", "mat", "npz", "picture"],
)
def test_a_pipe_is_refused(read, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(errors.InvalidInput, match="pipe cannot be used: it is .* no file|pipe cannot be used"):
        read(Path(tmp_path / "pipe"))
