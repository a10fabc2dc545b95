"""The encoder and the decoder in a saved model's graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from causal_disent import errors
from causal_disent_torch.tf1.graph import Graph, Layer, NotALayer
from causal_disent_torch.tf1.known import DECODERS, ENCODERS, Shapes, fits_images, recognise
from causal_disent_torch.tf1.saved_model import MetaGraph, Signature, Tensor

ADD = ("Add", "AddV2")


@dataclass(frozen=True)
class Network:
    """A network that can be rebuilt.

    Attributes:
        architecture: what configs call it.
        image_shape: (height, width, channels).
        num_latent: number of codes.
        names: TensorFlow's usual name of each variable -> its name in the checkpoint.
    """

    architecture: str
    image_shape: tuple[int, int, int]
    num_latent: int
    names: Mapping[str, str]


@dataclass(frozen=True)
class Networks:
    """What a graph computes.

    Attributes:
        encoder: images to mean and log variance.
        decoder: codes to images, if it is there.
        postprocessed: whether it is a representation that was made of a model.
        sampled: whether that draws codes instead of taking the mean.
    """

    encoder: Network
    decoder: Network | None
    postprocessed: bool = False
    sampled: bool = False


def find_networks(model: MetaGraph, shapes: Shapes) -> Networks:
    """The networks of a model's or of a postprocessed representation's graph.

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
        return Networks(encoder, _decoder(model, encoder, shapes))
    if "representation" in model.signatures:
        signature = model.signatures["representation"]
        mean, found, sampled = _representation(model.graph, _tensor(signature.outputs, "default").name)
        log_var = found or _log_variance(model.graph, mean, shapes)
        encoder = _encoder(model.graph, signature, mean, log_var, shapes)
        return Networks(encoder, _decoder(model, encoder, shapes), postprocessed=True, sampled=sampled)
    raise NotALayer(
        f"it has the signatures {errors.listing(sorted(model.signatures))}, and should have 'gaussian_encoder' or "
        "'representation'"
    )


def _tensor(tensors: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in tensors:
        raise NotALayer(f"a signature lacks '{name}'")
    return tensors[name]


def _encoder(graph: Graph, signature: Signature, mean: str, log_var: str, shapes: Shapes) -> Network:
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
    """The tensors of mean and log variance (empty if it is not used), and whether codes are drawn."""
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
    """The other head of the encoder, which a mean representation computes but does not give out."""
    chain, _ = graph.layers(mean)
    for tensor, other in _chains(graph, "BiasAdd"):
        if other[:-1] != chain[:-1]:
            continue
        head, mean_head = other[-1].kernel, chain[-1].kernel
        if head != mean_head and shapes.get(head) == shapes.get(mean_head):
            return tensor
    raise NotALayer("the encoder's variance is not there")


def _decoder(model: MetaGraph, encoder: Network, shapes: Shapes) -> Network | None:
    """The decoder that the signature names; where none does, the one that the graph holds all the same."""
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
    architecture, names = recognise([chain], shapes, DECODERS)
    num_latent = shapes[chain[0].kernel][0]
    if num_latent != encoder.num_latent:
        raise NotALayer(f"its decoder takes {num_latent} codes, and there are {encoder.num_latent}")
    if not fits_images(chain, shapes, encoder.image_shape, encodes=False):
        raise NotALayer(f"its decoder does not give images of shape {encoder.image_shape}")
    return Network(architecture.name, encoder.image_shape, encoder.num_latent, names)


def _chains(graph: Graph, operation: str) -> Iterator[tuple[str, tuple[Layer, ...]]]:
    """Every tensor that `operation` computes at the end of a chain of layers, and the chain."""
    for name in _bounded(graph.names(operation)):
        try:
            yield name, graph.layers(name)[0]
        except NotALayer:
            continue


def _bounded(names: Sequence[str], most: int = 1000) -> Sequence[str]:
    if len(names) > most:
        raise NotALayer(f"it has {len(names):,} nodes of one kind")
    return names
