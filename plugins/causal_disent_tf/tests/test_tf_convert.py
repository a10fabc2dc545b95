"""``causal-disent convert --to dlib``: what TensorFlow and disentanglement_lib itself make of what is written."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from causal_disent.cli.main import main
from causal_disent.errors import InvalidInput, NotForThisBackend, UnknownName
from causal_disent.registry import Entry, registry
from causal_disent.runs.convert import convert
from causal_disent.runs.evaluate import evaluate_with_gin
from causal_disent.runs.results import write_results

pytest.importorskip("tensorflow")
from causal_disent_tf import TfBackend, architecture
from causal_disent_tf.saved import layers, save_model, tf

from causal_disent.training.networks import make_saved

SHARED = Path(os.environ.get("CAUSAL_DISENT_SHARED", Path(__file__).parents[4] / "shared"))
DLIB = os.environ.get("CAUSAL_DISENT_DLIB_PYTHON")
TRAIN = {"dataset.name": "'dummy_data'", "reconstruction_loss.activation": "'logits'"}


def write_folder(folder, pair=("test_encoder", "test_decoder"), shape=(4, 6, 2), part="model", **options):
    """A folder as ``dlib_train`` leaves it, or with `part` "representation" as ``dlib_postprocess`` does."""
    sizes = {"image_shape": shape, "num_latent": 3, "generator": np.random.default_rng(0)}
    networks = [
        make_saved(role, name, "tf", **sizes) for role, name in zip(("encoder", "decoder"), pair, strict=True)
    ]
    save_model(folder / part, *networks, **options)
    text = "".join(f"{name} = {value}\n" for name, value in TRAIN.items())
    write_results(folder, "train", {"elbo": -1.0}, text, TRAIN)
    return folder


@pytest.fixture
def trained(tmp_path):
    return write_folder(tmp_path / "in")


def images_of(shape=(4, 6, 2)):
    return np.random.RandomState(0).uniform(size=(5, *shape)).astype(np.float32)


@pytest.mark.parametrize(
    ("pair", "shape"),
    [
        (("conv_encoder", "deconv_decoder"), (16, 32, 1)),
        (("fc_encoder", "fc_decoder"), (4, 4, 3)),
        (("test_encoder", "test_decoder"), (4, 6, 2)),
    ],
)
def test_codes_and_images_are_the_same(tmp_path, pair, shape):
    source = write_folder(tmp_path / "in", pair, shape)
    convert(source, tmp_path / "out", to="dlib")
    before, images = TfBackend().read(source), images_of(shape)
    codes = before(images)
    for kind in ("model", "postprocessed/mean"):
        after = TfBackend().read(tmp_path / "out" / kind)
        np.testing.assert_allclose(after(images), codes, atol=1e-6)
        np.testing.assert_allclose(after.decode(codes), before.decode(codes), atol=1e-6)


def test_the_form_is_that_of_disentanglement_lib(trained, tmp_path):
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

    written = convert(trained, tmp_path / "out", to="dlib")
    module = [
        "saved_model.pb",
        "tfhub_module.pb",
        "variables/variables.data-00000-of-00001",
        "variables/variables.index",
    ]
    assert [path.relative_to(tmp_path / "out").as_posix() for path in written] == [
        f"{part}/tfhub/{name}" for part in ("model", "postprocessed/mean") for name in module
    ]
    assert written[1].read_bytes() == b"\x08\x03"
    for path, signatures in (
        (written[0], {"gaussian_encoder", "reconstructions", "decoder"}),
        (written[4], {"representation"}),
    ):
        graphs = SavedModel.FromString(path.read_bytes()).meta_graphs
        assert [list(graph.meta_info_def.tags) for graph in graphs] == [[], ["train"]]
        assert all(set(graph.signature_def) == signatures for graph in graphs)
        assert not any(node.device for graph in graphs for node in graph.graph_def.node)
    reader = tf.train.load_checkpoint(str(written[2].parent / "variables"))
    assert set(reader.get_variable_to_shape_map()) == {
        f"{layer}/{weight}"
        for layer in ("encoder/e1", "encoder/e2", "decoder/d1")
        for weight in ("kernel", "bias")
    }


def test_results_stand_beside_each_module(trained, tmp_path):
    convert(trained, tmp_path / "out", to="dlib")
    for name in ("gin/train.gin", "json/train_config.json", "json/train_results.json", "aggregate/train.json"):
        before = (trained / "results" / name).read_bytes()
        for part in ("model", "postprocessed/mean"):
            assert (tmp_path / "out" / part / "results" / name).read_bytes() == before
    results = tmp_path / "out/postprocessed/mean/results"
    assert json.loads((results / "json/postprocess_config.json").read_text()) == {
        "dataset.name": "'dummy_data'",
        "postprocess.postprocess_fn": "@mean_representation",
        "postprocess.random_seed": "0",
    }
    merged = json.loads((results / "aggregate/postprocess.json").read_text())
    assert merged["train_results.elbo"] == -1.0 and merged["postprocess_results.elapsed_time"] > 0
    assert not (tmp_path / "out/model/results/gin/postprocess.gin").exists()


def test_a_representation_that_draws_stays_one(tmp_path):
    source = write_folder(tmp_path / "in", part="representation", codes="sampled", seed=7)
    write_results(source, "postprocess", {}, "postprocess.random_seed = 7\n", {"postprocess.random_seed": "7"})
    convert(source, tmp_path / "out", to="dlib")
    after, images = TfBackend().read(tmp_path / "out/postprocessed/sampled"), images_of()
    recorded = tmp_path / "out/postprocessed/sampled/results/gin/postprocess.gin"
    assert recorded.read_bytes() == (source / "results/gin/postprocess.gin").read_bytes()
    draws = np.stack([after(images) for _ in range(400)])
    mean, log_var = TfBackend().read(source).gaussian_encoder(images)
    np.testing.assert_allclose(draws.mean(0), mean, atol=5 * np.exp(log_var / 2).max() / 20)
    np.testing.assert_allclose(draws.std(0), np.exp(log_var / 2), rtol=0.25)


class Dropping(layers.Layer):
    """An encoder of one's own, which computes something else in training."""

    def __init__(self, image_shape, num_latent, generator):
        super().__init__(name="dropping")
        self.image_shape, self.num_latent = image_shape, num_latent
        self.head, self.drop = layers.Dense(num_latent, activation="elu"), layers.Dropout(0.9)
        self.offset = tf.constant(np.full(num_latent, 0.25, np.float32))
        self.head.build((None, int(np.prod(image_shape))))
        self.built = True

    def call(self, images, training=False):
        flat = tf.reshape(images, (-1, int(np.prod(self.image_shape))))
        mean = self.head(self.drop(flat, training=training)) + self.offset
        return mean, tf.zeros_like(mean)


