"""Saved models, and files of tensors: what is written can be read; a file appears whole or not at all."""

import errno
import json
import os
import pickle
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from causal_disent_torch.backend import TorchBackend
from causal_disent_torch.classifier import save_classifier
from causal_disent_torch.classifier_training import FactorNetwork, Settings
from causal_disent_torch.networks import ConvEncoder, DeconvDecoder, LinearDecoder, LinearEncoder
from causal_disent_torch.representation import TorchRepresentation, open_tensors, write_tensors
from causal_disent_torch.saved import read_model, save_model
from rounding import assert_same_outputs
from safetensors.torch import load_file, save_file

from causal_disent import errors

pytestmark = pytest.mark.usefixtures("global_generators")

SHAPE = (4, 4, 1)
IMAGES = np.random.RandomState(0).rand(5, 16, 16, 3).astype("f4")


def saved(folder, encoder=None, decoder=None, activation="logits", **more):
    encoder = encoder or LinearEncoder(SHAPE, 3)
    decoder = decoder or LinearDecoder(SHAPE, 3)
    save_model(folder / "model", encoder, decoder, activation, **more)
    return folder


@pytest.mark.parametrize("activation", ["logits", "tanh"])
def test_what_is_written_is_read(activation, tmp_path):
    generator = torch.Generator().manual_seed(1)
    encoder = ConvEncoder((16, 16, 3), 5, generator)
    decoder = DeconvDecoder((16, 16, 3), 5, generator)
    folder = saved(tmp_path / "m", encoder, decoder, activation)
    original = TorchRepresentation(encoder, decoder, activation=activation)
    backend = TorchBackend(device="cpu")
    assert backend.recognises(folder)
    model = backend.read(folder)
    codes = original(IMAGES)
    assert_same_outputs(model(IMAGES), codes)
    assert_same_outputs(model.decode(codes), original.decode(codes))
    assert model.num_codes == 5


def test_a_drawn_representation_keeps_its_seed(tmp_path):
    folder = saved(tmp_path / "m", codes="sampled", seed=7)
    images = IMAGES[:, :4, :4, :1]
    expected = TorchRepresentation(LinearEncoder(SHAPE, 3), sample_seed=7)(images)
    assert_same_outputs(TorchBackend(device="cpu").read(folder)(images), expected)


def test_other_folders_are_not_recognised(tmp_path):
    assert not TorchBackend().recognises(tmp_path)
    assert not TorchBackend().recognises(tmp_path / "none")
    with pytest.raises(errors.InvalidInput, match="has no model"):
        TorchBackend().read(tmp_path)


def test_the_decoder_of_another_folder(tmp_path):
    folder = saved(tmp_path / "m")
    other = saved(
        tmp_path / "o", decoder=LinearDecoder(SHAPE, 3, torch.Generator().manual_seed(9)), activation="tanh"
    )
    backend = TorchBackend(device="cpu")
    mixed = backend.read(folder, model_dir=other)
    codes = np.ones((1, 3))
    assert_same_outputs(mixed.decode(codes), backend.read(other).decode(codes))
    assert mixed.folders == {"representation": folder, "decoder": other}
    assert not np.allclose(mixed.decode(codes), backend.read(folder).decode(codes))
    third = saved(tmp_path / "t", LinearEncoder(SHAPE, 2), LinearDecoder(SHAPE, 2))
    with pytest.raises(errors.InvalidInput, match="takes 2 codes"):
        backend.read(folder, model_dir=third)


def test_a_data_set_of_another_shape(tmp_path):
    class Data:
        observation_shape = [64, 64, 3]

    with pytest.raises(
        errors.InvalidInput, match=r"\(4, 4, 1\), and those of the data set have shape \(64, 64, 3\)"
    ):
        TorchBackend(device="cpu").read(saved(tmp_path / "m"), Data())


