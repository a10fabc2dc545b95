"""Representations whose quality is known, for any finite data set.

An oracle is a table with a row of codes for each image of the data set. It encodes an image by looking
it up, and decodes codes by drawing the image whose row is nearest, among the images that the data set holds:
a decoder that was trained on confounded data cannot draw anything else either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import LARGEST, Checked, check_at_least, check_number, check_seed, checked
from causal_disent.data.factor_table import check_listed, value_rows
from causal_disent.progress import in_batches
from causal_disent.protocols import FloatArray, IntArray
from causal_disent.representation.image_shape import check_image_shape, image_keys
from causal_disent.text import Shown, shown_value

#: Images drawn at a time when the table of known images is made.
CHUNK = 512


class Oracle(Shown, Checked):
    """Looks images up in a table of codes.

    Args:
        data: finite ground-truth data.
        table: (images, codes), in the order of ``data.factor_table``.
        decoded: how many of the leading codes the decoder looks at (all by default); it ignores the rest.
    """

    @checked
    def __init__(self, data: Any, table: FloatArray, decoded: int | None = None) -> None:
        check_listed(data, "An oracle")
        self._data = data
        self._table = table.astype(np.float64, copy=False)
        if self._table.ndim != 2 or len(self._table) != len(data.factor_table):
            raise errors.InvalidInput(
                f"An oracle's table is of shape (images, codes), for the {len(data.factor_table):,} images of "
                f"the data set; given: {self._table.shape}."
            )
        self._indices = data.factor_table.index.to_numpy()
        self._decoded = self._table.shape[1] if decoded is None else decoded

    def _shows(self) -> Iterator[str]:
        yield "{1} codes of {0:,} images".format(*self._table.shape)

    def __call__(self, images: FloatArray, /) -> FloatArray:
        """The codes (n, m) of images of the data set; any other image is an error."""
        check_image_shape(images, self._data.observation_shape, "Images that an oracle encodes")
        rows = self._row_of_image
        try:
            return self._table[[rows[key] for key in image_keys(images)]]
        except KeyError:
            place = next(i for i, key in enumerate(image_keys(images)) if key not in rows)
            raise errors.InvalidInput(
                f"An oracle knows the {len(self._table):,} images of its data set alone; image {place} of "
                f"{len(images)} is not among them."
            ) from None

    def decode(self, codes: FloatArray) -> FloatArray:
        """The image whose codes are nearest, for each row (n, m)."""
        tree, rows = self._nearest
        if codes.ndim != 2 or codes.shape[1] != self._table.shape[1] or not (np.abs(codes) < LARGEST).all():
            raise errors.InvalidInput(
                f"`codes` must be of shape (n, {self._table.shape[1]}), each below {LARGEST:g}; given: shape "
                f"{codes.shape}."
            )
        nearest = tree.query(codes[:, : self._decoded].astype(np.float64, copy=False))[1]
        return self._data.observations(self._indices[rows[nearest]])

    @cached_property
    def _row_of_image(self) -> dict[bytes, int]:
        rows: dict[bytes, int] = {}
        batches = in_batches(self._indices, CHUNK, "learning the images")
        keys = (key for batch in batches for key in image_keys(self._data.observations(batch)))
        for row, key in enumerate(keys):
            rows.setdefault(key, row)  # of equal images the first stands for all
        return rows

    @cached_property
    def _nearest(self) -> tuple[Any, IntArray]:
        from scipy.spatial import KDTree

        points, rows = np.unique(self._table[:, : self._decoded], axis=0, return_index=True)
        return KDTree(points), rows


def _factor_rows(data: Any) -> IntArray:
    """(images, factors): the position of each factor's value among its values."""
    check_listed(data, "An oracle")
    return value_rows(data.factor_table)


def _num_values(data: Any) -> list[int]:
    table = data.factor_table
    return [len(table[name].cat.categories) for name in table.columns]


def _spread(rows: IntArray, num_values: IntArray | Sequence[int] | int) -> FloatArray:
    """0, 1, ... num_values - 1, spread evenly over [-1, 1]."""
    return 2.0 * rows / np.maximum(np.asarray(num_values) - 1, 1) - 1.0


def _factor_values(data: Any) -> FloatArray:
    """(images, factors): each factor's value, spread evenly over [-1, 1]."""
    return _spread(_factor_rows(data), _num_values(data))


