"""Folders of ``dlib_train``, as torch has them too, and modules for disentanglement_lib (``hub.Module``).

A kernel is called ``weight`` in a folder, with the outputs first, as torch has it; all else is as Keras has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from causal_disent.training import saved
from causal_disent_tf._tensorflow import keras, quiet, tensorflow
from causal_disent_tf.representation import TfRepresentation

tf: Any = tensorflow()
layers: Any = keras().layers


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
    """Return every weight of these networks, ``encoder.e1.weight`` say."""
    found = {}
    for name, network in networks.items():
        found.update(dict(_weights(network, f"{name}.")))
    return found


def _weights(layer: Any, prefix: str) -> Iterator[tuple[str, Weight]]:
    """Yield the weights of a layer, those of the layers inside it first."""
    inside: set[int] = set()
    for name, child in _children(layer):
        inside.update(id(variable) for variable in child.variables)
        yield from _weights(child, f"{prefix}{name}.")
    for variable in layer.variables:
        if id(variable) in inside:
            continue
        axes = tuple(range(len(variable.shape)))
        if variable is getattr(layer, "kernel", None) and isinstance(layer, layers.Dense):
            yield f"{prefix}weight", Weight(variable, (1, 0))
        elif variable is getattr(layer, "kernel", None) and len(axes) == 4:
            yield f"{prefix}weight", Weight(variable, (3, 2, 0, 1))
        else:
            yield f"{prefix}{variable.name}", Weight(variable, axes)


def _children(layer: Any) -> Iterator[tuple[str, Any]]:
    """Yield the layers right below a layer: by attribute, or by number where it is a chain or a graph of them."""
    if isinstance(layer, tf.keras.Sequential) or hasattr(layer, "operations"):
        yield from ((str(number), child) for number, child in enumerate(layer.layers))
        return
    for name, value in list(vars(layer).items()):
        if name.startswith("_"):
            continue
        several = value if isinstance(value, (list, tuple)) else [value]
        for number, child in enumerate(several):
            if isinstance(child, layers.Layer):
                yield name if several is not value else f"{name}.{number}", child


BACKEND = "tf"


class TrainedRepresentation(TfRepresentation):
    """An encoder and a decoder that were trained here, or by another backend.

    The arguments are those of `TfRepresentation`; the encoder gives mean and log variance.
    """

    encoder: Any

    def __init__(self, encoder: Any, decoder: Any, **options: Any) -> None:
        super().__init__(encoder, decoder, gaussian=True, **options)
        self._traced = {
            network: tf.function(lambda batch, network=network: network(batch, training=False), autograph=False)
            for network in (encoder, decoder)
        }

    def _apply(self, function: Any, tensor: Any) -> Any:
        return self._traced[function](tensor)


def save_model(
    folder: Path, encoder: Any, decoder: Any, activation: str = "logits", codes: str = "mean", seed: int = 0
) -> None:
    """Write both files into `folder`, which is made; arguments as of `causal_disent.training.saved.describe`."""
    weights = weights_of({"encoder": encoder, "decoder": decoder})
    description = saved.describe(encoder, decoder, BACKEND, activation, codes, seed)
    saved.write_model(folder, description, save({name: weight.stored() for name, weight in weights.items()}))


def read_model(folder: Path, part: str, device: str = "auto") -> TrainedRepresentation:
    """Return the model in the part of `folder` of this name."""

    def shapes_of(make: Callable[[], dict[str, Any]]) -> dict[str, tuple[tuple[int, ...], Any]]:
        with tf.Graph().as_default():
            expected = weights_of(make())
        return {name: (weight.shape, weight.variable.dtype) for name, weight in expected.items()}

    found = saved.read_model(folder, part, BACKEND, "np", shapes_of, lambda array: np.isfinite(array).all())
    description, networks, stored = found
    for name, weight in weights_of(networks).items():
        weight.load(stored[name])
    return TrainedRepresentation(
        networks["encoder"],
        networks["decoder"],
        activation=description.activation,
        device=device,
        sample_seed=description.sample_seed,
    )


v1 = tf.compat.v1
#: Says that the folder is a module of the format that hub 0.2 and later write.
MARK_FILE, MARK = "tfhub_module.pb", b"\x08\x03"
#: What tensorflow_hub asks for without tags, and with the tag of training.
TAGS = {(): False, ("train",): True}

#: Signature -> its inputs and its outputs, by name.
Signatures = dict[str, tuple[dict[str, Any], dict[str, Any]]]


def write_model(folder: Path, model: TrainedRepresentation) -> None:
    """A trained model, with ``gaussian_encoder``, ``reconstructions`` and ``decoder``."""

    def signatures(networks: Mapping[str, Callable[[Any], Any]]) -> Signatures:
        """Return the signatures of the module."""
        images = v1.placeholder(tf.float32, (None, *model.encoder.image_shape), name="images")
        codes = v1.placeholder(tf.float32, (None, model.num_codes), name="latent_vectors")
        mean, log_var = networks["encoder"](images)
        return {
            "gaussian_encoder": ({"images": images}, {"mean": mean, "logvar": log_var}),
            "reconstructions": ({"images": images}, {"images": networks["decoder"](_draw_codes(mean, log_var))}),
            "decoder": ({"latent_vectors": codes}, {"images": networks["decoder"](codes)}),
        }

    _write(folder, {"encoder": model.encoder, "decoder": model.decoder}, signatures)


def write_representation(folder: Path, model: TrainedRepresentation) -> None:
    """A postprocessed representation, with ``representation``: codes are the means, or drawn."""

    def signatures(networks: Mapping[str, Callable[[Any], Any]]) -> Signatures:
        images = v1.placeholder(tf.float32, (None, *model.encoder.image_shape), name="images")
        mean, log_var = networks["encoder"](images)
        codes = mean if model.sample_seed is None else _draw_codes(mean, log_var)
        return {"representation": ({"images": images}, {"default": codes})}

    _write(folder, {"encoder": model.encoder}, signatures)


def _draw_codes(mean: Any, log_var: Any) -> Any:
    # disentanglement_lib draws so, without a seed.
    return tf.add(mean, tf.exp(log_var / 2) * v1.random_normal(tf.shape(mean), 0, 1))


def _write(folder: Path, networks: Mapping[str, Any], signatures: Callable[..., Signatures]) -> None:
    """Write a module whose graphs hold these networks."""
    weights = {name: weight.variable for name, weight in weights_of(networks).items()}
    values = {name: variable.numpy() for name, variable in weights.items()}
    builder = v1.saved_model.Builder(str(folder))
    for number, (tags, training) in enumerate(TAGS.items()):
        traced = {role: _traced(network, role, training) for role, network in networks.items()}
        with quiet(), tf.Graph().as_default(), v1.Session() as session:
            variables = {name: _variable(name, variable) for name, variable in weights.items()}
            handles = {id(variable.value.handle): variables[name].handle for name, variable in weights.items()}
            placed = {role: partial(_place_graph, function, handles, role) for role, function in traced.items()}
            options = {
                "signature_def_map": {
                    name: _build_signature(*sides) for name, sides in signatures(placed).items()
                },
                "clear_devices": True,
                "strip_default_attrs": True,  # so that TensorFlow of long ago can read it
            }
            if number == 0:
                for name, value in values.items():
                    start = variables[name].initializer
                    session.run(start, {start.inputs[1]: value})  # an assignment would stay in the graph
                builder.add_meta_graph_and_variables(session, list(tags), **options)
            else:
                builder.add_meta_graph(list(tags), **options)
    builder.save()
    (folder / MARK_FILE).write_bytes(MARK)


def _traced(network: Any, role: str, training: bool) -> Any:
    """Return the function that a network is."""
    shape = network.image_shape if role == "encoder" else (network.num_latent,)
    function = tf.function(lambda given: network(given, training=training), autograph=False)
    return function.get_concrete_function(tf.TensorSpec((None, *shape), tf.float32))


def _variable(name: str, variable: Any) -> Any:
    """Return the variable ``encoder/e1/kernel`` for the weight ``encoder.e1.weight``."""
    path = (*name.split(".")[:-1], variable.name)
    options = {"initializer": v1.zeros_initializer(), "use_resource": True}
    return v1.get_variable("/".join(path), tuple(variable.shape), variable.dtype, **options)


def _place_graph(traced: Any, handles: Mapping[int, Any], role: str, given: Any) -> Any:
    """Return what a traced network gives for a tensor of the graph of today, into which its own is laid."""
    inputs = {traced.inputs[0].name: given}
    for outer, inner in traced.graph.captures:
        inputs[inner.name] = handles[id(outer)] if id(outer) in handles else tf.constant(outer.numpy())
    names = [output.name for output in tf.nest.flatten(traced.structured_outputs)]
    nodes = traced.graph.as_graph_def()
    mapped = {name.partition(":")[0] for name in inputs}
    for node in [node for node in nodes.node if node.name in mapped]:
        nodes.node.remove(node)
    found = tf.graph_util.import_graph_def(nodes, inputs, names, name=role)
    return tf.nest.pack_sequence_as(traced.structured_outputs, found)


def _build_signature(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    sides = (
        {name: v1.saved_model.build_tensor_info(one) for name, one in side.items()} for side in (inputs, outputs)
    )
    return v1.saved_model.build_signature_def(*sides)
