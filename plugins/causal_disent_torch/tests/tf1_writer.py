"""Writes TensorFlow 1 checkpoints by hand: the wire format, index tables, bundles and graphs.

What it writes is compared with TensorFlow's own files in test_tf1_table.py and test_tf1_against_tensorflow.py.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

MAGIC = bytes.fromhex("57fb808b247547db")
FLOAT, INT32 = 1, 3
#: An interval of the keys that are written whole, as TensorFlow has it.
RESTART_INTERVAL = 16


def slow_crc32c(data):
    """The checksum, bit by bit from its definition."""
    register = 0xFFFFFFFF
    for byte in bytes(data):
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def masked(crc):
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


# The wire format


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A field: a number, text, bytes, a list of them, or a dict as a map from text to messages."""
    if isinstance(value, list):
        return b"".join(field(number, one) for one in value)
    if isinstance(value, dict):
        return field(number, [message({1: key, 2: inner}) for key, inner in value.items()])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else bytes(value)
    return varint(number << 3 | 2) + varint(len(data)) + data


def fixed32(number, value):
    return varint(number << 3 | 5) + struct.pack("<I", value)


def message(fields):
    return b"".join(field(number, value) for number, value in fields.items())


def shape_message(shape):
    return message({2: [message({1: length}) for length in shape]})


# The table


def block(entries, compression=0, restart_interval=RESTART_INTERVAL):
    """Contents and trailer of a block."""
    data, places, last = b"", [], b""
    for count, (key, value) in enumerate(entries):
        shared = 0
        if count % restart_interval == 0:
            places.append(len(data))
        else:
            while shared < min(len(last), len(key)) and last[shared] == key[shared]:
                shared += 1
        data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    places = places or [0]
    data += struct.pack(f"<{len(places) + 1}I", *places, len(places))
    return sealed(data, compression)


def sealed(data, compression=0):
    """A block's data with how it is compressed and its checksum."""
    data += bytes([compression])
    return data + struct.pack("<I", masked(slow_crc32c(data)))


def table(entries, block_size=10**9, separators=None, **ways):
    """A whole table file. `separators` are the index block's keys, the last key of each block by default."""
    groups, size = [[]], 0
    for key, value in entries:
        if size > block_size:
            groups.append([])
            size = 0
        groups[-1].append((key, value))
        size += len(key) + len(value)
    data, index = b"", []
    for number, group in enumerate(groups):
        written = block(group, **ways)
        key = separators[number] if separators else group[-1][0] if group else b""
        index.append((key, varint(len(data)) + varint(len(written) - 5)))
        data += written
    return finished(data, block([]), block(index, restart_interval=1))


def finished(data, meta, index):
    """Data blocks, meta block and index block as a file."""
    locations = varint(len(data)) + varint(len(meta) - 5) + varint(len(data) + len(meta)) + varint(len(index) - 5)
    return data + meta + index + locations.ljust(40, b"\0") + MAGIC


# The bundle


def header(num_shards=1, endianness=0):
    return message({1: num_shards, 2: endianness} if endianness else {1: num_shards}) + field(3, message({1: 1}))


def entry(array, offset, crc, shard=0, size=None, dtype=FLOAT, shape=None):
    data = message({1: dtype, 2: shape_message(array.shape if shape is None else shape)})
    for number, value in ((3, shard), (4, offset), (5, array.nbytes if size is None else size)):
        data += field(number, value) if value else b""
    return data + fixed32(6, masked(crc))


def bundle_entries(arrays, crc=slow_crc32c):
    """The entries of the index, and the bytes of the data file."""
    entries, data = [(b"", header())], b""
    for name in sorted(arrays):
        array = np.asarray(arrays[name], dtype=np.float32, order="C")
        entries.append((name.encode(), entry(array, len(data), crc(array.tobytes()))))
        data += array.tobytes()
    return entries, data


