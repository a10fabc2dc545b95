"""disentanglement_lib 1.5 in this process, for scores and timings side by side.

The wheel no longer imports: it wants ``gin.tf`` and ``blacklist=``, which are gone. Its modules are therefore
imported with a stand-in for gin, which hands bindings to their functions and leaves the real gin, and with it
every config of this project, as it was.

    >>> peer = load_peer()                                                              # doctest: +SKIP
    >>> with peer.bound({"discretizer.num_bins": 20, "discretizer.discretizer_fn": "histogram_discretizer"}):
    ...     peer.mig(data, encoder, np.random.RandomState(0), num_train=1000)           # doctest: +SKIP
    {'discrete_mig': 0.81}
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "disentanglement_lib"
ENVIRONMENT = ".venv-peer"
METRICS = (
    "beta_vae",
    "dci",
    "downstream_task",
    "factor_vae",
    "fairness",
    "irs",
    "mig",
    "modularity_explicitness",
    "reduced_downstream_task",
    "sap_score",
    "strong_downstream_task",
    "unsupervised_metrics",
    "utils",
)

#: The published study's bins.
BINS = {"discretizer.discretizer_fn": "histogram_discretizer", "discretizer.num_bins": 20}


class Peer:
    """The original's functions, by their gin names: ``peer.mig``, ``peer.factor_vae_score``."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._bindings: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_functions"][name]
        except KeyError:
            raise AttributeError(f"The peer has no '{name}'.") from None

    @contextmanager
    def bound(self, bindings: Mapping[str, Any]) -> Iterator[None]:
        """Bind parameters, as ``{"discretizer.num_bins": 20}``, inside a block."""
        before, self._bindings = self._bindings, {**self._bindings, **bindings}
        try:
            yield
        finally:
            self._bindings = before

    def configurable(self, name: Any = None, **_lists: Any) -> Any:
        """What stands in for ``gin.configurable``; black- and whitelists need no enforcing here."""
        if callable(name):
            return self._wrap(name.__name__, name)
        return lambda function: self._wrap(name or function.__name__, function)

    def _wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            self._functions[name] = function
            return function

        @functools.wraps(function)
        def with_bindings(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **{**self._bound_to(name), **kwargs})

        self._functions[name] = with_bindings
        return with_bindings

    def _bound_to(self, name: str) -> dict[str, Any]:
        """Bindings of one function; a string that names a function stands for it."""
        owners = ((key.rpartition("."), value) for key, value in self._bindings.items())
        return {
            parameter: self._functions.get(value, value) if isinstance(value, str) else value
            for (owner, _, parameter), value in owners
            if owner == name
        }


def load_peer(path: str | Path | None = None, modules: tuple[str, ...] = METRICS) -> Peer:
    """Import the original's metric modules.

    Args:
        path: the folder that holds the unpacked package; by default that of the virtual environment
            ``.venv-peer`` beside this project (``python -m venv .venv-peer`` and
            ``.venv-peer/bin/pip install --no-deps disentanglement_lib==1.5``).
        modules: which of ``disentanglement_lib.evaluation.metrics``.
    """
    peer = Peer()
    with _import_path(_folder(path)), _stand_ins(peer):
        for name in modules:
            peer.modules[name] = importlib.import_module(f"{PACKAGE}.evaluation.metrics.{name}")
    return peer


def _folder(path: str | Path | None) -> Path:
    root = Path(__file__).resolve().parent.parent
    places = [Path(path)] if path else sorted((root / ENVIRONMENT).glob("lib/python*/site-packages"))
    for place in places:
        if (place / PACKAGE).is_dir():
            return place
    raise FileNotFoundError(f"No package {PACKAGE} in {path or root / ENVIRONMENT}; see `load_peer`.")


@contextmanager
def _import_path(folder: Path) -> Iterator[None]:
    # Last, so that nothing else in that folder hides an installed package.
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


@contextmanager
def _stand_ins(peer: Peer) -> Iterator[None]:
    """Names the modules import, replaced during the import; afterwards all is as it was."""
    gin = _module("gin", configurable=peer.configurable, REQUIRED=inspect.Parameter.empty)
    gin.tf = gin  # type: ignore[attr-defined]
    stand_ins = {"gin": gin, "gin.tf": gin, **_missing_six()}
    roots = {PACKAGE, *(name.partition(".")[0] for name in stand_ins)}
    before = _take_out(roots)
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        _take_out(roots)
        sys.modules.update(before)


def _take_out(roots: set[str]) -> dict[str, ModuleType]:
    """Remove these packages from the loaded modules, and return what was removed."""
    names = [name for name in sys.modules if name.partition(".")[0] in roots]
    return {name: sys.modules.pop(name) for name in names}


def _missing_six() -> dict[str, ModuleType]:
    """The two names the metrics take from six, where it is not installed."""
    if importlib.util.find_spec("six"):
        return {}
    moves = _module("six.moves", range=builtins.range, zip=builtins.zip)
    return {"six": _module("six", moves=moves), "six.moves": moves}


def _module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(members)
    return module
