"""A folder of disentanglement_lib to the arrays of its encoder and decoder, by numpy alone.

A chain is recognised by what its layers compute and how wide they are; what they are called does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.runs.representation import decoder_activation, sampling_seed
from causal_disent_torch.tf1.graph import Graph, Layer, MetaGraph, NotALayer, Signature, Tensor, read_saved_model
from causal_disent_torch.tf1.wire import Bundle, UnknownGraph, clear_errors

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
        scope: before the names of its layers, in TensorFlow and in `tf1.backend`.
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
    """Return which architecture the chains to its heads are.

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
    """Return the names of the variables, if the chains are this architecture."""
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
    """Tell whether a layer computes a step."""
    operation, activation, stride, side, width = step
    kernel, bias = shapes.get(layer.kernel, ()), shapes.get(layer.bias, ())
    if (layer.operation, layer.activation, layer.stride) != (operation, activation, stride):
        return False
    if len(kernel) != (2 if operation == DENSE else 4) or kernel[:-2] != (side, side)[: len(kernel) - 2]:
        return False
    found = _inputs_and_outputs(operation, kernel)[1]
    return bias == (found,) and width in (None, found)


def _inputs_and_outputs(operation: str, kernel: tuple[int, ...]) -> tuple[int, int]:
    """Return a transposed convolution's kernel has them the other way round."""
    return (kernel[-1], kernel[-2]) if operation == DECONV else (kernel[-2], kernel[-1])


