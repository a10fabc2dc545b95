"""What the reader makes of folders that TensorFlow itself wrote, against TensorFlow's session and backend.

TensorFlow runs in a process of its own: by the interpreter that CAUSAL_DISENT_TF_PYTHON names, or by the running
one if TensorFlow is installed there.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.saved import save_model
from causal_disent_torch.tf1.backend import Tf1Backend
from causal_disent_torch.tf1.networks import read_checkpoint
from rounding import assert_same_outputs
from tf1_writer import write_bundle

from causal_disent.errors import NotForThisBackend
from causal_disent.runs.convert import convert
from causal_disent.training.networks import make_saved

PLUGINS = Path(__file__).parents[2]
SCRIPT = PLUGINS / "causal_disent_tf/tests/write_tf1_folders.py"
INTERPRETER = os.environ.get("CAUSAL_DISENT_TF_PYTHON") or (
    sys.executable if importlib.util.find_spec("tensorflow") else None
)
KNOWN = {"conv": "logits", "conv_older": "tanh", "fc": "logits", "test": "logits"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        INTERPRETER is None,
        reason="TensorFlow is not installed here, and CAUSAL_DISENT_TF_PYTHON names no interpreter that has it",
    ),
]


def run(*arguments):
    # The process finds this checkout, and nothing else of this environment: its packages may be of other versions.
    paths = [str(PLUGINS.parent), str(PLUGINS / "causal_disent_tf")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["KERAS_BACKEND"] = "tensorflow"  # the tests of an environment without it have torch
    done = subprocess.run([INTERPRETER, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    target = tmp_path_factory.mktemp("tf1")
    run(str(SCRIPT), str(target))
    return target


def pixels(output, activation):
    return 1 / (1 + np.exp(-output)) if activation == "logits" else np.tanh(output) / 2 + 0.5


@pytest.mark.parametrize("kind", ["model", "mean", "sampled"])
@pytest.mark.parametrize("pair", KNOWN)
def test_the_session_gave_the_same(folders, pair, kind):
    expected = np.load(folders / pair / "expected.npz")
    found = Tf1Backend(device="cpu").read(folders / pair / kind)
    mean, log_var = found.gaussian_encoder(expected["images"])
    np.testing.assert_allclose(mean, expected["mean"], atol=1e-5)
    np.testing.assert_allclose(log_var, expected["logvar"], atol=1e-5)
    drawn = pixels(expected["decoder"], KNOWN[pair])
    np.testing.assert_allclose(found.decode(expected["latents"]), drawn, atol=1e-5)
    assert read_checkpoint(folders / pair / kind).sample_seed == (3 if kind == "sampled" else None)


@pytest.mark.parametrize("kind", ["model", "mean", "sampled"])
def test_a_graph_of_ones_own_is_left_to_tensorflow(folders, kind):
    with pytest.raises(NotForThisBackend, match="Elu.*pip install causal-disent-tf"):
        Tf1Backend().read(folders / "unknown" / kind)


TF_BACKEND = """
import sys
from pathlib import Path
import numpy as np
from causal_disent_tf import TfBackend
for folder in map(Path, sys.argv[1:]):
    given = np.load(folder / "expected.npz")
    for kind in ("model", "mean"):
        model = TfBackend().read(folder / kind)
        found = {"codes": model(given["images"]), "images": model.decode(given["latents"])}
        np.savez(folder / f"{kind}.npz", **found)
"""


def test_both_readers_agree(folders):
    run("-c", TF_BACKEND, *(str(folders / pair) for pair in KNOWN))
    for pair in KNOWN:
        given = np.load(folders / pair / "expected.npz")
        for kind in ("model", "mean"):
            found, other = (
                Tf1Backend(device="cpu").read(folders / pair / kind),
                np.load(folders / pair / f"{kind}.npz"),
            )
            np.testing.assert_allclose(found(given["images"]), other["codes"], atol=1e-5)
            np.testing.assert_allclose(found.decode(given["latents"]), other["images"], atol=1e-5)


CONVERT = "import sys; from causal_disent.cli.main import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize("pair", ["conv", "fc", "test"])
def test_what_is_written_for_disentanglement_lib_is_read(tmp_path, pair):
    decoder = "deconv_decoder" if pair == "conv" else f"{pair}_decoder"
    sizes = {"image_shape": (16, 32, 3), "num_latent": 3, "generator": torch.Generator().manual_seed(1)}
    networks = [
        make_saved(*one, "torch", **sizes) for one in (("encoder", f"{pair}_encoder"), ("decoder", decoder))
    ]
    save_model(tmp_path / "in/representation", *networks, "tanh", "sampled", 5)
    recorded = tmp_path / "in/results/gin"
    recorded.mkdir(parents=True)
    (recorded / "train.gin").write_text("dataset.name = 'd'\nreconstruction_loss.activation = 'tanh'\n")
    (recorded / "postprocess.gin").write_text("dataset.name = 'd'\npostprocess.random_seed = 5\n")
    run("-c", CONVERT, "convert", "--to", "dlib", str(tmp_path / "in"), str(tmp_path / "out"))
    before = TorchBackend(device="cpu").read(tmp_path / "in")
    images = np.random.RandomState(0).uniform(size=(4, 16, 32, 3)).astype(np.float32)
    for kind in ("model", "postprocessed/sampled"):
        after = Tf1Backend(device="cpu").read(tmp_path / "out" / kind)
        for found, given in zip(after.gaussian_encoder(images), before.gaussian_encoder(images), strict=True):
            np.testing.assert_allclose(found, given, atol=1e-5)
        codes = before.gaussian_encoder(images)[0]
        np.testing.assert_allclose(after.decode(codes), before.decode(codes), atol=1e-5)
    np.testing.assert_allclose(after(images), before(images), atol=1e-5)  # drawn with the same seed
    convert(tmp_path / "out/postprocessed/sampled", tmp_path / "back")  # there and back
    assert_same_outputs(TorchBackend(device="cpu").read(tmp_path / "back").decode(codes), before.decode(codes))


READ = """
import sys
import numpy as np
import tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
names = reader.get_variable_to_shape_map()
np.savez(sys.argv[2], **{name.replace("/", "|"): reader.get_tensor(name) for name in names})
"""


def test_tensorflow_reads_what_the_writer_of_these_tests_writes(tmp_path):
    generator = np.random.RandomState(0)
    arrays = {f"a/{i}/kernel": generator.normal(size=(i % 5 + 1, 3)).astype(np.float32) for i in range(40)}
    write_bundle(tmp_path, arrays)
    run("-c", READ, str(tmp_path / "variables"), str(tmp_path / "read.npz"))
    found = np.load(tmp_path / "read.npz")
    assert sorted(found) == sorted(name.replace("/", "|") for name in arrays)
    assert all(np.array_equal(found[name.replace("/", "|")], array) for name, array in arrays.items())
