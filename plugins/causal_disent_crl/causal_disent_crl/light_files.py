"""One experiment of ``lt_crl_benchmark_v1``: a table of measurements, and a folder of photographs."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from causal_disent_datasets.files import unusable

from causal_disent import errors
from causal_disent.files import path_of, regular, within
from causal_disent.protocols import FloatArray
from causal_disent.text import shown_value
from causal_disent_crl.light_experiments import FACTORS, LIMITS

FILE = "image_file"
#: What a table may have; that of 100,000 rows and 50 columns has about 30 MB.
MOST_BYTES = 2**29


@dataclass(frozen=True)
class FoundExperiment:
    """What the table says.

    Attributes:
        values: (n, 5) the factors.
        paths: of the photographs, in the same order.
        state: changes when a file is added, removed or written to.
    """

    values: FloatArray
    paths: list[Path]
    state: list[tuple[str, int, int]]


def find_experiment(folder: str | Path, experiment: str, size: int) -> FoundExperiment:
    """Read ``<experiment>/<experiment>.csv``; the photographs in ``<experiment>/images_<size>`` are only listed.

    Args:
        folder: the published one, with a folder for each experiment.
        experiment: its name.
        size: rows and columns of the photographs.
    """
    root = path_of("folder", folder)
    if not root.is_dir():
        raise errors.InvalidInput(f"The folder {folder} does not exist.")
    table, images = root / experiment / f"{experiment}.csv", root / experiment / f"images_{size}"
    for path, kind, there in ((table, "file", table.is_file()), (images, "folder", images.is_dir())):
        if not there:
            raise unusable(root, f"it has no {kind} {path.relative_to(root)}")
    with os.scandir(within(root, images)) as entries:
        listed = {
            entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns)
            for entry in entries
            if entry.is_file(follow_symlinks=False)
        }
    values, files = _read_table(within(root, table))
    for line, file in files:
        # Nothing but a name that the folder lists is opened, so that no path leads out of it.
        if file not in listed:
            raise unusable(
                table, f"line {line} names the photograph {shown_value(file)}, which {images} does not have"
            )
    return FoundExperiment(
        values, [images / file for _, file in files], [(str(images / file), *listed[file]) for _, file in files]
    )


def _read_table(path: Path) -> tuple[FloatArray, list[tuple[int, str]]]:
    """The factors (n, 5); the line and the photograph of each row."""
    if path.stat().st_size > MOST_BYTES:
        raise unusable(path, f"it should have {MOST_BYTES:,} bytes at the most")
    values, files = [], []
    try:
        with regular(path).open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream, strict=True)
            header = next(reader, [])
            for name in (*FACTORS, FILE):
                if name not in header:
                    raise unusable(path, f"it has no column '{name}'; it has: {errors.listing(header)}")
            columns, place = [header.index(factor) for factor in FACTORS], header.index(FILE)
            for row in reader:
                if len(row) != len(header):
                    raise unusable(path, f"line {reader.line_num} has {len(row)} cells for {len(header)} columns")
                values.append([_number(path, reader.line_num, header[c], row[c]) for c in columns])
                files.append((reader.line_num, row[place]))
    except (csv.Error, UnicodeDecodeError) as error:
        raise unusable(path, f"it is not a CSV file in UTF-8: {error}") from None
    if not files:
        raise unusable(path, "it has a head and no line")
    return np.array(values), files


def _number(path: Path, line: int, factor: str, text: str) -> float:
    low, high = LIMITS[factor]
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not low <= value <= high:
        raise unusable(
            path, f"line {line} should give '{factor}' from {low:g} to {high:g}, and gives {shown_value(text)}"
        )
    return value
