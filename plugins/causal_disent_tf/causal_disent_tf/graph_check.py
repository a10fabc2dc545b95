"""Which operations loading and calling a SavedModel would run, found before TensorFlow loads it.

TensorFlow runs the parts of a graph that its outputs, its initialisation and the reading of its variables need,
with all that these call. The rest of a graph, such as the part that would save it again, is never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from causal_disent_tf.operations import ALLOWED, CHECKPOINT_READERS

#: The collection of variables that are initialised on loading, as messages; other collections name nodes.
LOCAL_VARIABLES = "local_variables"
#: The attribute of functions that say they compute the same as others.
EXCHANGEABLE = "api_implements"


def refused_operations(saved_model: Any) -> list[str]:
    """The operations that would run and are not allowed, sorted.

    Args:
        saved_model: a ``SavedModel`` message.
    """
    found: set[str] = set()
    for meta_graph in saved_model.meta_graphs:
        graph = _Graph(meta_graph.graph_def)
        found |= graph.operations(graph.needed(_outputs(meta_graph))) - ALLOWED
        found |= graph.called(_concrete_functions(meta_graph)) - ALLOWED
        found |= _refused_in_restoring(meta_graph.saver_def, graph)
    return sorted(found)


class _Graph:
    """The nodes of a graph and the functions that they may call, by name."""

    def __init__(self, graph_def: Any) -> None:
        self._nodes: dict[str, Any] = {node.name: node for node in graph_def.node}
        self._functions: dict[str, Any] = {f.signature.name: f for f in graph_def.library.function}

    def needed(self, tensors: Iterable[str], given: str = "") -> list[Any]:
        """The nodes that computing these tensors runs; the value of the node `given` is not computed."""
        seen, waiting, nodes = {given}, [_node_name(tensor) for tensor in tensors], []
        while waiting:
            name = waiting.pop()
            if name not in seen and name in self._nodes:
                seen.add(name)
                nodes.append(self._nodes[name])
                waiting += map(_node_name, self._nodes[name].input)
        return nodes

    def operations(self, nodes: Iterable[Any]) -> set[str]:
        """What these nodes run, with the functions that they call."""
        nodes = list(nodes)
        own = {node.op for node in nodes} - self._functions.keys()
        return own | self.called(name for node in nodes for name in _functions_of(node))

    def called(self, functions: Iterable[str]) -> set[str]:
        """The operations of these functions and of those that they call."""
        operations: set[str] = set()
        seen, waiting = set(), list(functions)
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self._functions:
                continue
            seen.add(name)
            if EXCHANGEABLE in self._functions[name].attr:
                waiting += self._exchangeable()
            # All of them: a function also runs operations that its outputs do not need, if they have effects.
            for node in self._functions[name].node_def:
                operations.add(node.op)
                waiting += _functions_of(node)
        return operations - self._functions.keys()

    def _exchangeable(self) -> list[str]:
        """The functions that TensorFlow's optimizer may take in place of one another."""
        return [name for name, function in self._functions.items() if EXCHANGEABLE in function.attr]

    def source(self, tensor: str) -> str:
        """The node whose value a tensor is, passed on unchanged."""
        name, seen = _node_name(tensor), set()
        while name in self._nodes and self._nodes[name].op == "Identity" and name not in seen:
            seen.add(name)
            name = _node_name(next(iter(self._nodes[name].input), ""))
        return name


def _node_name(tensor: str) -> str:
    """``^name`` (to be run before) and ``name:2`` to ``name``."""
    return tensor.removeprefix("^").partition(":")[0]


def _functions_of(node: Any) -> Iterator[str]:
    """The functions that a node may call: its own operation may be one, its attributes may name some."""
    yield node.op
    yield from _named_in(node.attr)


def _named_in(attributes: Any) -> Iterator[str]:
    """The functions that attributes name, with those that the attributes of these name."""
    for value in attributes.values():
        for function in [value.func] if value.HasField("func") else value.list.func:
            yield function.name
            yield from _named_in(function.attr)


def _outputs(meta_graph: Any) -> Iterator[str]:
    """Tensors and nodes that are computed on loading, or when a signature is called."""
    for signature in meta_graph.signature_def.values():
        for tensor in signature.outputs.values():
            yield from _tensor_names(tensor)
    for name, collection in meta_graph.collection_def.items():
        yield from collection.node_list.value
        if name == LOCAL_VARIABLES:
            yield from _initialisers(collection)


def _tensor_names(tensor: Any) -> Iterator[str]:
    """A dense tensor's name, or those of the parts of another one."""
    yield tensor.name
    yield tensor.coo_sparse.values_tensor_name
    yield tensor.coo_sparse.indices_tensor_name
    yield tensor.coo_sparse.dense_shape_tensor_name
    for part in tensor.composite_tensor.components:
        yield from _tensor_names(part)


def _initialisers(collection: Any) -> Iterator[str]:
    from tensorflow.core.framework import variable_pb2

    for data in collection.bytes_list.value:
        variable = variable_pb2.VariableDef.FromString(data)
        yield variable.initializer_name
        yield variable.initial_value_name


def _concrete_functions(meta_graph: Any) -> Iterator[str]:
    """What a SavedModel of TensorFlow 2 can run, on loading or when it is called."""
    objects = meta_graph.object_graph_def
    yield from objects.concrete_functions
    for node in objects.nodes:
        yield from node.function.concrete_functions
        yield node.bare_concrete_function.concrete_function_name


def _refused_in_restoring(saver: Any, graph: _Graph) -> set[str]:
    """What is not allowed in the part that reads the variables: it may read the file that it is given alone."""
    if not saver.restore_op_name:
        return set()
    file = _node_name(saver.filename_tensor_name)
    nodes = graph.needed([saver.restore_op_name], given=file)
    readers = [node for node in nodes if node.op in CHECKPOINT_READERS]
    elsewhere = {node.op for node in readers if not node.input or graph.source(node.input[0]) != file}
    return elsewhere | (graph.operations(nodes) - ALLOWED - CHECKPOINT_READERS)
