"""dSprites with colour, noise or a picture behind: `color_dsprites`, `noisy_dsprites`, `scream_dsprites`.

What is added is drawn anew for each image, so that these data sets are not finite.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.data.discrete import DiscreteData
from causal_disent.files import unusable
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_datasets.dsprites import DSPRITES, DspritesFull
from causal_disent_datasets.files import FromFiles
from causal_disent_datasets.pictures import open_picture

if TYPE_CHECKING:
    import networkx as nx

SIDE = 64


class _DecoratedSprites(FromFiles, DiscreteData):
    """The factors of `dsprites_full`; a subclass turns sprites into coloured images."""

    publication = DSPRITES
    observation_shape = (SIDE, SIDE, 3)

    def __init__(self) -> None:
        self._sprites = DspritesFull()
        self.space = self._sprites.space

    @classmethod
    def verify(cls) -> list[str]:
        """Check the files of dSprites, and open what is added to them."""
        cls()
        return DspritesFull.verify()

    def decorate(self, sprites: FloatArray, random_state: np.random.RandomState) -> FloatArray:
        """Sprites (n, 64, 64, 1) of 0 and 1 to images (n, 64, 64, 3)."""
        raise NotImplementedError

    @property
    def graph(self) -> nx.DiGraph:
        """That of dSprites; what is added has no part in it."""
        graph: Any = self._sprites.graph
        return graph

    def sample_factors(self, num: int, random_state: np.random.RandomState) -> IntArray:
        """Independent rows of factors (num, 5)."""
        return self._sprites.sample_factors(num, random_state)

    def sample_observations_from_factors(
        self, factors: IntArray, random_state: np.random.RandomState
    ) -> FloatArray:
        """An image for each row of factors, float32 in [0, 1]."""
        sprites = self._sprites.sample_observations_from_factors(factors, random_state)
        return self.decorate(sprites, random_state).astype(np.float32)


class ColorDsprites(_DecoratedSprites):
    """`dsprites_full` with a random bright colour for each sprite; 64x64x3, not finite."""

    def decorate(self, sprites: FloatArray, random_state: np.random.RandomState) -> FloatArray:
        return sprites * random_state.uniform(0.5, 1, (len(sprites), 1, 1, 3))


class NoisyDsprites(_DecoratedSprites):
    """`dsprites_full` with white sprites before uniform noise; 64x64x3, not finite."""

    def decorate(self, sprites: FloatArray, random_state: np.random.RandomState) -> FloatArray:
        return np.minimum(sprites + random_state.uniform(0, 1, (len(sprites), SIDE, SIDE, 3)), 1)


class ScreamDsprites(_DecoratedSprites):
    """`dsprites_full` before random parts of a painting, inverted where the sprite is; 64x64x3, not finite."""

    publication = replace(
        DSPRITES,
        title="dSprites with the Scream",
        files=(*DSPRITES.files, "scream/scream.jpg"),
        published=f"{DSPRITES.published}; the picture is Munch's The Scream (1893) on Wikimedia Commons",
        licence="Apache-2.0; the painting is in the public domain",
    )

    #: disentanglement_lib scales the picture down until it fits.
    MOST = (350, 274)

    def __init__(self) -> None:
        path = self.publication.find()[-1]
        super().__init__()
        picture = open_picture(path, formats=("JPEG", "PNG"))
        picture.thumbnail(self.MOST)
        self._picture = np.asarray(picture.convert("RGB")) / 255.0
        if min(self._picture.shape[:2]) <= SIDE:
            raise unusable(path, f"scaled to fit {self.MOST} it should be more than {SIDE} pixels wide and high")

    def decorate(self, sprites: FloatArray, random_state: np.random.RandomState) -> FloatArray:
        images = np.empty((len(sprites), *self.observation_shape))
        # One image at a time: the order of the draws is disentanglement_lib's.
        for image, sprite in zip(images, sprites, strict=True):
            top, left = (random_state.randint(0, length - SIDE) for length in self._picture.shape[:2])
            part = self._picture[top : top + SIDE, left : left + SIDE]
            behind = (part + random_state.uniform(0, 1, size=3)) / 2
            image[:] = np.where(sprite == 1, 1 - behind, behind)
        return images