def write_bundle(folder, arrays, crc=slow_crc32c):
    """``variables.index`` and the data file in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    entries, data = bundle_entries(arrays, crc)
    (folder / "variables.index").write_bytes(table(entries))
    (folder / "variables.data-00000-of-00001").write_bytes(data)


# The graph


class Nodes:
    """A graph that grows node by node."""

    def __init__(self):
        self.data = []
        self.variables = set()

    def add(self, name, operation, inputs=(), **attributes):
        self.data.append(message({1: name, 2: operation, 3: list(inputs), 5: attributes}))
        return name

    def placeholder(self, name, shape):
        return self.add(name, "Placeholder", dtype=field(6, FLOAT), shape=field(7, shape_message(shape)))

    def constant(self, name, value):
        tensor = message({1: FLOAT, 2: shape_message([])}) + field(5, struct.pack("<f", value))
        return self.add(name, "Const", dtype=field(6, FLOAT), value=field(8, tensor))

    def variable(self, name, shape, resource):
        if name not in self.variables:
            self.variables.add(name)
            kind = "VarHandleOp" if resource else "VariableV2"
            self.add(name, kind, dtype=field(6, FLOAT), shape=field(7, shape_message(shape)))

    def read(self, name, variable, resource):
        return self.add(name, "ReadVariableOp" if resource else "Identity", [variable], dtype=field(6, FLOAT))

    def layer(self, scope, variable_scope, data, array, operation, activation, stride, resource):
        """A kernel, a bias and an activation; returns the output's name."""
        for part in ("kernel", "bias"):
            shape = array[f"{variable_scope}/{part}"].shape
            self.variable(f"{variable_scope}/{part}", shape, resource)
        kernel = self.read(f"{scope}/{operation}/read", f"{variable_scope}/kernel", resource)
        bias = self.read(f"{scope}/BiasAdd/read", f"{variable_scope}/bias", resource)
        attributes = {"T": field(6, FLOAT)}
        inputs = [data, kernel]
        if operation != "MatMul":
            packed = b"".join(map(varint, (1, stride, stride, 1)))
            attributes |= {"strides": field(1, field(3, packed)), "padding": field(2, "SAME")}
        if operation == "Conv2DBackpropInput":
            inputs = [self.constant(f"{scope}/stack", 0.0), kernel, data]
        self.add(f"{scope}/{operation}", operation, inputs, **attributes)
        out = self.add(f"{scope}/BiasAdd", "BiasAdd", [f"{scope}/{operation}", bias], T=field(6, FLOAT))
        return self.add(f"{scope}/{activation}", activation, [out]) if activation else out


DENSE, CONV, DECONV = "MatMul", "Conv2D", "Conv2DBackpropInput"
#: Layers before the heads, and the heads.
LAYERS = {
    "conv_encoder": (
        [*((f"e{i}", CONV, "Relu", 2) for i in (1, 2, 3, 4)), ("e5", DENSE, "Relu", 0)],
        ("means", "log_var"),
    ),
    "fc_encoder": ([("e1", DENSE, "Relu", 0), ("e2", DENSE, "Relu", 0)], ("dense", "dense_1")),
    "test_encoder": ([], ("e1", "e2")),
    "deconv_decoder": (
        [
            ("dense", DENSE, "Relu", 0),
            ("dense_1", DENSE, "Relu", 0),
            *((f"conv2d_transpose{i}", DECONV, "Relu", 2) for i in ("", "_1", "_2")),
            ("conv2d_transpose_3", DECONV, "", 2),
        ],
        (),
    ),
    "fc_decoder": (
        [*((f"dense{i}", DENSE, "Tanh", 0) for i in ("", "_1", "_2")), ("dense_3", DENSE, "", 0)],
        (),
    ),
    "test_decoder": ([("d1", DENSE, "", 0)], ()),
}


def add_encoder(nodes, architecture, images, arrays, *, scope, prefix, resource, change=lambda layer: layer):
    """Nodes of an encoder; the tensors of mean and log variance."""
    layers, heads = LAYERS[architecture]
    data = images
    flat = False
    for name, operation, activation, stride in map(change, layers):
        if operation == DENSE and not flat:
            data, flat = nodes.add(f"{scope}encoder/flatten/Reshape", "Reshape", [data]), True
        where = (f"{scope}encoder/{name}", f"{prefix}encoder/{name}")
        data = nodes.layer(*where, data, arrays, operation, activation, stride, resource)
    if not flat:
        data = nodes.add(f"{scope}encoder/flatten/Reshape", "Reshape", [data])
    return [
        nodes.layer(f"{scope}encoder/{head}", f"{prefix}encoder/{head}", data, arrays, DENSE, "", 0, resource)
        for head in heads
    ]


def add_decoder(nodes, architecture, codes, arrays, *, scope, prefix, resource, change=lambda layer: layer):
    """Nodes of a decoder; the tensor of images."""
    data, flat = codes, True
    for name, operation, activation, stride in map(change, LAYERS[architecture][0]):
        if operation == DECONV and flat:
            data, flat = nodes.add(f"{scope}decoder_1/Reshape", "Reshape", [data]), False
        where = (f"{scope}decoder_1/{name}", f"{prefix}decoder/{name}")
        data = nodes.layer(*where, data, arrays, operation, activation, stride, resource)
    return nodes.add(f"{scope}decoder_1/Reshape_1", "Reshape", [data])


