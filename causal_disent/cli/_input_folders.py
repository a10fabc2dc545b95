"""The input folders of one ``dlib_evaluate``: the one that is named, or all that match a glob."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

from causal_disent import errors


@dataclass(frozen=True)
class InputFolder:
    """A folder and where, below the output folder, its results go."""

    path: Path
    place: Path


def find_folders(pattern: str) -> list[InputFolder]:
    """The folders that match, sorted, placed as they lie below the part of the pattern without wildcards.

    Example:
        ``models/*/representation`` finds ``models/3/representation`` and places it at ``3/representation``.
    """
    found = sorted(Path(path) for path in glob.glob(pattern, recursive=True) if Path(path).is_dir())
    if not found:
        raise errors.InvalidInput(f"No folder matches --input_glob {pattern}.")
    fixed = Path(*_without_wildcards(Path(pattern)))
    return [InputFolder(path, path.relative_to(fixed)) for path in found]


def _without_wildcards(pattern: Path) -> list[str]:
    parts = []
    # The last part is a place of its own even where nothing in it is wild.
    for part in pattern.parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return parts
