"""``--backend tf``: the ten models train, a killed run goes on to the same weights, what is wrong is told."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from causal_disent import errors
from causal_disent.data.array_data import ArrayDataset
from causal_disent.registry import Entry, registry
from causal_disent.runs.postprocess import postprocess_with_gin
from causal_disent.runs.train import train_with_gin

pytestmark = pytest.mark.usefixtures("tf", "tiny")

CONFIGS = {
    "vae": [],
    "annealed_vae": [],
    "factor_vae": [],
    "dip_vae_i": [],
    "beta_tc_vae": [],
    "s2_vae": ["supervised_loss.loss_fn = @xent"],
    "s2_factor_vae": ["supervised_loss.loss_fn = @l2"],
    "s2_dip_vae": ["supervised_loss.loss_fn = @cov"],
    "s2_beta_tc_vae": ["supervised_loss.loss_fn = @embed", "embed.sigma = 'learn'"],
    "s2_factor_vae_bb": ["model.labelled_fraction = None"],
}
SMALL = [
    "dataset.name = 'tiny'",
    "model.batch_size = 4",
    "model.training_steps = 2",
    "encoder.num_latent = 3",
]


@pytest.fixture
def tiny():
    """Nine images of 16x16, each a grey square; with boxes."""
    factors = np.indices((3, 3)).reshape(2, -1).T
    images = np.zeros((9, 16, 16, 1), np.uint8)
    for image, (place, shade) in zip(images, factors, strict=True):
        image[5 * place : 5 * place + 5, 2:9] = 85 * (shade + 1)
    boxes = np.stack([[2, 5 * place, 9, 5 * place + 5] for place, _ in factors])
    data = ArrayDataset(images, factors, bounding_boxes=boxes)
    restore = registry.replace(Entry("datasets", "tiny", "tests", lambda: data, "for tests"))
    yield data
    restore()


def train(folder, config="vae", *more, **options):
    labelled = config.startswith("s2")
    bindings = [*SMALL, *CONFIGS.get(config, []), *(["model.num_labelled_samples = 6"] if labelled else []), *more]
    name = "beta_vae" if config == "vae" else config
    return train_with_gin(
        folder, False, [f"models/{name}.gin"], bindings, with_labels=labelled, **{"backend": "tf", **options}
    )


def weights(folder):
    from safetensors.numpy import load_file

    return load_file(folder / "model/weights.safetensors")


@pytest.mark.parametrize("config", CONFIGS)
def test_each_model_trains_two_steps_and_is_read_back(config, tmp_path, tiny):
    from causal_disent_tf import TfBackend

    scores = train(tmp_path / "model", config)
    assert scores["global_step"] == 2
    assert np.isfinite([value for value in scores.values() if isinstance(value, float)]).all()
    assert scores["loss"] == pytest.approx(scores["reconstruction_loss"] + scores["regularizer"], rel=1e-4)
    assert ("supervised_loss" in scores) == config.startswith("s2")
    assert ("weighted_box_loss" in scores) == config.endswith("_bb")
    model = TfBackend().read(tmp_path / "model", tiny)
    images = tiny.observations(np.arange(9))
    codes = model(images)
    assert codes.shape == (9, 3) and model.decode(codes).shape == images.shape
    assert not (tmp_path / "model.partial").exists()


def test_the_same_seed_gives_the_same_weights_and_another_other_ones(tmp_path):
    runs = {"one": 0, "again": 0, "other": 1}
    for name, seed in runs.items():
        train(tmp_path / name, "factor_vae", f"model.random_seed = {seed}")
    one, again, other = (weights(tmp_path / name) for name in runs)
    for name, values in one.items():
        np.testing.assert_array_equal(values, again[name])
    assert any((values != other[name]).any() for name, values in one.items())


def test_the_loss_goes_down(tmp_path):
    train(tmp_path / "short")
    before = train(tmp_path / "before", "vae", "model.training_steps = 0")["loss"]
    after = train(
        tmp_path / "after", "vae", "model.training_steps = 60", "vae/AdamOptimizer.learning_rate = 0.003"
    )
    assert after["loss"] < 0.8 * before


@pytest.mark.parametrize("config", ["vae", "factor_vae", "s2_vae"])
def test_bfloat16_is_near_float32(tmp_path, tiny, config):
    from causal_disent_tf import TfBackend

    scores = {
        precision: train(tmp_path / precision, config, f"model.precision = '{precision}'")
        for precision in ("float32", "bfloat16")
    }
    for name, value in scores["float32"].items():
        if name not in ("elapsed_time", "global_step"):
            assert scores["bfloat16"][name] == pytest.approx(value, rel=0.05, abs=0.05), name
    found = {precision: weights(tmp_path / precision) for precision in scores}
    assert {str(values.dtype) for values in found["bfloat16"].values()} == {"float32"}
    assert any((values != found["float32"][name]).any() for name, values in found["bfloat16"].items())
    # It is read, and was evaluated, in single precision.
    codes = TfBackend().read(tmp_path / "bfloat16")(tiny.observations(np.arange(9)))
    assert (codes.astype("float16").astype("float32") != codes).any()


def test_a_device_without_bfloat16(tmp_path, tf, monkeypatch):
    def refuse(*args):
        raise tf.errors.NotFoundError(None, None, "Could not find device for node")

    monkeypatch.setattr(tf.nn, "conv2d", refuse)
    with pytest.raises(errors.InvalidInput, match="does not compute in on this device: Could not find device"):
        train(tmp_path / "model", "vae", "model.precision = 'bfloat16'")
    with pytest.raises(errors.UnknownName, match="model.precision.*'float16'"):
        train(tmp_path / "model", "vae", "model.precision = 'float16'")


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from test_tf_train import tiny, train
from causal_disent_tf.training import Trainer
data = tiny.__wrapped__() if hasattr(tiny, "__wrapped__") else tiny._get_wrapped_function()()
next(data)
step = Trainer.step
def slow(self):
    import time
    time.sleep(0.3 if self.num_steps >= 4 else 0)
    return step(self)
Trainer.step = slow
train(sys.argv[1], "factor_vae", "model.training_steps = 300", checkpoint_every=3)
"""


