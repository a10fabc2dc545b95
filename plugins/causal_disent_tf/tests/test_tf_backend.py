"""SavedModels through TensorFlow: its session's numbers, both versions' formats, whatever the graph."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from causal_disent_tf import TfBackend

from causal_disent.errors import InvalidInput
from causal_disent.runs.evaluate import evaluate_with_gin
from causal_disent.runs.representation import Reading

SHARED = Path(os.environ.get("CAUSAL_DISENT_SHARED", Path(__file__).parents[4] / "shared"))
PAIRS = ("conv", "conv_older", "fc", "test", "unknown")


def pixels(output, activation):
    return 1 / (1 + np.exp(-output)) if activation == "logits" else np.tanh(output) / 2 + 0.5


@pytest.mark.parametrize("pair", PAIRS)
def test_a_model_gives_what_the_session_gave(tf1_folders, pair):
    expected = np.load(tf1_folders / pair / "expected.npz")
    found = TfBackend().read(tf1_folders / pair / "model")
    mean, log_var = found.gaussian_encoder(expected["images"])
    np.testing.assert_allclose(found(expected["images"]), expected["mean"], atol=1e-5)
    np.testing.assert_allclose(mean, expected["mean"], atol=1e-5)
    np.testing.assert_allclose(log_var, expected["logvar"], atol=1e-5)
    drawn = pixels(expected["decoder"], "tanh" if pair == "conv_older" else "logits")
    np.testing.assert_allclose(found.decode(expected["latents"]), drawn, atol=1e-5)


@pytest.mark.parametrize("pair", ["conv", "unknown"])
def test_a_representation_finds_its_decoder_beside_it(tf1_folders, pair):
    folder = tf1_folders / pair
    expected = np.load(folder / "expected.npz")
    found = TfBackend().read(folder / "mean")
    np.testing.assert_allclose(found(expected["images"]), expected["mean"], atol=1e-5)
    np.testing.assert_allclose(found.decode(expected["latents"]), pixels(expected["decoder"], "logits"), atol=1e-5)
    assert found.folders == {"representation": folder / "mean", "decoder": folder / "model"}
    assert not hasattr(found, "gaussian_encoder")


def test_a_representation_alone_has_no_decoder(tf1_folders, tmp_path):
    shutil.copytree(tf1_folders / "test/mean", tmp_path / "alone")
    found = TfBackend().read(tmp_path / "alone")
    assert not hasattr(found, "decode") and found.folders == {"representation": tmp_path / "alone"}
    given = TfBackend().read(tmp_path / "alone", model_dir=tf1_folders / "test/model")
    assert given.folders["decoder"] == tf1_folders / "test/model" and hasattr(given, "decode")
    with pytest.raises(InvalidInput, match="has no decoder: its signatures are representation"):
        TfBackend().read(tmp_path / "alone", model_dir=tf1_folders / "test/mean")


@pytest.mark.parametrize("kind", ["codes", "images"])
def test_a_decoder_of_another_model_is_refused(tf, tf1_folders, tmp_path, kind):
    """As many codes and other images; or, of another make, the same images and fewer codes."""
    other = tf1_folders / "fc/model"
    if kind == "codes":
        other = tmp_path / "other"

        class Decoder(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None, 3], name="latent_vectors")])
            def decode(self, latent_vectors):
                return {"images": tf.reshape(tf.repeat(latent_vectors, 16, axis=1), [-1, 4, 6, 2])}

        module = Decoder()
        tf.saved_model.save(module, str(other), signatures={"decoder": module.decode})
    with pytest.raises(InvalidInput, match="belong to different models.*--model_dir"):
        TfBackend().read(tf1_folders / "test/mean", model_dir=other)


@pytest.mark.parametrize("fault", ["graph", "variables", "another model", "activation"])
def test_a_faulty_model_nearby_matters_only_to_who_decodes(tf1_folders, tmp_path, fault):
    shutil.copytree(tf1_folders / "test/mean", tmp_path / "mean")
    near = tmp_path / "model"
    shutil.copytree(tf1_folders / ("fc/model" if fault == "another model" else "test/model"), near)
    if fault == "graph":
        (near / "tfhub/saved_model.pb").write_bytes(b"\xff" * 100)
    elif fault == "variables":
        data = near / "tfhub/variables/variables.data-00000-of-00001"
        data.write_bytes(data.read_bytes()[:-1])
    elif fault == "activation":
        (near / "results/gin/train.gin").write_text("reconstruction_loss.activation = 'relu'\n")
    expected = np.load(tf1_folders / "test/expected.npz")
    found = TfBackend().read(tmp_path / "mean")
    np.testing.assert_allclose(found(expected["images"]), expected["mean"], atol=1e-5)
    with pytest.raises(InvalidInput, match="/model, which lies near .*/mean, cannot be used: "):
        found.decode(expected["latents"])


def test_draws_are_seeded_by_the_config(tf1_folders, tmp_path):
    images = np.load(tf1_folders / "test/expected.npz")["images"]
    first = TfBackend().read(tf1_folders / "test/sampled")
    draws = [first(images), first(images)]
    assert not np.allclose(draws[0], draws[1])
    again = TfBackend().read(tf1_folders / "test/sampled")
    np.testing.assert_array_equal([again(images), again(images)], draws)
    shutil.copytree(tf1_folders / "test/sampled", tmp_path / "other")
    config = tmp_path / "other/results/gin/postprocess.gin"
    config.write_text(config.read_text().replace("random_seed = 3", "random_seed = 4"))
    assert not np.allclose(TfBackend().read(tmp_path / "other")(images), draws[0])


def test_images_of_another_shape_are_refused(tf1_folders):
    class Data:
        observation_shape = (64, 64, 1)

    with pytest.raises(InvalidInput, match=r"\(4, 6, 2\), and those of the data set have shape \(64, 64, 1\)"):
        TfBackend().read(tf1_folders / "test/model", data=Data())


def test_what_is_recognised(tf1_folders, tmp_path):
    assert TfBackend().recognises(tf1_folders / "test/model")
    assert TfBackend().recognises(tf1_folders / "test/model/tfhub")
    assert not TfBackend().recognises(tmp_path)


@pytest.fixture(scope="session")
def tf2_module(tf):
    """A model of TensorFlow 2 with disentanglement_lib's signatures."""

    class Model(tf.Module):
        def __init__(self):
            self.weight = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2) / 8)

        @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 1], name="images")])
        def encode(self, images):
            mean = tf.reshape(images, [-1, 4]) @ self.weight
            return {"mean": mean, "logvar": -mean}

        @tf.function(input_signature=[tf.TensorSpec([None, 2], name="latent_vectors")])
        def decode(self, latent_vectors):
            return {"images": tf.reshape(latent_vectors @ tf.transpose(self.weight), [-1, 2, 2, 1])}

    return Model()