def fits_images(chain: Sequence[Layer], shapes: Shapes, image_shape: Sequence[int], *, encodes: bool) -> bool:
    """Tell whether images of this shape go into an encoder's chain, or come out of a decoder's, layer by layer.

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


ADD = ("Add", "AddV2")


@dataclass(frozen=True)
class Network:
    """A network that can be rebuilt.

    Attributes:
        architecture: what configs call it.
        image_shape: (height, width, channels).
        num_latent: number of codes.
        variables: TensorFlow's usual name of each variable -> its name in the checkpoint, or once it is read the
            array.
    """

    architecture: str
    image_shape: tuple[int, int, int]
    num_latent: int
    variables: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """What a folder holds.

    Attributes:
        encoder: images to mean and log variance.
        decoder: codes to images, if it is there.
        postprocessed: whether it is a representation that was made of a model.
        sampled: whether that draws codes instead of taking the mean.
        sample_seed: where codes are drawn, the seed of the draws; None where they are the mean.
        activation: what turns the decoder's output into pixels: ``"logits"`` or ``"tanh"``.
    """

    encoder: Network
    decoder: Network | None
    postprocessed: bool = False
    sampled: bool = False
    sample_seed: int | None = None
    activation: str = ""


def find_networks(model: MetaGraph, shapes: Shapes) -> Checkpoint:
    """Find the networks in a model's or a postprocessed representation's graph; no variable is read.

    Args:
        model: what ``saved_model.pb`` says.
        shapes: of the checkpoint's variables.

    Raises:
        NotALayer: if they are not known ones.
    """
    if "gaussian_encoder" in model.signatures:
        signature = model.signatures["gaussian_encoder"]
        mean, log_var = (_tensor(signature.outputs, name).name for name in ("mean", "logvar"))
        encoder = _encoder(model.graph, signature, mean, log_var, shapes)
        return Checkpoint(encoder, _decoder(model, encoder, shapes))
    if "representation" in model.signatures:
        signature = model.signatures["representation"]
        mean, found, sampled = _representation(model.graph, _tensor(signature.outputs, "default").name)
        log_var = found or _log_variance(model.graph, mean, shapes)
        encoder = _encoder(model.graph, signature, mean, log_var, shapes)
        return Checkpoint(encoder, _decoder(model, encoder, shapes), postprocessed=True, sampled=sampled)
    raise NotALayer(
        f"it has the signatures {errors.listing(sorted(model.signatures))}, and should have 'gaussian_encoder' or "
        "'representation'"
    )


def _tensor(tensors: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in tensors:
        raise NotALayer(f"a signature lacks '{name}'")
    return tensors[name]


def _encoder(graph: Graph, signature: Signature, mean: str, log_var: str, shapes: Shapes) -> Network:
    """Recognise the encoder."""
    images = _tensor(signature.inputs, "images")
    chains = []
    for tensor in (mean, log_var):
        chain, start = graph.layers(tensor)
        chains.append(chain)
        if tensor == mean and start is not graph.node(images.name):
            raise NotALayer("the codes are not computed from the images")
    architecture, names = recognise(chains, shapes, ENCODERS)
    num_latent = shapes[chains[0][-1].kernel][-1]
    if num_latent < 1 or shapes[chains[1][-1].kernel][-1] != num_latent:
        raise NotALayer("mean and variance have different lengths, or none")
    shape = images.shape[1:]
    if len(shape) != 3 or min(shape) < 1 or not fits_images(chains[0], shapes, shape, encodes=True):
        raise NotALayer(f"images of shape {shape} do not fit its encoder")
    return Network(architecture.name, (shape[0], shape[1], shape[2]), num_latent, names)


def _representation(graph: Graph, tensor: str) -> tuple[str, str, bool]:
    """Return the tensors of mean and log variance (empty if it is not used), and whether codes are drawn."""
    if graph.source(tensor).operation not in ADD:
        return tensor, "", False
    mean, noise = graph.inputs(tensor, *ADD)
    deviation, normal = graph.inputs(noise, "Mul")
    log_var, divisor = graph.inputs(graph.inputs(deviation, "Exp")[0], "RealDiv")
    scaled, centre = graph.inputs(normal, *ADD)
    drawn, scale = graph.inputs(scaled, "Mul")
    graph.inputs(drawn, "RandomStandardNormal")
    if [graph.constant(value) for value in (divisor, centre, scale)] != [2.0, 0.0, 1.0]:
        raise NotALayer("codes are drawn from an unusual distribution")
    return mean, log_var, True


def _log_variance(graph: Graph, mean: str, shapes: Shapes) -> str:
    """Return the other head of the encoder, which a mean representation computes but does not give out."""
    chain, _ = graph.layers(mean)
    for tensor, other in _chains(graph, "BiasAdd"):
        if other[:-1] != chain[:-1]:
            continue
        head, mean_head = other[-1].kernel, chain[-1].kernel
        if head != mean_head and shapes.get(head) == shapes.get(mean_head):
            return tensor
    raise NotALayer("the encoder's variance is not there")


def _decoder(model: MetaGraph, encoder: Network, shapes: Shapes) -> Network | None:
    """Return the decoder that the signature names; where none does, the one that the graph holds all the same."""
    if "decoder" in model.signatures:
        signature = model.signatures["decoder"]
        chain, start = model.graph.layers(_tensor(signature.outputs, "images").name)
        if start is not model.graph.node(_tensor(signature.inputs, "latent_vectors").name):
            raise NotALayer("the images are not computed from the codes")
        return _decoder_of(chain, encoder, shapes)
    for _, chain in _chains(model.graph, "Reshape"):
        try:
            return _decoder_of(chain, encoder, shapes)
        except NotALayer:
            continue
    return None


def _decoder_of(chain: tuple[Layer, ...], encoder: Network, shapes: Shapes) -> Network:
    """Recognise the decoder, if it fits the encoder."""
    architecture, names = recognise([chain], shapes, DECODERS)
    num_latent = shapes[chain[0].kernel][0]
    if num_latent != encoder.num_latent:
        raise NotALayer(f"its decoder takes {num_latent} codes, and there are {encoder.num_latent}")
    if not fits_images(chain, shapes, encoder.image_shape, encodes=False):
        raise NotALayer(f"its decoder does not give images of shape {encoder.image_shape}")
    return Network(architecture.name, encoder.image_shape, encoder.num_latent, names)


def _chains(graph: Graph, operation: str) -> Iterator[tuple[str, tuple[Layer, ...]]]:
    """Yield every tensor that `operation` computes at the end of a chain of layers, and the chain."""
    for name in _bounded(graph.names(operation)):
        try:
            yield name, graph.layers(name)[0]
        except NotALayer:
            continue


def _bounded(names: Sequence[str], most: int = 1000) -> Sequence[str]:
    if len(names) > most:
        raise NotALayer(f"it has {len(names):,} nodes of one kind")
    return names


SAVED_MODEL = "tfhub/saved_model.pb"
VARIABLES = "tfhub/variables/variables"


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read a model's or a postprocessed representation's folder.

    Args:
        folder: it holds ``tfhub`` and ``results``.

    Raises:
        UnknownGraph: if the graph is not one of disentanglement_lib's known architectures.
        causal_disent.errors.InvalidInput: if a file is damaged or leads out of the folder.
    """
    with clear_errors(folder / SAVED_MODEL):
        try:
            model = read_saved_model(folder, SAVED_MODEL)
            bundle = Bundle(folder, VARIABLES)
            found = find_networks(model, {name: variable.shape for name, variable in bundle.variables.items()})
        except NotALayer as error:
            raise UnknownGraph(folder, str(error)) from None
    return replace(
        found,
        encoder=_read_variables(found.encoder, bundle),
        decoder=None if found.decoder is None else _read_variables(found.decoder, bundle),
        sample_seed=sampling_seed(folder) if found.sampled else None,
        activation=decoder_activation(folder),
    )


def _read_variables(network: Network, bundle: Bundle) -> Network:
    """Put the arrays of a checkpoint in the place of their names."""
    arrays = bundle.read(network.variables.values())
    return replace(network, variables={name: arrays[stored] for name, stored in network.variables.items()})
