"""What the plugin offers, and what it costs to have it."""

import os
import re
import subprocess
import sys

import pytest
from causal_disent_tf import plugin

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def registered(hook):
    found = {}
    hook(lambda name, factory, summary, **details: found.update({name: (factory, summary, details)}))
    return found


def test_what_is_registered():
    assert registered(plugin.register_backends)["tf"][2] == {
        "rank": 30,
        "trains": True,
        "precisions": ("float32", "bfloat16"),
        "converts": ("dlib",),
    }
    assert list(registered(plugin.register_classifiers)) == ["keras_classifier"]


def test_the_plugin_loads_without_tensorflow():
    code = "import causal_disent_tf.plugin, sys; print(*{'tensorflow', 'keras', 'h5py'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout.split() == []


def test_without_tensorflow_the_error_says_what_to_do(monkeypatch, tmp_path):
    from causal_disent_tf import TfBackend

    from causal_disent.errors import InvalidInput

    monkeypatch.setitem(sys.modules, "tensorflow", None)
    (tmp_path / "saved_model.pb").write_bytes(b"")
    with pytest.raises(InvalidInput, match="pip install 'tensorflow>=2.16'.*--backend tf_free"):
        TfBackend().read(tmp_path)
    with pytest.raises(InvalidInput, match="TensorFlow cannot be imported"):
        TfBackend().train(None, None)


KERAS = """
from causal_disent.errors import InvalidInput
from causal_disent_tf._tensorflow import keras
try:
    print(keras().__name__)
except InvalidInput as error:
    print(error.message)
"""


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, "keras"),
        ({"TF_USE_LEGACY_KERAS": "1"}, r"Keras 3 on TensorFlow is needed; here is none \(.*TF_USE_LEGACY_KERAS"),
        ({"KERAS_BACKEND": "numpy"}, "Keras 3 on TensorFlow is needed; here is .*KERAS_BACKEND"),
    ],
)
def test_another_keras_is_told(tf, variables, told):
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "KERAS_BACKEND"} | variables
    done = subprocess.run([sys.executable, "-c", KERAS], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(told, done.stdout)
