"""3D Shapes (Burgess and Kim 2018): `shapes3d`, from an npz file or the public h5 file."""

from __future__ import annotations

from typing import Any

from causal_disent.data.state_space import StateSpace
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.h5 import open_images
from causal_disent_datasets.npz import Member, open_member
from causal_disent_datasets.stacked import StackedImages

IMAGE_SHAPE = (64, 64, 3)
VALUES: dict[str, tuple[object, ...]] = {
    "floor_hue": tuple(range(10)),
    "wall_hue": tuple(range(10)),
    "object_hue": tuple(range(10)),
    "scale": tuple(range(8)),
    "shape": ("cube", "cylinder", "sphere", "capsule"),
    "azimuth": tuple(range(15)),
}
_NPZ = "3dshapes/look-at-object-room_floor-hueXwall-hueXobj-hueXobj-sizeXobj-shapeXview-azi.npz"
_H5 = "3dshapes/3dshapes.h5"


class Shapes3d(FromFiles, StackedImages):
    """An object in a room: three hues, scale, shape and azimuth; 480,000 images, 64x64x3."""

    publication = Publication(
        title="3D Shapes",
        files=(_NPZ, _H5),
        any_file=True,
        published="https://github.com/google-deepmind/3d-shapes",
        licence="Apache-2.0",
        size="268 MB (h5); 5.9 GB once unpacked",
        digests={_H5: "sha256:0a0f6ed98baff276a50f3a081a7434d788da63cb135a98189b2a5b5769be1785"},
    )

    def __init__(self) -> None:
        super().__init__(StateSpace(VALUES), IMAGE_SHAPE)
        path = self.publication.find()[0]
        images = (self.space.num_combinations, *IMAGE_SHAPE)
        if path.suffix == ".npz":
            # One axis per factor, as disentanglement_lib's file has it, or one for all.
            self._images: Any = open_member(path, "images", [(*self.space.sizes, *IMAGE_SHAPE), images])
        else:
            self._images = open_images(path, "images", images)

    @classmethod
    def verify(cls) -> list[str]:
        """Check the shape, the digest of the h5 file, and the bytes of the npz file, which has no digest."""
        images = cls()._images
        return [*super().verify(), *([images.check_bytes()] if isinstance(images, Member) else [])]

    def load(self) -> Any:
        array = self._images.array()
        return array.reshape(-1, *IMAGE_SHAPE) if array.ndim > 4 else array
