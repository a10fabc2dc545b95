"""An import statement that finds stand-ins first, for one file and what it imports of its own package.

It is given to the file as its ``__import__``. Every other module goes on importing what it always did, and
nothing has to be put into ``sys.modules`` and taken out again; a function of the file that imports something
only when it is called finds the stand-ins too.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.compat.gin_names import PACKAGE, GinNames, package_stand_ins, six_stand_ins

#: A module that the original does not have.
OWN_MODULE = "_core.py"


class Imports:
    """Called as ``__import__`` is.

    Args:
        stand_ins: modules by their full names.
        folder: that of a disentanglement_lib whose other modules may be imported, or None.
    """

    def __init__(self, stand_ins: Mapping[str, ModuleType], folder: Path | None) -> None:
        self._modules = dict(stand_ins)
        self._offered = sorted(name for name in stand_ins if name.startswith(PACKAGE))
        self._roots = {PACKAGE, *(name.partition(".")[0] for name in stand_ins)}
        self._folder = folder

    def __call__(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        package = (globals or {}).get("__package__")
        full = importlib.util.resolve_name("." * level + name, package) if level and package else name
        if full.partition(".")[0] not in self._roots or (level and not package):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = self._module(full)
        for member in fromlist or ():
            if member != "*" and not hasattr(module, member):
                self._module(f"{full}.{member}")
        return module if fromlist else self._module(full.partition(".")[0])

    def execute(self, path: Path, module: ModuleType) -> None:
        """Run the source of `module`."""
        module.__file__ = str(path)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self}
        # As bytes, for the file itself to say how it is encoded.
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        exec(code, module.__dict__)

    def _module(self, name: str) -> ModuleType:
        parent, _, last = name.rpartition(".")
        package = self._module(parent) if parent else None
        if name not in self._modules:
            self._load(name, package)
        if package is not None:
            setattr(package, last, self._modules[name])
        return self._modules[name]

    def _load(self, name: str, package: ModuleType | None) -> None:
        """Add a module that was not asked for before."""
        if name.partition(".")[0] != PACKAGE:
            self._modules[name] = importlib.import_module(name)
            return
        source = source_of(name, self._folder)
        if source is None and not any(offered.startswith(f"{name}.") for offered in self._offered):
            self._modules[name] = self._ours(name, package)
            return
        module = self._modules[name] = ModuleType(name)
        if source is not None:
            module.__package__ = name if source.name == "__init__.py" else name.rpartition(".")[0]
            self.execute(source, module)

    def _ours(self, name: str, package: ModuleType | None) -> ModuleType:
        """The module of the disentanglement_lib that is made of causal_disent, where it is installed."""
        is_free = package is None or package.__name__ not in self._offered
        if is_free and source_of(name, installed_folder(ours=True)) is not None:
            return importlib.import_module(name)
        raise ModuleNotFoundError(self._not_offered(name, package), name=name)

    def _not_offered(self, name: str, package: ModuleType | None) -> str:
        if package is not None and package.__name__ in self._offered:
            members = [member for member in vars(package) if not member.startswith("__")]
            return f"'{name}' is not offered here. {package.__name__} offers: {errors.listing(sorted(members))}."
        return (
            f"'{name}' is not offered here, only {errors.listing(self._offered)}. For other modules, install "
            f"causal-disent[dlib], or the original (pip install --no-deps {PACKAGE}==1.5)."
        )


def package_folder(path: Path) -> Path | None:
    """The disentanglement_lib that a file belongs to, or else the installed one."""
    for folder in path.parents:
        if folder.name == PACKAGE and (folder / "__init__.py").is_file():
            return folder
    return installed_folder(ours=False)


def source_of(name: str, folder: Path | None) -> Path | None:
    """The file of a module of the package in `folder`."""
    if folder is None:
        return None
    place = folder.joinpath(*name.split(".")[1:])
    candidates = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((file for file in candidates if file.is_file()), None)


def installed_folder(*, ours: bool) -> Path | None:
    """The folder of the installed disentanglement_lib: the original's, or of the one made of causal_disent."""
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except ValueError:  # something without a specification has taken the name
        spec = None
    places = list(spec.submodule_search_locations or ()) if spec else []
    folder = Path(places[0]) if places else None
    return folder if folder is not None and (folder / OWN_MODULE).is_file() == ours else None


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
