"""CelebA's text files, in the published layout (spaces) and in that of the twin that circulates (commas)."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from causal_disent import errors
from causal_disent.files import read_bounded, regular, unusable
from causal_disent.text import shown_value

#: The files have 27 MB at the most.
MOST_BYTES = 2**26
#: What an image may be called: no path leads anywhere else.
_FILE = r"\w[\w-]*\.(?:jpg|jpeg|png)"


@dataclass(frozen=True)
class Attributes:
    """The attribute file.

    Attributes:
        files: (images,) their names.
        names: of the attributes.
        values: (images, attributes) whether each has it.
    """

    files: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray

    def column(self, path: Path, name: str) -> np.ndarray:
        """(images,): whether each has the attribute called `name`."""
        if name not in self.names:
            near = errors.nearest(name, self.names)
            raise unusable(path, f"it has no attribute '{name}'.{near} It has: {errors.listing(self.names, 50)}")
        return self.values[:, self.names.index(name)]


def read_attributes(path: Path) -> Attributes:
    """``list_attr_celeba.txt`` or its twin ``.csv``: a file, then 1 or -1 for each attribute.

    The first has the number of images in its first line and the names in its second; the other has names alone.
    """
    text = _text(path)
    first, _, rest = text.partition("\n")
    counted = re.fullmatch(r"\s*([0-9]{1,9})\s*", first)
    if counted:
        names, _, rest = rest.partition("\n")
        header, separator, line = names.split(), r"\s+", 3
    else:
        header, separator, line = [name.strip() for name in first.split(",")][1:], ",", 2
    if not header or len(set(header)) != len(header):
        raise unusable(path, "it begins with neither a number of images nor names of attributes between commas")
    table = _table(path, rest, separator, line, len(header) + 1)
    if counted and len(table) != int(counted[1]):
        raise unusable(
            path, f"its first line says {int(counted[1]):,} images, and {len(table):,} lines follow the names"
        )
    values = np.stack([_whole(path, table[place], line, (-1, 1)) for place in range(1, len(header) + 1)], axis=1)
    return Attributes(_files(path, table[0], line), tuple(header), values == 1)


def read_partition(path: Path) -> dict[str, int]:
    """``list_eval_partition.txt`` or its twin ``.csv``: file -> 0 (training), 1 (validation) or 2 (test)."""
    text = _text(path)
    comma = "," in text.partition("\n")[0]
    line = 2 if comma else 1
    table = _table(path, text.partition("\n")[2] if comma else text, "," if comma else r"\s+", line, 2)
    files, parts = _files(path, table[0], line), _whole(path, table[1], line, (0, 1, 2))
    return dict(zip(files.tolist(), parts.tolist(), strict=True))


def _text(path: Path) -> str:
    try:
        return read_bounded(regular(path), MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise unusable(path, "it is no text in UTF-8") from None


def _table(path: Path, text: str, separator: str, line: int, columns: int) -> Any:
    """A data frame with so many columns; the first line of `text` is number `line` of the file."""
    import pandas as pd

    try:
        table = pd.read_csv(
            io.StringIO(text.rstrip() + "\n"),
            sep=separator,
            header=None,
            names=range(columns),
            index_col=False,
            skip_blank_lines=False,
            dtype={0: str},
        )
    except (ValueError, pd.errors.ParserError) as error:
        long = re.search(r"in line (\d+), saw (\d+)", str(error))
        if long:  # counted from the first line of `text`
            reason = f"its line {line - 1 + int(long[1])} has {long[2]} cells, and should have {columns}"
        else:
            reason = f"it is no table of {columns} columns ({str(error).strip()})"
        raise unusable(path, reason) from None
    short = table.isna().any(axis=1).to_numpy()
    if short.any() or not len(table):
        place = int(np.flatnonzero(short)[0]) if short.any() else 0
        raise unusable(path, f"its line {line + place} does not have {columns} cells")
    return table


def _files(path: Path, column: Any, line: int) -> np.ndarray:
    files = column.str.strip()
    wrong = ~files.str.fullmatch(_FILE, flags=re.IGNORECASE).to_numpy(dtype=bool)
    again = files.duplicated().to_numpy()
    for found, reason in ((wrong, "is no name of an image"), (again, "is there twice")):
        if found.any():
            place = int(np.flatnonzero(found)[0])
            raise unusable(path, f"in its line {line + place} {shown_value(files.iloc[place])} {reason}")
    return files.to_numpy(dtype=str)


def _whole(path: Path, column: Any, line: int, allowed: tuple[int, ...]) -> np.ndarray:
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    right = numbers.isin(allowed).to_numpy()
    if not right.all():
        place = int(np.flatnonzero(~right)[0])
        given = errors.listing(allowed)
        raise unusable(
            path,
            f"in its line {line + place} a value is {shown_value(str(column.iloc[place]))}; there are: {given}",
        )
    return numbers.to_numpy().astype(np.int8)
