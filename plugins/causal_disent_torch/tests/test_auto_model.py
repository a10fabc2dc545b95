"""Models of transformers: folders as they are saved, and as a download lays them out."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from causal_disent_torch.auto_model import PREPARATION as PREPARATION_FILE
from causal_disent_torch.auto_model import _Features, _read_preparation

from causal_disent import errors, evaluate_with_gin, get_dataset, get_representation

transformers = pytest.importorskip("transformers")

SMALL = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
PREPARATION = {
    "do_resize": True, "size": {"height": 32, "width": 32}, "do_normalize": True,
    "image_mean": [0.5, 0.4, 0.3], "image_std": [0.2, 0.3, 0.4],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A vision transformer with random weights."""
    torch.manual_seed(0)
    place = tmp_path_factory.mktemp("vit")
    transformers.ViTModel(transformers.ViTConfig(image_size=32, patch_size=8, **SMALL)).save_pretrained(place)
    (place / "preprocessor_config.json").write_text(json.dumps(PREPARATION))
    return place


def images():
    return get_dataset("candle_mini").observations(np.arange(0, 60, 10))


@pytest.mark.parametrize("codes", ["mean", "first", "pooled"])
def test_codes_are_those_of_transformers(folder, codes):
    found = get_representation("auto_model", get_dataset("candle_mini"), folder=str(folder), codes=codes)(images())
    model = transformers.AutoModel.from_pretrained(folder).eval()
    pixels = torch.nn.functional.interpolate(
        torch.tensor(images()).permute(0, 3, 1, 2), (32, 32), mode="bicubic", antialias=True
    ).clamp(0, 1)
    mean, std = (torch.tensor(PREPARATION[key]).reshape(1, 3, 1, 1) for key in ("image_mean", "image_std"))
    with torch.no_grad():
        output = model(pixel_values=(pixels - mean) / std)
    states = output.last_hidden_state
    expected = {"mean": states.mean(1), "first": states[:, 0], "pooled": output.pooler_output}[codes]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_download_of_links_is_measured_by_a_command(folder, tmp_path):
    blobs, snapshot = tmp_path / "models--a--b/blobs", tmp_path / "models--a--b/snapshots/0123"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for number, file in enumerate(folder.iterdir()):
        (blobs / str(number)).write_bytes(file.read_bytes())
        (snapshot / file.name).symlink_to(f"../../blobs/{number}")
    (tmp_path / "m").mkdir()
    (tmp_path / "m/representation.gin").write_text(
        f"representation.name = 'auto_model'\nauto_model.folder = '{snapshot}'\ndataset.name = 'candle_mini'\n"
    )
    scores = evaluate_with_gin(
        tmp_path / "m", tmp_path / "e", gin_config_files=["metrics/irs.gin"], gin_bindings=["irs.num_train = 50"]
    )
    assert 0 <= scores["IRS"] <= 1
    (snapshot / "model.safetensors").unlink()
    (tmp_path / "elsewhere").write_bytes((folder / "model.safetensors").read_bytes())
    (snapshot / "model.safetensors").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(errors.InvalidInput):
        get_representation("auto_model", get_dataset("candle_mini"), folder=str(snapshot))


def test_a_convolutional_network_and_a_crop(tmp_path):
    config = transformers.ResNetConfig(embedding_size=4, hidden_sizes=[4, 8], depths=[1, 1])
    transformers.ResNetModel(config).save_pretrained(tmp_path)
    given = {"size": {"shortest_edge": 48}, "do_center_crop": True, "crop_size": 32, "do_normalize": False}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(given))
    model = get_representation("auto_model", get_dataset("candle_mini"), folder=str(tmp_path))
    assert model(images()).shape == (6, 8) and np.isfinite(model(images())).all()


class Pixels(torch.nn.Module):
    """Codes are the pixels that a model would get."""

    def forward(self, pixel_values):
        return SimpleNamespace(last_hidden_state=pixel_values.flatten(1)[:, None])


@pytest.mark.parametrize(
    ("processor", "given"),
    [
        ("ViTImageProcessor", {"size": 32, "resample": 2}),
        ("ViTImageProcessor", {"size": 32, "resample": 0}),
        ("CLIPImageProcessor", {"size": 32, "resample": 3, "do_center_crop": True, "crop_size": 32}),
        ("CLIPImageProcessor", {"size": 24, "resample": 3, "do_center_crop": True, "crop_size": 33}),
        ("ConvNextImageProcessor", {"size": 32, "resample": 3, "crop_pct": 0.875}),
        ("ConvNextImageProcessor", {"size": 384, "resample": 3, "crop_pct": 0.875}),
    ],
)
def test_images_are_prepared_as_transformers_does(processor, given, tmp_path):
    given |= {"image_processor_type": processor, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (tmp_path / PREPARATION_FILE).write_text(json.dumps(given))
    wide = torch.tensor(images())[:2, 8:56].repeat_interleave(2, 1).repeat_interleave(2, 2)  # 96x128 pixels
    pixels = (255 * wide).round().to(torch.uint8).numpy()
    expected = getattr(transformers, processor).from_pretrained(tmp_path)(list(pixels), return_tensors="np")
    found = _Features(Pixels(), "mean", _read_preparation(tmp_path))(torch.tensor(pixels) / 255)
    found = found.reshape(expected["pixel_values"].shape).numpy()
    np.testing.assert_allclose(found, expected["pixel_values"], atol=0.04)


def test_a_model_of_other_inputs_is_named(tmp_path):
    transformers.BertModel(transformers.BertConfig(vocab_size=10, **SMALL)).save_pretrained(tmp_path)
    with pytest.raises(errors.InvalidInput, match="BertModel"):
        get_representation("auto_model", get_dataset("candle_mini"), folder=str(tmp_path))(images())


def test_a_filter_that_is_no_number_is_bicubic(tmp_path):
    (tmp_path / PREPARATION_FILE).write_text('{"size": 32, "resample": [2]}')
    assert _read_preparation(tmp_path)["filter"] == "bicubic"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: (place / "config.json").write_text("{"),
        lambda place: (place / "model.safetensors").write_bytes(b"no"),
        lambda place: (place / "preprocessor_config.json").write_text('{"size": {"height": 1000000, "width": 1}}'),
        lambda place: (place / "preprocessor_config.json").write_text('{"size": {"longest": 3}}'),
        lambda place: (place / "preprocessor_config.json").write_text('{"image_mean": "half"}'),
        lambda place: (place / "preprocessor_config.json").write_text('{"image_mean": []}'),
        lambda place: (place / "preprocessor_config.json").write_text('{"image_std": [0.5, 0.5, 0]}'),
        lambda place: (place / "preprocessor_config.json").write_text('{"size": 32, "crop_pct": 0}'),
        lambda place: (place / "preprocessor_config.json").write_text("[]"),
        lambda place: torch.save({}, (place / "model.safetensors").rename(place / "pytorch_model.bin")),
    ],
)
def test_what_cannot_be_read(folder, tmp_path, spoil):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    spoil(tmp_path)
    with pytest.raises(errors.InvalidInput):
        get_representation("auto_model", get_dataset("candle_mini"), folder=str(tmp_path))


@pytest.mark.parametrize("options", [{}, {"folder": "/nowhere"}, {"folder": 3}, {"codes": "last"}])
def test_mistakes(folder, options):
    with pytest.raises((errors.CausalDisentError, TypeError)):
        get_representation(
            "auto_model",
            get_dataset("candle_mini"),
            **{**({"folder": str(folder)} if "codes" in options else {}), **options},
        )
