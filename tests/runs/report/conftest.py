"""A tree of result folders, to be filled."""

import pytest
from result_trees import Tree


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "tree")
