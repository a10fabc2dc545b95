"""Falcor3D and Isaac3D (Nie et al. 2020, arXiv:2003.03461): `falcor3d` and `isaac3d`, folders of PNG files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from causal_disent.data.state_space import StateSpace
from causal_disent.files import unusable
from causal_disent.progress import track
from causal_disent.protocols import IntArray
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.pictures import Factors, read_rgb

SIDE = 128
#: Images that are opened to verify a folder; to open them all would take an hour.
OPENED = 1000


def _publication(title: str, size: str) -> Publication:
    """Return what is published under this title."""
    return Publication(
        title=title,
        files=(f"{title}/images", f"{title}_down128/images"),
        any_file=True,
        published="https://github.com/NVlabs/High-res-disentanglement-datasets",
        licence="CC BY 4.0",
        size=size,
    )


class _NumberedPngs(FromFiles, Factors):
    """Images called by the number of their combination of factors, in six digits; each is read when asked for."""

    values: Mapping[str, range]
    #: Width and height in the release of full size; the other one has 128x128.
    full_side: int

    def __init__(self) -> None:
        super().__init__(StateSpace(self.values), (SIDE, SIDE, 3))
        self._folder = self.publication.find()[0]
        last = self._path(self.space.num_combinations - 1)
        if not last.is_file():
            raise unusable(
                self._folder, f"it should have {self.space.num_combinations:,} images up to {last.name}"
            )

    def _path(self, index: int) -> Path:
        return self._folder / f"{index:06d}.png"

    def pixels(self, indices: IntArray) -> np.ndarray:
        """Return the images (n, 128, 128, 3) of these indices, uint8."""
        images = np.empty((len(indices), SIDE, SIDE, 3), dtype=np.uint8)
        sizes = [(side, side) for side in (SIDE, self.full_side)]
        for image, index in zip(images, np.asarray(indices), strict=True):
            image[:] = read_rgb(self._path(int(index)), formats=("PNG",), sizes=sizes, side=SIDE)
        return images

    @classmethod
    def verify(cls) -> list[str]:
        """Look for all images, and open some."""
        data = cls()
        total = data.space.num_combinations
        with os.scandir(data._folder) as entries:
            found = {entry.name for entry in entries if entry.name.endswith(".png") and entry.is_file()}
        for index in range(total):
            if data._path(index).name not in found:
                raise unusable(data._path(index), "it is not there")
        if len(found) != total:
            raise unusable(data._folder, f"it should have {total:,} images, and has {len(found):,}")
        opened = np.unique(np.linspace(0, total - 1, OPENED).astype(int))
        for index in track(opened, f"opening images of {data._folder}", unit="image"):
            data.pixels(np.array([index]))
        return [
            f"{data._folder}: all {total:,} images are there",
            f"{data._folder}: {len(opened):,} of them, evenly spaced, are whole and have the right size",
        ]


class Falcor3d(_NumberedPngs):
    """A living room: light intensity and direction, camera position; 233,280 images, 128x128x3."""

    publication = _publication("Falcor3D", "3.7 GB (128x128), 98 GB (1024x1024)")
    full_side = 1024
    values = {
        "lighting_intensity": range(5),
        "lighting_x": range(6),
        "lighting_y": range(6),
        "lighting_z": range(6),
        "camera_x": range(6),
        "camera_y": range(6),
        "camera_z": range(6),
    }


class Isaac3d(_NumberedPngs):
    """A robot arm in a kitchen: object, arm, camera, light and wall; 737,280 images, 128x128x3."""

    publication = _publication("Isaac3D", "13 GB (128x128), 190 GB (512x512)")
    full_side = 512
    # The order that the numbers of the files follow; the published list of factors has another.
    values = {
        "object_shape": range(3),
        "robot_x": range(8),
        "robot_y": range(5),
        "camera_height": range(4),
        "object_scale": range(4),
        "lighting_intensity": range(4),
        "lighting_y": range(6),
        "object_color": range(4),
        "wall_color": range(4),
    }
