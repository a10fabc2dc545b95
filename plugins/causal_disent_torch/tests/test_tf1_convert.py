"""``causal-disent convert``, and the scores of checkpoints before and after it."""

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.saved import write_onnx
from causal_disent_torch.tf1.backend import Tf1Backend, tf_variables
from google_crc32c import value as crc32c
from rounding import assert_same_outputs
from tf1_writer import Folder

from causal_disent.cli.main import main
from causal_disent.errors import InvalidInput, OutputExists
from causal_disent.runs.convert import convert
from causal_disent.runs.evaluate import evaluate_with_gin
from causal_disent.runs.postprocess import postprocess_with_gin
from causal_disent.runs.representation import Reading
from causal_disent.training.networks import make_saved

SHARED = Path(os.environ.get("CAUSAL_DISENT_SHARED", Path(__file__).parents[4] / "shared"))
SHAPE, NUM_LATENT = (64, 64, 1), 3


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Kind -> folder: a convolutional model and what was made of it."""
    root = tmp_path_factory.mktemp("checkpoints")
    sizes = {"image_shape": SHAPE, "num_latent": NUM_LATENT, "generator": torch.Generator().manual_seed(0)}
    names = {"encoder": "conv_encoder", "decoder": "deconv_decoder"}
    arrays = {}
    for kind, name in names.items():
        arrays.update(tf_variables(make_saved(kind, name, "torch", **sizes)))
    made = {}
    for kind in ("model", "mean", "sampled"):
        folder = Folder(*names.values(), SHAPE, NUM_LATENT, arrays, kind)
        made[kind] = folder.write(root / kind, activation="tanh", seed=7, crc=crc32c)
        (made[kind] / "results/json").mkdir()
        (made[kind] / "results/json/train_results.json").write_text('{"elbo": -1.0}')
    return made


@pytest.mark.parametrize("kind", ["model", "mean", "sampled"])
def test_a_converted_folder_is_the_same_model(folders, tmp_path, kind):
    written = convert(folders[kind], tmp_path / "out")
    part = "model" if kind == "model" else "representation"
    assert [path.relative_to(tmp_path / "out").as_posix() for path in written] == [
        f"{part}/model.json",
        f"{part}/weights.safetensors",
    ]
    before, after = Tf1Backend(device="cpu").read(folders[kind]), TorchBackend(device="cpu").read(tmp_path / "out")
    images = np.random.RandomState(0).uniform(size=(4, *SHAPE)).astype(np.float32)
    assert_same_outputs(after(images), before(images))  # the same draws, where codes are drawn
    codes = before(images)
    assert_same_outputs(after.decode(codes), before.decode(codes))
    assert after.activation == "tanh"


def test_results_and_configs_are_carried_along(folders, tmp_path):
    convert(folders["mean"], tmp_path / "out")
    for name in ("gin/train.gin", "gin/postprocess.gin", "json/train_results.json"):
        copied = tmp_path / "out/results" / name
        assert copied.read_bytes() == (folders["mean"] / "results" / name).read_bytes()


@pytest.mark.parametrize("name", ["results", "results/gin", "results/gin/secret"])
def test_links_are_refused(folders, tmp_path, name):
    shutil.copytree(folders["model"], tmp_path / "in")
    (tmp_path / "in/results/gin/train.gin").unlink()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/secret").write_text("secret")
    link, target = tmp_path / "in" / name, tmp_path / "elsewhere"
    if name.endswith("secret"):
        target = target / "secret"
    else:
        shutil.rmtree(link)
    link.symlink_to(target)
    with pytest.raises(InvalidInput, match="symbolic link"):
        convert(tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["model", "mean"])
def test_a_converted_folder_scores_the_same(folders, tmp_path, kind):
    convert(folders[kind], tmp_path / "out")
    bindings = [
        "evaluation.evaluation_fn = @irs",
        "evaluation.random_seed = 1",
        "dataset.name = 'auto'",
        "irs.num_train = 60",
        "irs.batch_size = 30",
    ]
    scores = {}
    for backend, folder in (("tf_free", folders[kind]), ("torch", tmp_path / "out")):
        scores[backend] = evaluate_with_gin(folder, tmp_path / backend, gin_bindings=bindings)
        assert scores[backend]["backend"] == backend
    assert scores["torch"]["IRS"] == scores["tf_free"]["IRS"]


def test_the_command(folders, tmp_path, capsys):
    target = tmp_path / "out"
    assert main(["convert", str(folders["model"]), str(target)]) == 0
    assert "weights.safetensors" in capsys.readouterr().out
    assert json.loads((target / "model/model.json").read_text())["encoder"] == "conv_encoder"
    assert main(["convert", str(folders["model"]), str(target)]) == 2
    assert "exists" in capsys.readouterr().err
    assert main(["convert", str(folders["model"]), str(target), "--overwrite"]) == 0


@pytest.mark.parametrize(("source", "reason"), [("nowhere", "does not exist"), (".", "there is no tfhub in it")])
def test_a_folder_of_another_kind_is_refused(tmp_path, source, reason):
    with pytest.raises(InvalidInput, match=reason):
        convert(tmp_path / source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_existing_folder_is_kept(folders, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputExists):
        convert(folders["model"], tmp_path / "out")


@pytest.mark.parametrize("target", ["in", ".", "in/tfhub", "decoder"])
def test_the_checkpoint_is_never_replaced(folders, tmp_path, capsys, target):
    for name, kind in (("in", "mean"), ("decoder", "model")):
        shutil.copytree(folders[kind], tmp_path / name)
    before = sorted(tmp_path.rglob("*"))
    flags = ["--model_dir", str(tmp_path / "decoder"), "--overwrite"]
    assert main(["convert", str(tmp_path / "in"), str(tmp_path / target), *flags]) == 2
    assert "Choose another output folder" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("target", ["in", ".", "in/tfhub"])
def test_postprocessing_never_replaces_the_model(folders, tmp_path, target):
    shutil.copytree(folders["model"], tmp_path / "in")
    before = sorted(tmp_path.rglob("*"))
    bindings = ["postprocess.postprocess_fn = @mean_representation", "postprocess.random_seed = 0"]
    with pytest.raises(InvalidInput, match="Choose another output folder"):
        postprocess_with_gin(tmp_path / "in", tmp_path / target, True, gin_bindings=bindings)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_damaged_checkpoint_leaves_nothing(folders, tmp_path):
    shutil.copytree(folders["model"], tmp_path / "in")
    data = tmp_path / "in/tfhub/variables/variables.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(InvalidInput, match="cut short"):
        convert(tmp_path / "in", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_onnx_says_what_it_needs(folders, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InvalidInput, match=r"pip install .causal-disent-torch\[onnx\]"):
        convert(folders["model"], tmp_path / "out", to="onnx")


def test_onnx_files_compute_the_same(folders, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    convert(folders["model"], tmp_path / "out", to="onnx")
    model = Tf1Backend(device="cpu").read(folders["model"])
    images = np.random.RandomState(0).uniform(size=(3, *SHAPE)).astype(np.float32)
    encoder, decoder = (
        runtime.InferenceSession(tmp_path / f"out/model/{name}.onnx") for name in ("encoder", "decoder")
    )
    mean, log_var = encoder.run(["mean", "log_var"], {"images": images})
    np.testing.assert_allclose([mean, log_var], model.gaussian_encoder(images), atol=1e-5)
    np.testing.assert_allclose(decoder.run(["images"], {"codes": mean})[0], model.decode(mean), atol=1e-5)


def test_onnx_leaves_the_model_as_it_is(folders, tmp_path, monkeypatch):
    pytest.importorskip("onnx", reason="onnx is not installed")
    model = Tf1Backend(device="cpu").read(folders["model"])
    model.encoder.train()
    moved = []
    monkeypatch.setattr(type(model.encoder), "cpu", lambda self: moved.append(self) or self)
    write_onnx(tmp_path, model)
    assert model.encoder.training and moved and all(one is not model.encoder for one in moved)


def test_what_torch_has_written_becomes_onnx_too(folders, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    convert(folders["mean"], tmp_path / "ours")
    written = convert(tmp_path / "ours", tmp_path / "out", to="onnx")
    assert [path.name for path in written] == ["decoder.onnx", "encoder.onnx", "model.json", "weights.safetensors"]
    assert {path.parent.name for path in written} == {"representation"}
    before = (tmp_path / "ours/representation/weights.safetensors").read_bytes()
    assert (tmp_path / "out/representation/weights.safetensors").read_bytes() == before
    with pytest.raises(InvalidInput, match="is not a folder of disentanglement_lib: there is no tfhub in it"):
        convert(tmp_path / "ours", tmp_path / "again")


@pytest.mark.slow
@pytest.mark.skipif(
    not (SHARED / "reference").is_dir(),
    reason="the environment variable CAUSAL_DISENT_SHARED names no folder with it",
)
class TestTheRealCheckpoint:
    FOLDER = SHARED / "checkpoints/dlib_beta_vae/representation"
    REFERENCE = SHARED / "reference/dlib_beta_vae_scores.json"

    @pytest.mark.parametrize("backend", ["tf_free", "torch"])
    def test_the_scores_are_those_of_disentanglement_lib(self, tmp_path, backend):
        source = self.FOLDER
        if backend == "torch":
            convert(self.FOLDER, tmp_path / "converted")
            source = tmp_path / "converted"
        tables = {}  # the metrics share a seed and a data set, though not their images
        for metric, reference in json.loads(self.REFERENCE.read_text()).items():
            scores = evaluate_with_gin(
                source, tmp_path / metric, False, None, reference["bindings"], tables, Reading(backend=backend)
            )
            for key, value in reference["scores"].items():
                if (metric, key) != ("irs", "num_active_dims"):
                    assert scores[key] == pytest.approx(value, abs=1e-5), (metric, key)

    def test_uc_and_cg_run_on_it(self, tmp_path):
        bindings = [
            "evaluation.evaluation_fn = ['uc', 'cg']",
            "evaluation.random_seed = 0",
            "dataset.name = 'auto'",
            "uc.num_train = 200",
            "cg.num_train = 50",
            "cg.classifier = 'brightness'",
        ]
        from causal_disent.registry import Entry, registry

        restore = registry.replace(Entry("classifiers", "brightness", "tests", Brightness, "for tests"))
        try:
            scores = evaluate_with_gin(self.FOLDER, tmp_path / "out", gin_bindings=bindings)
        finally:
            restore()
        assert 0 <= scores["uc:UC"] <= 1
        # What the same run gives with --backend tf; with the other activation it is 0.0116.
        assert scores["cg:CG"] == pytest.approx(0.0097811, abs=1e-6)
        assert scores["backend"] == "tf_free"


class Brightness:
    """Weighs the pixels; dummy_data is noise, from which no value can be read, but every pixel counts."""

    def __init__(self, data):
        self.accuracy = [0.0] * data.num_factors
        generator, pixels = np.random.RandomState(0), int(np.prod(data.observation_shape))
        self.weights = [generator.normal(size=(pixels, size)) for size in data.factors_num_values]

    def predict_proba(self, images):
        flat = images.reshape(len(images), -1)
        scores = [flat @ weights for weights in self.weights]
        tables = [np.exp(score - score.max(axis=1, keepdims=True)) for score in scores]
        return [table / table.sum(axis=1, keepdims=True) for table in tables]