@pytest.mark.parametrize("place", ["", "tfhub"])
def test_a_saved_model_of_version_2(tf, tf2_module, tmp_path, place):
    signatures = {"gaussian_encoder": tf2_module.encode, "decoder": tf2_module.decode}
    tf.saved_model.save(tf2_module, str(tmp_path / place), signatures=signatures)
    found = TfBackend().read(tmp_path)
    images = np.random.RandomState(0).uniform(size=(3, 2, 2, 1)).astype(np.float32)
    weight = tf2_module.weight.numpy()
    np.testing.assert_allclose(found(images), images.reshape(3, 4) @ weight, atol=1e-6)
    codes = images.reshape(3, 4)[:, :2]
    expected = pixels((codes @ weight.T).reshape(3, 2, 2, 1), "logits")
    np.testing.assert_allclose(found.decode(codes), expected, atol=1e-6)


def test_signatures_that_do_not_fit_are_named(tf, tf2_module, tmp_path):
    tf.saved_model.save(tf2_module, str(tmp_path / "a"), signatures={"serve": tf2_module.encode})
    with pytest.raises(InvalidInput, match="has the signatures serve; one of representation, gaussian_encoder"):
        TfBackend().read(tmp_path / "a")
    tf.saved_model.save(tf2_module, str(tmp_path / "b"), signatures={"representation": tf2_module.encode})
    with pytest.raises(InvalidInput, match="should take images and give default"):
        TfBackend().read(tmp_path / "b")


