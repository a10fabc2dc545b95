"""Graphs that reach files are refused before anything of them runs, and run only when trusted."""

import subprocess
import sys

import numpy as np
import pytest
from causal_disent_tf import TfBackend
from causal_disent_tf.saved_model import ALLOWED, refused_operations

from causal_disent.errors import InvalidInput

#: Each makes a part of a graph that writes the file `path` and depends on it in the way that its name says.
GRAPHS = r"""
import os, sys
from pathlib import Path
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
from tensorflow.python.framework import function
root = Path(sys.argv[1])
for way in sys.argv[2:]:
    folder, path = str(root / way / "tfhub"), str(root / f"{way}.txt")
    with tf.Graph().as_default() as graph, v1.Session() as session:
        images = v1.placeholder(tf.float32, [None, 2, 2, 1], name="images")
        weight = v1.get_variable("weight", [4, 2])
        codes = tf.matmul(tf.reshape(images, [-1, 4]), weight)
        write = tf.io.write_file(path, "owned")
        options = {}
        if way == "output":
            text = tf.io.read_file(path)
            codes = codes + tf.cast(tf.strings.length(text), tf.float32)
        elif way == "control":
            with tf.control_dependencies([write]):
                codes = tf.identity(codes)
        elif way == "main_op":
            options["main_op"] = tf.group(write)
        elif way == "table":
            v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, write)
        elif way == "local_variable":
            with tf.control_dependencies([write]):
                start = tf.constant(1.0)
            local = [v1.GraphKeys.LOCAL_VARIABLES]
            v1.get_variable("counter", initializer=start, collections=local, use_resource=True)
        elif way == "restore":
            saver = v1.train.Saver()
            with tf.control_dependencies([write]):
                restore = graph.get_operation_by_name(saver.saver_def.restore_op_name)
                again = tf.group(restore, name="restore_and_write")
            saver.saver_def.restore_op_name = "restore_and_write"
            options["saver"] = saver
        elif way == "other_checkpoint":
            saver = v1.train.Saver()
            names = {"tensor_names": ["x"], "shape_and_slices": [""]}
            read = v1.raw_ops.RestoreV2(prefix=path, dtypes=[tf.float32], **names)
            saver.saver_def.restore_op_name = read[0].op.name
            options["saver"] = saver
        elif way == "function":
            @function.Defun(tf.float32)
            def deep(x):
                with tf.control_dependencies([tf.io.write_file(path, "owned")]):
                    return tf.identity(x)
            @function.Defun(tf.float32)
            def outer(x):
                return deep(x)
            codes = outer(codes)
            codes.set_shape([None, 2])
        elif way == "print":
            with tf.control_dependencies([tf.print("owned", output_stream="file://" + path)]):
                codes = tf.identity(codes)
        elif way == "python":
            codes = v1.py_func(lambda x: x, [codes], tf.float32)
            codes.set_shape([None, 2])
        elif way != "none":
            raise SystemExit(way)
        session.run(v1.global_variables_initializer())
        signature = v1.saved_model.predict_signature_def({"images": images}, {"default": codes})
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(session, [], {"representation": signature}, **options)
        builder.save()
"""

#: Way -> the operation that is refused.
WAYS = {
    "output": "ReadFile",
    "control": "WriteFile",
    "main_op": "WriteFile",
    "table": "WriteFile",
    "local_variable": "WriteFile",
    "restore": "WriteFile",
    "other_checkpoint": "RestoreV2",
    "function": "WriteFile",
    "print": "PrintV2",
    "python": "PyFunc",
}


@pytest.fixture(scope="module")
def graphs(tf, tmp_path_factory):
    """Way -> folder and the file that it would write."""
    root = tmp_path_factory.mktemp("graphs")
    script = root / "write.py"
    script.write_text(GRAPHS)
    ways = ("none", *WAYS)
    subprocess.run([sys.executable, str(script), str(root), *ways], check=True, capture_output=True)
    return {way: (root / way, root / f"{way}.txt") for way in ways}


IMAGES = np.ones((1, 2, 2, 1), dtype=np.float32)


def test_a_harmless_graph_loads(graphs):
    folder, path = graphs["none"]
    assert TfBackend().read(folder)(IMAGES).shape == (1, 2)
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_graph_that_reaches_files_or_python_is_refused(graphs, way):
    folder, path = graphs[way]
    with pytest.raises(InvalidInput, match=f"not known to be harmless: {WAYS[way]}.*--trust"):
        TfBackend().read(folder)
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["control", "main_op", "table", "local_variable", "restore", "function"])
def test_the_danger_is_real_and_trust_allows_it(graphs, way):
    folder, path = graphs[way]
    try:
        TfBackend(trust=True).read(folder)(IMAGES)
        assert path.read_text() == "owned"
    finally:
        path.unlink(missing_ok=True)


