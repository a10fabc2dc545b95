"""How the readers of this folder say that a file cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from causal_disent import errors
from causal_disent.files import unusable


class Damaged(Exception):
    """Bytes that break the format they claim to be in; the argument says how."""


class UnknownGraph(errors.NotForThisBackend):
    """A model whose graph is not one of disentanglement_lib's known architectures."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(
            f"The model in {folder} has a graph that cannot be rebuilt without TensorFlow: {reason}. Install the "
            "plugin that runs any graph, with `pip install causal-disent-tf`, and read it with --backend tf."
        )


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Name the file in what is raised while it is read."""
    try:
        yield
    except Damaged as error:
        raise unusable(path, str(error)) from None
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from None
