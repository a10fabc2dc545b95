"""Anybody's encoders and decoders as signatures: Keras files, and SavedModels as Keras exports them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent_tf.keras_files import SUFFIXES, load_keras
from causal_disent_tf.saved_model import Shape, Signature

#: The signature that `model.export` and `tf.saved_model.save` give a Keras model.
SERVING = "serving_default"


@dataclass(frozen=True)
class OneFunction:
    """A function of one tensor under the names of a signature; of several outputs it gives the first.

    Attributes:
        function: tensor -> tensor.
        given: what the signature calls the one.
        result: what it calls the other.
        takes: the shape of the one.
        gives: the shape of the other.
    """

    function: Callable[[Any], Any]
    given: str
    result: str
    takes: Shape
    gives: Shape

    def __call__(self, **tensors: Any) -> dict[str, Any]:
        return {self.result: self.function(tensors[self.given])}

    @property
    def inputs(self) -> dict[str, Shape]:
        """Name -> shape of what it takes."""
        return {self.given: self.takes}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Name -> shape of what it gives."""
        return {self.result: self.gives}


def is_keras_file(path: Path) -> bool:
    """Whether `path` is a file that is called as Keras calls its own."""
    return path.suffix in SUFFIXES and path.is_file()


def of_file(path: Path, given: str, result: str, *, trust: bool) -> OneFunction:
    """The Keras model in a file."""
    model = load_keras(path, trust=trust, how="pass --trust")
    takes: Any = getattr(model, "input_shape", None)
    gives: Any = getattr(model, "output_shape", None)
    if not _is_shape(takes):
        raise errors.InvalidInput(f"The Keras model {path} must take one tensor; it takes {takes}.")

    def function(tensor: Any) -> Any:
        output = model(tensor, training=False)
        if isinstance(output, dict):
            raise errors.InvalidInput(
                f"The Keras model {path} must give a tensor, or a list that begins with the one that counts; it "
                f"gives {errors.listing(output)} by name."
            )
        return output[0] if isinstance(output, (list, tuple)) else output

    return OneFunction(function, given, result, takes, gives if _is_shape(gives) else gives[0])


def of_signature(folder: Path, signature: Signature, given: str, result: str) -> OneFunction:
    """The one function of a SavedModel; ``output_0`` comes before ``output_1``."""
    names = sorted(signature.outputs, key=lambda name: [int(part) for part in re.findall(r"[0-9]+", name)])
    if len(signature.inputs) != 1 or not names:
        raise errors.InvalidInput(
            f"The signature '{SERVING}' of the model in {folder} must take one tensor and give one; it takes "
            f"{errors.listing(signature.inputs)} and gives {errors.listing(names)}."
        )
    ((name, takes),) = signature.inputs.items()
    return OneFunction(
        lambda tensor: signature(**{name: tensor})[names[0]], given, result, takes, signature.outputs[names[0]]
    )


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(side is None or isinstance(side, int) for side in value)
