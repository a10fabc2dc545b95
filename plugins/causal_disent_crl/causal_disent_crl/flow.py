"""`flow` (Yang et al. 2021, CausalVAE, arXiv:2004.08697): a ball raises water, which leaves through a hole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from causal_disent.checks import check_seed, check_truth
from causal_disent.protocols import FloatArray, IntArray
from causal_disent_crl.images import resized
from causal_disent_crl.mechanism_data import SIDE, Draws, MechanismData

#: Numbers of the factors -> lengths in the picture: a ball of 30 has the radius 1, a hole at 3 is 1 high.
BALL, HOLE = 30.0, 3.0
#: Flow counts in tenths.
TENTHS = 10.0
#: Gravity without noise, where the jet ends, and the least noise.
GRAVITY, FLOOR, LEAST_NOISE = 0.98, 0.5, 0.01
#: More noise than any published image has (5 standard deviations); grids that look for it, and their points.
MOST_NOISE, GRIDS, POINTS = 0.05, 4, 101


class Flow(MechanismData):
    r"""Images of a vessel: a ball raises the water, whose height and the hole make the jet.

    With r the ball's radius (ball / 30), d the height of the hole (hole / 3) and :math:`h_0` from 1 to 3.9, which
    is the height's noise: the water is :math:`5 + h` high, :math:`h = r^3 + h_0`; the jet reaches
    :math:`x = \sqrt{1.96\, h\, (d - 0.5)}` far, and flow is 10 x. The picture shows a jet under a gravity of
    :math:`0.98 + \epsilon`, which no label has: :math:`\epsilon = 0.01 \max(|N(0, 1)|, 1)`, 0.01 in 68 % of the
    published images.

    The published program made 8,100 draws and gave 1,226 of them a name that it gave to a later one again, so that
    6,874 files are left, under 6,050 names.

    Args:
        folder, split, labels, size, channels, cache: as of `Pendulum`; each fifth draw is for the test.
        scaling: of `factor_values`: ``causalvae`` (what is trained on), ``min_max`` or ``z_score``; none if not
            given.
        noise_seed: what gravity's noise is drawn with; if not given it is 0.01 in each image. Of images that are
            read, it is found out from the picture.
        collisions: whether draws are left out whose file was overwritten: 5,254 train and 1,620 test images, where
            otherwise there are 6,480 and 1,620. Of a folder that is read, they are.

    Example:
        >>> data = Flow(labels="published", collisions=True)
        >>> data.factor_names, data.factors_num_values, len(data.factor_table)
        (('ball', 'height', 'flow', 'hole'), [30, 5, 50, 9], 6874)
        >>> Flow().factor_values(np.array([8099])).round(3).tolist()
        [[34.0, 5.356, 66.135, 14.0]]
    """

    name = "flow"
    factors = ("ball", "height", "flow", "hole")
    edges = (("ball", "height"), ("height", "flow"), ("hole", "flow"))
    scalings = {"causalvae": ((20, 15), (2, 2), (59.5, 26.5), (10.5, 4.5))}
    # The ball fits into the vessel, the water stays in it and covers the hole.
    limits = {"ball": (0, 60), "height": (0, 14), "flow": (0, 200), "hole": (2, 15)}
    form = "a_<ball>_<height>_<flow>_<hole>.png"

    def __init__(
        self,
        folder: str | Path | None = None,
        split: str = "all",
        labels: str = "exact",
        scaling: str | None = None,
        size: int = SIDE,
        channels: str = "rgba",
        cache: str | Path | None = None,
        noise_seed: int | None = None,
        collisions: bool = False,
    ) -> None:
        check_truth("`collisions`", collisions)
        if noise_seed is not None:
            check_seed("`noise_seed`", noise_seed)
        self._noise_seed, self._collisions = noise_seed, collisions
        super().__init__(folder, split, labels, scaling, size, channels, cache)

    def all_draws(self) -> Draws:
        """Return what the published program draws, in its order."""
        grids = np.meshgrid(range(5, 35), range(10, 40), range(6, 15), indexing="ij")
        ball, raw, hole = (grid.ravel().astype(float) for grid in grids)
        height = _height(ball, raw)
        noise = np.full(len(ball), LEAST_NOISE)
        if self._noise_seed is not None:
            drawn = np.abs(np.random.RandomState(self._noise_seed).standard_normal(len(noise)))
            noise *= np.maximum(drawn, 1)
        values = np.stack([ball, height, _flow(height, hole), hole], axis=1)
        return Draws.numbered(values, noise, np.arange(len(ball)) % 5 == 4)

    def is_kept(self, draws: Draws) -> np.ndarray:
        """(n,): all, or those that a folder would have."""
        return ~(draws.overwritten & self._collisions)

    @classmethod
    def mechanism(cls, factual: FloatArray, given: Mapping[str, FloatArray]) -> FloatArray:
        """Return the ball and what is abducted from the height make the height, height and hole the flow."""
        # A whole number in all draws: rounded, it gives the height back to the last bit.
        raw = np.rint((factual[:, 1] - _height(factual[:, 0], 0)) * TENTHS)
        ball, hole = given.get("ball", factual[:, 0]), given.get("hole", factual[:, 3])
        height = given.get("height", _height(ball, raw))
        return np.stack([ball, height, given.get("flow", _flow(height, hole)), hole], axis=1)

    @classmethod
    def draw(cls, values: FloatArray, noise: FloatArray) -> np.ndarray:
        """Return the images (n, 96, 96, 3), uint8, of exact factors (n, 4) and gravity's noise (n,)."""
        from causal_disent_crl.drawing import draw_flows

        ball, height, flow, hole = values.T
        stretch = 1 + noise / GRAVITY
        return draw_flows(ball / BALL, height, flow / TENTHS, hole / HOLE, stretch, FLOOR)

    def noise(self, indices: IntArray) -> FloatArray:
        """(n,): gravity's noise, as it was drawn, or what makes the drawing most like the image that was read."""
        if not self.is_read:
            return super().noise(indices)
        images = self.known(indices)
        pairs = zip(self.source.pixels[images], self.draws.values[images], strict=True)
        return np.array([self._fit_noise(image, row) for image, row in pairs])

    def _fit_noise(self, image: np.ndarray, row: FloatArray) -> float:
        """Return the noise that explains an image best: grids around the best so far, each finer than the last."""
        best, width = LEAST_NOISE, MOST_NOISE - LEAST_NOISE
        for _ in range(GRIDS):
            grid = np.unique(np.maximum(best + np.linspace(-width, width, POINTS), LEAST_NOISE))
            drawn = resized(self.draw(np.repeat(row[None], len(grid), axis=0), grid), len(image))
            apart = np.abs(drawn.astype(np.int64) - image).sum(axis=(1, 2, 3))
            best = float(grid[apart.argmin()])
            if not apart.min():
                break
            width *= 8 / (POINTS - 1)  # four steps to each side: a minimum of one grid may be a local one
        return best


def _height(ball: FloatArray, raw: FloatArray | float) -> FloatArray:
    return (ball / BALL) ** 3 + raw / 10


def _flow(height: FloatArray, hole: FloatArray) -> FloatArray:
    return TENTHS * np.sqrt(2 * GRAVITY * height * (hole / HOLE - FLOOR))
