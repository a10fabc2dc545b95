"""dSprites, from the published file or drawn by formula, plain or with colours, noise or The Scream."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent.data.discrete import DiscreteData
from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import FiniteDataView
from causal_disent.files import unusable
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_datasets.files import FromFiles, Publication
from causal_disent_datasets.npz import open_member
from causal_disent_datasets.pictures import Factors, StackedImages, open_picture

if TYPE_CHECKING:
    import networkx as nx


SIDE = 64

#: At scale 1, in pixels.
SQUARE_HALF_SIDE = 9.6
ELLIPSE_SEMI_AXES = (12.75, 7.25)
#: From the heart's centre to its outline, at equal angles from the notch on top down to the tip; both sides
#: are alike.
HEART_RADII = (
    5.26, 7.32, 8.97, 10.04, 10.74, 11.18, 11.24, 11.24, 10.86, 10.53, 9.64, 8.95, 8.08,
    7.42, 6.87, 6.47, 6.08, 6.02, 5.90, 5.94, 6.02, 6.38, 6.82, 7.66, 9.07,
)  # fmt: skip

#: No sprite reaches further from its centre, and no centre is nearer to the border.
REACH = 14
NEAREST = 16


def draw_sprites(factors: IntArray) -> np.ndarray:
    """Sprites with these factors.

    Args:
        factors: (n, 5) integers: shape, scale, orientation, x, y.

    Returns:
        (n, 64, 64) bool.
    """
    shape, scale, orientation, *place = np.asarray(factors).T
    column, row = (NEAREST + (SIDE - 2 * NEAREST) * position / 31 for position in place)
    columns, rows = (_window(centre) for centre in (column, row))
    right = (columns + 0.5 - column[:, None])[:, None, :]
    down = (rows + 0.5 - row[:, None])[:, :, None]
    # The first and the last orientation are a full turn apart, and look the same.
    angle = (2 * np.pi * orientation / 39)[:, None, None]
    size = (0.5 + 0.1 * scale)[:, None, None]
    across = (np.cos(angle) * right - np.sin(angle) * down) / size
    along = (np.sin(angle) * right + np.cos(angle) * down) / size
    inside = np.empty(across.shape, dtype=bool)
    for value, contains in enumerate((_in_square, _in_ellipse, _in_heart)):
        drawn = shape == value
        inside[drawn] = contains(across[drawn], along[drawn])
    images = np.zeros((len(shape), SIDE, SIDE), dtype=bool)
    images[np.arange(len(shape))[:, None, None], rows[:, :, None], columns[:, None, :]] = inside
    return images


def _window(centre: FloatArray) -> IntArray:
    """Return the columns, or rows, (n, 29) that a sprite can touch."""
    return np.floor(centre).astype(np.int64)[:, None] + np.arange(-REACH, REACH + 1)


def _in_square(across: FloatArray, along: FloatArray) -> np.ndarray:
    return np.maximum(np.abs(across), np.abs(along)) <= SQUARE_HALF_SIDE


def _in_ellipse(across: FloatArray, along: FloatArray) -> np.ndarray:
    width, height = ELLIPSE_SEMI_AXES
    return (across / width) ** 2 + (along / height) ** 2 <= 1


def _in_heart(across: FloatArray, along: FloatArray) -> np.ndarray:
    from_the_notch = np.arctan2(np.abs(across), -along)
    outline = np.interp(from_the_notch, np.linspace(0, np.pi, len(HEART_RADII)), HEART_RADII)
    return np.hypot(across, along) <= outline


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
        """Return the images (n, 64, 64, 1) of these indices: 255 in the sprite, 0 around it."""
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


class DrawnSprites(Factors):
    """All 737,280 combinations, each drawn when it is asked for."""

    def __init__(self) -> None:
        super().__init__(StateSpace(VALUES), IMAGE_SHAPE)

    def pixels(self, indices: IntArray) -> np.ndarray:
        """Return the images (n, 64, 64, 1) of these indices: 255 in the sprite, 0 around it."""
        return draw_sprites(self.space.to_factors(indices)[:, 1:])[..., None] * np.uint8(255)


class DspritesRegenerated(FiniteDataView):
    """`dsprites_full` drawn by formula: the same factors and draws, and nearly the same images.

    Example:
        >>> data = DspritesRegenerated()
        >>> data.factor_names, data.factors_num_values
        (('shape', 'scale', 'orientation', 'x', 'y'), [3, 6, 40, 32, 32])
        >>> int(data.observations(np.array([0])).sum())
        100
    """

    def __init__(self) -> None:
        super().__init__(DrawnSprites(), ("shape", "scale", "orientation", "x", "y"))


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
        """Return an image for each row of factors, float32 in [0, 1]."""
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
        """Put the sprites in front of parts of the picture."""
        images = np.empty((len(sprites), *self.observation_shape))
        # One image at a time: the order of the draws is disentanglement_lib's.
        for image, sprite in zip(images, sprites, strict=True):
            top, left = (random_state.randint(0, length - SIDE) for length in self._picture.shape[:2])
            part = self._picture[top : top + SIDE, left : left + SIDE]
            behind = (part + random_state.uniform(0, 1, size=3)) / 2
            image[:] = np.where(sprite == 1, 1 - behind, behind)
        return images
