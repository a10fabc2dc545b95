"""An import statement that finds stand-ins first, for one file and what it imports of its own package.

It is given to the file as its ``__import__``. Every other module goes on importing what it always did, and
nothing has to be put into ``sys.modules`` and taken out again; a function of the file that imports something
only when it is called finds the stand-ins too.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from causal_disent import errors
from causal_disent.compat.stand_ins import PACKAGE


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
        source = self._source(name)
        if source is None and not any(offered.startswith(f"{name}.") for offered in self._offered):
            raise ModuleNotFoundError(self._not_offered(name, package), name=name)
        module = self._modules[name] = ModuleType(name)
        if source is not None:
            module.__package__ = name if source.name == "__init__.py" else name.rpartition(".")[0]
            self.execute(source, module)

    def _source(self, name: str) -> Path | None:
        if self._folder is None:
            return None
        place = self._folder.joinpath(*name.split(".")[1:])
        candidates = (place / "__init__.py", place.with_name(f"{place.name}.py"))
        return next((file for file in candidates if file.is_file()), None)

    def _not_offered(self, name: str, package: ModuleType | None) -> str:
        if package is not None and package.__name__ in self._offered:
            members = [member for member in vars(package) if not member.startswith("__")]
            return f"'{name}' is not offered here. {package.__name__} offers: {errors.listing(sorted(members))}."
        return (
            f"'{name}' is not offered here, only {errors.listing(self._offered)}. For other modules of "
            f"{PACKAGE}, install it (pip install --no-deps {PACKAGE}==1.5): their source is then used."
        )


def package_folder(path: Path) -> Path | None:
    """The disentanglement_lib that a file belongs to, or else the installed one."""
    for folder in path.parents:
        if folder.name == PACKAGE and (folder / "__init__.py").is_file():
            return folder
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except ValueError:  # something without a specification has taken the name
        spec = None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None
