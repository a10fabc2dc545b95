"""A monitor in Keras' `fit`."""

import numpy as np
import pytest

import causal_disent

keras = pytest.importorskip("keras")
from causal_disent.integrations.keras import MonitorCallback  # noqa: E402

FACTORS = np.indices((4, 4)).reshape(2, -1).T
FAST = {"metrics": "r2", "bootstrap": 0, "chance": 0}


def fit(callbacks, epochs=2):
    keras.utils.set_random_seed(0)
    layers = [
        keras.layers.Dense(4),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(2),
    ]
    model = keras.Sequential([keras.Input((2,)), *layers])
    model.compile("sgd", "mse")
    inputs = FACTORS.astype("float32")
    model.fit(inputs, inputs, batch_size=4, epochs=epochs, callbacks=callbacks, verbose=0)
    return model


def noisy(model, inputs):
    """Codes that draw random numbers and update moving averages, as a call in training does."""
    return model(inputs, training=True)


@pytest.mark.parametrize("encode", [None, noisy])
def test_the_training_is_the_same(encode):
    monitor = causal_disent.Monitor(FACTORS.astype("float32"), FACTORS, every=3, busy="queue", **FAST)
    model = fit([MonitorCallback(monitor, encode)])
    assert monitor.table["step"].tolist() == [0, 3, 6] and not monitor.failures
    for one, other in zip(model.get_weights(), fit([]).get_weights(), strict=True):
        assert (one == other).all()


def test_training_stops_and_the_best_is_kept(tmp_path):
    pytest.importorskip("h5py")
    options = {**FAST, "folder": tmp_path, "best": "r2", "patience": 2, "worker": False}
    monitor = causal_disent.Monitor(FACTORS.astype("float32"), FACTORS, every=1, **options)
    callback = MonitorCallback(monitor, lambda model, inputs: inputs)
    model = fit([callback], epochs=20)
    assert monitor.table["step"].tolist() == [0, 1, 2]
    model.load_weights(tmp_path / "checkpoints/0/model.weights.h5")
