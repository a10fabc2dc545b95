"""The architectures that can be rebuilt, as the chains of layers that their graphs show.

A chain is recognised by what its layers compute and how wide they are; what they are called does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from causal_disent_torch.tf1.graph import Layer, NotALayer

DENSE, CONV, DECONV = "MatMul", "Conv2D", "Conv2DBackpropInput"
#: Name of a variable -> its shape.
Shapes = Mapping[str, tuple[int, ...]]
#: What a layer computes: operation, activation, stride, kernel size (side) and width; None if any width will do.
Step = tuple[str, str, int, int, int | None]


@dataclass(frozen=True)
class Architecture:
    """Layers that lead to one or more heads.

    Attributes:
        name: what configs call it.
        scope: before the names of its layers, in TensorFlow and in `tf1.variables`.
        layers: name -> what it computes, in order; the heads come last.
        num_heads: how many of the layers, at the end, stand side by side.
    """

    name: str
    scope: str
    layers: Mapping[str, Step]
    num_heads: int = 1

    def chains(self) -> list[list[tuple[str, Step]]]:
        """For each head, the layers that lead to it and the head."""
        steps = list(self.layers.items())
        trunk, heads = steps[: -self.num_heads], steps[-self.num_heads :]
        return [[*trunk, head] for head in heads]


ENCODERS = (
    Architecture(
        "conv_encoder",
        "encoder",
        {
            "e1": (CONV, "Relu", 2, 4, 32),
            "e2": (CONV, "Relu", 2, 4, 32),
            "e3": (CONV, "Relu", 2, 2, 64),
            "e4": (CONV, "Relu", 2, 2, 64),
            "e5": (DENSE, "Relu", 0, 0, 256),
            "means": (DENSE, "", 0, 0, None),
            "log_var": (DENSE, "", 0, 0, None),
        },
        num_heads=2,
    ),
    Architecture(
        "fc_encoder",
        "encoder",
        {
            "e1": (DENSE, "Relu", 0, 0, 1200),
            "e2": (DENSE, "Relu", 0, 0, 1200),
            "dense": (DENSE, "", 0, 0, None),
            "dense_1": (DENSE, "", 0, 0, None),
        },
        num_heads=2,
    ),
    Architecture(
        "test_encoder",
        "encoder",
        {"e1": (DENSE, "", 0, 0, None), "e2": (DENSE, "", 0, 0, None)},
        num_heads=2,
    ),
)

DECODERS = (
    Architecture(
        "deconv_decoder",
        "decoder",
        {
            "dense": (DENSE, "Relu", 0, 0, 256),
            "dense_1": (DENSE, "Relu", 0, 0, None),
            "conv2d_transpose": (DECONV, "Relu", 2, 4, 64),
            "conv2d_transpose_1": (DECONV, "Relu", 2, 4, 32),
            "conv2d_transpose_2": (DECONV, "Relu", 2, 4, 32),
            "conv2d_transpose_3": (DECONV, "", 2, 4, None),
        },
    ),
    Architecture(
        "fc_decoder",
        "decoder",
        {
            "dense": (DENSE, "Tanh", 0, 0, 1200),
            "dense_1": (DENSE, "Tanh", 0, 0, 1200),
            "dense_2": (DENSE, "Tanh", 0, 0, 1200),
            "dense_3": (DENSE, "", 0, 0, None),
        },
    ),
    Architecture("test_decoder", "decoder", {"d1": (DENSE, "", 0, 0, None)}),
)


def recognise(
    chains: Sequence[tuple[Layer, ...]], shapes: Shapes, candidates: Iterable[Architecture]
) -> tuple[Architecture, dict[str, str]]:
    """Which architecture the chains to its heads are.

    Args:
        chains: for each head, the layers that lead to it.
        shapes: of the checkpoint's variables.
        candidates: the architectures to choose from.

    Returns:
        The architecture, and TensorFlow's usual name of each of its variables -> its name in the checkpoint.
    """
    for architecture in candidates:
        names = _names(architecture, chains, shapes)
        if names is not None:
            return architecture, names
    found = ", ".join(f"{layer.operation} {layer.activation}".strip() for layer in chains[0]) or "none"
    known = ", ".join(architecture.name for architecture in candidates)
    raise NotALayer(f"its layers ({found}) are not those of {known}")


def _names(
    architecture: Architecture, chains: Sequence[tuple[Layer, ...]], shapes: Shapes
) -> dict[str, str] | None:
    """The names of the variables, if the chains are this architecture."""
    names: dict[str, str] = {}
    expected = architecture.chains()
    if [len(chain) for chain in chains] != [len(chain) for chain in expected]:
        return None
    for chain, steps in zip(chains, expected, strict=True):
        for layer, (name, step) in zip(chain, steps, strict=True):
            if not _computes(layer, step, shapes):
                return None
            for part, variable in (("kernel", layer.kernel), ("bias", layer.bias)):
                # The layers before the heads are the same ones for each head.
                if names.setdefault(f"{architecture.scope}/{name}/{part}", variable) != variable:
                    return None
    return names


def _computes(layer: Layer, step: Step, shapes: Shapes) -> bool:
    operation, activation, stride, side, width = step
    kernel, bias = shapes.get(layer.kernel, ()), shapes.get(layer.bias, ())
    if (layer.operation, layer.activation, layer.stride) != (operation, activation, stride):
        return False
    if len(kernel) != (2 if operation == DENSE else 4) or kernel[:-2] != (side, side)[: len(kernel) - 2]:
        return False
    found = _inputs_and_outputs(operation, kernel)[1]
    return bias == (found,) and width in (None, found)


def _inputs_and_outputs(operation: str, kernel: tuple[int, ...]) -> tuple[int, int]:
    """A transposed convolution's kernel has them the other way round."""
    return (kernel[-1], kernel[-2]) if operation == DECONV else (kernel[-2], kernel[-1])


def fits_images(chain: Sequence[Layer], shapes: Shapes, image_shape: Sequence[int], *, encodes: bool) -> bool:
    """Whether images of this shape go into an encoder's chain, or come out of a decoder's, layer by layer.

    Args:
        chain: the layers from images to codes, or from codes to images.
        shapes: of the variables.
        image_shape: (height, width, channels).
        encodes: whether images go in.
    """
    shape = tuple(image_shape)
    for layer in chain if encodes else reversed(chain):
        ends = _inputs_and_outputs(layer.operation, shapes[layer.kernel])
        near, far = ends if encodes else ends[::-1]
        if layer.operation == DENSE:
            if prod(shape) != near:
                return False
            shape = (far,)
        else:
            if len(shape) != 3 or shape[2] != near or shape[0] % layer.stride or shape[1] % layer.stride:
                return False
            shape = (shape[0] // layer.stride, shape[1] // layer.stride, far)
    return True
