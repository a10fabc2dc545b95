"""Folders to networks: known graphs are rebuilt, others are left to TensorFlow, damage is refused."""

import os
import socket
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch.tf1.backend import Tf1Backend, tf_variables
from causal_disent_torch.tf1.networks import read_checkpoint
from google_crc32c import value as crc32c
from rounding import assert_same_outputs
from tf1_writer import LAYERS, Folder, add_sample, field, saved_model, signature, tensor_info

from causal_disent.errors import InvalidInput, NotForThisBackend
from causal_disent.testing.stage import touched_generators
from causal_disent.training.networks import make_saved

SHARED = Path(os.environ.get("CAUSAL_DISENT_SHARED", Path(__file__).parents[4] / "shared"))
PAIRS = {"conv": ("conv_encoder", "deconv_decoder"), "fc": ("fc_encoder", "fc_decoder")}
PAIRS["test"] = ("test_encoder", "test_decoder")
KINDS = ("encoder", "decoder")
SHAPE, NUM_LATENT = (16, 16, 3), 4


@pytest.fixture(scope="module")
def modules():
    """Name -> encoder and decoder with weights of their own, biases included."""
    made = {}
    for number, (kind, names) in enumerate(PAIRS.items()):
        generator = torch.Generator().manual_seed(number)
        sizes = {"image_shape": SHAPE, "num_latent": NUM_LATENT, "generator": generator}
        made[kind] = [make_saved(part, name, "torch", **sizes) for part, name in zip(KINDS, names, strict=True)]
        with torch.no_grad():
            for module in made[kind]:
                for layer in module.children():
                    layer.bias.uniform_(-0.5, 0.5, generator=generator)
    return made


@pytest.fixture
def folder(tmp_path, modules):
    """Writes a folder: ``folder("conv", "model")``."""

    def write(pair="conv", kind="model", name="checkpoint", **ways):
        written = {key: ways.pop(key) for key in ("activation", "seed") if key in ways}
        arrays = {name: array for module in modules[pair] for name, array in tf_variables(module).items()}
        made = Folder(*PAIRS[pair], SHAPE, NUM_LATENT, arrays, kind, **ways)
        return made.write(tmp_path / name, crc=crc32c, **written)

    return write


def images(num=3):
    return np.random.RandomState(0).uniform(size=(num, *SHAPE)).astype(np.float32)


def codes(num=3):
    return np.random.RandomState(1).normal(size=(num, NUM_LATENT)).astype(np.float32)


def read(folder, **options):
    return Tf1Backend(device="cpu").read(folder, **options)


@pytest.mark.parametrize(
    ("pair", "kind", "resource"),
    [
        *((pair, kind, True) for pair in PAIRS for kind in ("model", "mean")),
        *((pair, kind, False) for pair in ("conv", "test") for kind in ("model", "mean")),
    ],
)
def test_known_networks_are_rebuilt(folder, modules, pair, kind, resource):
    found = read(folder(pair, kind, resource=resource))
    encoder, decoder = modules[pair]
    with torch.inference_mode():
        mean, log_var = encoder(torch.from_numpy(images()))
        drawn = torch.sigmoid(decoder(torch.from_numpy(codes())))
    assert_same_outputs(found(images()), mean.numpy())
    assert_same_outputs(found.gaussian_encoder(images())[1], log_var.numpy())
    assert_same_outputs(found.decode(codes()), drawn.numpy())


@pytest.mark.parametrize("pair", ["conv", "test"])
def test_a_sampled_representation_draws(folder, pair):
    path = folder(pair, "sampled", seed=5)
    assert read_checkpoint(path).sample_seed == 5
    found = read(path)
    mean, log_var = found.gaussian_encoder(images(400))
    first = found(images(400))
    noise = (first - mean) / np.exp(log_var / 2)
    assert abs(noise.mean()) < 0.1 and abs(noise.std() - 1) < 0.1
    assert not np.allclose(found(images(400)), first)
    np.testing.assert_array_equal(read(path)(images(400)), first)


