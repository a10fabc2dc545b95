"""Tensors in safetensors files: written whole or not at all, and checked before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from causal_disent import errors
from causal_disent.files import new_file, unusable

#: How a pickle begins: by itself, or in the zip archive that torch.save writes.
PICKLES = (b"\x80", b"PK\x03\x04")


class TensorFile:
    """An open file: names and shapes are known, tensors are read when asked for.

    Attributes:
        path: of the file.
        metadata: the text that was stored along.
        shapes: name -> shape.
    """

    def __init__(self, path: Path, handle: Any) -> None:
        self.path = path
        self.metadata: dict[str, str] = handle.metadata() or {}
        self.shapes = {name: tuple(handle.get_slice(name).get_shape()) for name in sorted(handle.keys())}
        self._handle = handle

    def read(self, name: str) -> Any:
        """One tensor, of the framework that the file was opened for."""
        return self._handle.get_tensor(name)


def write_packed(path: Path, content: bytes) -> None:
    """Write the bytes of a file under a temporary name, and rename it when it is complete.

    The library's own writing of files has errors of its own kind, and makes the files private.

    Raises:
        OSError: if it cannot be written, on a full disk for instance; the error names `path`.
    """
    try:
        with new_file(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def open_tensors(path: Path, framework: str) -> Iterator[TensorFile]:
    """Open a file from outside; whatever is wrong with it becomes a readable error. Nothing of it is executed.

    Args:
        path: of the file.
        framework: what tensors are wanted, as safetensors calls it: ``"pt"``, ``"tf"`` or ``"np"``.
    """
    if path.is_symlink() or not path.is_file():
        raise errors.InvalidInput(f"There is no file {path} (a link is not followed).")
    try:
        with safe_open(path, framework=framework) as handle:
            yield TensorFile(path, handle)
    except SafetensorError as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: SafetensorError) -> errors.InvalidInput:
    """Why a file that is not safetensors cannot be read."""
    with path.open("rb") as file:
        start = file.read(9)
    # The length of a header may look like a pickle; the bracket of the header comes after it.
    if start.startswith(PICKLES) and start[8:] != b"{":
        return errors.InvalidInput(
            f"{path} is a pickle, which can run code when it is read. It is refused; save the tensors with "
            "safetensors instead."
        )
    return errors.InvalidInput(
        f"{path} is cut off or is not a safetensors file: {error}. Nothing was read from it."
    )


def check_shapes(file: TensorFile, expected: Mapping[str, tuple[int, ...]], what: str) -> None:
    """Raise unless `file` has just the tensors that `what` needs, in their shapes."""
    missing = [name for name in expected if name not in file.shapes]
    excess = [name for name in file.shapes if name not in expected]
    if missing or excess:
        raise errors.InvalidInput(
            f"{file.path} does not fit {what}: missing are {errors.listing(missing)}; "
            f"not expected are {errors.listing(excess)}."
        )
    for name, shape in expected.items():
        if file.shapes[name] != tuple(shape):
            raise errors.InvalidInput(
                f"{file.path} does not fit {what}: '{name}' has shape {file.shapes[name]}; {tuple(shape)} is "
                "needed."
            )


def read_tensors(
    path: Path,
    framework: str,
    needed: Mapping[str, tuple[tuple[int, ...], Any]],
    what: str,
    is_finite: Callable[[Any], bool],
) -> dict[str, Any]:
    """All tensors of a file from outside; an error unless they are just what `what` needs, and finite numbers.

    Args:
        path: of the file.
        framework: as for `open_tensors`.
        needed: name -> shape and type, as tensors of that framework call it.
        what: named in the error.
        is_finite: whether all numbers of a tensor are.
    """
    with open_tensors(path, framework) as file:
        check_shapes(file, {name: shape for name, (shape, _) in needed.items()}, what)
        found = {name: file.read(name) for name in needed}
    for name, tensor in found.items():
        given, dtype = str(tensor.dtype), str(needed[name][1])
        if given != dtype:
            raise unusable(path, f"'{name}' is {given}, and {dtype} is needed")
        if not is_finite(tensor):
            raise unusable(path, f"'{name}' has values that are not finite numbers")
    return found