@pytest.fixture
def broken(tf1_folders, tmp_path):
    """A copy of a small model, and the parts of it."""
    shutil.copytree(tf1_folders / "test/model", tmp_path / "model")
    return tmp_path / "model"


def test_damage_is_an_error_that_names_the_file(broken):
    graph = broken / "tfhub/saved_model.pb"
    whole = graph.read_bytes()
    for data in (b"", whole[:-1], whole[: len(whole) // 2], b"\xff" * 100):
        graph.write_bytes(data)
        with pytest.raises(InvalidInput, match="saved_model.pb cannot be used"):
            TfBackend().read(broken)
    graph.write_bytes(whole)


def test_damaged_variables_are_named(broken):
    data = broken / "tfhub/variables/variables.data-00000-of-00001"
    whole = data.read_bytes()
    flipped = bytes([whole[0] ^ 1]) + whole[1:]
    for content, reason in ((whole[:-1], "less bytes than requested"), (flipped, "Checksum does not match")):
        data.write_bytes(content)
        with pytest.raises(InvalidInput, match=f"tfhub/variables cannot be used: .*Error: .*{reason}"):
            TfBackend().read(broken)
    shutil.rmtree(broken / "tfhub/variables")
    with pytest.raises(InvalidInput, match=f"matching files for {broken}/tfhub/variables/variables"):
        TfBackend().read(broken)


def test_flipped_bytes_of_the_graph_give_an_error_or_a_model(broken):
    graph = broken / "tfhub/saved_model.pb"
    whole, generator, refused = graph.read_bytes(), np.random.RandomState(0), 0
    for place in generator.randint(len(whole), size=25):
        changed = bytearray(whole)
        changed[place] ^= 1 << generator.randint(8)
        graph.write_bytes(changed)
        try:
            TfBackend().read(broken)
        except InvalidInput:
            refused += 1
    assert refused


@pytest.mark.parametrize("name", ["tfhub", "tfhub/saved_model.pb", "tfhub/variables", "results"])
def test_links_are_refused(broken, tmp_path, name):
    (broken / name).rename(tmp_path / "moved")
    (broken / name).symlink_to(tmp_path / "moved")
    with pytest.raises(InvalidInput, match="symbolic link"):
        TfBackend().read(broken)


def test_nothing_is_left_in_the_temporary_folder(broken, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    TfBackend().read(broken)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(
    not (SHARED / "checkpoints").is_dir(),
    reason="the environment variable CAUSAL_DISENT_SHARED names no folder with it",
)
@pytest.mark.parametrize("part", ["model", "representation"])
def test_the_real_checkpoint(tf, part):
    root = SHARED / "checkpoints/dlib_beta_vae"
    expected = np.load(root / "expected.npz")
    found = TfBackend().read(root / part)
    np.testing.assert_allclose(found(expected["images"]), expected["mean"], atol=1e-5)
    drawn = pixels(expected["decoder"], "logits")
    np.testing.assert_allclose(found.decode(expected["latents"]), drawn, atol=1e-5)


@pytest.mark.slow
@pytest.mark.skipif(
    not (SHARED / "reference").is_dir(),
    reason="the environment variable CAUSAL_DISENT_SHARED names no folder with it",
)
def test_the_scores_of_the_real_checkpoint_are_those_of_disentanglement_lib(tf, tmp_path):
    folder, tables = SHARED / "checkpoints/dlib_beta_vae/representation", {}
    reference = json.loads((SHARED / "reference/dlib_beta_vae_scores.json").read_text())
    for metric, expected in reference.items():
        scores = evaluate_with_gin(
            folder, tmp_path / metric, False, None, expected["bindings"], tables, Reading(backend="tf")
        )
        assert scores["backend"] == "tf"
        for key, value in expected["scores"].items():
            if (metric, key) != ("irs", "num_active_dims"):
                assert scores[key] == pytest.approx(value, abs=1e-5), (metric, key)
