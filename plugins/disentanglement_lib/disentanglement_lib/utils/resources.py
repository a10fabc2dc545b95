"""Files of this package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The settings that the studies share are kept once: with the first study.
FIRST = "config/unsupervised_study_v1/"
OTHERS = ("config/fairness_study_v1/", "config/abstract_reasoning_study_v1/stage1/")


def get_file(path: str) -> str:
    """The file or folder called `path`, relative to the package."""
    own = ROOT / path
    shared = next((ROOT / FIRST / path.removeprefix(other) for other in OTHERS if path.startswith(other)), own)
    return str(shared if shared.exists() and not own.exists() else own)


def get_files_in_folder(path: str) -> Iterator[str]:
    """The files directly in the folder called `path`, those that the study shares with others included."""
    folder = path.rstrip("/")
    places = {ROOT / folder, Path(get_file(folder)), *(ROOT / _shared(folder, other) for other in OTHERS)}
    files = {file.name: file for place in sorted(places) if place.is_dir() for file in place.iterdir()}
    yield from (str(file) for _, file in sorted(files.items()) if file.suffix == ".gin")


def _shared(folder: str, other: str) -> str:
    return FIRST + folder.removeprefix(other) if folder.startswith(other) else folder
