"""The graph of a saved model: its signatures, and the chain of layers that leads to a tensor."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from causal_disent.files import inside, read_bounded
from causal_disent_torch.tf1.wire import Damaged, Message, clear_errors

#: What a graph calls the operation of a layer -> which input is its kernel, and which its data.
KERNEL_AND_DATA = {"MatMul": (1, 0), "Conv2D": (1, 0), "Conv2DBackpropInput": (1, 2)}
#: Operations that a chain passes through: the modules flatten and reshape by themselves.
TRANSPARENT = ("Identity", "Reshape")
ACTIVATIONS = ("Relu", "Tanh")
VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
FLOAT32 = 1
#: disentanglement_lib's deepest chain has some thirty nodes.
MAX_CHAIN = 500


class NotALayer(Exception):
    """A tensor that no chain of known layers leads to; the argument says why."""


@dataclass(frozen=True)
class Layer:
    """One layer of a chain.

    Attributes:
        operation: ``"MatMul"``, ``"Conv2D"`` or ``"Conv2DBackpropInput"``.
        activation: ``"Relu"``, ``"Tanh"`` or nothing.
        stride: of a convolution, 0 for a dense layer.
        kernel: the name of its variable.
        bias: the name of its variable.
    """

    operation: str
    activation: str
    stride: int
    kernel: str
    bias: str


class Node:
    """A node of the graph; what it says is read when it is asked for."""

    def __init__(self, message: Message) -> None:
        self._message = message

    @cached_property
    def name(self) -> str:
        """Its name."""
        return self._message.text(1)

    @cached_property
    def operation(self) -> str:
        """What it computes."""
        return self._message.text(2)

    @cached_property
    def inputs(self) -> list[str]:
        """The tensors that it computes it from."""
        return [name for name in self._message.all_text(3) if not name.startswith("^")]

    @cached_property
    def attributes(self) -> dict[str, Message]:
        """Name -> value, in the wire format."""
        return self._message.table(5)


class Graph:
    """The nodes of a graph by name.

    Args:
        message: the graph, in the wire format.
    """

    def __init__(self, message: Message) -> None:
        self._nodes: dict[str, Node] = {}
        for node in map(Node, message.all_messages(1)):
            if node.name in self._nodes:
                raise Damaged(f"two nodes of the graph are called '{node.name}'")
            self._nodes[node.name] = node

    def names(self, operation: str) -> list[str]:
        """Return the nodes that compute `operation`."""
        return [name for name, node in self._nodes.items() if node.operation == operation]

    def node(self, tensor: str) -> Node:
        """Return the node that computes a tensor, whose first output it has to be."""
        name, _, output = tensor.partition(":")
        if output not in ("", "0") or name not in self._nodes:
            raise NotALayer(f"the tensor '{tensor}' is not there")
        return self._nodes[name]

    def source(self, tensor: str) -> Node:
        """Return the node that computes a tensor, operations left out that pass it on unchanged."""
        for _ in range(MAX_CHAIN):
            node = self.node(tensor)
            if node.operation != "Identity":
                return node
            tensor = _input(node, 0)
        raise NotALayer("a chain has no end")

    def inputs(self, tensor: str, *operations: str) -> tuple[str, str]:
        """The first two inputs ("" for one that is missing) of what computes `tensor` by one of `operations`."""
        node = self.source(tensor)
        if node.operation not in operations:
            raise NotALayer(f"the node '{node.name}' ({node.operation}) should be {' or '.join(operations)}")
        return _input(node, 0), _input(node, 1) if len(node.inputs) > 1 else ""

    def constant(self, tensor: str) -> float:
        """Return the 32-bit float that a tensor is."""
        node = self.source(tensor)
        value = node.attributes["value"].message(8) if "value" in node.attributes else None
        data = b"" if value is None else bytes(value.data(4) or value.data(5))
        if node.operation != "Const" or len(data) != 4:
            raise NotALayer(f"the node '{node.name}' ({node.operation}) is not one constant number")
        return struct.unpack("<f", data)[0]

    def layers(self, tensor: str) -> tuple[tuple[Layer, ...], Node]:
        """The chain of layers that leads to `tensor`, the first one first, and the placeholder it starts from."""
        chain: list[Layer] = []
        activation, bias = "", ""
        for _ in range(MAX_CHAIN):
            node = self.node(tensor)
            operation, place = node.operation, 0
            if operation == "Placeholder" and not (activation or bias):
                return tuple(reversed(chain)), node
            if operation in ACTIVATIONS and not (activation or bias):
                activation = operation
            elif operation == "BiasAdd" and not bias:
                _check_layout(node)
                bias = self._variable(_input(node, 1))
            elif operation in KERNEL_AND_DATA and bias:
                kernel, place = KERNEL_AND_DATA[operation]
                stride = _stride(node)
                chain.append(Layer(operation, activation, stride, self._variable(_input(node, kernel)), bias))
                activation, bias = "", ""
            elif operation not in TRANSPARENT:
                raise NotALayer(f"the node '{node.name}' ({operation}) is not part of a known layer")
            tensor = _input(node, place)
        raise NotALayer("a chain has no end")

    def _variable(self, tensor: str) -> str:
        """Return the name of the variable whose value a tensor is."""
        node = self.source(tensor)
        if node.operation == "ReadVariableOp":
            node = self.source(_input(node, 0))
        if node.operation not in VARIABLES or _number(node, "dtype", 6) != FLOAT32:
            raise NotALayer(f"the node '{node.name}' ({node.operation}) is not a variable of 32-bit floats")
        return node.name


def _input(node: Node, place: int) -> str:
    if place >= len(node.inputs):
        raise NotALayer(f"the node '{node.name}' ({node.operation}) lacks an input")
    return node.inputs[place]


def _number(node: Node, attribute: str, kind: int) -> int:
    """Return an attribute of a node; 0 where it is left at its default."""
    return node.attributes[attribute].number(kind) if attribute in node.attributes else 0


def _check_layout(node: Node) -> None:
    """Channels come last: the default."""
    if "data_format" in node.attributes and node.attributes["data_format"].text(2) != "NHWC":
        raise NotALayer(f"the node '{node.name}' has channels first")


def _stride(node: Node) -> int:
    """Return the stride of a convolution with padding "SAME" and nothing unusual; 0 for a plain matrix product."""
    if node.operation == "MatMul":
        if _number(node, "transpose_a", 5) or _number(node, "transpose_b", 5):
            raise NotALayer(f"the node '{node.name}' multiplies a transposed matrix")
        return 0
    _check_layout(node)
    lists = {
        name: node.attributes[name].message(1).all_numbers(3) if name in node.attributes else []
        for name in ("strides", "dilations", "explicit_paddings")
    }
    strides = lists["strides"]
    plain = (
        len(strides) == 4
        and strides == [1, strides[1], strides[1], 1]
        and set(lists["dilations"]) <= {1}
        and not lists["explicit_paddings"]
        and "padding" in node.attributes
        and node.attributes["padding"].text(2) == "SAME"
    )
    if not plain:
        raise NotALayer(f"the node '{node.name}' is a convolution of another kind")
    return strides[1]


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
    """Return the graph for inference, the one without tags, of a file in `folder`.

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