def test_drawing_leaves_the_global_generators_alone(folder):
    path = folder("test", "sampled")
    before = torch.get_rng_state()
    with touched_generators() as touched:
        read(path)(images())
    assert not touched and torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("activation", "pixels"),
    [("logits", lambda x: 1 / (1 + np.exp(-x))), ("tanh", lambda x: np.tanh(x) / 2 + 0.5), (None, None)],
)
def test_the_activation_comes_from_the_config(folder, modules, activation, pixels):
    with torch.inference_mode():
        raw = modules["test"][1](torch.from_numpy(codes())).numpy()
    expected = (pixels or (lambda x: 1 / (1 + np.exp(-x))))(raw)
    found = read(folder("test", activation=activation))
    np.testing.assert_allclose(found.decode(codes()), expected, atol=1e-6)


def test_an_unknown_activation_is_refused(folder):
    with pytest.raises(Exception, match="Unknown activation 'relu'.*logits, tanh"):
        read(folder("test", activation="relu"))


def test_the_decoder_can_come_from_another_folder(folder, modules):
    representation = folder("test", "mean", name="representation", activation="logits")
    model = folder("test", "model", name="model", activation="tanh")
    found = read(representation, model_dir=model)
    assert found.activation == "tanh"
    assert found.folders == {"representation": representation, "decoder": model}
    assert read(representation).folders["decoder"] == representation


def test_a_folder_without_a_model_gives_no_decoder(folder, tmp_path):
    with pytest.raises(InvalidInput, match="given by --model_dir holds no model of disentanglement_lib.*tfhub"):
        read(folder("test", "mean"), model_dir=tmp_path)


def test_a_decoder_of_another_model_is_refused(folder, tmp_path):
    arrays = {
        "encoder/e1/kernel": np.zeros((48, 3)), "encoder/e1/bias": np.zeros(3),
        "encoder/e2/kernel": np.zeros((48, 3)), "encoder/e2/bias": np.zeros(3),
        "decoder/d1/kernel": np.zeros((3, 48)), "decoder/d1/bias": np.zeros(48),
    }  # fmt: skip
    other = Folder("test_encoder", "test_decoder", (4, 4, 3), 3, arrays).write(tmp_path / "other")
    with pytest.raises(InvalidInput, match="number of codes is 3"):
        read(folder("test", "mean"), model_dir=other)


def other_shape(path):
    """A model with as many codes, and images of another shape."""
    arrays = {
        "encoder/e1/kernel": np.zeros((48, 4)), "encoder/e1/bias": np.zeros(4),
        "encoder/e2/kernel": np.zeros((48, 4)), "encoder/e2/bias": np.zeros(4),
        "decoder/d1/kernel": np.zeros((4, 48)), "decoder/d1/bias": np.zeros(48),
    }  # fmt: skip
    return Folder("test_encoder", "test_decoder", (4, 4, 3), NUM_LATENT, arrays).write(path)


def test_a_decoder_of_other_images_is_refused(folder, tmp_path):
    other = other_shape(tmp_path / "other")
    with pytest.raises(InvalidInput, match=r"shape of images is \(4, 4, 3\).*\(16, 16, 3\)"):
        read(folder("test", "mean"), model_dir=other)


def test_images_of_another_shape_are_refused(folder):
    class Data:
        observation_shape = (64, 64, 1)

    with pytest.raises(InvalidInput, match=r"\(16, 16, 3\), and those of the data set have shape \(64, 64, 1\)"):
        read(folder("test"), data=Data())


