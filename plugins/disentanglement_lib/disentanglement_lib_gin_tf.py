"""Let a program import ``gin.tf`` before disentanglement_lib.

The file ``disentanglement_lib_gin_tf.pth`` beside it imports this when Python starts. It only waits: the first
import of ``gin.tf`` imports disentanglement_lib, which makes it an alias of gin. The real one needs an old
TensorFlow.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAMES = ("gin.tf", "gin.tf.external_configurables")


class GinTfFinder:
    """Finds ``gin.tf`` where disentanglement_lib has not been imported yet, and loads gin in its place."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The spec of an alias; None for every other module."""
        if name not in NAMES:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        import disentanglement_lib  # noqa: F401  # it makes the alias

        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Gin, whose own spec Python is about to replace."""
        self._module = sys.modules[spec.name]
        self._spec = self._module.__spec__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Give gin its own spec back."""
        module.__spec__ = self._spec


sys.meta_path.insert(0, GinTfFinder())  # type: ignore[arg-type]
