"""Cars3D (Reed et al. 2015): `cars3d`."""

from __future__ import annotations

import numpy as np

from causal_disent.data.state_space import StateSpace
from causal_disent.files import unusable
from causal_disent.protocols import IntArray
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.matlab import read_uint8
from causal_disent_datasets.pictures import resized
from causal_disent_datasets.stacked import Factors

ELEVATIONS, AZIMUTHS, OBJECTS = 4, 24, 183
SIDE = 64
#: A published file has 128x128 images and their masks, 6.3 MB unpacked.
MAX_BYTES = 2**26


class Cars3d(FromFiles, Factors):
    """183 cars seen from 4 elevations and 24 azimuths; 17,568 images, resized to 64x64x3.

    A car's file is read when one of its images is first asked for, and its images are kept (216 MB in all).
    The objects are numbered in the order of the files' names. In disentanglement_lib the order is that in
    which the system lists the folder, so that numbers may stand for other cars there.
    """

    publication = Publication(
        title="Cars3D",
        files=("cars",),
        published="http://www.scottreed.info/files/nips2015-analogy-data.tar.gz (folder data/cars)",
        licence="none stated",
        size="about 300 MB",
    )

    def __init__(self) -> None:
        values = {"elevation": range(ELEVATIONS), "azimuth": range(AZIMUTHS), "object": range(OBJECTS)}
        super().__init__(StateSpace(values), (SIDE, SIDE, 3))
        (folder,) = self.publication.find()
        self._paths = sorted(path for path in folder.iterdir() if path.suffix == ".mat")
        if len(self._paths) != OBJECTS:
            raise unusable(folder, f"it should have {OBJECTS} files *.mat, and has {len(self._paths)}")
        # Reserved page by page, so that cars that are never read cost nothing.
        self._images = np.zeros((*self.space.sizes, SIDE, SIDE, 3), dtype=np.uint8)
        self._is_read = np.zeros(OBJECTS, dtype=bool)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, 64, 64, 3) of these indices, uint8."""
        elevation, azimuth, car = self.space.to_factors(indices).T
        for number in np.unique(car):
            self._read(number)
        return self._images[elevation, azimuth, car]

    @classmethod
    def verify(cls) -> list[str]:
        """Read all files."""
        data = cls()
        for number in range(OBJECTS):
            data._read(number)
        return [f"{cls.publication.path('cars')}: {OBJECTS} files with {ELEVATIONS * AZIMUTHS} images each"]

    def _read(self, car: int) -> None:
        if self._is_read[car]:
            return
        path = self._paths[car]
        images = read_uint8(path, "im", (3, AZIMUTHS, ELEVATIONS), MAX_BYTES)
        if min(images.shape[:2]) < SIDE:
            raise unusable(path, f"its images are smaller than {SIDE}x{SIDE}")
        for azimuth in range(AZIMUTHS):
            for elevation in range(ELEVATIONS):
                image = np.ascontiguousarray(images[..., azimuth, elevation])
                self._images[elevation, azimuth, car] = resized(image, SIDE)
        self._is_read[car] = True