def add_sample(nodes, mean, log_var, divisor=2.0):
    """Nodes that draw codes."""
    half = nodes.add("transform/truediv", "RealDiv", [log_var, nodes.constant("transform/truediv/y", divisor)])
    deviation = nodes.add("transform/Exp", "Exp", [half])
    drawn = nodes.add("transform/normal/draw", "RandomStandardNormal", [mean])
    scaled = nodes.add("transform/normal/mul", "Mul", [drawn, nodes.constant("transform/normal/stddev", 1.0)])
    normal = nodes.add("transform/normal", "AddV2", [scaled, nodes.constant("transform/normal/mean", 0.0)])
    noise = nodes.add("transform/mul", "Mul", [deviation, normal])
    return nodes.add("transform/Add", "AddV2", [mean, noise])


def tensor_info(name, shape):
    return message({1: f"{name}:0", 2: FLOAT, 3: shape_message(shape)})


def signature(inputs, outputs):
    return message({1: inputs, 2: outputs})


def saved_model(nodes, signatures, tag_sets=(("train",), ())):
    graph = field(1, nodes.data)
    metas = [message({1: field(4, list(tags)), 2: graph, 5: signatures}) for tags in tag_sets]
    return field(1, 1) + field(2, metas)


class Folder:
    """A checkpoint's folder in the making.

    Args:
        encoder: name of the architecture.
        decoder: name of the architecture.
        image_shape: (h, w, c).
        num_latent: number of codes.
        arrays: the variables, by TensorFlow's usual names.
        kind: ``"model"``, ``"mean"`` or ``"sampled"``.
        resource: whether variables are of the newer kind.
        change: applied to each layer (name, operation, activation, stride) of the graph.
    """

    def __init__(
        self, encoder, decoder, image_shape, num_latent, arrays, kind="model", resource=True,
        change=lambda layer: layer,
    ):  # fmt: skip
        self.prefix = "" if kind == "model" else "module/"
        self.arrays = {self.prefix + name: array for name, array in arrays.items()}
        nodes = self.nodes = Nodes()
        shape = [-1, *image_shape]
        ways = {"prefix": self.prefix, "resource": resource, "change": change}
        images = nodes.placeholder("images" if self.prefix else "Placeholder", shape)
        codes = nodes.placeholder(f"{self.prefix}Placeholder_1", [-1, num_latent])
        scope = "module_apply_gaussian_encoder/" if self.prefix else ""
        mean, log_var = add_encoder(nodes, encoder, images, self.arrays, scope=scope, **ways)
        drawn = add_decoder(nodes, decoder, codes, self.arrays, scope=self.prefix, **ways)
        takes = {"images": tensor_info(images, shape)}
        if kind == "model":
            gives = {name: tensor_info(at, [-1, num_latent]) for name, at in (("mean", mean), ("logvar", log_var))}
            self.signatures = {
                "gaussian_encoder": signature(takes, gives),
                "decoder": signature(
                    {"latent_vectors": tensor_info(codes, [-1, num_latent])}, {"images": tensor_info(drawn, shape)}
                ),
            }
        else:
            output = mean if kind == "mean" else add_sample(nodes, mean, log_var)
            self.signatures = {
                "representation": signature(takes, {"default": tensor_info(output, [-1, num_latent])})
            }

    def write(self, folder, activation="logits", seed=0, crc=slow_crc32c):
        """Write everything that disentanglement_lib would."""
        folder = Path(folder)
        write_bundle(folder / "tfhub/variables", self.arrays, crc)
        (folder / "tfhub/saved_model.pb").write_bytes(saved_model(self.nodes, self.signatures))
        (folder / "tfhub/tfhub_module.pb").write_bytes(b"\x08\x03")
        configs = folder / "results/gin"
        configs.mkdir(parents=True)
        lines = ["dataset.name = 'dummy_data'", "encoder.encoder_fn = @conv_encoder"]
        if activation is not None:
            lines.append(f"reconstruction_loss.activation = {activation!r}")
        (configs / "train.gin").write_text("\n".join(lines) + "\n")
        if self.prefix:
            (configs / "postprocess.gin").write_text(f"postprocess.random_seed = {seed}\n")
        return folder