def _position(data: Any, factor: int | str) -> int:
    """Where a factor stands, given that or its name."""
    names = [str(name) for name in data.factor_table.columns]
    if isinstance(factor, str):
        if factor not in names:
            raise errors.unknown("factor", factor, names)
        return names.index(factor)
    if not 0 <= factor < len(names):
        raise errors.InvalidInput(
            f"A factor is a name or a number from 0 to {len(names) - 1}; given: {shown_value(factor)}."
        )
    return factor


@checked
def perfect_oracle(data: Any) -> Oracle:
    """One code per factor: its value."""
    return Oracle(data, _factor_values(data))


@checked
def permuted_oracle(data: Any, seed: int = 0) -> Oracle:
    """One code per factor, in an order that `seed` decides: as good as the perfect one."""
    check_seed("`seed`", seed)
    values = _factor_values(data)
    return Oracle(data, values[:, np.random.RandomState(seed).permutation(values.shape[1])])


@checked
def mixed_oracle(data: Any, strength: float = 1.0, seed: int = 0) -> Oracle:
    """The factors' values, turned by a rotation that `seed` decides.

    Args:
        data: finite ground-truth data.
        strength: from 0 (the perfect oracle) along the shortest way to 1 (the whole rotation).
        seed: of the rotation.
    """
    check_number("`strength`", strength, at_least=0, at_most=1)
    check_seed("`seed`", seed)
    values = _factor_values(data)
    generator = np.random.RandomState(seed)
    rotation = np.linalg.qr(generator.normal(size=(values.shape[1],) * 2))[0]
    if np.linalg.det(rotation) < 0:
        rotation[:, 0] *= -1.0
    return Oracle(data, values @ _part_of_turn(rotation, strength))


def _part_of_turn(rotation: FloatArray, strength: float) -> FloatArray:
    """The power `strength` of a rotation; scipy's would draw from the global generator on the way."""
    turns, axes = np.linalg.eig(rotation.astype(np.complex128))
    return np.real((axes * turns**strength) @ np.linalg.inv(axes))


@checked
def duplicated_oracle(data: Any, copies: int = 2) -> Oracle:
    """The perfect oracle's codes, each `copies` times."""
    check_at_least(1, copies=copies)
    return Oracle(data, np.repeat(_factor_values(data), copies, axis=1))


@checked
def missing_factor_oracle(data: Any, factor: int | str = 0) -> Oracle:
    """One code per factor, except for `factor` (its position or name), of which no code tells.

    The decoder draws the first value of that factor that goes with the others.
    """
    values = _factor_values(data)
    if values.shape[1] < 2:
        raise errors.InvalidInput("A factor can be missing where there are two or more; the data set has one.")
    return Oracle(data, np.delete(values, _position(data, factor), axis=1))


@checked
def merged_oracle(data: Any, factors: Sequence[int | str] = (0, 1)) -> Oracle:
    """One code for two `factors` (their positions or names), then one for each of the others.

    The first code has a value of its own for each pair of values: the pairs, counted through with the second
    factor fastest, are spread evenly over [-1, 1].
    """
    values = _factor_values(data)
    places = [_position(data, factor) for factor in factors]
    if len(set(places)) != 2 or len(places) != 2:
        raise errors.InvalidInput(f"`factors` names two factors; given: {errors.listing(factors)}.")
    slow, fast = (_factor_rows(data)[:, place] for place in places)
    sizes = [_num_values(data)[place] for place in places]
    merged = _spread(slow * sizes[1] + fast, sizes[0] * sizes[1])
    return Oracle(data, np.column_stack([merged, np.delete(values, places, axis=1)]))


@checked
def extra_noise_oracle(data: Any, num_noise: int = 4, seed: int = 0) -> Oracle:
    """The perfect oracle's codes, then `num_noise` codes that say nothing and that the decoder ignores."""
    values = _factor_values(data)
    return Oracle(data, np.hstack([values, _noise(len(values), num_noise, seed)]), decoded=values.shape[1])


@checked
def noise_oracle(data: Any, num_codes: int | None = None, seed: int = 0) -> Oracle:
    """Codes that say nothing of the factors: as many as factors, if not told otherwise."""
    num_images, num_factors = _factor_values(data).shape
    return Oracle(data, _noise(num_images, num_factors if num_codes is None else num_codes, seed))


def _noise(num_images: int, num_codes: int, seed: int) -> FloatArray:
    if num_codes < 1:
        raise errors.InvalidInput(f"At least one code of noise is needed; given: {num_codes}.")
    check_seed("`seed`", seed)
    return np.random.RandomState(seed).uniform(-1.0, 1.0, size=(num_images, num_codes))
