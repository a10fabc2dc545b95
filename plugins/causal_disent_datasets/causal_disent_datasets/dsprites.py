"""dSprites (Matthey et al. 2017): `dsprites_full` and `dsprites_noshape`."""

from __future__ import annotations

import numpy as np

from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import FiniteDataView
from causal_disent.files import unusable
from causal_disent.protocols import IntArray
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.npz import open_member
from causal_disent_datasets.stacked import StackedImages

IMAGE_SHAPE = (64, 64, 1)
VALUES: dict[str, tuple[object, ...]] = {
    "color": ("white",),
    "shape": ("square", "ellipse", "heart"),
    "scale": tuple(range(6)),
    "orientation": tuple(range(40)),
    "x": tuple(range(32)),
    "y": tuple(range(32)),
}

_FILE = "dsprites/dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz"
DSPRITES = Publication(
    title="dSprites",
    files=(_FILE,),
    published="https://github.com/google-deepmind/dsprites-dataset",
    licence="Apache-2.0",
    size="26 MB; 3 GB once unpacked",
    digests={_FILE: "md5:7da33b31b13a06f4b04a70402ce90c2e"},
)


class SpriteFile(StackedImages):
    """All 737,280 images of the published file, with the colour, which has one value, as a factor."""

    def __init__(self) -> None:
        super().__init__(StateSpace(VALUES), IMAGE_SHAPE)
        # The sizes of the factors are in the member `metadata` too, which is pickled and therefore left alone.
        (path,) = DSPRITES.find()
        self._member = open_member(path, "imgs", [(self.space.num_combinations, 64, 64)])

    def load(self) -> np.ndarray:
        return self._member.array()

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, 64, 64, 1) of these indices: 255 in the sprite, 0 around it."""
        return super().pixels(indices).astype(bool) * np.uint8(255)

    def check_labels(self) -> str:
        """Compare the factors that the file states for each image with those its place stands for."""
        shape = (self.space.num_combinations, self.space.num_factors)
        member = open_member(self._member.path, "latents_classes", [shape], "int64")
        if not np.array_equal(member.array(), self.space.to_factors(np.arange(shape[0]))):
            raise unusable(member.path, "its images are in another order")
        return f"{member.path}: the images are in the order of the factors"


class DspritesFull(FromFiles, FiniteDataView):
    """dSprites with the factors shape, scale, orientation, x and y; 64x64x1."""

    publication = DSPRITES

    def __init__(self) -> None:
        super().__init__(SpriteFile(), ("shape", "scale", "orientation", "x", "y"))

    @classmethod
    def verify(cls) -> list[str]:
        """Check the file's digest, and that its images are in order."""
        return [*super().verify(), SpriteFile().check_labels()]


class DspritesNoshape(DspritesFull):
    """dSprites with the factors scale, orientation, x and y; the shape is a nuisance."""

    def __init__(self) -> None:
        FiniteDataView.__init__(self, SpriteFile(), ("scale", "orientation", "x", "y"))
