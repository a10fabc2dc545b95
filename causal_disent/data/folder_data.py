"""A data set of one's own, from a folder of images and a table that describes them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from causal_disent import errors
from causal_disent.checks import as_digraph, checked, columns_of
from causal_disent.data.factor_columns import read_columns
from causal_disent.data.image_files import inside, read_image
from causal_disent.data.table_data import TableData
from causal_disent.files import regular
from causal_disent.protocols import FloatArray, IntArray

if TYPE_CHECKING:
    import networkx as nx

#: The column of the table that names the images.
FILE_COLUMN = "file"


class FolderDataset(TableData):
    """Images in files, read when they are asked for.

    The table is a CSV file with a column ``file`` and one for each factor::

        file,object,angle
        cubes/1.png,cube,0.5
        balls/1.png,ball,2.25

    A column of whole numbers or text is a discrete factor, a column of other numbers a continuous one. All images
    have the shape of the first. Files that lead out of the folder are refused.

    Args:
        path: the folder.
        table: the CSV file, in the folder.
        file_column: the column that names the images.
        factors: the columns that are factors; by default all others.
        value_names: factor name -> the names of its values, in order, where the order of the alphabet (of
            numbers: by size) is not meant.
        graph: a ``networkx.DiGraph`` over the factors, their confounders and ``image``.
    """

    @checked
    def __init__(
        self,
        path: str | Path = "",
        table: str | Path = "table.csv",
        *,
        file_column: str = FILE_COLUMN,
        factors: Sequence[str] | None = None,
        value_names: Mapping[str, Sequence[object]] | None = None,
        graph: nx.DiGraph | None = None,
    ) -> None:
        if not path:
            raise errors.InvalidInput("The folder of the images is needed: `path`, or `folder.path` in a config.")
        folder = Path(path)
        if not folder.is_dir():
            raise errors.InvalidInput(f"The folder {folder} does not exist.")
        lines, columns = _read_table(folder / table, file_column)
        files = [
            (file, f"Line {line} of {folder / table}")
            for line, file in zip(lines, columns.pop(file_column), strict=True)
        ]
        chosen = value_names or {}
        if factors is not None:
            names = list(columns)
            columns = {names[place]: columns[names[place]] for place in columns_of(factors, names)}
        values = {name: column if name in chosen else _numbers(column) for name, column in columns.items()}
        super().__init__(_ImageFiles(folder, files, graph), *read_columns(values, None, chosen))


class _ImageFiles:
    """Images by their number in a list of files, each with the place that names it."""

    def __init__(self, folder: Path, files: Sequence[tuple[str, str]], graph: Any) -> None:
        self._folder = folder.resolve()
        self._files = files
        for number in range(len(files)):
            self._path(number)
        self.observation_shape: tuple[int, ...] = read_image(self._path(0)).shape
        if graph is not None:
            self.graph = as_digraph(graph)

    def _path(self, number: int) -> Path:
        # Checked at each reading too: links may have changed since.
        return inside(self._folder, *self._files[number])

    def observations(self, indices: IntArray) -> FloatArray:
        different, places = np.unique(indices, return_inverse=True)
        pixels = np.empty((len(different), *self.observation_shape), dtype=np.uint8)
        for i, number in enumerate(different):
            pixels[i] = read_image(self._path(int(number)), self.observation_shape)
        return pixels[places.reshape(-1)].astype(np.float32) / np.float32(255)


def _read_table(path: Path, file_column: str) -> tuple[list[int], dict[str, list[str]]]:
    """The number of each line, and the columns."""
    if not path.is_file():
        raise errors.InvalidInput(
            f"The table {path} does not exist. It is a CSV file with a column '{file_column}' and one per factor."
        )
    try:
        with regular(path).open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            numbered = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if cells]
    except (csv.Error, UnicodeDecodeError) as error:
        raise errors.InvalidInput(f"The table {path} is not a CSV file in UTF-8: {error}.") from None
    header = numbered.pop(0)[1] if numbered else []
    if file_column not in header or len(header) < 2 or len(set(header)) != len(header) or "" in header:
        raise errors.InvalidInput(
            f"The table {path} needs a head with a column '{file_column}' and one per factor, none twice; it has: "
            f"{errors.listing(header)}."
        )
    if not numbered:
        raise errors.InvalidInput(f"The table {path} has a head and no line.")
    for number, cells in numbered:
        if len(cells) != len(header) or "" in cells:
            raise errors.InvalidInput(
                f"Line {number} of {path} must have {len(header)} cells, none empty ({errors.listing(header)}); "
                f"it has: {errors.listing(cells)}."
            )
    columns = {name: [cells[place] for _, cells in numbered] for place, name in enumerate(header)}
    return [number for number, _ in numbered], columns


def _numbers(column: list[str]) -> Any:
    """A column as whole numbers, else as floats, else as it is."""
    for kind in (np.int64, np.float64):
        try:
            return np.array(column).astype(kind)
        except (ValueError, OverflowError):
            continue
    return column
