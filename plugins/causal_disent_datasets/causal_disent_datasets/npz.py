"""Arrays in npz files from outside: checked before they are read, mapped instead of loaded, never unpickled."""

from __future__ import annotations

import io
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy

from causal_disent import errors
from causal_disent.files import regular, unusable
from causal_disent.progress import track
from causal_disent_datasets.files import map_array, unpack_once

#: More than any header of an array of numbers; a longer one is not read.
MAX_HEADER = 4096
CHUNK = 2**22

#: What zipfile, zlib and numpy's parser of headers raise when they meet bytes that make no sense.
DAMAGE = (
    EOFError, MemoryError, NotImplementedError, OverflowError, RuntimeError, TypeError, ValueError,
    struct.error, tokenize.TokenError, zlib.error,
)  # fmt: skip

LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")


@dataclass(frozen=True)
class Member:
    """An array in an npz file whose declared size and shape have been checked.

    Attributes:
        path: of the archive.
        name: of the array.
        shape: one of those that were allowed.
        dtype: the one that was asked for.
        header_size: bytes before the numbers, in the member.
        entry: what the archive's directory says.
    """

    path: Path
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    header_size: int
    entry: zipfile.ZipInfo

    def array(self) -> np.ndarray:
        """The array, mapped from the archive or, if it is compressed, from a file it is unpacked to once."""
        with _clear_errors(self.path):
            if self.entry.compress_type == zipfile.ZIP_STORED:
                return self._map(self.path, _data_offset(self.path, self.entry))
            tag = f"{self.name}.{self.entry.CRC:08x}"
            return self._map(unpack_once(self.path, tag, self.entry.file_size, self._unpack), 0)

    def check_bytes(self) -> str:
        """A line that says the bytes are those that were put into the archive, or an error that says they are not.

        All of them are read and compared with the archive's checksum.
        """
        steps = -(-self.entry.file_size // CHUNK)
        chunks = track(self._chunks(), f"reading {self.path.name}", total=steps, unit="chunk")
        size = sum(len(chunk) for chunk in chunks)
        if size != self.entry.file_size:
            raise unusable(self.path, f"{self.entry.file_size:,} bytes should come out of it, and {size:,} do")
        return f"{self.path}: the bytes of '{self.name}' have the archive's checksum"

    def _map(self, path: Path, offset: int) -> np.ndarray:
        return map_array(path, self.dtype, self.shape, offset + self.header_size)

    def _unpack(self, target: BinaryIO) -> Iterator[int]:
        """Write the member to `target`, giving the bytes of each step; the checksum is compared at the end."""
        for chunk in self._chunks():
            yield target.write(chunk)

    def _chunks(self) -> Iterator[bytes]:
        """Yield all bytes of the member; the last step compares their checksum with the archive's."""
        with (
            _clear_errors(self.path),
            zipfile.ZipFile(regular(self.path)) as archive,
            archive.open(self.entry) as stream,
        ):
            while chunk := stream.read(CHUNK):
                yield chunk


def open_member(path: Path, name: str, shapes: Sequence[tuple[int, ...]], dtype: str = "uint8") -> Member:
    """Return the array `name` of an npz file, if it has one of the `shapes`. No number is read."""
    with _clear_errors(path):
        with zipfile.ZipFile(regular(path)) as archive:
            entry = _entry(archive, path, name)
            with archive.open(entry) as stream:
                start = io.BytesIO(stream.read(MAX_HEADER))
        shape, found, header_size = _header(path, name, start)
        wanted = np.dtype(dtype)
        if shape not in shapes or found != wanted:
            allowed = " or ".join(map(str, shapes))
            raise unusable(
                path, f"'{name}' should be {wanted} of shape {allowed}, and is {found} of shape {shape}"
            )
        size = header_size + prod(shape) * wanted.itemsize
        if entry.file_size != size:
            raise unusable(path, f"'{name}' should take {size:,} bytes, and the archive has {entry.file_size:,}")
        if entry.compress_type == zipfile.ZIP_STORED:
            _data_offset(path, entry)
    return Member(path, name, shape, wanted, header_size, entry)


def map_npy(path: Path, dtype: str, most: int, trailing: tuple[int, ...]) -> np.ndarray | None:
    """Return the array of an npy file, mapped, if it is what this program wrote there; None if not.

    Args:
        path: of the file, which a stranger may have put there.
        dtype: what the array must have.
        most: what its first axis may have at most.
        trailing: its other axes.
    """
    try:
        with regular(path).open("rb") as stream:
            start = io.BytesIO(stream.read(MAX_HEADER))
            num_bytes = os.fstat(stream.fileno()).st_size
        shape, found, header_size = _header(path, path.name, start)
        wanted = np.dtype(dtype)
        fits = found == wanted and len(shape) > 0 and 0 <= shape[0] <= most and shape[1:] == trailing
        if not fits or num_bytes != header_size + prod(shape) * wanted.itemsize:
            return None
        return map_array(path, wanted, shape, header_size)
    except (OSError, SyntaxError, *DAMAGE):
        return None


def _entry(archive: zipfile.ZipFile, path: Path, name: str) -> zipfile.ZipInfo:
    """Find a member of an archive."""
    found = [entry for entry in archive.infolist() if entry.filename == f"{name}.npy"]
    if len(found) != 1:
        names = errors.listing(entry.filename for entry in archive.infolist())
        raise unusable(path, f"it should have one array '{name}', and has {len(found)}; in it are: {names}")
    if found[0].header_offset < 0:
        raise unusable(path, f"'{name}' begins before the file does")
    if found[0].flag_bits & 0x1:
        raise unusable(path, f"'{name}' is encrypted")
    if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise unusable(path, f"'{name}' is compressed by a method that numpy does not write")
    return found[0]


def _header(path: Path, name: str, start: io.BytesIO) -> tuple[tuple[int, ...], np.dtype, int]:
    """Shape, dtype and size of the header of an array."""
    version = npy.read_magic(start)
    if version == (1, 0):
        shape, fortran_order, dtype = npy.read_array_header_1_0(start)
    elif version == (2, 0):
        shape, fortran_order, dtype = npy.read_array_header_2_0(start)
    else:
        raise unusable(path, f"'{name}' has version {version} of numpy's format; 1.0 and 2.0 can be read")
    if dtype.hasobject:
        raise unusable(path, f"'{name}' is pickled; pickles can run programs and are never loaded")
    if fortran_order:
        raise unusable(path, f"'{name}' is in Fortran order")
    return shape, dtype, start.tell()


def _data_offset(path: Path, entry: zipfile.ZipInfo) -> int:
    """Return where the bytes of a member that is not compressed begin, if the file has them all."""
    with path.open("rb") as stream:
        stream.seek(entry.header_offset)
        fields = LOCAL_HEADER.unpack(stream.read(LOCAL_HEADER.size))
    offset = entry.header_offset + LOCAL_HEADER.size + fields[-2] + fields[-1]
    if entry.compress_size != entry.file_size or offset + entry.file_size > os.path.getsize(path):
        raise unusable(path, f"'{entry.filename}' does not fit in it; the file may be cut short")
    return offset


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Say which file is damaged, whatever way the damage shows."""
    try:
        yield
    except errors.CausalDisentError:
        raise
    except zipfile.BadZipFile as error:
        raise unusable(path, f"it is not a whole npz file; it may be cut short ({error})") from None
    except DAMAGE as error:
        raise unusable(path, f"it is damaged ({error})") from None
