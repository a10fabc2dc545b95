"""MPI3D (Gondal et al. 2019, arXiv:1906.03292): `mpi3d_toy`, `mpi3d_realistic`, `mpi3d_real`."""

from __future__ import annotations

from math import prod

import numpy as np

from causal_disent.data.state_space import StateSpace
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.npz import open_member
from causal_disent_datasets.pictures import StackedImages

Values = dict[str, tuple[object, ...]]

_COMMON: Values = {
    "size": ("small", "large"),
    "camera_height": ("top", "center", "bottom"),
    "background": ("purple", "sea green", "salmon"),
    "horizontal": tuple(range(40)),
    "vertical": tuple(range(40)),
}
#: The release of the challenge of 2019, which disentanglement_lib reads: 460,800 images.
CHALLENGE: Values = {
    "color": ("green", "red", "blue", "brown"),
    "shape": ("cone", "cube", "hexagonal prism", "sphere"),
    **_COMMON,
}
#: The final release: 1,036,800 images.
FINAL: Values = {
    "color": ("white", "green", "red", "blue", "brown", "olive"),
    "shape": ("cone", "cube", "cylinder", "hexagonal", "pyramid", "sphere"),
    **_COMMON,
}
IMAGE_SHAPE = (64, 64, 3)


def _publication(name: str, md5: str) -> Publication:
    """Return what is published under this name."""
    file = f"{name}/{name}.npz"
    return Publication(
        title=f"MPI3D ({name})",
        files=(file,),
        published="https://github.com/rr-learning/disentanglement_dataset",
        licence="CC BY 4.0",
        size="12.7 GB unpacked (final release), 5.7 GB (challenge)",
        digests={file: f"md5:{md5}"},
    )


class _Mpi3d(FromFiles, StackedImages):
    """Seven factors; which values they have depends on the release, told by the number of images."""

    releases: tuple[Values, ...] = (CHALLENGE, FINAL)

    def __init__(self) -> None:
        (path,) = self.publication.find()
        by_shape = {self._shape(values): values for values in self.releases}
        self._member = open_member(path, "images", list(by_shape))
        super().__init__(StateSpace(by_shape[self._member.shape]), IMAGE_SHAPE)

    @staticmethod
    def _shape(values: Values) -> tuple[int, ...]:
        return (prod(len(names) for names in values.values()), *IMAGE_SHAPE)

    def load(self) -> np.ndarray:
        return self._member.array()

    @classmethod
    def verify(cls) -> list[str]:
        """Check the shape, and the digest of the final release; of the challenge's, which has none, the bytes."""
        data = cls()
        opened = f"{data._member.path}: {data.space.num_combinations:,} images"
        is_final = data.space.num_combinations == StateSpace(FINAL).num_combinations
        return [opened, *(cls.publication.check_digests() if is_final else [data._member.check_bytes()])]


class Mpi3dToy(_Mpi3d):
    """MPI3D, simple renderings: colour, shape, size, camera height, background and two axes; 64x64x3."""

    publication = _publication("mpi3d_toy", "55889cb7c7dfc655d6e0277beee88868")


class Mpi3dRealistic(_Mpi3d):
    """MPI3D, realistic renderings: colour, shape, size, camera height, background and two axes; 64x64x3."""

    publication = _publication("mpi3d_realistic", "59a6225b88b635365f70c91b3e52f70f")


class Mpi3dReal(_Mpi3d):
    """MPI3D, photographs: colour, shape, size, camera height, background and two axes; 64x64x3."""

    publication = _publication("mpi3d_real", "0f33f609918fb5c97996692f91129802")
    # There are 460,800 photographs of other objects too, in another data set.
    releases = (FINAL,)
