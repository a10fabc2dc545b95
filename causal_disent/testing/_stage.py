"""The small data set that metrics and models are tried on."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_disent.data.factorial import FactorialData
from causal_disent.data.state_space import StateSpace
from causal_disent.data.view import view
from causal_disent.protocols import IntArray

#: Images of each combination, told apart by a factor that is not ground truth. Codes of noise then differ
#: between images of the same factors, so that nothing can be learnt from them by heart.
NUM_VARIANTS = 6


class StageData(FactorialData):
    """Square images with a vertical band for each factor, brighter the higher its value.

    Args:
        sizes: how many values each factor has.
        width: of the images, in pixels.
    """

    def __init__(self, sizes: tuple[int, ...], width: int) -> None:
        names = [f"factor_{i}" for i in range(len(sizes))]
        super().__init__(StateSpace(dict(zip(names, map(range, sizes), strict=True))), (width, width, 3))

    def pixels(self, indices: IntArray) -> np.ndarray:
        """The images (n, width, width, 3) of these indices, uint8."""
        return self.drawn(self.space.to_factors(indices))

    def drawn(self, values: np.ndarray) -> np.ndarray:
        """The same of factors (n, factors), which may lie between those that there are."""
        sizes = np.asarray(self.space.sizes)
        levels = (255 * (values + 1) // sizes).astype(np.uint8)
        width = self.observation_shape[0]
        bands = levels[:, np.arange(width) * len(sizes) // width]
        return np.broadcast_to(bands[:, None, :, None], (len(bands), *self.observation_shape))


def stage_data(sizes: tuple[int, ...] = (3, 4, 5), width: int = 8) -> Any:
    """Three factors that are ground truth, and one that is not."""
    data = StageData((*sizes, NUM_VARIANTS), width)
    return view(data, factors=data.factor_names[: len(sizes)])


def read_only(value: Any) -> Any:
    """Arrays, also those in a tuple, as views that cannot be written to."""
    if isinstance(value, tuple):
        return tuple(read_only(part) for part in value)
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


class ReadOnlyData:
    """A data set that hands out arrays that cannot be written to."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._data, name)
        if not callable(value):
            return read_only(value)
        return lambda *args, **kwargs: read_only(value(*args, **kwargs))
