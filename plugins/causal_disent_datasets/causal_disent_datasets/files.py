"""Published files: where they are, checks of them, and where what they unpack to is kept."""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np

from causal_disent import errors
from causal_disent.files import new_file, regular, unusable, within
from causal_disent.progress import track

#: The environment variable that names the folder below which all files are, as in disentanglement_lib.
VARIABLE = "DISENTANGLEMENT_LIB_DATA"

CHUNK = 2**22


@dataclass(frozen=True)
class Publication:
    """Where a data set comes from.

    Attributes:
        title: what people call it.
        files: paths below the root folder; with `any_file`, one of them is enough.
        published: where to get them.
        licence: under which terms.
        size: of the download.
        any_file: whether the files are alternatives.
        digests: file -> ``algorithm:hexadecimal digest`` of the published file, where one is known.
    """

    title: str
    files: tuple[str, ...]
    published: str
    licence: str
    size: str
    any_file: bool = False
    digests: dict[str, str] = field(default_factory=dict)

    def details(self) -> dict[str, str]:
        """Return what listings show."""
        joint = " or " if self.any_file else ", "
        return {
            "files": joint.join(self.files),
            "licence": self.licence,
            "published": self.published,
            "size": self.size,
        }

    def path(self, file: str) -> Path:
        """Return where `file` is looked for."""
        return Path(os.environ.get(VARIABLE) or ".").joinpath(*file.split("/"))

    def locate(self) -> list[tuple[Path, bool]]:
        """Return each file or folder, and whether it is there; an empty folder is not."""
        paths = [self.path(file) for file in self.files]
        return [(path, _has_content(path)) for path in paths]

    def is_found(self) -> bool:
        """Tell whether all files are there, or with `any_file` at least one."""
        return (any if self.any_file else all)(found for _, found in self.locate())

    def find(self) -> list[Path]:
        """Return the files that are there; an error if they are not enough.

        The folder of all data is the user's own: a link in it to a data set's folder is followed. Links in the
        folder of a data set are not, where they leave it.
        """
        if self.is_found():
            folders = [self.path(file.split("/")[0]) for file in self.files]
            return [
                within(folder if folder.is_dir() else folder.parent, path)
                for folder, (path, found) in zip(folders, self.locate(), strict=True)
                if found
            ]
        raise self.missing(*(path for path, found in self.locate() if not found))

    def missing(self, *paths: Path) -> errors.InvalidInput:
        """Return the error for `paths` that are not there."""
        joint = " or " if self.any_file else " and "
        empty = ", or is empty" if any(path.is_dir() for path in paths) else ""
        return errors.InvalidInput(
            f"{self.title} needs {joint.join(map(str, paths))}, which cannot be found{empty}. The environment "
            f"variable {VARIABLE} sets the root folder (now: '{os.environ.get(VARIABLE) or '.'}'). The data is "
            f"published at {self.published}."
        )

    def check_digests(self) -> list[str]:
        """Compare every file that is there, and whose digest is known, with the published one."""
        known = [(self.path(file), digest) for file, digest in self.digests.items()]
        return [check_digest(path, digest) for path, digest in known if path.exists()]


class FromFiles:
    """A data set that is read from files; its class tells where they are."""

    publication: ClassVar[Publication]

    @classmethod
    def locate(cls) -> list[tuple[Path, bool]]:
        """Return the files or folders that are looked for, and whether each is there."""
        return cls.publication.locate()

    @classmethod
    def is_found(cls) -> bool:
        """Tell whether the files that are needed are there."""
        return cls.publication.is_found()

    @classmethod
    def verify(cls) -> list[str]:
        """Check the files as a whole, which may take minutes.

        Returns:
            A line for each thing that was checked; what is wrong is an `InvalidInput`. Where nothing is wrong,
            but something is missing that may be, the last line is `incomplete`.
        """
        cls.publication.find()
        cls()  # opening checks the sizes and shapes that the files declare
        sizes = f"{cls.publication.title}: the files have the sizes and shapes they should have"
        return [sizes, *cls.publication.check_digests()]