def test_a_function_of_version_2_is_looked_into(tf, tmp_path):
    path = tmp_path / "owned.txt"

    class Model(tf.Module):
        @tf.function
        def inner(self, images):
            tf.io.write_file(str(path), "owned")
            return images

        @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 1], name="images")])
        def encode(self, images):
            images = tf.cond(tf.reduce_sum(images) > 0, lambda: self.inner(images), lambda: images)
            return {"default": tf.reshape(images, [-1, 4])}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "model"), signatures={"representation": model.encode})
    with pytest.raises(InvalidInput, match="not known to be harmless: WriteFile"):
        TfBackend().read(tmp_path / "model")
    assert not path.exists()
    TfBackend(trust=True).read(tmp_path / "model")(IMAGES)
    assert path.read_text() == "owned"


@pytest.fixture
def hidden(tf):
    """A model as a message: its output calls ``harmless``; ``evil`` is in the library, and nothing calls it."""
    from tensorflow.core.protobuf import saved_model_pb2

    model = saved_model_pb2.SavedModel()
    meta = model.meta_graphs.add()
    meta.signature_def["representation"].outputs["default"].name = "call:0"
    call = meta.graph_def.node.add(name="call", op="PartitionedCall")
    call.attr["f"].func.name = "harmless"
    for name, operation in (("harmless", "Identity"), ("evil", "WriteFile")):
        function = meta.graph_def.library.function.add()
        function.signature.name = name
        function.node_def.add(name="node", op=operation)
    return model


def test_what_nothing_calls_does_not_count(hidden):
    assert refused_operations(hidden) == []


def test_every_way_to_call_a_function_is_followed(hidden):
    meta = hidden.meta_graphs[0]
    call, functions = meta.graph_def.node[0], meta.graph_def.library.function

    def other(change):
        changed = type(hidden).FromString(hidden.SerializeToString())
        change(changed.meta_graphs[0])
        return refused_operations(changed)

    def exchange(meta):
        for function in meta.graph_def.library.function:
            function.attr["api_implements"].s = b"same"

    def own_operation(meta):
        meta.graph_def.node[0].op = "evil"

    def listed(meta):
        meta.graph_def.node[0].attr["branches"].list.func.add(name="evil")

    def nested(meta):
        meta.graph_def.node[0].attr["f"].func.attr["body"].list.func.add(name="evil")

    def inside_a_function(meta):
        meta.graph_def.library.function[0].node_def[0].attr["f"].func.name = "evil"

    def control_input(meta):
        meta.graph_def.node[0].input.append("^before")
        meta.graph_def.node.add(name="before", op="evil")

    def collection(meta):
        meta.graph_def.node.add(name="start", op="evil")
        meta.collection_def["saved_model_main_op"].node_list.value.append("start")

    def sparse_output(meta):
        meta.graph_def.node.add(name="values", op="evil")
        tensor = meta.signature_def["representation"].outputs["sparse"]
        tensor.coo_sparse.values_tensor_name = "values:0"

    def object_function(meta):
        meta.object_graph_def.nodes.add().function.concrete_functions.append("evil")

    def bare_function(meta):
        meta.object_graph_def.nodes.add().bare_concrete_function.concrete_function_name = "evil"

    def concrete_function(meta):
        meta.object_graph_def.concrete_functions["evil"].SetInParent()

    ways = [exchange, own_operation, listed, nested, inside_a_function, control_input, collection, sparse_output]
    for way in [*ways, object_function, bare_function, concrete_function]:
        assert other(way) == ["WriteFile"], way.__name__
    assert call.op == "PartitionedCall" and len(functions) == 2  # the changes were made to copies


def test_circles_end(hidden):
    meta = hidden.meta_graphs[0]
    meta.graph_def.node[0].input.append("call")
    meta.graph_def.library.function[0].node_def[0].attr["f"].func.name = "harmless"
    assert refused_operations(hidden) == []


def test_every_operation_that_is_allowed_exists(tf):
    from tensorflow.python.framework import op_def_registry

    assert [name for name in sorted(ALLOWED) if op_def_registry.get(name) is None] == []


#: Parts of the names of operations that reach out of the graph.
REACHING = (
    "Abort Checkpoint Collective Config Custom Dataset Debug Decode Dump File ImmutableConst Iterator LMDB Load "
    "Print Py Queue Reader Recv Remote Restore Rpc Save Send Server Session Sql Summary TPU Table Vocab Write Xla"
)


def test_no_operation_that_is_allowed_reaches_out():
    reaching = {name for name in ALLOWED if any(part in name for part in REACHING.split())}
    assert reaching == {"TensorArrayWriteV3"}  # an array in memory
