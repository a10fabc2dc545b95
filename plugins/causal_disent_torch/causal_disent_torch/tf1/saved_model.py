"""The part of ``saved_model.pb`` that tells which tensors of which graph are a model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from causal_disent.files import inside, read_bounded
from causal_disent_torch.tf1.damage import clear_errors
from causal_disent_torch.tf1.graph import Graph, NotALayer
from causal_disent_torch.tf1.wire import Message

#: disentanglement_lib's graphs take 0.2 MB; others may hold large constants.
MAX_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Tensor:
    """A tensor of the graph.

    Attributes:
        name: as ``encoder/means/BiasAdd:0``.
        shape: -1 where a length is open.
    """

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """A function of the model.

    Attributes:
        inputs: name -> tensor.
        outputs: name -> tensor.
    """

    inputs: Mapping[str, Tensor]
    outputs: Mapping[str, Tensor]


@dataclass(frozen=True)
class MetaGraph:
    """A graph with its signatures.

    Attributes:
        signatures: name -> signature.
        graph: the nodes.
    """

    signatures: Mapping[str, Signature]
    graph: Graph


def read_saved_model(folder: Path, name: str) -> MetaGraph:
    """The graph for inference, the one without tags, of a file in `folder`.

    Raises:
        NotALayer: if there is none.
        causal_disent.errors.InvalidInput: if the file is damaged.
    """
    path = inside(folder, name)
    with clear_errors(path):
        found = Message(memoryview(read_bounded(path, MAX_BYTES)))
        count = 0
        for meta in found.all_messages(2):
            if not any(True for _ in meta.message(1).all_data(4)):
                return _meta_graph(meta)
            count += 1
        raise NotALayer(f"none of its {count} graphs is without tags")


def _meta_graph(message: Message) -> MetaGraph:
    signatures = {name: _signature(value) for name, value in message.table(5).items()}
    return MetaGraph(signatures, Graph(message.message(2)))


def _signature(message: Message) -> Signature:
    tensors = [{name: _tensor(value) for name, value in message.table(field).items()} for field in (1, 2)]
    return Signature(*tensors)


def _tensor(message: Message) -> Tensor:
    return Tensor(message.text(1), tuple(length.signed(1) for length in message.message(3).all_messages(2)))
