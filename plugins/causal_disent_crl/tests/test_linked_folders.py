"""A linked subfolder of a data set's folder is not followed out of it, unless the user names where it leads."""

import shutil

import pytest
import written_celeba
from causal_disent_crl.celeba import CelebaBeard
from causal_disent_crl.light_tunnel import LightTunnel
from causal_disent_crl.pendulum import Pendulum
from test_light_tunnel import write as write_tunnel

from causal_disent import errors


def pendulum(folder, samples):
    shutil.copytree(samples / "pendulum", folder)
    return Pendulum


def tunnel(folder, samples):
    write_tunnel(folder)
    return lambda folder: LightTunnel(folder, experiment="uniform", size=64)


def celeba(folder, samples):
    written_celeba.write(folder, counts=(1,) * 16)
    written_celeba.write_images(folder, 16)
    return CelebaBeard


@pytest.mark.parametrize(
    ("write", "part"),
    [
        (pendulum, "train"),
        (tunnel, "uniform"),
        (tunnel, "uniform/images_64"),
        (tunnel, "uniform/uniform.csv"),
        (celeba, "img_align_celeba"),
        (celeba, "list_attr_celeba.txt"),
    ],
)
def test_a_link_that_leaves_the_folder(write, part, samples, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, outside = tmp_path / "data", tmp_path / "outside"
    read = write(folder, samples)
    outside.mkdir()
    (folder / part).symlink_to((folder / part).rename(outside / "secret"))
    with pytest.raises(errors.InvalidInput, match="symbolic link, or behind one, that leaves"):
        read(folder)
    monkeypatch.setenv("CAUSAL_DISENT_LINKS", str(outside))
    assert len(read(folder).factor_table)
