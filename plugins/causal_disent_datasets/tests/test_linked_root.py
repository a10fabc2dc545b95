"""Files are looked for below the root folder; what is linked to from there is read if the user names it."""

import pytest
from causal_disent_datasets.cars3d import Cars3d

from causal_disent import errors


def test_a_linked_folder_is_refused_unless_it_is_named(root, monkeypatch):
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "car.mat").touch()
    (root / "cars").symlink_to(outside)
    with pytest.raises(errors.InvalidInput, match=f"that leaves {root}.*CAUSAL_DISENT_LINKS={outside}"):
        Cars3d.publication.find()
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", str(outside))
    assert Cars3d.publication.find() == [root / "cars"]