def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path):
    killed = tmp_path / "killed"
    here = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(killed), here], env=environment)
    checkpoint = tmp_path / "killed.partial/checkpoint.safetensors"
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and checkpoint.exists()
    steps = "model.training_steps = 8"
    train(killed, "factor_vae", steps, checkpoint_every=3)
    train(tmp_path / "whole", "factor_vae", steps)
    for name, values in weights(tmp_path / "whole").items():
        np.testing.assert_array_equal(values, weights(killed)[name])


def test_a_checkpoint_of_the_other_framework_is_refused(tmp_path):
    from safetensors.numpy import save_file

    from causal_disent.training.checkpoint import KEY

    run = '{"framework": "pt", "step": 1, "elapsed": 1.0, "position": 1, "has_gauss": 0, "gauss": 0.0, '
    run += f'"settings": {{}}, "tensors": ["{KEY}"]}}'
    (tmp_path / "model.partial").mkdir()
    save_file({KEY: np.zeros(624, np.int64)}, tmp_path / "model.partial/checkpoint.safetensors", {"run": run})
    with pytest.raises(errors.InvalidInput, match="written by another backend.*--noresume starts over"):
        train(tmp_path / "model")


def test_curves_hold_the_terms(tmp_path, tf):
    train(tmp_path / "model")
    (file,) = (tmp_path / "model/tensorboard").iterdir()
    events = [tf.compat.v1.Event.FromString(record.numpy()) for record in tf.data.TFRecordDataset(str(file))]
    points = {value.tag: tf.make_ndarray(value.tensor) for event in events for value in event.summary.value}
    assert points["loss"] > 0 and {event.step for event in events if event.summary.value} == {2}


