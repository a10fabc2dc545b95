"""Small NORB and its binary matrices."""

import os
import pickle

import fake_files
import numpy as np
import pytest
from causal_disent_datasets.smallnorb import NorbFiles, SmallNorb, map_matrix
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from causal_disent import errors

#: Factors, combinations with the toy, and the next draw, from `RandomState(0)`; by disentanglement_lib.
FACTORS = [[4, 3, 4, 2], [0, 7, 6, 1], [3, 3, 12, 0]]
COMBINATIONS = [40202, 5653, 38304]
AFTER = 924425


@pytest.fixture(scope="module")
def norb_folder(tmp_path_factory):
    """All files, with black images."""
    folder = tmp_path_factory.mktemp("norb")
    fake_files.write_norb(folder)
    return folder


@pytest.fixture
def norb(norb_folder, monkeypatch):
    monkeypatch.setenv("DISENTANGLEMENT_LIB_DATA", str(norb_folder))
    return norb_folder


def stored_factors(norb, part):
    path = norb / "small_norb" / f"smallnorb-{part}"
    category = map_matrix(path.with_name(f"{path.name}-cat.mat"), (24_300,), "int32")
    details = map_matrix(path.with_name(f"{path.name}-info.mat"), (24_300, 4), "int32")
    return np.column_stack([category, details // [1, 1, 2, 1]])


def pairs(norb, part):
    path = norb / "small_norb" / f"smallnorb-{part}-dat.mat"
    return np.memmap(path, dtype=np.uint8, mode="r+", offset=24, shape=(24_300, 2, 96, 96))


def test_draws_and_images_are_those_of_disentanglement_lib(norb):
    left = np.kron(np.random.RandomState(1).randint(0, 256, (3, 12, 12)), np.ones((8, 8))).astype(np.uint8)
    for image, combination in zip(left, COMBINATIONS, strict=True):
        for part in fake_files.NORB_PARTS:
            row = np.ravel_multi_index(stored_factors(norb, part).T, (5, 10, 9, 18, 6)) == combination
            pairs(norb, part)[row] = np.stack([image, 255 - image])
    random_state = np.random.RandomState(0)
    factors, images = SmallNorb().sample(3, random_state)
    assert factors.tolist() == FACTORS and images.shape == (3, 64, 64, 1)
    assert random_state.randint(10**6) == AFTER
    # disentanglement_lib resizes integers, and leaves [0, 1] at edges.
    expected = [
        np.asarray(Image.fromarray(image.astype(np.int32)).resize((64, 64), Image.Resampling.LANCZOS))
        for image in left
    ]
    assert np.max(expected) > 255 and np.min(expected) < 0
    np.testing.assert_array_equal(images[..., 0], np.clip(expected, 0, 255).astype(np.float32) / 255)


def test_factors(norb):
    data = SmallNorb()
    assert data.factors_num_values == [5, 9, 18, 6]
    assert data.value_names[2][:3] == ("0", "20", "40")
    assert data.base.factor_names == ("category", "instance", "elevation", "azimuth", "lighting")
    assert SmallNorb.verify() == ["Small NORB: the files have the sizes and shapes they should have"]


def test_a_copy_for_another_process_is_small(norb):
    data = NorbFiles()
    copy = pickle.dumps(data)
    assert len(copy) < 500_000
    np.testing.assert_array_equal(pickle.loads(copy).pixels(np.arange(3)), data.pixels(np.arange(3)))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [(3, 1, "values that do not exist"), (4, 6, "values that do not exist"), (1, -1, "values that do not exist")],
)
def test_tables_with_values_that_do_not_exist(root, column, value, message):
    fake_files.write_norb(root)
    path = root / "small_norb/smallnorb-5x46789x9x18x6x2x96x96-training-info.mat"
    np.memmap(path, dtype="<i4", mode="r+", offset=20, shape=(24_300, 4))[0, column - 1] = value
    with pytest.raises(errors.InvalidInput, match=message):
        SmallNorb()


def test_tables_with_combinations_twice(root):
    fake_files.write_norb(root)
    path = root / "small_norb/smallnorb-5x46789x9x18x6x2x96x96-training-info.mat"
    table = np.memmap(path, dtype="<i4", mode="r+", offset=20, shape=(24_300, 4))
    table[:, 3] = 0
    with pytest.raises(errors.InvalidInput, match="combinations twice"):
        SmallNorb()


def test_images_that_are_cut_short(root):
    fake_files.write_norb(root)
    path = root / "small_norb/smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat"
    os.truncate(path, 10**6)
    with pytest.raises(errors.InvalidInput, match="testing-dat.mat cannot be used: it should have 447,897,624"):
        SmallNorb()


MATRICES = {
    507333717: np.arange(24, dtype="u1"),
    507333716: np.arange(24, dtype="<i4"),
    507333713: np.arange(24, dtype="<f4"),
    507333715: np.arange(24, dtype="<f8"),
}


@pytest.mark.parametrize("magic", MATRICES)
@pytest.mark.parametrize("shape", [(24,), (6, 4), (2, 3, 4), (2, 3, 2, 2)])
def test_matrices(tmp_path, magic, shape):
    array = MATRICES[magic].reshape(shape)
    fake_files.write_matrix(tmp_path / "matrix", magic, array)
    np.testing.assert_array_equal(map_matrix(tmp_path / "matrix", shape, array.dtype.name), array)


@pytest.mark.parametrize(
    ("magic", "dims", "message"),
    [
        (507333718, (2, 12), "begins with 507333718, which is not the number of a type"),
        (507333713, (2, 12), r"should have int32 of shape \(2, 12\), and has float32"),
        (507333716, (2, 13), r"with 2 axes: \(2, 13\)"),
        (507333716, (2, 2**31 - 1), "with 2 axes"),
        (507333716, (24,), "with 1 axes"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, magic, dims, message):
    fake_files.write_matrix(tmp_path / "matrix", magic, np.arange(24, dtype="<i4"), dims=dims)
    with pytest.raises(errors.InvalidInput, match=message):
        map_matrix(tmp_path / "matrix", (2, 12), "int32")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=150))
def test_any_bytes_are_a_matrix_or_an_error(tmp_path, content):
    (tmp_path / "matrix").write_bytes(content)
    with pytest.raises(errors.InvalidInput, match="cannot be used"):
        map_matrix(tmp_path / "matrix", (2, 12), "int32")