def _has_content(path: Path) -> bool:
    """Tell whether it is a file, or a folder with something in it that is not hidden."""
    if not path.is_dir():
        return path.exists()
    try:
        with os.scandir(path) as entries:
            return any(not entry.name.startswith(".") for entry in entries)
    except OSError:
        return False


def incomplete(number: int, total: int, things: str) -> str:
    """Return the line of `FromFiles.verify` that says part of a data set is there."""
    return f"incomplete: {number:,} of {total:,} {things}"


def check_digest(path: Path, digest: str) -> str:
    """Return a line that says `path` is the published file, or an error that says it is not."""
    algorithm, _, expected = digest.partition(":")
    # A digest that is recorded finds damage; it is not there to keep an attacker out.
    summed = hashlib.new(algorithm, usedforsecurity=False)
    with regular(path).open("rb") as stream:
        for _ in track(range(0, path.stat().st_size, CHUNK), f"reading {path.name}", unit="chunk"):
            summed.update(stream.read(CHUNK))
    if summed.hexdigest() != expected:
        raise unusable(
            path, f"its {algorithm} is {summed.hexdigest()}, and that of the published file is {expected}"
        )
    return f"{path}: {algorithm} as published"


def unpack_once(source: Path, tag: str, size: int, write: Callable[[BinaryIO], Iterable[int]]) -> Path:
    """Return the file with what `write` unpacks from `source`.

    Args:
        source: the compressed file. The other one goes beside it, or where that folder cannot be written to,
            into the user's cache folder.
        tag: part of the file's name. It changes when the source does.
        size: bytes the file must have.
        write: writes to a stream and gives the number of bytes of each step.

    Returns:
        ``<source's name>.<tag>.npy``, which has its name only when it is whole.
    """
    name = f"{source.stem}.{tag}.npy"
    for folder in (source.parent, user_cache()):
        if _has_size(folder / name, size):
            return folder / name
    target = _folder_for(source, size) / name
    with new_file(target) as temporary:
        with temporary.open("wb") as stream:
            written = sum(track(_bounded(write(stream), size), f"unpacking {source.name}, once", unit="chunk"))
        if written != size:
            raise unusable(source, f"{size:,} bytes should come out of it, and {written:,} do")
    return target


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _bounded(steps: Iterable[int], size: int) -> Iterator[int]:
    """Yield the steps, as far as they stay within `size`, and the one that goes beyond."""
    total = 0
    for step in steps:
        total += step
        yield step
        if total > size:
            return


def user_cache() -> Path:
    """Return the folder for what can be made again, where the folder of the data cannot be written to."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "causal_disent"


def has_room(folder: Path, num_bytes: int) -> bool:
    """Tell whether so much can be written to a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > num_bytes


def _folder_for(source: Path, size: int) -> Path:
    """Return a folder that can be written to and has room."""
    candidates = [source.parent, user_cache()]
    for folder in candidates:
        if has_room(folder, size):
            return folder
    raise errors.InvalidInput(
        f"To read {source} it has to be unpacked once, and neither {candidates[0]} nor {candidates[1]} can be "
        f"written to and has room for {size / 1e9:.1f} GB. XDG_CACHE_HOME sets another place for the second."
    )


def map_array(path: Path, dtype: np.dtype, shape: tuple[int, ...], offset: int) -> np.ndarray:
    """Return the array that begins `offset` bytes into a file, read-only; the file must be long enough."""
    with regular(path).open("rb") as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    if hasattr(mmap, "MADV_RANDOM"):
        # Images are drawn at random. Told nothing, the system reads far ahead of each, which takes much longer.
        content.madvise(mmap.MADV_RANDOM)
    return np.ndarray(shape, dtype, buffer=content, offset=offset)
