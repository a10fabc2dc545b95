"""What is registered, what is said where files are missing, and the checks that every data set must pass."""

from pathlib import Path

import fake_files
import numpy as np
import pytest
import scipy.io
from causal_disent_datasets import plugin
from PIL import Image

from causal_disent import errors
from causal_disent.registry import Register
from causal_disent.testing import parametrize_checks

ENTRIES = {}
plugin.register_datasets(Register("datasets", "causal_disent_datasets", lambda e: ENTRIES.__setitem__(e.name, e)))
DISENTANGLEMENT_LIB = (
    "dsprites_full dsprites_noshape color_dsprites noisy_dsprites scream_dsprites smallnorb cars3d mpi3d_toy "
    "mpi3d_realistic mpi3d_real shapes3d"
)


def test_the_names_of_disentanglement_lib_are_there():
    assert set(ENTRIES) == {*DISENTANGLEMENT_LIB.split(), "falcor3d", "isaac3d", "dsprites_regenerated"}


@pytest.mark.parametrize("name", plugin.FROM_FILES)
def test_listings_tell_where_data_comes_from(name):
    details = ENTRIES[name].facts
    assert set(details) == {"files", "licence", "properties", "published", "size"} and all(details.values())
    assert "http" in details["published"]


@pytest.mark.parametrize("name", plugin.FROM_FILES)
def test_a_missing_file_is_named(root, name):
    factory = ENTRIES[name].load()
    locations = factory.locate()
    assert locations and not any(found for _, found in locations)
    for call in (factory, factory.verify):
        with pytest.raises(errors.InvalidInput, match="which cannot be found") as caught:
            call()
        for path, _ in locations:
            assert path.is_relative_to(root) and str(path) in caught.value.message
        assert "variable DISENTANGLEMENT_LIB_DATA sets the root folder" in caught.value.message
        assert factory.publication.published in caught.value.message


def test_the_root_is_here_if_it_is_not_set(monkeypatch):
    monkeypatch.delenv("DISENTANGLEMENT_LIB_DATA")
    assert ENTRIES["dsprites_full"].load().locate()[0][0] == Path(fake_files.DSPRITES)
    with pytest.raises(errors.InvalidInput, match=r"\(now: '.'\)"):
        ENTRIES["cars3d"].load()()


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory):
    """Files for all data sets, mostly holes."""
    root = tmp_path_factory.mktemp("root")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISENTANGLEMENT_LIB_DATA", str(root))
        fake_files.sparse_npz(root / fake_files.DSPRITES, "imgs", (737_280, 64, 64))
        fake_files.sparse_npz(root / fake_files.SHAPES3D_NPZ, "images", (480_000, 64, 64, 3))
        for name, total in (("toy", 460_800), ("realistic", 460_800), ("real", 1_036_800)):
            path = root / f"mpi3d_{name}/mpi3d_{name}.npz"
            fake_files.sparse_npz(path, "images", (total, 64, 64, 3))
        fake_files.write_norb(root)
        for folder in ("cars", "scream", "Falcor3D/images", "Isaac3D/images"):
            (root / folder).mkdir(parents=True)
        Image.new("RGB", (200, 150), "orange").save(root / "scream/scream.jpg")
        car_images = np.zeros((64, 64, 3, 24, 4), dtype=np.uint8)
        scipy.io.savemat(root / "cars/000.mat", {"im": car_images}, do_compression=True)
        for car in range(1, 183):
            (root / f"cars/{car:03d}.mat").hardlink_to(root / "cars/000.mat")
        for title, sizes in (("Falcor3D", (5, *[6] * 6)), ("Isaac3D", (3, 8, 5, 4, 4, 4, 6, 4, 4))):
            write_drawn_pngs(root / title / "images", sizes)
        yield root


def write_drawn_pngs(folder, sizes):
    """The images that the checks draw, with 24 points from seed 0, and the first and the last."""
    random_state = np.random.RandomState(0)
    rows = [random_state.randint(size, size=24) for size in sizes]
    for index in {0, *np.ravel_multi_index(rows, sizes).tolist(), int(np.prod(sizes)) - 1}:
        Image.new("RGB", (128, 128), "green").save(folder / f"{index:06d}.png")


@parametrize_checks("datasets", list(ENTRIES.values()))
def test_every_data_set_passes_the_checks(check):
    check()


@pytest.mark.parametrize("name", ENTRIES)
def test_the_graph_has_every_factor(name):
    data = ENTRIES[name].load()()
    assert {(factor, "image") for factor in data.factor_names} <= set(data.graph.edges)