class Bomb:
    """Unpickling it would leave a file behind."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


@pytest.mark.parametrize("how", ["cut", "header", "empty", "pickle", "torch", "link", "missing", "text"])
def test_a_damaged_file_of_weights(how, tmp_path):
    folder = saved(tmp_path / "m")
    path = folder / "model" / "weights.safetensors"
    content = path.read_bytes()
    if how == "cut":
        path.write_bytes(content[:-20])
    elif how == "header":
        path.write_bytes((2**62).to_bytes(8, "little") + content[8:])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "pickle":
        path.write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    elif how == "torch":
        torch.save(Bomb(tmp_path / "exploded"), path)
    elif how == "text":
        path.write_text("{}" * 100)
    else:
        path.unlink()
        if how == "link":
            (tmp_path / "elsewhere").write_bytes(content)
            path.symlink_to(tmp_path / "elsewhere")
    reasons = {
        "pickle": "is a pickle",
        "torch": "is a pickle",
        "link": "symbolic link",
        "missing": "no file",
    }
    with pytest.raises(errors.InvalidInput, match=reasons.get(how, "cut off or is not a safetensors file")):
        TorchBackend(device="cpu").read(folder)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda w: w.update({"encoder.e1.bias": torch.zeros(4)}), r"has shape \(4,\); \(3,\) is needed"),
        (lambda w: w.pop("decoder.d1.bias"), "missing are decoder.d1.bias"),
        (lambda w: w.update({"more": torch.zeros(1)}), "not expected are more"),
        (lambda w: w.update({"encoder.e1.bias": torch.zeros(3, dtype=torch.int64)}), "is torch.int64"),
        (lambda w: w.update({"encoder.e1.bias": torch.full((3,), float("nan"))}), "not finite"),
    ],
)
def test_weights_that_do_not_fit(change, reason, tmp_path):
    folder = saved(tmp_path / "m")
    path = folder / "model" / "weights.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
    with pytest.raises(errors.InvalidInput, match=reason):
        TorchBackend(device="cpu").read(folder)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"encoder": "os.system"}, "Unknown encoder 'os.system'"),
        ({"encoder": "test_decoder"}, "Unknown encoder 'test_decoder'"),
        ({"decoder": ["test_decoder"]}, "'decoder' cannot be"),
        ({"image_shape": [4, 4]}, "'image_shape' cannot be"),
        ({"image_shape": [4, 4, -1]}, "'image_shape' cannot be"),
        ({"image_shape": [4, 4, True]}, "'image_shape' cannot be"),
        ({"image_shape": [10**9, 10**9, 3]}, "'image_shape' cannot be"),
        ({"image_shape": [8192, 8192, 1]}, "has shape"),
        ({"num_latent": 0}, "'num_latent' cannot be 0"),
        ({"num_latent": 10**12}, "'num_latent' cannot be"),
        ({"num_latent": 1_000_000}, "has shape"),
        ({"num_latent": "3"}, "'num_latent' cannot be '3'"),
        ({"activation": "sigmoid"}, "'activation' cannot be 'sigmoid'"),
        ({"codes": "median"}, "'codes' cannot be 'median'"),
        ({"random_seed": -1}, "'random_seed' cannot be -1"),
        ({"weights": "../../secret"}, "must hold a JSON object"),
        ({"format": "something else"}, "must hold a JSON object"),
    ],
)
def test_descriptions_that_cannot_be_true(change, reason, tmp_path):
    folder = saved(tmp_path / "m")
    path = folder / "model" / "model.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(errors.CausalDisentError, match=reason):
        TorchBackend(device="cpu").read(folder)


@pytest.mark.parametrize("content", ["", "[1, 2]", "null", "{", "[" * 100_000, "\u00ff", " " * 100_000])
def test_descriptions_that_are_no_descriptions(content, tmp_path):
    folder = saved(tmp_path / "m")
    (folder / "model" / "model.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(errors.InvalidInput, match="not JSON|must hold a JSON object|are the most that are read"):
        read_model(folder, "model", "cpu")


TENSORS = {"weights": torch.arange(1000.0)}


@contextmanager
def full_disk():
    """No file can become longer than 100 bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def with_header_like_a_pickle(path):
    for length in range(256):
        write_tensors(path, TENSORS, {"text": "x" * length})
        if path.read_bytes()[0] == 0x80:
            return path
    raise AssertionError("no such header")


def test_a_header_whose_length_looks_like_a_pickle(tmp_path):
    path = with_header_like_a_pickle(tmp_path / "t.safetensors")
    with open_tensors(path) as file:
        assert torch.equal(file.read("weights"), TENSORS["weights"])


def test_such_a_file_that_is_cut_off_is_not_called_a_pickle(tmp_path):
    path = with_header_like_a_pickle(tmp_path / "t.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(errors.InvalidInput, match="is cut off or is not a safetensors file"), open_tensors(path):
        pass


def test_a_full_disk_is_an_error_of_the_system_that_names_the_file(tmp_path):
    path = tmp_path / "t.safetensors"
    path.write_bytes(b"before")
    with full_disk(), pytest.raises(OSError, match=r"t\.safetensors") as caught:
        write_tensors(path, TENSORS)
    assert caught.value.errno == errno.EFBIG
    assert [file.name for file in tmp_path.iterdir()] == [path.name] and path.read_bytes() == b"before"


def test_a_classifier_that_a_full_disk_does_not_take_is_warned_of(tmp_path):
    network = FactorNetwork((8, 8, 1), [2], (4, 4, 8), 0)
    settings = Settings((4, 4, 8), 1, 2, 0.1, 0.1, 3, 0)
    with full_disk(), pytest.warns(UserWarning, match="cannot be kept in .*weights.safetensors"):
        save_classifier(tmp_path / "kept", network, [1.0], ["place"], settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_the_mode_is_that_of_other_new_files(mask, tmp_path):
    before = os.umask(mask)
    try:
        write_tensors(tmp_path / "t.safetensors", TENSORS)
        Path(tmp_path / "other").touch()
    finally:
        os.umask(before)
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1