def test_a_network_of_ones_own_goes_too(tmp_path):
    architecture("dropping", "encoder")(Dropping)
    source = write_folder(tmp_path / "in", ("dropping", "test_decoder"))
    convert(source, tmp_path / "out", to="dlib")
    before, after = TfBackend().read(source), TfBackend().read(tmp_path / "out/postprocessed/mean")
    np.testing.assert_allclose(after(images_of()), before(images_of()), atol=1e-6)


def test_the_command(trained, tmp_path, capsys):
    words = ["convert", "--to", "dlib", str(trained), str(tmp_path / "out")]
    assert main(words) == 0
    assert "postprocessed/mean/tfhub/saved_model.pb" in capsys.readouterr().out
    assert main(words) == 2
    assert "exists" in capsys.readouterr().err
    assert main([*words, "--overwrite"]) == 0
    assert main([*words[:3], str(tmp_path / "out/model"), str(tmp_path / "again")]) == 2
    assert "holds a SavedModel already; folders of dlib_train" in capsys.readouterr().err
    assert main([*words[:3], str(tmp_path), str(tmp_path / "again")]) == 2
    assert "is not a folder of dlib_train or dlib_postprocess" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


def test_an_unknown_format_is_named(trained, tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'dlib'"):
        convert(trained, tmp_path / "out", to="dlip")


def test_what_writes_a_format_is_named_where_it_is_missing(trained, tmp_path):
    with pytest.raises(InvalidInput, match="writes 'onnx'.*pip install plugins/causal_disent_torch"):
        convert(trained, tmp_path / "out", to="onnx")


def test_a_decoder_that_would_be_misread_is_refused(tmp_path):
    source = write_folder(tmp_path / "in", activation="tanh")
    with pytest.raises(InvalidInput, match="'tanh', and disentanglement_lib would take it for 'logits'"):
        convert(source, tmp_path / "out", to="dlib")
    assert not (tmp_path / "out").exists()


def test_a_network_of_the_other_framework_is_told(tmp_path, trained):
    path = trained / "model/model.json"
    content = json.loads(path.read_text())
    restore = registry.replace(
        Entry("parts", "torch_encoder", "tests", Dropping, facts={"role": "encoder", "backend": "torch"})
    )
    try:
        path.write_text(json.dumps({**content, "encoder": "torch_encoder"}))
        with pytest.raises(NotForThisBackend, match="'torch_encoder' is one of the backend torch, not of 'tf'"):
            convert(trained, tmp_path / "out", to="dlib")
    finally:
        restore()
    path.write_text(json.dumps({**content, "encoder": "lost", "owners": {"encoder": "theirs", "decoder": "x"}}))
    with pytest.raises(InvalidInput, match="Unknown encoder 'lost'.*comes from 'theirs', a plugin that is not"):
        convert(trained, tmp_path / "out", to="dlib")
    assert not (tmp_path / "out").exists()


METRICS = {
    "irs": ("IRS", "irs.num_train = 300", "irs.batch_size = 16"),
    "mig": ("discrete_mig", "mig.num_train = 300"),
    "modularity_explicitness": (
        "modularity_score",
        "modularity_explicitness.num_train = 300",
        "modularity_explicitness.num_test = 200",
        "modularity_explicitness.batch_size = 16",
    ),
}
EVALUATE = """
import json, sys
import dlib_shim
from disentanglement_lib.evaluation import evaluate
from disentanglement_lib.evaluation.metrics import irs, mig, modularity_explicitness
folder, target, bindings = sys.argv[1:]
for name, lines in json.loads(bindings).items():
    evaluate.evaluate_with_gin(folder, f"{target}/{name}", False, [], lines)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not (DLIB and (SHARED / "tools/dlib").is_dir()),
    reason="CAUSAL_DISENT_DLIB_PYTHON names no interpreter that has disentanglement_lib",
)
def test_disentanglement_lib_gives_the_same_scores(tmp_path):
    source = write_folder(tmp_path / "in", ("conv_encoder", "deconv_decoder"), (64, 64, 1))
    convert(source, tmp_path / "out", to="dlib")
    common = [
        "dataset.name = 'auto'",
        "evaluation.random_seed = 3",
        "discretizer.discretizer_fn = @histogram_discretizer",
        "discretizer.num_bins = 20",
    ]
    bindings = {
        name: [*lines, f"evaluation.evaluation_fn = @{name}", *common] for name, (_, *lines) in METRICS.items()
    }
    script, folder = tmp_path / "evaluate.py", tmp_path / "out/postprocessed/mean"
    script.write_text(EVALUATE)
    words = [script, folder, tmp_path / "theirs", json.dumps(bindings)]
    subprocess.run([DLIB, SHARED / "tools/dlib/shim.py", *map(str, words)], check=True, capture_output=True)
    for name, (key, *_) in METRICS.items():
        theirs = json.loads((tmp_path / f"theirs/{name}/results/json/evaluation_results.json").read_text())
        ours = evaluate_with_gin(source, tmp_path / f"ours_{name}", gin_bindings=bindings[name])
        assert ours[key] == pytest.approx(theirs[key], abs=1e-5), name