CHANGES = {
    "another activation": lambda layer: (*layer[:2], "Tanh", layer[3]) if layer[0] == "e2" else layer,
    "another stride": lambda layer: (*layer[:3], 1) if layer[0] == "e2" else layer,
    "an operation that is not known": lambda layer: (*layer[:2], "Elu", layer[3]) if layer[0] == "e3" else layer,
    "a changed decoder": lambda layer: (*layer[:2], "Relu", 2) if layer[0] == "conv2d_transpose_3" else layer,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_unknown_graph_is_left_to_tensorflow(folder, change):
    with pytest.raises(NotForThisBackend, match="pip install causal-disent-tf.*--backend tf"):
        read(folder(change=change))


def test_a_representation_without_a_known_decoder_has_none(folder):
    found = read(folder("conv", "mean", change=CHANGES["a changed decoder"]))
    assert not hasattr(found, "decode") and "decoder" not in found.folders


def test_the_decoder_of_a_model_nearby_is_taken(folder, modules):
    representation = folder("conv", "mean", "0/postprocessed/mean", change=CHANGES["a changed decoder"])
    model = folder("conv", "model", "0/model", activation="tanh")
    found = read(representation)
    assert found.folders == {"representation": representation, "decoder": model}
    with torch.inference_mode():
        raw = modules["conv"][1](torch.from_numpy(codes())).numpy()
    np.testing.assert_allclose(found.decode(codes()), np.tanh(raw) / 2 + 0.5, atol=1e-6)


@pytest.mark.parametrize("fault", ["torn", "another model", "unknown"])
def test_a_faulty_model_nearby_matters_only_to_who_decodes(folder, tmp_path, fault):
    representation = folder("conv", "mean", "0/mean", change=CHANGES["a changed decoder"])
    if fault == "another model":
        other_shape(tmp_path / "0/model")
    elif fault == "unknown":
        folder("conv", "model", "0/model", change=CHANGES["a changed decoder"])
    else:
        file = folder("conv", "model", "0/model") / "tfhub/variables/variables.data-00000-of-00001"
        file.write_bytes(file.read_bytes()[:-1])
    found = read(representation)
    assert found(images()).shape == (3, NUM_LATENT)
    if fault == "unknown":
        assert not hasattr(found, "decode") and "decoder" not in found.folders
        return
    with pytest.raises(
        InvalidInput, match="0/model, which lies near .*0/mean, cannot be used: .*(cut short|shape)"
    ):
        found.decode(codes())


def rewritten(path, made, signatures=None, **ways):
    (path / "tfhub/saved_model.pb").write_bytes(saved_model(made.nodes, signatures or made.signatures, **ways))
    return path


@pytest.fixture
def made(modules):
    arrays = {name: array for module in modules["test"] for name, array in tf_variables(module).items()}
    return Folder(*PAIRS["test"], SHAPE, NUM_LATENT, arrays)


def test_graphs_of_another_kind_are_left_to_tensorflow(made, tmp_path):
    path = made.write(tmp_path / "model")
    for reason, ways in {
        "none of its 1 graphs is without tags": {"tag_sets": [("serve",)]},
        "should have 'gaussian_encoder' or 'representation'": {"signatures": {"other": b""}},
        "lacks 'mean'": {"signatures": {"gaussian_encoder": b""}},
    }.items():
        with pytest.raises(NotForThisBackend, match=reason):
            read(rewritten(path, made, **ways))


def test_codes_drawn_in_another_way_are_left_to_tensorflow(made, tmp_path):
    path = made.write(tmp_path / "model")
    output = add_sample(made.nodes, "encoder/e1/BiasAdd", "encoder/e2/BiasAdd", divisor=3.0)
    takes = {"images": tensor_info("Placeholder", [-1, *SHAPE])}
    representation = signature(takes, {"default": tensor_info(output, [-1, NUM_LATENT])})
    with pytest.raises(NotForThisBackend, match="unusual distribution"):
        read(rewritten(path, made, {"representation": representation}))


def test_a_circle_in_the_graph_is_refused(made, tmp_path):
    path = made.write(tmp_path / "model")
    made.nodes.add("a", "Identity", ["b"])
    made.nodes.add("b", "Reshape", ["a"])
    gives = {name: tensor_info("a", [-1, NUM_LATENT]) for name in ("mean", "logvar")}
    takes = {"images": tensor_info("Placeholder", [-1, *SHAPE])}
    with pytest.raises(NotForThisBackend, match="has no end"):
        read(rewritten(path, made, {"gaussian_encoder": signature(takes, gives)}))


@pytest.mark.parametrize("shape", [(16, 16, 1), (2**31, 2**31, 3), (0, 16, 3), (16, 16), (-1, -1, 3)])
def test_images_that_do_not_fit_take_no_memory(made, tmp_path, shape):
    path = made.write(tmp_path / "model")
    takes = {"images": tensor_info("Placeholder", [-1, *shape])}
    gives = {
        "mean": tensor_info("encoder/e1/BiasAdd", [-1, NUM_LATENT]),
        "logvar": tensor_info("encoder/e2/BiasAdd", [-1, NUM_LATENT]),
    }
    with pytest.raises(NotForThisBackend, match="do not fit its encoder"):
        read(rewritten(path, made, {"gaussian_encoder": signature(takes, gives)}))


def test_names_do_not_matter(made, tmp_path):
    path = made.write(tmp_path / "model")
    expected = read(path)(images())
    for file in (path / "tfhub/saved_model.pb", path / "tfhub/variables/variables.index"):
        assert b"encoder/e1" in file.read_bytes()
    renamed = {name.replace("encoder/", "netzwerk/"): array for name, array in made.arrays.items()}
    graph = (path / "tfhub/saved_model.pb").read_bytes()
    from tf1_writer import write_bundle

    write_bundle(path / "tfhub/variables", renamed, crc32c)
    assert len("encoder/") != len("netzwerk/")
    with pytest.raises(NotForThisBackend):  # the graph still has the names of before
        read(path)
    same_length = {name.replace("encoder/", "netwerk/"): array for name, array in made.arrays.items()}
    write_bundle(path / "tfhub/variables", same_length, crc32c)
    (path / "tfhub/saved_model.pb").write_bytes(graph.replace(b"encoder/", b"netwerk/"))
    assert_same_outputs(read(path)(images()), expected)


def test_a_cut_or_flipped_graph_never_crashes(made, tmp_path):
    path = made.write(tmp_path / "model")
    file = path / "tfhub/saved_model.pb"
    whole = file.read_bytes()
    refused = 0
    generator = np.random.RandomState(0)
    for place in generator.randint(len(whole), size=120):
        changed = bytearray(whole)
        changed[place] ^= 1 << generator.randint(8)
        for data in (bytes(changed), whole[:place]):
            file.write_bytes(data)
            try:
                read_checkpoint(path)
            except InvalidInput:
                refused += 1
    assert refused > 120  # what is left has changed a name or a shape that is not used


def hostile_graph(kind, count):
    """A file of that many tiny parts."""
    parts = [field(1, f"{number:x}") for number in range(count)]
    return field(2, field(2, field(1, parts))) if kind == "nodes" else field(2, field(5, parts))


@pytest.mark.parametrize(
    ("kind", "count"),
    [("nodes", 120_000), ("nodes", 30_000), ("signatures", 15_000)],
)
def test_many_tiny_parts_take_little_memory(made, tmp_path, kind, count):
    path = made.write(tmp_path / "model")
    data = hostile_graph(kind, count)
    (path / "tfhub/saved_model.pb").write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput):
            read_checkpoint(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * len(data) + 30 * 2**20, f"{peak:,} bytes"


def test_a_long_list_of_numbers_takes_little_memory(made, tmp_path):
    path = made.write(tmp_path / "model")
    attributes = {"strides": field(1, field(3, b"\1" * 2 * 10**6)), "padding": field(2, "SAME")}
    made.nodes.add("long", "Conv2D", ["Placeholder", "encoder/e1/kernel"], **attributes)
    made.nodes.add("sum", "BiasAdd", ["long", "encoder/e1/bias"])
    gives = {name: tensor_info("sum", [-1, NUM_LATENT]) for name in ("mean", "logvar")}
    takes = {"images": tensor_info("Placeholder", [-1, *SHAPE])}
    rewritten(path, made, {"gaussian_encoder": signature(takes, gives)})
    with pytest.raises(InvalidInput, match="more than 100,000 fields"):
        read_checkpoint(path)


def test_a_large_graph_is_not_read(made, tmp_path):
    path = made.write(tmp_path / "model")
    with (path / "tfhub/saved_model.pb").open("ab") as file:
        file.truncate(2**26 + 1)
    with pytest.raises(InvalidInput, match="67,108,864 are the most that are read"):
        read_checkpoint(path)


@pytest.mark.parametrize("name", ["tfhub", "tfhub/saved_model.pb", "results", "results/gin/train.gin"])
def test_links_are_refused(folder, tmp_path, name):
    path = folder("test")
    (path / name).rename(tmp_path / "moved")
    (path / name).symlink_to(tmp_path / "moved")
    with pytest.raises(InvalidInput, match="symbolic link"):
        read(path)


def test_a_large_config_is_not_read(folder):
    path = folder("test")
    with (path / "results/gin/train.gin").open("ab") as file:
        file.truncate(2**21)
    with pytest.raises(InvalidInput, match="are the most that are read"):
        read(path)


def test_a_config_cannot_import(folder, tmp_path, monkeypatch):
    (tmp_path / "evil_module.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.syspath_prepend(tmp_path)
    path = folder("test")
    with (path / "results/gin/train.gin").open("a") as file:
        file.write("import evil_module\n")
    read(path)
    assert not (tmp_path / "ran").exists()


def test_what_is_recognised(folder, tmp_path):
    backend = Tf1Backend(trust=True)
    assert backend.recognises(folder("test")) and not backend.recognises(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_in_place_of_a_file_does_not_block(folder):
    path = folder("test")
    file = path / "tfhub/variables/variables.data-00000-of-00001"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(InvalidInput):
        read(path)


def test_reading_needs_no_torch_and_no_tensorflow(folder):
    code = (
        "import sys; from pathlib import Path; from causal_disent_torch.tf1.networks import read_checkpoint; "
        f"read_checkpoint(Path({str(folder('test'))!r})); "
        "print(*(name for name in ('torch', 'tensorflow') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_reading_opens_no_connection(folder, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    read(folder("test"))


def test_a_conv_checkpoint_is_read_in_a_second(folder):
    path = folder("conv")
    read(path)
    started = time.process_time()
    read(path)
    assert time.process_time() - started < 1


@pytest.mark.skipif(
    not (SHARED / "checkpoints").is_dir(),
    reason="the environment variable CAUSAL_DISENT_SHARED names no folder with it",
)
class TestTheRealCheckpoint:
    ROOT = SHARED / "checkpoints/dlib_beta_vae"

    def expected(self):
        return np.load(self.ROOT / "expected.npz")

    def test_the_model(self):
        found, expected = read(self.ROOT / "model"), self.expected()
        mean, log_var = found.gaussian_encoder(expected["images"])
        np.testing.assert_allclose(mean, expected["mean"], atol=1e-5)
        np.testing.assert_allclose(log_var, expected["logvar"], atol=1e-5)
        pixels = 1 / (1 + np.exp(-expected["decoder"]))
        np.testing.assert_allclose(found.decode(expected["latents"]), pixels, atol=1e-5)

    def test_the_representation(self):
        found, expected = read(self.ROOT / "representation"), self.expected()
        np.testing.assert_allclose(found(expected["images"]), expected["representation"], atol=1e-5)
        pixels = 1 / (1 + np.exp(-expected["decoder"]))
        np.testing.assert_allclose(found.decode(expected["latents"]), pixels, atol=1e-5)

    def test_the_networks_are_named(self):
        found = read_checkpoint(self.ROOT / "representation")
        assert (found.encoder.architecture, found.decoder.architecture) == PAIRS["conv"]
        assert (found.encoder.image_shape, found.encoder.num_latent) == ((64, 64, 1), 10)


def test_the_tables_of_layers_agree():
    """The tests' own list of layers and the reader's, which were written down separately."""
    from causal_disent_torch.tf1.networks import DECODERS, ENCODERS

    for architecture in (*ENCODERS, *DECODERS):
        layers, heads = LAYERS[architecture.name]
        assert [*(layer[0] for layer in layers), *heads] == list(architecture.layers)


def test_fields_that_are_not_known_are_passed_over(made, tmp_path):
    path = made.write(tmp_path / "model")
    file = path / "tfhub/saved_model.pb"
    file.write_bytes(file.read_bytes() + field(99, b"future"))
    read(path)
