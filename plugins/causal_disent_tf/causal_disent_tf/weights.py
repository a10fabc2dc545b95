"""The weights of a Keras network by the names, and in the layout, that a folder of ``dlib_train`` has them in.

A kernel is called ``weight`` there, with the outputs first, as torch has it; all else is as Keras has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from causal_disent_tf import _tensorflow

tf: Any = _tensorflow.tensorflow()
keras = _tensorflow.keras()


@dataclass(frozen=True)
class Weight:
    """One variable.

    Attributes:
        variable: of Keras.
        axes: the axes of the variable in the order of the file.
    """

    variable: Any
    axes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """In the file."""
        return tuple(int(self.variable.shape[axis]) for axis in self.axes)

    def stored(self) -> np.ndarray:
        """As the file has it."""
        return np.array(np.transpose(self.variable.numpy(), self.axes), order="C")

    def load(self, values: Any) -> None:
        """Take what a file has."""
        self.variable.assign(np.transpose(np.asarray(values), np.argsort(self.axes)))


def weights_of(networks: Mapping[str, Any]) -> dict[str, Weight]:
    """Every weight of these networks, ``encoder.e1.weight`` say."""
    found = {}
    for name, network in networks.items():
        found.update(dict(_weights(network, f"{name}.")))
    return found


def _weights(layer: Any, prefix: str) -> Iterator[tuple[str, Weight]]:
    inside: set[int] = set()
    for name, child in _children(layer):
        inside.update(id(variable) for variable in child.variables)
        yield from _weights(child, f"{prefix}{name}.")
    for variable in layer.variables:
        if id(variable) in inside:
            continue
        axes = tuple(range(len(variable.shape)))
        if variable is getattr(layer, "kernel", None) and isinstance(layer, keras.layers.Dense):
            yield f"{prefix}weight", Weight(variable, (1, 0))
        elif variable is getattr(layer, "kernel", None) and len(axes) == 4:
            yield f"{prefix}weight", Weight(variable, (3, 2, 0, 1))
        else:
            yield f"{prefix}{variable.name}", Weight(variable, axes)


def _children(layer: Any) -> Iterator[tuple[str, Any]]:
    """The layers right below a layer: by attribute, or by number where it is a chain or a graph of them."""
    if isinstance(layer, keras.Sequential) or hasattr(layer, "operations"):
        yield from ((str(number), child) for number, child in enumerate(layer.layers))
        return
    for name, value in list(vars(layer).items()):
        if name.startswith("_"):
            continue
        several = value if isinstance(value, (list, tuple)) else [value]
        for number, child in enumerate(several):
            if isinstance(child, keras.layers.Layer):
                yield name if several is not value else f"{name}.{number}", child
