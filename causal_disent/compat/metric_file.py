"""Loading metric files, and forgetting them again."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

from causal_disent import errors
from causal_disent.compat.gin_names import GinNames
from causal_disent.compat.imports import Imports, package_folder
from causal_disent.compat.stand_ins import PACKAGE, package_stand_ins, six_stand_ins
from causal_disent.typed import checked


class MetricFile:
    """A loaded file.

    Attributes:
        path: where it is.
        module: what it defines.
        names: what it made known to gin, in its order.
        replaced: who had a name before, by name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.module = ModuleType(_free_name(path))
        self._gin = GinNames(path.name)
        self.names, self.replaced = self._gin.names, self._gin.replaced

    def forget(self) -> None:
        """Take its names back; whoever had one before has it again."""
        self._gin.forget.close()

    @property
    def note(self) -> str:
        """What it replaces, in a sentence, or nothing."""
        owners = [f"'{name}' ({owner})" for name, owner in self.replaced.items()]
        return f"{self.path.name} replaces {errors.listing(owners)}." if owners else ""

    def execute(self) -> None:
        folder = package_folder(self.path)
        imports = Imports({**self._gin.stand_ins(), **package_stand_ins(), **six_stand_ins()}, folder)
        self.module.__package__ = ""
        if folder is not None and folder in self.path.parents:  # where relative imports start from
            self.module.__package__ = ".".join((PACKAGE, *self.path.parent.relative_to(folder).parts))
        # Data classes and pickle look a class's module up there.
        sys.modules[self.module.__name__] = self.module
        self._gin.forget.callback(sys.modules.pop, self.module.__name__, None)
        imports.execute(self.path, self.module)


@checked
def load_metric_file(path: str | Path) -> MetricFile:
    """Run a file that defines metrics in disentanglement_lib's way, and make them known.

    The file is code, and runs with all the rights of this process. Imports of ``gin.tf``, ``six`` and
    ``disentanglement_lib.evaluation.metrics.utils`` find what stands in for them here, installed or not; what
    other modules import is untouched. A name that a metric here has already goes to the file.

    Args:
        path: the file, as it was written for disentanglement_lib 1.5.

    Returns:
        What was loaded. It stays until its ``forget()`` is called; `metric_files` does that by itself.
    """
    file = MetricFile(Path(path).absolute())
    try:
        file.execute()
    except (Exception, SystemExit) as error:  # the file is foreign code
        file.forget()
        raise _cannot_load(path, file.path, error) from error
    return file


@contextmanager
def metric_files(paths: Sequence[str | Path]) -> Iterator[list[MetricFile]]:
    """The metrics of these files inside a block; later files replace what earlier ones define."""
    with ExitStack() as loaded:
        files = []
        for path in paths:
            files.append(load_metric_file(path))
            loaded.callback(files[-1].forget)
        yield files


def _cannot_load(given: str | Path, path: Path, error: BaseException) -> errors.InvalidInput:
    if isinstance(error, OSError) and error.filename == str(path):
        return errors.InvalidInput(f"The metric file {given} cannot be read: {error.strerror}.")
    line = errors.line_in(str(path), error)
    place = f"{given}, line {line}" if line else str(given)
    text = error.msg if isinstance(error, SyntaxError) else getattr(error, "message", None) or str(error)
    return errors.InvalidInput(f"The metric file cannot be loaded. {place}: {type(error).__name__}: {text}")


def _free_name(path: Path) -> str:
    name = "metric_file_" + re.sub(r"\W", "_", path.stem)
    while name in sys.modules:
        name += "_"
    return name