def test_a_postprocessed_model_draws_its_codes(tmp_path, tiny):
    from causal_disent_tf import TfBackend

    train(tmp_path / "model")
    postprocess_with_gin(tmp_path / "model", tmp_path / "drawn", gin_config_files=["postprocess/sampled.gin"])
    images = tiny.observations(np.arange(9))
    mean, log_var = TfBackend().read(tmp_path / "model").gaussian_encoder(images)
    first, second = (TfBackend().read(tmp_path / "drawn")(images) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert 0 < np.abs((first - mean) / np.exp(log_var / 2)).max() < 6


def test_diverging_is_told(tmp_path):
    with pytest.raises(errors.InvalidInput, match="Training diverged"):
        train(tmp_path / "model", "vae", "vae/AdamOptimizer.learning_rate = 1e30", "model.training_steps = 9")


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        (["encoder.encoder_fn = 3"], {}, "encoder.encoder_fn"),
        (["vae/AdamOptimizer.beta1 = 1.5"], {}, "AdamOptimizer.beta1 must be"),
        ([], {"device": "gpu:7"}, r"There is no device 'gpu:7' on this machine; there is .*cpu:0"),
        ([], {"device": "toaster"}, "Unknown device 'toaster'"),
        ([], {"backend": "jax"}, "jax"),
    ],
)
def test_what_is_wrong_is_told_before_the_first_step(more, options, message, tmp_path):
    with pytest.raises(errors.CausalDisentError, match=message):
        train(tmp_path / "model", "vae", *more, **options)
    assert not (tmp_path / "model").exists()


def test_a_model_of_another_backend_names_it(tmp_path):
    restore = registry.replace(
        Entry(
            "models",
            "elsewhere",
            "tests",
            "causal_disent.training.objectives:vae",
            facts={"backend": "torch"},
        )
    )
    try:
        with pytest.raises(errors.InvalidInput, match="'elsewhere' is trained by the backend torch, not by 'tf'"):
            train(tmp_path / "model", "vae", "model.model = @elsewhere()", "elsewhere.beta = 1")
    finally:
        restore()


def test_own_networks_are_keras_layers_and_are_saved_by_name(tmp_path, tf, tiny):
    from causal_disent_tf import TfBackend, architecture

    @architecture("own_encoder", "encoder")
    def own_encoder(image_shape, num_latent, generator=None, width=8):
        layers = tf.keras.layers
        hidden = [layers.Flatten(), layers.Dense(width, "relu"), layers.BatchNormalization()]

        class Own(layers.Layer):
            def __init__(self):
                super().__init__()
                self.image_shape, self.num_latent = tuple(image_shape), num_latent
                self.body = tf.keras.Sequential([tf.keras.Input(image_shape), *hidden])
                self.heads = [layers.Dense(num_latent), layers.Dense(num_latent)]
                for head in self.heads:
                    head.build((None, width))

            def call(self, images, training=None):
                hidden = self.body(images, training=training)
                return tuple(head(hidden) for head in self.heads)

        return Own()

    train(tmp_path / "model", "vae", "encoder.encoder_fn = @own_encoder", "own_encoder.width = 5")
    saved = weights(tmp_path / "model")
    assert saved["encoder.heads.1.weight"].shape == (3, 5)
    assert any(name.startswith("encoder.body.") and name.endswith("moving_mean") for name in saved)
    model = TfBackend().read(tmp_path / "model")
    assert model.encoder.bound_options == {"width": 5}
    images = tiny.observations(np.arange(9))
    np.testing.assert_array_equal(model(images), TfBackend().read(tmp_path / "model")(images))


def test_networks_of_another_kind_are_told(tmp_path):
    from causal_disent_tf import architecture

    architecture("no_layer", "encoder")(lambda image_shape, num_latent, generator: len)
    with pytest.raises(errors.InvalidInput, match="'no_layer' must be a keras.layers.Layer"):
        train(tmp_path / "model", "vae", "encoder.encoder_fn = @no_layer")


def test_a_hostile_description_takes_no_memory(tmp_path):
    import json

    from causal_disent_tf import TfBackend

    train(tmp_path / "model")
    path = tmp_path / "model/model/model.json"
    large = {"encoder": "fc_encoder", "decoder": "fc_decoder", "image_shape": [8192, 8192, 1]}
    path.write_text(json.dumps({**json.loads(path.read_text()), **large, "options": None, "owners": None}))
    with pytest.raises(errors.InvalidInput, match="does not fit the architectures"):
        TfBackend().read(tmp_path / "model")


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    from causal_disent_tf import TfBackend
    from safetensors.numpy import save_file

    train(tmp_path / "model")
    broken = weights(tmp_path / "model")
    broken["encoder.e1.bias"][0] = np.nan
    save_file(broken, tmp_path / "model/model/weights.safetensors")
    with pytest.raises(errors.InvalidInput, match="'encoder.e1.bias' has values that are not finite"):
        TfBackend().read(tmp_path / "model")
