"""MPI3D: two releases, told by their number of images."""

import fake_files
import numpy as np
import pytest
from causal_disent_datasets.mpi3d import Mpi3dReal, Mpi3dRealistic, Mpi3dToy

from causal_disent import errors
from causal_disent.data.rule_sets import RULE_SETS
from causal_disent.data.view import view

CHALLENGE, FINAL = 460_800, 1_036_800
#: Factors, indices of the images and the next draw, from `RandomState(0)`; by disentanglement_lib.
FROZEN = {
    CHALLENGE: (
        [[0, 0, 1, 1, 2, 12, 39], [3, 3, 1, 2, 0, 1, 23], [1, 3, 1, 0, 0, 38, 24]],
        [22919, 456063, 217544],
        887633,
    ),
    FINAL: (
        [[4, 3, 1, 1, 2, 12, 39], [5, 3, 1, 2, 0, 1, 23], [0, 3, 1, 0, 0, 38, 24]],
        [800519, 974463, 102344],
        887633,
    ),
}


def write(root, name, total):
    return fake_files.sparse_npz(root / name / f"{name}.npz", "images", (total, 64, 64, 3))


@pytest.mark.parametrize(
    ("data_class", "name", "total"),
    [
        (Mpi3dToy, "mpi3d_toy", CHALLENGE),
        (Mpi3dToy, "mpi3d_toy", FINAL),
        (Mpi3dRealistic, "mpi3d_realistic", CHALLENGE),
        (Mpi3dReal, "mpi3d_real", FINAL),
    ],
)
def test_draws_are_those_of_disentanglement_lib(root, data_class, name, total):
    expected, indices, after = FROZEN[total]
    pixels = np.random.RandomState(1).randint(0, 256, (3, 64, 64, 3), dtype=np.uint8)
    fake_files.write_images(root / name / f"{name}.npz", *write(root, name, total), indices, pixels)
    random_state = np.random.RandomState(0)
    factors, images = data_class().sample(3, random_state)
    assert factors.tolist() == expected
    np.testing.assert_array_equal(images, pixels.astype(np.float32) / 255)
    assert random_state.randint(10**6) == after


def test_the_release_names_the_values(root):
    write(root, "mpi3d_toy", CHALLENGE)
    challenge = Mpi3dToy()
    assert challenge.value_names[:2] == (
        ("green", "red", "blue", "brown"),
        ("cone", "cube", "hexagonal prism", "sphere"),
    )
    write(root, "mpi3d_toy", FINAL)
    final = Mpi3dToy()
    assert [len(names) for names in final.value_names] == [6, 6, 2, 3, 3, 40, 40]
    assert final.value_names[2:] == challenge.value_names[2:]


def test_confounding(root):
    write(root, "mpi3d_toy", FINAL)
    # The paper's table has these three colours only; saying so again changes nothing.
    rules = [*RULE_SETS["mpi3d_confounded"], "never color=white|brown|olive"]
    # 3 backgrounds, one camera height, 11x11 places; green 2 shapes x 1 size, red the same, blue 2 x 2
    assert len(view(Mpi3dToy(), confounding=rules).factor_table) == 3 * 121 * (2 + 2 + 4)


def test_confounding_of_the_challenge_is_an_error(root):
    write(root, "mpi3d_toy", CHALLENGE)
    with pytest.raises(errors.UnknownName, match="value of the factor 'shape' 'cylinder'"):
        view(Mpi3dToy(), confounding="mpi3d_confounded")


def test_photographs_of_other_objects_are_not_taken_for_mpi3d_real(root):
    write(root, "mpi3d_real", CHALLENGE)
    with pytest.raises(errors.InvalidInput, match=r"of shape \(1036800, 64, 64, 3\), and is uint8 of shape"):
        Mpi3dReal()


def test_another_number_of_images(root):
    write(root, "mpi3d_toy", 1000)
    with pytest.raises(
        errors.InvalidInput,
        match=r"\(460800, 64, 64, 3\) or \(1036800, 64, 64, 3\), and is uint8 of shape \(1000,",
    ):
        Mpi3dToy()


class Small(Mpi3dToy):
    """A release of six images, of which no digest is known, as of the challenge's."""

    releases = ({"color": ("green", "red"), "shape": ("cone", "cube", "sphere")},)


@pytest.fixture
def small(root):
    path = root / "mpi3d_toy/mpi3d_toy.npz"
    path.parent.mkdir()
    np.savez(path, images=np.random.RandomState(0).randint(0, 256, (6, 64, 64, 3), dtype=np.uint8))
    return path


def test_verify(small):
    assert Small.verify() == [f"{small}: 6 images", f"{small}: the bytes of 'images' have the archive's checksum"]


def test_verify_finds_damage_without_a_digest(small):
    content = bytearray(small.read_bytes())
    content[30_000] ^= 1
    small.write_bytes(content)
    Small().pixels(np.arange(6))
    with pytest.raises(errors.InvalidInput, match="mpi3d_toy.npz cannot be used: .*Bad CRC-32"):
        Small.verify()
