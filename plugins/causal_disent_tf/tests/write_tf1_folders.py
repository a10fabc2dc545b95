"""Writes folders as disentanglement_lib leaves them, with TensorFlow's v1 API, and what its session computes.

    python write_tf1_folders.py TARGET

TARGET then holds ``<pair>/<kind>/`` for each pair of networks and each kind of folder (``model``, ``mean``,
``sampled``), and ``<pair>/expected.npz``. Layers are written out by hand: TensorFlow no longer has ``tf.layers``.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
NUM_LATENT = 4
#: Pair -> image shape, whether variables are of the newer kind, activation of the decoder's output.
PAIRS = {
    "conv": ((32, 32, 3), True, "logits"),
    "conv_older": ((16, 16, 1), False, "tanh"),
    "fc": ((8, 8, 1), True, "logits"),
    "test": ((4, 6, 2), False, "logits"),
    "unknown": ((4, 4, 1), True, "logits"),
}


def variable(name, shape):
    # Seeded one by one: a seed of the graph would seed the operation that draws codes as well.
    scale = 1 / np.sqrt(np.prod(shape[:-1])) if len(shape) > 1 else 0.3
    return v1.get_variable(name, shape, initializer=v1.random_normal_initializer(stddev=scale, seed=len(shape)))


def dense(data, width, name, activation=None):
    with v1.variable_scope(name):
        data = tf.matmul(data, variable("kernel", [int(data.shape[1]), width]))
        data = tf.nn.bias_add(data, variable("bias", [width]))
        return data if activation is None else activation(data)


def conv(data, width, side, name):
    with v1.variable_scope(name):
        kernel = variable("kernel", [side, side, int(data.shape[3]), width])
        data = tf.nn.conv2d(data, kernel, strides=2, padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(data, variable("bias", [width])))


def deconv(data, width, name, activation=tf.nn.relu):
    with v1.variable_scope(name):
        kernel = variable("kernel", [4, 4, width, int(data.shape[3])])
        size = [tf.shape(data)[0], 2 * int(data.shape[1]), 2 * int(data.shape[2]), width]
        data = tf.nn.conv2d_transpose(data, kernel, tf.stack(size), strides=2, padding="SAME")
        data = tf.nn.bias_add(data, variable("bias", [width]))
        return data if activation is None else activation(data)


def flat(images):
    return tf.reshape(images, [-1, int(np.prod(images.shape[1:]))])


def encode(pair, images):
    with v1.variable_scope("encoder"):
        if pair.startswith("conv"):
            data = images
            for name, width, side in (("e1", 32, 4), ("e2", 32, 4), ("e3", 64, 2), ("e4", 64, 2)):
                data = conv(data, width, side, name)
            data, heads = dense(flat(data), 256, "e5", tf.nn.relu), ("means", "log_var")
        elif pair == "fc":
            data = dense(dense(flat(images), 1200, "e1", tf.nn.relu), 1200, "e2", tf.nn.relu)
            heads = ("dense", "dense_1")
        elif pair == "test":
            data, heads = flat(images), ("e1", "e2")
        else:
            data, heads = dense(flat(images), 7, "e1", tf.nn.elu), ("means", "log_var")
        return [dense(data, NUM_LATENT, head) for head in heads]


def decode(pair, codes, shape):
    with v1.variable_scope("decoder"):
        if pair.startswith("conv"):
            height, width, channels = shape[0] // 16, shape[1] // 16, shape[2]
            data = dense(dense(codes, 256, "dense", tf.nn.relu), height * width * 64, "dense_1", tf.nn.relu)
            data = tf.reshape(data, [-1, height, width, 64])
            for name, size in (("", 64), ("_1", 32), ("_2", 32)):
                data = deconv(data, size, f"conv2d_transpose{name}")
            data = deconv(data, channels, "conv2d_transpose_3", None)
        elif pair == "fc":
            data = codes
            for name in ("dense", "dense_1", "dense_2"):
                data = dense(data, 1200, name, tf.nn.tanh)
            data = dense(data, int(np.prod(shape)), "dense_3")
        else:
            data = dense(codes, int(np.prod(shape)), "d1")
        return tf.reshape(data, [-1, *shape])


def build(pair, kind, shape):
    """The graph; its signatures and the tensors that they name."""
    scope = v1.get_variable_scope() if kind == "model" else "module"
    with v1.variable_scope(scope, reuse=v1.AUTO_REUSE):
        images = v1.placeholder(tf.float32, [None, *shape], name="images")
        codes = v1.placeholder(tf.float32, [None, NUM_LATENT], name="codes")
        mean, log_var = encode(pair, images)
        decoded = decode(pair, codes, shape)
    drawn = tf.add(mean, tf.exp(log_var / 2) * v1.random_normal(tf.shape(mean), 0, 1))
    tensors = {"images": images, "codes": codes, "mean": mean, "logvar": log_var, "decoder": decoded}
    if kind == "model":
        reconstructed = decode_again(pair, drawn, shape)
        signatures = {
            "gaussian_encoder": ({"images": images}, {"mean": mean, "logvar": log_var}),
            "reconstructions": ({"images": images}, {"images": reconstructed}),
            "decoder": ({"latent_vectors": codes}, {"images": decoded}),
        }
    else:
        signatures = {"representation": ({"images": images}, {"default": mean if kind == "mean" else drawn})}
    predict = v1.saved_model.predict_signature_def
    return {name: predict(*sides) for name, sides in signatures.items()}, tensors


def decode_again(pair, codes, shape):
    with v1.variable_scope(v1.get_variable_scope(), reuse=True):
        return decode(pair, codes, shape)


def write(folder, pair, kind, weights):
    """Write one folder, with `weights` by name without the prefix, or drawn ones; return them and outputs."""
    shape, resource, activation = PAIRS[pair]
    (v1.enable_resource_variables if resource else v1.disable_resource_variables)()
    with tf.Graph().as_default(), v1.Session() as session:
        signatures, tensors = build(pair, kind, shape)
        session.run(v1.global_variables_initializer())
        names = {v.op.name.removeprefix("module/"): v for v in v1.global_variables()}
        if weights is not None:
            for name, found in names.items():
                found.load(weights[name], session)
        builder = v1.saved_model.Builder(str(folder / "tfhub"))
        builder.add_meta_graph_and_variables(session, ["train"], signatures, strip_default_attrs=resource)
        builder.add_meta_graph([], signatures, strip_default_attrs=resource)
        builder.save()
        generator = np.random.RandomState(1)
        given = {
            "images": generator.uniform(size=(5, *shape)).astype(np.float32),
            "latents": generator.normal(size=(5, NUM_LATENT)).astype(np.float32),
        }
        feeds = {tensors["images"]: given["images"], tensors["codes"]: given["latents"]}
        outputs = session.run({name: tensors[name] for name in ("mean", "logvar", "decoder")}, feeds)
        weights = session.run(names)
    (folder / "tfhub/tfhub_module.pb").write_bytes(b"\x08\x03")
    configs = folder / "results/gin"
    configs.mkdir(parents=True)
    (configs / "train.gin").write_text(
        f"dataset.name = 'dummy_data'\nmodel.model = @vae()\nreconstruction_loss.activation = '{activation}'\n"
    )
    if kind != "model":
        (configs / "postprocess.gin").write_text(
            f"dataset.name = 'dummy_data'\npostprocess.postprocess_fn = @{kind}_representation\n"
            "postprocess.random_seed = 3\n"
        )
    return weights, {**given, **outputs}


def main(target):
    v1.disable_eager_execution()
    for pair in PAIRS:
        weights, expected = write(target / pair / "model", pair, "model", None)
        np.savez(target / pair / "expected.npz", **expected)
        for kind in ("mean", "sampled"):
            _, outputs = write(target / pair / kind, pair, kind, weights)
            np.testing.assert_allclose(outputs["mean"], expected["mean"], atol=1e-6)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
